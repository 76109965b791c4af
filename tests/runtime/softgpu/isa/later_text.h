// Our text of an instruction beside that of an LLVM later than 15, which has changed its mind about
// how to write some.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <cstdint>
#include <string>

namespace meld::softgpu::isa::test {

/// The same mnemonic and registers, but for what later LLVMs have changed their minds about;
/// `theirs` is empty where it is no instruction to them, which is said of many that LLVM 15 takes.
bool sameAsLater(Target target, uint32_t secondWord, const std::string &ours,
                 const std::string &theirs);

} // namespace meld::softgpu::isa::test
