// Names of kernels by the address of their descriptor, for counters and messages.
//
// A dispatch packet holds only an address, and loaded code objects carry no symbol table, so
// whoever loads them (a hook on the executable's symbols, a test's loader) registers the names
// here. Thread rule: any thread; one table per process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meld::softgpu {

struct KernelName {
  std::string name;
  bool replaced = false; ///< the code object came from libmeld
};

void nameKernel(uint64_t descriptor, std::string_view name, bool replaced);

/// The registered name, else "kernel@0x<descriptor>".
KernelName kernelName(uint64_t descriptor);

} // namespace meld::softgpu

/// The same for callers that find the software GPU by dlsym. `name` nullptr: forget the entry.
extern "C" __attribute__((visibility("default"))) void
meld_softgpu_name_kernel(uint64_t descriptorAddress, const char *name, int replaced) noexcept;
