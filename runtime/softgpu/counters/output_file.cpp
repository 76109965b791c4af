#include "runtime/softgpu/counters/output_file.h"

#include "runtime/host/new_file.h"
#include "runtime/host/stderr.h"
#include "runtime/host/text.h"

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
    const auto done = writeWholePath(name, text + "\n");
    if (done)
      return true;
    writeToStderr("meld: cannot write " + std::string(what) + ": " +
                  shown(done.error().message, 300) + "\n");
  } catch (...) {
    writeToStderr("meld: cannot write a file: out of memory\n");
  }
  return false;
}

} // namespace meld::softgpu
