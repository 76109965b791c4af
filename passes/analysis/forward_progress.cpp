#include "passes/analysis/forward_progress.h"
#include "passes/analysis/waiting_calls.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

namespace meld::passes {

using namespace llvm;

struct ForwardProgress::Facts {
  CycleInfo cycles;
  SmallPtrSet<const Cycle *, 8> waitingCycles;      // never walked
  SmallPtrSet<const BasicBlock *, 8> waitingBlocks; // never walked
  bool any() const { return !waitingCycles.empty() || !waitingBlocks.empty(); }
};

bool hasEffect(const Instruction &instruction) {
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
      intrinsic && intrinsic->isAssumeLikeIntrinsic())
    return false;
  if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple())
    return !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
  return instruction.mayHaveSideEffects() || instruction.isAtomic() || instruction.isVolatile();
}

ForwardProgress::ForwardProgress(Function &function, const DominatorTree &dominators,
                                 const PostDominatorTree &postDominators)
    : function_(function), dominators_(dominators), postDominators_(postDominators) {}

ForwardProgress::~ForwardProgress() = default;

const ForwardProgress::Facts &ForwardProgress::facts() const {
  if (facts_)
    return *facts_;
  facts_ = std::make_unique<Facts>();
  WaitingCalls calls;
  for (const BasicBlock &block : function_)
    if (!isa<UnreachableInst>(block.getTerminator()) &&
        any_of(block, [&](const Instruction &i) { return calls.mayWait(i); }))
      facts_->waitingBlocks.insert(&block);
  facts_->cycles.compute(function_);
  const GpuInfo gpu(function_);
  for (const Cycle *outermost : facts_->cycles.toplevel_cycles())
    for (const Cycle *cycle : depth_first(outermost))
      if (goesRoundForOthers(*cycle, facts_->cycles, dominators_, gpu))
        facts_->waitingCycles.insert(cycle);
  return *facts_;
}

bool ForwardProgress::mayWait(const BasicBlock &block, const BasicBlock &from) const {
  const Facts &known = facts();
  if (!known.any())
    return false;
  if (known.waitingBlocks.contains(&block))
    return true;
  for (const Cycle *cycle = known.cycles.getCycle(&block);
       cycle && !isInside(&from, cycle, known.cycles); cycle = cycle->getParentCycle())
    if (known.waitingCycles.contains(cycle))
      return true;
  return false;
}

namespace {

// Which ways out of a branch come to a block before they meet.
struct Visit {
  unsigned first = 0; // the first way that does
  unsigned count = 0; // how many do
};

} // namespace

bool ForwardProgress::keepsOrder(const BasicBlock &head) const {
  if (!facts().any())
    return false;
  SmallSetVector<const BasicBlock *, 8> ways(succ_begin(&head), succ_end(&head));
  auto *node = postDominators_.getNode(&head);
  const BasicBlock *meet = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  MapVector<const BasicBlock *, Visit> visits;
  for (unsigned way = 0; way < ways.size(); ++way) {
    SmallVector<const BasicBlock *, 16> open{ways[way]};
    SmallPtrSet<const BasicBlock *, 16> seen;
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      // Where the ways meet, and where the next round begins.
      if (block == meet || dominators_.dominates(block, &head) || !seen.insert(block).second)
        continue;
      Visit &visit = visits.insert({block, {way, 0}}).first->second;
      ++visit.count;
      append_range(open, successors(block));
    }
  }
  constexpr unsigned several = ~0u;
  SmallSet<unsigned, 2> waiting, acting; // the ways, or several
  for (const auto &[block, visit] : visits) {
    if (visit.count == ways.size())
      continue;
    const unsigned way = visit.count == 1 ? visit.first : several;
    const bool waits = mayWait(*block, head);
    if (waits)
      waiting.insert(way);
    if (waits || any_of(*block, hasEffect))
      acting.insert(way);
  }
  return !waiting.empty() && (waiting.count(several) || acting.size() > 1);
}

bool ForwardProgress::waitsAbove(const BasicBlock &join) const {
  auto *node = dominators_.getNode(&join);
  if (!facts().any() || !node || !node->getIDom())
    return false;
  const BasicBlock *parted = node->getIDom()->getBlock();
  SmallVector<const BasicBlock *, 16> open(predecessors(&join));
  SmallPtrSet<const BasicBlock *, 16> seen{parted};
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (dominators_.dominates(&join, block) || !seen.insert(block).second)
      continue; // from the join's own loop, for example
    if (mayWait(*block, *parted))
      return true;
    append_range(open, predecessors(block));
  }
  return false;
}

bool ForwardProgress::waitsBetween(const BasicBlock &head, const BasicBlock *join) const {
  if (!facts().any())
    return false;
  SmallVector<const BasicBlock *, 16> open(successors(&head));
  SmallPtrSet<const BasicBlock *, 16> seen{join};
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (dominators_.dominates(block, &head) || !seen.insert(block).second)
      continue;
    if (mayWait(*block, head))
      return true;
    append_range(open, successors(block));
  }
  return false;
}

bool ForwardProgress::isBehindCycleOf(const BasicBlock &from, const BasicBlock &block) const {
  const CycleInfo &cycles = facts().cycles;
  return !isInside(&block, cycles.getCycle(&from), cycles);
}

void ForwardProgress::print(raw_ostream &out) const {
  out << "meld-forward-progress for function: " << function_.getName() << "\n";
  const Facts &known = facts();
  for (const BasicBlock &block : function_) {
    if (known.waitingBlocks.contains(&block)) {
      block.printAsOperand(out << "  waits in ", false);
      out << "\n";
    }
    for (const Cycle *cycle = known.cycles.getCycle(&block); cycle && cycle->getHeader() == &block;
         cycle = cycle->getParentCycle()) {
      block.printAsOperand(out << "  cycle at ", false);
      out << (cycle->isReducible() ? "" : ", several entries")
          << (known.waitingCycles.contains(cycle) ? " waits" : " ends") << "\n";
    }
  }
}

PreservedAnalyses ForwardProgressPrinterPass::run(Function &function,
                                                  FunctionAnalysisManager &analyses) {
  ForwardProgress(function, analyses.getResult<DominatorTreeAnalysis>(function),
                  analyses.getResult<PostDominatorTreeAnalysis>(function))
      .print(out_);
  return PreservedAnalyses::all();
}

} // namespace meld::passes
