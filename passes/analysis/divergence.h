// Which values and branches differ between the threads of a wave, a workgroup, or not at all.
//
//   %t = workitem.id.x            thread
//   %g = workgroup.id.x           workgroup
//   %c = icmp ult %t, 64          wave      (x fills waves of 64)
//   br %c, A, B; J: phi [1,A],[2,B]   phi takes the branch's width: sync dependence (Coutinho et
//   al. 2011) while (.. %t ..) { v = .. }  use(v)  after the loop v is met with the loop's exit
//   width: temporal divergence
//
// Optimistic sweep over all instructions until nothing changes: widths only fall, so it ends after
// at most 3n changes; in practice two or three sweeps. Early exits (Lee 3.4): threads that have
// returned or left a loop do not count, so a value may be called uniform among those that remain.
// That is right for choosing scalar registers and for melding, and wrong as a proof that a barrier
// is reached by all.
#pragma once

#include "passes/analysis/control_dependence.h"
#include "passes/analysis/gpu_info.h"
#include "passes/analysis/width.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"
#include <memory>

namespace meld::passes {

struct DivergenceOptions {
  /// Believe that a kernel which reads only the x id is launched in rows that fill waves. True of
  /// nearly all programs and enough for leaving a branch alone; not a proof, so never for choosing
  /// scalar registers.
  bool assumeOneDimension = false;
};

class DivergenceInfo {
public:
  DivergenceInfo(llvm::Function &function, const llvm::LoopInfo &loops,
                 const llvm::DominatorTree &dominators,
                 const llvm::PostDominatorTree &postDominators, DivergenceOptions options = {});

  Width width(const llvm::Value *value) const;
  /// The width of the use of `value` in `user`, temporal divergence included.
  Width widthAtUse(const llvm::Value *value, const llvm::Instruction *user) const;
  /// The width of the decision a block's terminator takes; `all` for an unconditional one.
  Width branchWidth(const llvm::BasicBlock *block) const;
  bool isDivergentBranch(const llvm::BasicBlock *block) const {
    return branchWidth(block) == Width::thread;
  }
  /// All threads of one `width` that have not exited run this block together.
  bool isConvergent(const llvm::BasicBlock *block, Width width) const;

  const GpuInfo &gpu() const { return gpu_; }
  void print(llvm::raw_ostream &out) const;

  const llvm::LoopInfo &loops() const { return loops_; }

private:
  Width transfer(const llvm::Instruction &instruction) const;
  Width loadWidth(const llvm::LoadInst &load) const;
  Width transferCall(const llvm::CallBase &call) const;
  /// Widths that come from arithmetic on the work-item id: id >> 6, id & ~63, id < 64.
  bool isWaveAligned(const llvm::Instruction &instruction) const;
  bool isWorkItemX(const llvm::Value *value) const;
  void sweep();
  void collectLoopExits();
  void collectDeciders();

  llvm::Function &function_;
  const llvm::LoopInfo &loops_;
  const llvm::DominatorTree &dominators_;
  GpuInfo gpu_;
  DivergenceOptions options_;
  ControlDependence dependence_;
  bool oneRow_ = false;
  bool irreducible_ = false;
  llvm::DenseMap<const llvm::Value *, Width> widths_;
  llvm::DenseMap<const llvm::BasicBlock *, std::vector<const llvm::BasicBlock *>> deciders_;
  llvm::DenseMap<const llvm::Loop *, std::vector<const llvm::BasicBlock *>> exitDeciders_;
  llvm::DenseMap<const llvm::Loop *, Width> exitWidth_;
};

class DivergenceAnalysis : public llvm::AnalysisInfoMixin<DivergenceAnalysis> {
public:
  using Result = std::unique_ptr<DivergenceInfo>;
  Result run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  friend llvm::AnalysisInfoMixin<DivergenceAnalysis>;
  static llvm::AnalysisKey Key;
};

class DivergencePrinterPass : public llvm::PassInfoMixin<DivergencePrinterPass> {
public:
  explicit DivergencePrinterPass(llvm::raw_ostream &out) : out_(out) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &out_;
};

} // namespace meld::passes
