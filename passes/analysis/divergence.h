// Which values and branches differ between the threads of a wave, a workgroup, or not at all.
//
//   %t = workitem.id.x            thread
//   %g = workgroup.id.x           workgroup
//   %c = icmp ult %t, 64          wave      (x fills waves of 64; thread_table.h)
//   %d = sub (t + n), (t + 4)     all       (the id cancels; linear_form.h)
//   %r = call @f(%n)              as the callee's summary says (call_summary.h)
//   br %t, A, B; J: phi [1,A],[2,B]         the branch's width: sync dependence (Coutinho 2011)
//   while (.. %t ..) { v = .. }  use(v)     v meets the loop's exit width: temporal divergence
//   A: v = ..  B: br %t, A, out  (entered    v meets the width of all branches of the cycle, at
//   at A and at B)                           every use in another block
//
// Two properties that look like one:
//
//   %v = phi [%n, then], [undef, else]       width(): what the lanes that have a value have in
//   %f = freeze %v                           common. Enough for a scalar register, in which the
//                                            others then find it, too: all, all.
//                                            firstLaneWidth(): what all lanes hold, as it is now.
//                                            The first lane may be one that came by else, whose
//                                            %f is anything: both as narrow as the branch.
//
// Whoever reads the first lane needs the second.
//
// Optimistic sweep over all instructions until nothing changes: widths only fall, so it ends after
// at most 3n changes; in practice two or three sweeps. A block is convergent at a width when no
// branch narrower than it decides over the block; a barrier proves nothing beyond itself. Early
// exits (Lee 3.4): threads that have nothing left to do but return need not count, so a value may
// be called uniform among those that remain. That is right for choosing scalar registers and for
// melding, and wrong as a proof that a barrier is reached by all or that EXEC is not empty:
// isConvergent() ignores the rule, isConvergentExceptExits() applies it.
#pragma once

#include "passes/analysis/call_summary.h"
#include "passes/analysis/control_dependence.h"
#include "passes/analysis/gpu_info.h"
#include "passes/analysis/linear_form.h"
#include "passes/analysis/thread_table.h"
#include "passes/analysis/width.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"
#include <memory>

namespace meld::passes {

enum class Meaning : uint8_t {
  scalarRegister, ///< an undefined value in some lanes agrees with any in others
  firstLane,      ///< it does not
};

struct DivergenceOptions {
  /// Believe that a kernel which reads only the x id is launched in rows that fill waves. True of
  /// nearly all programs and enough for leaving a branch alone; not a proof, so never for choosing
  /// scalar registers.
  bool assumeOneDimension = false;
  /// For a callee: the machine of the kernel it is called from, and the widths of its arguments.
  const GpuInfo *machine = nullptr;
  CallSummaries *summaries = nullptr;
  std::vector<Width> arguments = {};
  /// What the widths mean. A DivergenceInfo answers firstLaneWidth() either way.
  Meaning meaning = Meaning::scalarRegister;
};

class DivergenceInfo {
public:
  DivergenceInfo(llvm::Function &function, const llvm::LoopInfo &loops,
                 const llvm::DominatorTree &dominators,
                 const llvm::PostDominatorTree &postDominators, DivergenceOptions options = {});

  /// Of a value where it is made: threads of this width may share a register for it.
  Width width(const llvm::Value *value) const;
  /// The width of the use of `value` in `user`, temporal divergence included.
  Width widthAtUse(const llvm::Value *value, const llvm::Instruction *user) const;
  /// All threads of this width that are at `user` hold the same bits: one may be asked for all.
  Width firstLaneWidth(const llvm::Value *value, const llvm::Instruction *user) const;
  /// The same for the decision a block's terminator takes.
  Width firstLaneBranchWidth(const llvm::BasicBlock *block) const;
  /// The width of the decision a block's terminator takes; `all` for an unconditional one.
  Width branchWidth(const llvm::BasicBlock *block) const;
  bool isDivergentBranch(const llvm::BasicBlock *block) const {
    return branchWidth(block) == Width::thread;
  }
  /// All threads of one `width` that entered the function run this block together.
  bool isConvergent(const llvm::BasicBlock *block, Width width) const;
  /// The same for those threads that have not gone to return without doing anything more.
  bool isConvergentExceptExits(const llvm::BasicBlock *block, Width width) const;
  /// All threads of this width that are in a round of the loop leave it in the same round.
  Width exitWidth(const llvm::Loop &loop) const;
  /// The same where threads that have no value for what decides may have any.
  Width firstLaneExitWidth(const llvm::Loop &loop) const;
  /// Of the returned value, over all returns; `all` when there is none.
  Width returnWidth() const;
  /// Starts over with these widths for the arguments.
  void setArguments(std::vector<Width> widths);

  const GpuInfo &gpu() const { return gpu_; }
  void print(llvm::raw_ostream &out) const;

  const llvm::LoopInfo &loops() const { return loops_; }

private:
  Width transfer(const llvm::Instruction &instruction) const;
  Width loadWidth(const llvm::LoadInst &load) const;
  Width transferCall(const llvm::CallBase &call) const;
  /// What arithmetic on ids makes wave-uniform although its operands are not.
  Width arithmeticWidth(const llvm::Instruction &instruction) const;
  const std::optional<LinearForm> &formOf(const llvm::Instruction &instruction) const;
  bool returnsAtOnce(const llvm::BasicBlock *from) const;
  void initialise();
  void sweep();
  void addDecidersOfRound(llvm::BitVector &deciders, const llvm::Loop &loop,
                          const llvm::BasicBlock &block) const;
  void collectLoopExits();
  void addRoundsOf(llvm::BitVector &deciders, const llvm::BasicBlock &block) const;
  void collectDeciders();
  const llvm::BitVector &decidersOfMeeting(const llvm::BasicBlock &block) const;
  bool hasIrreducibleLoop() const;
  bool isIrreducible(const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &inside) const;
  void collectIrreducibleCycles();

  llvm::Function &function_;
  const llvm::LoopInfo &loops_;
  const llvm::DominatorTree &dominators_;
  GpuInfo gpu_;
  DivergenceOptions options_;
  ControlDependence dependence_;
  std::unique_ptr<CallSummaries> ownSummaries_;
  CallSummaries *summaries_ = nullptr;
  mutable std::unique_ptr<ThreadTables> tables_;
  mutable llvm::DenseMap<const llvm::Instruction *, std::optional<LinearForm>> forms_;
  bool oneRow_ = false;
  bool irreducible_ = false;
  std::vector<const llvm::BasicBlock *> order_;       ///< reverse post-order
  llvm::DenseMap<const llvm::Value *, Width> widths_; ///< those below `all`
  llvm::DenseMap<const llvm::BasicBlock *, std::vector<const llvm::BasicBlock *>> deciders_;
  /// Inner loops first: what is found first decides how much is found (a width never rises again).
  llvm::MapVector<const llvm::Loop *, std::vector<const llvm::BasicBlock *>> exitDeciders_;
  llvm::DenseMap<const llvm::Loop *, Width> exitWidth_;
  mutable llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> meetings_;
  /// Strongly connected parts of the graph that are no nest of natural loops.
  struct Cycle {
    std::vector<const llvm::BasicBlock *> blocks;
    Width width = Width::all; ///< of its branches
  };
  std::vector<Cycle> cycles_;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> cycleOf_;
  std::unique_ptr<DivergenceInfo> firstLane_; ///< null: there, both properties are the same
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
