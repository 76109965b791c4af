#include "runtime/softgpu/counters/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace meld::softgpu {

std::string expandPid(std::string name) {
  for (size_t at; (at = name.find("%p")) != std::string::npos;)
    name.replace(at, 2, std::to_string(getpid()));
  return name;
}

bool writeWholeFile(const std::string &pattern, const std::string &text,
                    const char *what) noexcept {
  try {
    const std::string name = expandPid(pattern);
    const std::string part = name + ".part." + std::to_string(getpid());
    std::FILE *f = std::fopen(part.c_str(), "w");
    bool ok = f && std::fwrite(text.data(), 1, text.size(), f) == text.size() &&
              std::fputc('\n', f) != EOF;
    if (f && std::fclose(f) != 0)
      ok = false;
    if (ok && std::rename(part.c_str(), name.c_str()) == 0)
      return true;
    std::fprintf(stderr, "meld: cannot write %s to %s: %s\n", what, name.c_str(),
                 std::strerror(errno));
    std::remove(part.c_str());
  } catch (...) {
    std::fprintf(stderr, "meld: cannot write %s: out of memory\n", what);
  }
  return false;
}

} // namespace meld::softgpu
