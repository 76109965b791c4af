// What a pass says about its work: one record in the log for the report, one optimization remark
// (pass "meld") for -Rpass=meld, opt -pass-remarks=meld and -fsave-optimization-record.
#pragma once

#include "passes/decision_log.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include <string>

namespace meld::passes {

/// "%block at file.hip:12"; an unnamed block is named by its place in the function, since LLVM's
/// own numbering would have to look at the whole function each time.
std::string locationOf(const llvm::Instruction &terminator);

/// False for what our passes never touch: declarations, optnone, exception handling, blocks whose
/// address is taken, convergence under control of tokens, calls with an argument in a scalar
/// register (`inreg`). What each side computed for one such argument by itself would become one
/// value of both; the calls would then look alike to LLVM, which runs them as one.
bool worthLooking(const llvm::Function &function);

/// Says by tokens which threads an operation runs with (`llvm.experimental.convergence.*`, LLVM 18
/// on): ours have none, and a function must not have both kinds.
bool hasConvergenceTokens(const llvm::Function &function);

/// Not copied; lives as long as one run of one pass on one function.
class DecisionRecorder {
public:
  DecisionRecorder(llvm::Function &function, llvm::FunctionAnalysisManager &analyses,
                   DecisionLog *log, std::string pass, Point point);

  /// A decision of this pass at `terminator`, to be filled in.
  Decision at(const llvm::Instruction &terminator) const;
  /// Fills in kernel, pass (unless there is one) and point, then logs and emits. `where` may be
  /// empty.
  void record(Decision decision, llvm::DebugLoc where = {});

private:
  llvm::Function &function_;
  llvm::FunctionAnalysisManager &analyses_;
  DecisionLog *log_;
  std::string pass_;
  Point point_;
};

} // namespace meld::passes
