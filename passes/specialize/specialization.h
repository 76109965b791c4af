// One compile's: the kernel that is specialised, what is taken for granted about its launches, and
// what of that it depends on in the end.
//
// Thread rule: the passes of one pipeline, one after the other.
#pragma once

#include "passes/specialize/facts.h"

namespace meld::passes {

struct Specialization {
  std::string kernel;
  Facts offered;
  /// Those of them that the code depends on. Empty: none did pay, and `why` says why.
  Facts kept;
  std::string why;
  bool looked = false; ///< the pass has been through the kernel
};

} // namespace meld::passes
