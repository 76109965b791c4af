// What all changed code asks of code generation: attributes of the function. By the last pass of
// the pipeline, and by passes that are run by name.
#pragma once

#include "passes/llvm_fixes/load_clauses.h"
#include "passes/llvm_fixes/whole_registers.h"

namespace meld::passes {

inline void avoidFaultsOfCodeGeneration(llvm::Function &function) {
  avoidLoadClauses(function);
  useWholeRegisters(function);
}

} // namespace meld::passes
