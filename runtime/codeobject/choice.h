// Which code object of a bundle HIP loads for a device.
//
// Of a bundle's objects that a device runs (runsOn), HIP takes the first that is for its processor;
// where there is none, the first for its generic target; then SPIR-V, which it compiles with comgr. A
// better fit of the features does not count: a legal bundle has no two objects for one processor and
// one setting of its features (clang refuses to make it).
// Example: of gfx9-generic, gfx90a:xnack+, gfx906 a device gfx906:sramecc+:xnack- loads the third, a
// gfx900:xnack- the first, a gfx90a:sramecc+:xnack- none.
//
// Sources: comgr, amd_comgr_lookup_code_object (the first that is compatible); hipamd,
// hip_fatbin.cpp of ROCm 7 (native, generic, SPIR-V); ROCm up to 6.3 knows no generic targets and
// takes none of their code. The choice is HIP's: what it loads is what libmeld sees. This file is for
// tools that have a file and no device.
#pragma once

#include "runtime/codeobject/isa.h"

namespace meld {

/// The places in `codes`, one bundle's objects in its order, that `device` may load: one or none
/// where all its features are known, otherwise each that some setting of them would load. In the
/// order of the places.
std::vector<size_t> chosenFor(const Isa &device, const std::vector<Isa> &codes);

} // namespace meld
