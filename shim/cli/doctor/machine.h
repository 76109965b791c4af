// Where a program is looked at: environment and devices. A struct, so that tests can have
// machines that they do not run on.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace meld::doctor {

struct Machine {
  std::map<std::string, std::string> environment;
  std::string root; ///< put before /dev, /proc and the marks of containers; "" but in tests
  unsigned user = 0;
  /// access(2) for reading and writing.
  std::function<bool(const std::string &path)> mayUse;

  /// "" where it is not set.
  std::string variable(const std::string &name) const {
    auto it = environment.find(name);
    return it == environment.end() ? std::string() : it->second;
  }
};

/// This process's.
Machine here();

/// Those of a running process: its environment, as far as this user may read it. Errors are told by
/// an empty environment.
Machine ofProcess(const std::string &root, int pid);

} // namespace meld::doctor
