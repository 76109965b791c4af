// What the gate and the runtime's reader say of a compiled object. In a file of its own: the
// runtime has elf.h's macros, which LLVM's headers do not live with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meld::jit::test {

/// The gate's findings, in words.
std::vector<std::string> gateFindings(std::string_view original, std::string_view replacement);

/// Where a dynamic symbol lies; 0 when it is not there.
uint64_t addressOf(std::string_view object, std::string_view symbol);

} // namespace meld::jit::test
