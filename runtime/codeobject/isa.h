// What a code object is for: ELF e_flags <-> target id ("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"),
// and which devices run it.
//
// Source: LLVM AMDGPUUsage, "Header" (tables of EF_AMDGPU_MACH and of the feature bits per
// code-object version), "Target ID" and "Generic processor versioning".
#pragma once

#include "runtime/codeobject/elf.h"

namespace meld {

/// A feature of a target id: absent on the processor, left open, or fixed when the code was
/// compiled. Of a device: absent, not known, or how it is set.
enum class IsaFeature : uint8_t { unsupported, any, off, on };

struct Isa {
  std::string processor; ///< gfx90a, gfx11-generic
  IsaFeature sramecc = IsaFeature::unsupported;
  IsaFeature xnack = IsaFeature::unsupported;
  unsigned codeObjectVersion = 0; ///< 2..6, from EI_ABIVERSION
  unsigned genericVersion = 0;    ///< of a generic target's code, 1..255; otherwise 0

  /// amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-; features that are `any` or `unsupported` are left
  /// out.
  std::string targetId() const;
};

/// The header's. A number that our table (runtime/gpu/targets.def) does not have leaves `processor`
/// empty: the metadata say its name (CodeObject::parse).
/// Errors: unsupported when the file is not an amdhsa code object.
Result<Isa> readIsa(const Elf64_Ehdr &header);

/// "gfx90a:sramecc+:xnack-", also with a triple and a bundle's kind in front of it
/// ("hipv4-amdgcn-amd-amdhsa--gfx90a"). Features that are not named are `any`; where the table knows
/// that the processor does not have them, `unsupported`.
/// Errors: badInput for what is no target id, unsupported for a feature that the processor does not
/// have.
Result<Isa> parseTargetId(std::string_view text);

/// Whether `device` runs code that is for `code`: the same processor, or a generic target of it in
/// this version or a later one, and no feature fixed otherwise than the device has it. A feature of
/// the device that is `any` (a person did not say) fits with all.
/// Source: ROCr, Isa::IsCompatible.
bool runsOn(const Isa &code, const Isa &device);

} // namespace meld
