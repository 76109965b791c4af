// A folder of its own for each test, removed afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace meld::test {

class Scratch {
public:
  Scratch() {
    char name[] = "/tmp/meld-cache-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string &path() const { return path_; }
  std::string file(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

} // namespace meld::test
