// Which code object of a bundle HIP loads for a device.
//
// Of the bundle's objects that a device runs (runsOn) one is loaded. Which one depends on HIP:
//
//   up to 6.3  the first for the device's processor; it knows no generic targets
//   6.4        the first, whether it is for the processor or for its generic target
//   7          the first for the processor; where there is none, the first for the generic target
//
// From 6.4 on SPIR-V comes last, where nothing else is there; HIP compiles it with comgr. A better fit of
// the features does not count: a legal bundle has no two objects for one processor and one setting of
// its features (clang refuses to make it).
// Example: of gfx9-generic, gfx90a:xnack+, gfx906 a device gfx906:sramecc+:xnack- loads the first with
// HIP 6.4 and the third with 5 or 7; a gfx900:xnack- the first; a gfx90a:sramecc+:xnack- none.
//
// Sources: comgr, amd_comgr_lookup_code_object (the first that is compatible); hipamd, hip_code_object.cpp
// of 6.4 and hip_fatbin.cpp of 7; HIP 6.4.3 does so (a program with gfx9-generic and gfx906 code on the
// software GPU as gfx906). The choice is HIP's: what it loads is what libmeld sees. This file is for
// tools that have a file and no device, so it tells what any of them would load.
#pragma once

#include "runtime/codeobject/isa.h"

namespace meld {

/// The places in `codes`, one bundle's objects in its order, that `device` may load with some HIP; where
/// features of the device are not known, with some setting of them. In the order of the places.
std::vector<size_t> chosenFor(const Isa &device, const std::vector<Isa> &codes);

} // namespace meld
