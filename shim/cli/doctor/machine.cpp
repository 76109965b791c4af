#include "shim/cli/doctor/machine.h"

#include <fstream>
#include <unistd.h>

namespace meld::doctor {
namespace {

void put(Machine &s, const std::string &entry) {
  if (const size_t equals = entry.find('='); equals != std::string::npos && equals)
    s.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
}

} // namespace

Machine here() {
  Machine s;
  for (char **entry = environ; entry && *entry; ++entry)
    put(s, *entry);
  s.user = ::geteuid();
  s.mayUse = [](const std::string &path) { return ::access(path.c_str(), R_OK | W_OK) == 0; };
  return s;
}

Machine ofProcess(const std::string &root, int pid) {
  Machine s = here();
  s.root = root;
  s.environment.clear();
  std::ifstream file(root + "/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  for (std::string entry; std::getline(file, entry, '\0');)
    put(s, entry);
  return s;
}

} // namespace meld::doctor
