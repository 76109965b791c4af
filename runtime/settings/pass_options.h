// What the settings say to the passes, as the passes' own text: "min-profit=5;no-verify". It is what
// libmeld-jit.so is asked with, and a field of the cache key.
//
// Holds the options that differ from their defaults, in the order of passes/options.def, so that the
// same settings give the same text. A semicolon within a value is written twice.
#pragma once

#include "runtime/settings/settings.h"

#include <string>
#include <string_view>

namespace meld {

std::string passOptions(const Settings &settings);

/// Whether a pass, as decisions name it ("meld-cfm"), joins what lanes of a wave do apart, other than
/// those that make things scalar.
bool joinsLanes(std::string_view pass);

} // namespace meld
