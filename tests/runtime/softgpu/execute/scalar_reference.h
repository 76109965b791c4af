// Scalar arithmetic against a reference written bit by bit from the opcode descriptions of the
// "Vega", "RDNA 2" and "RDNA4" ISAs.
#pragma once

#include "tests/runtime/softgpu/execute/test_code.h"

#include <set>
#include <string>

namespace meld::softgpu::test {

/// Runs each instruction between the symbols scalar_begin and scalar_end alone, on edge values.
/// Gives the mnemonics it met, without "s_"; reports the first difference.
std::set<std::string> checkScalarOpcodes(const TestCode &code, isa::Target target);

} // namespace meld::softgpu::test
