// Assembles one AMDGPU instruction with LLVM MC: the independent source of the encodings the tests
// run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace meld::softgpu::test {

/// Machine code of `text` for `cpu` ("gfx90a"); empty when LLVM rejects it.
std::vector<uint8_t> assemble(const std::string &text, const std::string &cpu);

} // namespace meld::softgpu::test
