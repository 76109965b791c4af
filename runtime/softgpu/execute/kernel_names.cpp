#include "runtime/softgpu/execute/kernel_names.h"

#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <unordered_map>

namespace meld::softgpu {

namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<uint64_t, KernelName> names;
};

Table &table() {
  static Table *t = new Table; // lives as long as the process: threads may still dispatch at exit
  return *t;
}

} // namespace

void nameKernel(uint64_t descriptor, std::string_view name, bool replaced) {
  Table &t = table();
  std::lock_guard lock(t.mutex);
  t.names[descriptor] = {std::string(name), replaced};
}

KernelName kernelName(uint64_t descriptor) {
  Table &t = table();
  {
    std::lock_guard lock(t.mutex);
    if (auto it = t.names.find(descriptor); it != t.names.end())
      return it->second;
  }
  char text[40];
  std::snprintf(text, sizeof(text), "kernel@0x%" PRIx64, descriptor);
  return {text, false};
}

} // namespace meld::softgpu

extern "C" void meld_softgpu_name_kernel(uint64_t descriptorAddress, const char *name,
                                         int replaced) noexcept {
  using namespace meld::softgpu;
  try {
    if (name) {
      nameKernel(descriptorAddress, name, replaced != 0);
    } else {
      std::lock_guard lock(table().mutex);
      table().names.erase(descriptorAddress);
    }
  } catch (...) { // out of memory: the kernel keeps its address as name
  }
}
