#include "passes/transform/unpredicate.h"
#include "passes/analysis/wave_state.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/bit_test.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/legality.h"
#include "passes/melder/meld_choice.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace meld::passes {

using namespace llvm;

namespace {

// Selects on one condition in one block, and the code only they need.
struct SelectRun {
  Value *condition = nullptr;
  std::vector<SelectInst *> selects;  // in program order
  std::vector<Instruction *> side[2]; // [1]: for a true condition; in program order
  int cycles = 0;                     // of both sides
  int gain = 0;
  int branch = 0;
};

class BlockUnpredicator {
public:
  BlockUnpredicator(BasicBlock &block, const CostModel &cost) : block_(block), cost_(cost) {
    unsigned next = 0;
    for (Instruction &instruction : block) {
      position_[&instruction] = next++;
      if (instruction.mayWriteToMemory() || instruction.mayThrow())
        writes_.push_back(position_[&instruction]);
      if (waveOperation(instruction).use == WaveUse::changes)
        changes_.push_back(position_[&instruction]);
    }
  }

  // The runs of the selects on `condition`: a run ends where one of its selects is needed.
  std::vector<SelectRun> runs(Value *condition, ArrayRef<SelectInst *> selects) {
    std::vector<SelectRun> found;
    unsigned end = 0; // the first use of a select of the open run
    for (SelectInst *select : selects) {
      if (found.empty() || position_[select] > end) {
        found.emplace_back();
        found.back().condition = condition;
        end = ~0u;
      }
      found.back().selects.push_back(select);
      for (User *user : select->users())
        if (auto *inside = dyn_cast<Instruction>(user);
            inside->getParent() == &block_ && !isa<PHINode>(inside) && !inRun(found.back(), inside))
          end = std::min(end, position_[inside]);
    }
    for (SelectRun &run : found)
      collect(run);
    return found;
  }

private:
  static bool inRun(const SelectRun &run, const Instruction *instruction) {
    return is_contained(run.selects, instruction);
  }

  // May `instruction` run later, at `place`, and only for some threads?
  bool mayMove(const Instruction &instruction, unsigned place) const {
    if (isa<PHINode>(instruction) || isa<AllocaInst>(instruction) || instruction.isTerminator() ||
        instruction.getType()->isTokenTy() || isConvergentOperation(instruction) ||
        instruction.mayHaveSideEffects() || isIgnorable(instruction))
      return false;
    const unsigned from = position_.lookup(&instruction);
    auto isBetween = [&](unsigned at) { return from < at && at < place; };
    if (any_of(changes_, isBetween) && hangsOnMode(instruction))
      return false;
    if (!instruction.mayReadFromMemory())
      return true;
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->isSimple())
      return false;
    return none_of(writes_, isBetween);
  }

  // Walks up from the last select: an instruction belongs to a side when all its uses do.
  void collect(SelectRun &run) {
    SelectInst *last = run.selects.back();
    const unsigned place = position_[last];
    DenseMap<const Value *, int> sideOf;
    int eighths = 0; // summed before it is divided: most instructions cost less than eight
    for (Instruction *at = last->getPrevNode(); at; at = at->getPrevNode()) {
      if (at->use_empty() || inRun(run, at) || !mayMove(*at, place))
        continue;
      int side = -1;
      for (const Use &use : at->uses()) {
        auto *user = cast<Instruction>(use.getUser());
        int own = -1;
        if (auto *select = dyn_cast<SelectInst>(user); select && inRun(run, select))
          own = use.getOperandNo() == 0 ? -1 : use.getOperandNo() == 1;
        else if (auto found = sideOf.find(user); found != sideOf.end())
          own = found->second;
        if (own == -1 || (side != -1 && side != own)) {
          side = -1;
          break;
        }
        side = own;
      }
      if (side == -1)
        continue;
      sideOf[at] = side;
      run.side[side].push_back(at);
      int cycles = cost_.instruction(*at);
      run.cycles += cycles;
      eighths += cycles * (at->mayReadFromMemory() ? 2 : 1);
    }
    run.gain = eighths / 8;
    for (auto &side : run.side)
      std::reverse(side.begin(), side.end());
    run.branch =
        !run.side[0].empty() && !run.side[1].empty() ? cost_.divergentIfElse() : cost_.guard();
  }

  BasicBlock &block_;
  const CostModel &cost_;
  DenseMap<const Instruction *, unsigned> position_;
  std::vector<unsigned> writes_, changes_; ///< of memory, of the wave's state
};

// The block is cut behind the last select; its sides go between, and the selects become phis.
void putBehindBranch(SelectRun &run) {
  SelectInst *last = run.selects.back();
  BasicBlock *head = last->getParent();
  Function &function = *head->getParent();
  Instruction *below = last->getNextNode();
  DebugLoc where = last->getDebugLoc();
  BasicBlock *join = SplitBlock(head, below, static_cast<DominatorTree *>(nullptr));
  join->setName("meld.unpredicated");
  Value *condition = run.condition;
  Instruction *end = head->getTerminator();
  if (!isGuaranteedNotToBeUndefOrPoison(condition, nullptr, end)) {
    auto *frozen = new FreezeInst(condition, "meld.frozen", compat::before(end));
    frozen->setDebugLoc(where);
    condition = frozen;
  }
  BasicBlock *from[2] = {head, head};
  for (int side : {1, 0}) {
    if (run.side[side].empty())
      continue;
    from[side] = BasicBlock::Create(function.getContext(), side ? "meld.then" : "meld.else",
                                    &function, join);
    Instruction *jump = BranchInst::Create(join, from[side]);
    jump->setDebugLoc(where);
    for (Instruction *instruction : run.side[side]) {
      replaceDbgUsesWithUndef(instruction);
      compat::moveBefore(instruction, jump);
    }
  }
  auto target = [&](int side) { return from[side] == head ? join : from[side]; };
  BranchInst *branch = BranchInst::Create(target(1), target(0), condition, compat::before(end));
  branch->setDebugLoc(where);
  end->eraseFromParent();
  // A select's operand may be an earlier select of the run.
  DenseMap<Value *, PHINode *> phis;
  for (SelectInst *select : run.selects) {
    auto *phi =
        PHINode::Create(select->getType(), 2, "", compat::before(&*join->getFirstInsertionPt()));
    phi->takeName(select);
    phi->setDebugLoc(select->getDebugLoc());
    if (isa<FPMathOperator>(phi) && isa<FPMathOperator>(select))
      phi->copyIRFlags(select);
    phis[select] = phi;
  }
  auto through = [&](Value *value, int side) {
    while (auto *select = dyn_cast<SelectInst>(value)) {
      if (!phis.count(select))
        break;
      value = side ? select->getTrueValue() : select->getFalseValue();
    }
    return value;
  };
  for (SelectInst *select : run.selects) {
    PHINode *phi = phis[select];
    phi->addIncoming(through(select->getTrueValue(), 1), from[1]);
    phi->addIncoming(through(select->getFalseValue(), 0), from[0]);
  }
  for (SelectInst *select : reverse(run.selects)) {
    select->replaceAllUsesWith(phis[select]);
    select->eraseFromParent();
  }
}

// What differs from thread to thread outside of cycles is a vector's business to LLVM, too. In a
// cycle it may be a scalar's: a counter is the same in all threads that are still in its loop.
bool isInCycle(const BasicBlock &block) {
  return any_of(successors(&block),
                [&](const BasicBlock *next) { return isPotentiallyReachable(next, &block); });
}

// The best run of a block that pays; what does not pay is told to `leave`.
SelectRun bestRun(BasicBlock &block, const DivergenceInfo &divergence, const CostModel &cost,
                  bool forced, function_ref<void(const SelectRun &, const char *)> leave) {
  MapVector<Value *, std::vector<SelectInst *>> byCondition;
  for (Instruction &instruction : block)
    if (auto *select = dyn_cast<SelectInst>(&instruction))
      if (select->getCondition()->getType()->isIntegerTy(1) &&
          !isa<Constant>(select->getCondition()) &&
          divergence.widthAtUse(select->getCondition(), select) == Width::thread)
        byCondition[select->getCondition()].push_back(select);
  SelectRun best;
  if (byCondition.empty())
    return best;
  BlockUnpredicator unpredicator(block, cost);
  for (auto &[condition, selects] : byCondition)
    for (SelectRun &run : unpredicator.runs(condition, selects)) {
      if (run.side[0].empty() && run.side[1].empty())
        continue;
      if (isBitTestOfLlvm15(*condition) && isInCycle(block))
        leave(run, "run behind selects: LLVM would take two tests of a bit for one");
      else if (run.cycles <= run.branch)
        leave(run, "run behind selects is cheaper than a branch");
      else if (run.gain <= run.branch && !forced)
        leave(run, "run behind selects: gain too small");
      else if (best.selects.empty() || run.gain - run.branch > best.gain - best.branch)
        best = std::move(run);
    }
  return best;
}

} // namespace

PreservedAnalyses MeldUnpredicatePass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-unpredicate", point_);
  CurrentAnalyses current(function, analyses);
  bool changed = false, again = true;
  for (unsigned sweep = 0; again && sweep < options_.maxIterations; ++sweep) {
    again = false;
    const BranchAnalyses &now = current.get();
    std::vector<std::pair<Decision, DebugLoc>> left;
    std::vector<BasicBlock *> blocks; // as they are before this sweep
    for (BasicBlock &block : function)
      blocks.push_back(&block);
    for (BasicBlock *block : blocks) {
      Decision decision = recorder.at(*block->getTerminator());
      SelectRun best = bestRun(*block, now.divergence, now.cost, options_.takesLosses(),
                               [&](const SelectRun &run, const char *reason) {
                                 decision.reason = reason;
                                 left.push_back({decision, run.selects.back()->getDebugLoc()});
                               });
      if (best.selects.empty())
        continue;
      if (!mayMeld(*best.selects.back(), options_)) {
        decision.reason = leftOutReason;
        left.push_back({decision, best.selects.back()->getDebugLoc()});
        continue;
      }
      decision.melded = true;
      decision.reason = "run behind selects";
      decision.profit = 100.0 * (best.gain - best.branch) / best.cycles;
      decision.alignment = "instructions " +
                           std::to_string(best.side[1].size() + best.side[0].size()) +
                           ", selects " + std::to_string(best.selects.size()) + ", cycles " +
                           std::to_string(best.cycles);
      recorder.record(std::move(decision), best.selects.back()->getDebugLoc());
      putBehindBranch(best);
      changed = again = true;
    }
    if (again)
      current.changed();
    else
      for (auto &[decision, where] : left)
        recorder.record(std::move(decision), where);
  }
  if (!changed)
    return PreservedAnalyses::all();
  keepApart(function);
  return PreservedAnalyses::none();
}

} // namespace meld::passes
