// How a pass that tries each of its changes on a copy of the function goes through the places.
#pragma once

#include "passes/melder/branch_analyses.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// Whether inlining will soon give the function's callers its code. The early point leaves such
/// functions alone: a trial copies the function, and would be made again in each caller.
bool goesIntoCallers(const llvm::Function &function);

/// Offers the terminators in reverse post-order to `tryAt` until it says that it has changed the
/// function, then starts again with new analyses, at most `rounds` times. True when anything was
/// changed.
bool changeOneByOne(
    llvm::Function &function, llvm::FunctionAnalysisManager &analyses, unsigned rounds,
    llvm::function_ref<bool(llvm::Instruction &terminator, const BranchAnalyses &now)> tryAt);

/// The same with the divergent branches alone, as a melder's whole run: what its code has to be kept
/// from in code generation is seen to, where it has changed anything.
llvm::PreservedAnalyses
meldOneByOne(llvm::Function &function, llvm::FunctionAnalysisManager &analyses, unsigned rounds,
             llvm::function_ref<bool(llvm::BranchInst &branch, const BranchAnalyses &now)> tryAt);

} // namespace meld::passes
