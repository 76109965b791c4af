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
  /// Those of them that the code depends on, sorted. Empty: none did pay, and `why` says why.
  Facts kept;
  std::string why;
  /// The kernel must not be specialised: its code is of no use, `kept` is empty.
  bool refused = false;
  bool late = false; ///< something became a constant at the late point
};

} // namespace meld::passes
