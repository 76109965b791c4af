// meld-unpredicate: code that all threads run but only some use goes back behind a branch (Saumya,
// Sundararajah, Kulkarni, DARM, CGO 2022, section on unpredication).
//
//     b = a / x                          br c, then, join
//     t = b * b                  then:   b = a / x;  t = b * b
//     v = select c, t, f    =>   join:   v = phi [t, then], [f, head]
//
// The melder itself puts what it cannot pair behind a branch or not, by cost (align.h). This pass
// acts on what stands flat already: sides that clang, LLVM's if-conversion or an earlier step have
// turned into selects. All selects of a block on one condition are taken together, since the branch
// is paid once for the whole run.
//
// When it pays: a wave that diverges at c gains nothing and pays the branch; a wave that does not
// jumps over one side. The melder charges an eighth of an instruction's cost for running it for the
// other side's threads (planner.cpp); the same eighth is what a jump over it gains here, a fourth for
// loads, which also leave the memory pipeline alone for threads that do not need them. A run
// cheaper than the branch itself is never moved, whatever that sum says.
//
// Terminates: each move takes its selects away. Cost: linear in the block per condition, a sweep
// over the function while something moves. Would be unsafe: moving what has an effect or is
// convergent, a load past a write, a value that something else uses too; and a branch on a
// condition that may be poison, which a select forgives: such a condition is frozen.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class MeldUnpredicatePass : public LoggedPass<MeldUnpredicatePass> {
public:
  using LoggedPass::LoggedPass;

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
