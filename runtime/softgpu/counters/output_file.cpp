#include "runtime/softgpu/counters/output_file.h"

#include "runtime/host/new_file.h"
#include "runtime/host/stderr.h"
#include "runtime/host/text.h"

#include <unistd.h>

namespace meld::softgpu {

std::string expandPid(const std::string &name) {
  const std::string pid = std::to_string(getpid());
  std::string expanded;
  size_t from = 0;
  for (size_t at; (at = name.find("%p", from)) != std::string::npos; from = at + 2)
    expanded.append(name, from, at - from) += pid;
  return expanded.append(name, from);
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
