// How far analyses look into the functions that are called. What lies behind counts as unknown.
#pragma once

namespace meld::passes {

inline constexpr unsigned maxChainOfCalls = 16;
inline constexpr unsigned maxInstructionsOfCallee = 4000;

} // namespace meld::passes
