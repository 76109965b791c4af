// A finished code object as the profit gate sees it: kernels with the
// resources their metadata note declares, and where each one's code and descriptor lie.
//
// Source: LLVM AMDGPU usage, "Code Object Metadata V3/V4/V5" (NT_AMDGPU_METADATA, MessagePack).
// Untrusted input: errors name the note and the key. Thread rule: pure.
#pragma once

#include "passes/cost/kernel.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace meld::jit {

using passes::KernelResources;
using Kernel = passes::MachineKernel;

/// Kernels in the note's order. `elf` must outlive the result.
llvm::Expected<std::vector<Kernel>> readKernels(llvm::MemoryBufferRef elf);

/// What a replacement must keep so that host code finds everything: e_flags, and every defined
/// dynamic symbol with its kind, data objects also with their size; and nothing newly undefined
/// (comgr's link allows that). The error names the first difference.
llvm::Error checkInterface(llvm::MemoryBufferRef original, llvm::MemoryBufferRef replacement);

struct DynamicSymbol {
  uint64_t address = 0, size = 0;
  bool code = false, defined = true;
};
using DynamicSymbols = std::map<std::string, DynamicSymbol>;

llvm::Expected<DynamicSymbols> readDynamicSymbols(llvm::MemoryBufferRef elf);

/// Names of the defined dynamic symbols: what host code or other objects can see.
llvm::Expected<std::set<std::string>> exportedNames(llvm::MemoryBufferRef elf);

/// A section's bytes by name; empty when absent.
llvm::Expected<llvm::StringRef> sectionBytes(llvm::MemoryBufferRef elf, llvm::StringRef name);

} // namespace meld::jit
