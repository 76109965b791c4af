// A module cut down to the kernels that a compile is about, for a look at their code.
//
//   kernels a, b, c; a and b call h, c calls i; the compile is about b
//       -> b, h; a, c and i are gone, and so is the time that they take
//
// What is left comes out as it would with the others there, but for what the optimiser concludes
// from all callers of a function that nobody outside can call. So the code is good for estimates,
// for searches, and for the proof that a settled function gives the original's code (fp_survey.cpp);
// what is handed out is always made of the whole module, and judged once more.
//
// A variable that nobody outside can name, and that a kernel which is gone might write to, is held
// fast: the optimiser must not take it for constant, since the proof would then be one for another
// program.
//
// Ends: every global is looked at once. Linear. Thread rule: as LLVM's, one thread per context.
#pragma once

#include "llvm/IR/Module.h"

#include <set>
#include <string>

namespace meld::jit {

/// True when floating point of what is gone leaves choices (passes/transform/fp_choices.h), which
/// the passes ask about the module as a whole. `contractAll` as there.
bool cutDown(llvm::Module &module, const std::set<std::string> &kernels, bool contractAll);

} // namespace meld::jit
