// ELF e_flags <-> target id ("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-").
//
// Source: LLVM AMDGPUUsage, "Header" (tables of EF_AMDGPU_MACH and of the feature bits per
// code-object version) and "Target ID".
#pragma once

#include "runtime/codeobject/elf.h"

namespace meld {

/// A feature of a target id: absent on the processor, left open, or fixed when the code was
/// compiled.
enum class IsaFeature : uint8_t { unsupported, any, off, on };

struct Isa {
  std::string processor; ///< gfx90a
  IsaFeature sramecc = IsaFeature::unsupported;
  IsaFeature xnack = IsaFeature::unsupported;
  unsigned codeObjectVersion = 0; ///< 2..6, from EI_ABIVERSION

  /// amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-; features that are `any` or `unsupported` are left
  /// out.
  std::string targetId() const;
};

/// Errors: unsupported when the file is not an amdhsa code object or names a processor we do not
/// know.
Result<Isa> readIsa(const Elf64_Ehdr &header);

} // namespace meld
