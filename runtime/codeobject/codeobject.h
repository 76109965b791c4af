// One AMDGPU code object, read as far as libmeld needs it. A view: the bytes must outlive it.
#pragma once

#include "runtime/codeobject/isa.h"
#include "runtime/codeobject/metadata.h"

namespace meld {

/// The 64 bytes at <kernel>.kd, as far as we compare them. Source: AMDGPUUsage, "Kernel
/// Descriptor".
struct KernelDescriptor {
  uint32_t groupSize = 0, privateSize = 0, kernargSize = 0;
  int64_t entryOffset = 0;
  uint32_t rsrc1 = 0;
  uint16_t properties = 0;
  unsigned wavefrontSize() const { return properties & 0x400 ? 32 : 64; }
};

struct CodeObject {
  Elf elf;
  Isa isa;
  CodeObjectMetadata metadata;
  std::vector<ElfSymbol> symbols; ///< dynamic symbols

  static Result<CodeObject> parse(ByteView bytes);
  /// The descriptor of a kernel; errors name the kernel and the offset.
  Result<KernelDescriptor> descriptor(const KernelMetadata &kernel) const;
  const ElfSymbol *symbol(std::string_view name) const;
  /// The embedded bitcode (section .llvmbc), empty when there is none.
  ByteView bitcode() const;
};

/// Whether the loader makes the same of both: what it does not load (`.meld`) may differ. False where
/// `other` is no code object.
bool isLoadedAlike(const CodeObject &one, ByteView other);

/// "Does this object carry bitcode?", in microseconds and without reading more than the section
/// headers. False for anything malformed: such an object is not ours to judge.
bool hasBitcode(ByteView bytes);

/// The same through a reader of ranges, for files that are not in memory. `read` fills `size` bytes
/// from `offset` or returns false.
bool hasBitcode(uint64_t fileSize,
                bool (*read)(void *context, uint64_t offset, void *to, size_t size), void *context);

} // namespace meld
