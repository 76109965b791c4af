#include "passes/transform/tail_merge.h"
#include "passes/analysis/wave_state.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/changed_code.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/legality.h"
#include "passes/melder/meld_choice.h"
#include "passes/melder/merge_instruction.h"
#include "passes/melder/metadata_rules.h"
#include "passes/melder/scope_markers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <limits>
#include <map>
#include <set>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr int fullRate = 4; // cycles of a move

// Blocks that end alike. row[k][i]: the instruction of block i that is k-th of the tail, from the
// top once complete.
struct Tail {
  BasicBlock *join = nullptr;
  std::vector<BasicBlock *> blocks;
  std::vector<std::vector<Instruction *>> rows;
  std::vector<std::vector<bool>> swapped; ///< operands 0 and 1 of this one are exchanged
  int gain = 0, cost = 0;
};

Instruction *previous(Instruction *instruction) {
  do
    instruction = instruction->getPrevNode();
  while (instruction && isIgnorable(*instruction));
  return instruction;
}

Value *operandOf(const Tail &tail, size_t row, size_t side, unsigned index) {
  if (tail.swapped[row][side] && index < 2)
    index = 1 - index;
  return tail.rows[row][side]->getOperand(index);
}

class TailFinder {
public:
  TailFinder(BasicBlock *join, const BranchAnalyses &analyses, bool modeChanges)
      : join_(join), analyses_(analyses), modeChanges_(modeChanges) {}

  // Groups of blocks with a common last instruction, each with as long a tail as all of it share.
  std::vector<Tail> find() {
    std::vector<Tail> tails;
    for (BasicBlock *block : predecessors(join_)) {
      Instruction *last = previous(block->getTerminator());
      auto *jump = dyn_cast<BranchInst>(block->getTerminator());
      if (!jump || jump->isConditional() || block == join_ || !last || isa<PHINode>(last) ||
          analyses_.dominators.dominates(join_, block) ||
          !analyses_.dominators.isReachableFromEntry(block))
        continue;
      auto group = find_if(tails, [&](const Tail &tail) {
        return fits(*previous(tail.blocks.front()->getTerminator()), *last, nullptr);
      });
      if (group == tails.end()) {
        tails.emplace_back();
        tails.back().join = join_;
        group = std::prev(tails.end());
      }
      group->blocks.push_back(block);
    }
    llvm::erase_if(tails,
                   [&](Tail &tail) { return tail.blocks.size() < 2 || !partDivergent(tail); });
    for (Tail &tail : tails)
      extend(tail);
    llvm::erase_if(tails, [](const Tail &tail) { return tail.rows.empty(); });
    return tails;
  }

private:
  // The branch at which these blocks' ways part diverges.
  bool partDivergent(const Tail &tail) const {
    BasicBlock *common = tail.blocks.front();
    for (BasicBlock *block : tail.blocks)
      common = analyses_.dominators.findNearestCommonDominator(common, block);
    return common && !is_contained(tail.blocks, common) &&
           analyses_.divergence.isDivergentBranch(common) &&
           !stateForbids(*common, tail.join, modeChanges_); // it would run behind a change
  }

  // One instruction can do the work of both. Its value may be used by the tail below and by the
  // join's phis alone.
  bool fits(Instruction &left, Instruction &right, const Tail *tail, bool *swap = nullptr) const {
    if (isa<PHINode>(left) || isa<PHINode>(right))
      return false;
    PairShape shape = mayPair(left, right);
    if (!shape || !usedBelowOnly(left, tail) || !usedBelowOnly(right, tail) ||
        losesScalarLoad(left, right))
      return false;
    if (swap) {
      auto same = [&](unsigned i, unsigned k) { return left.getOperand(i) == right.getOperand(k); };
      *swap = !shape.straight ||
              (shape.swapped && (same(0, 1) || same(1, 0)) && !same(0, 0) && !same(1, 1));
    }
    return true;
  }

  bool usedBelowOnly(const Instruction &instruction, const Tail *tail) const {
    for (const Use &use : instruction.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      if (phi && phi->getParent() == join_ && phi->getIncomingBlock(use) == instruction.getParent())
        continue;
      bool inTail = tail && any_of(tail->rows, [&](auto &row) { return is_contained(row, user); });
      if (!inTail)
        return false;
    }
    return true;
  }

  bool losesScalarLoad(const Instruction &left, const Instruction &right) const {
    if (!isa<LoadInst>(left) || left.getOperand(0) == right.getOperand(0))
      return false;
    const Value *l = left.getOperand(0), *r = right.getOperand(0);
    const DivergenceInfo &divergence = analyses_.divergence;
    return l->getType()->getPointerAddressSpace() != divergence.gpu().localAddressSpace() &&
           divergence.width(l) >= Width::wave && divergence.width(r) >= Width::wave;
  }

  void extend(Tail &tail) const {
    std::vector<Instruction *> at;
    for (BasicBlock *block : tail.blocks)
      at.push_back(block->getTerminator());
    while (true) {
      std::vector<Instruction *> row;
      std::vector<bool> swapped;
      for (Instruction *&instruction : at) {
        instruction = previous(instruction);
        bool swap = false;
        if (!instruction ||
            !fits(row.empty() ? *instruction : *row.front(), *instruction, &tail, &swap))
          break;
        row.push_back(instruction);
        swapped.push_back(swap);
      }
      if (row.size() != at.size() || !usedAlike(tail, row))
        break;
      tail.rows.push_back(std::move(row));
      tail.swapped.push_back(std::move(swapped));
    }
    std::reverse(tail.rows.begin(), tail.rows.end());
    std::reverse(tail.swapped.begin(), tail.swapped.end());
  }

  // Where one side's tail or the join's phis use this row, all sides' do.
  bool usedAlike(const Tail &tail, const std::vector<Instruction *> &row) const {
    auto alike = [&](auto &&valueOf) {
      bool any = false, all = true;
      for (size_t side = 0; side < row.size(); ++side) {
        bool same = valueOf(side) == row[side];
        any |= same;
        all &= same;
      }
      return any == all;
    };
    for (PHINode &phi : join_->phis())
      if (!alike([&](size_t side) { return phi.getIncomingValueForBlock(tail.blocks[side]); }))
        return false;
    for (size_t below = 0; below < tail.rows.size(); ++below)
      for (unsigned i = 0; i < tail.rows[below].front()->getNumOperands(); ++i)
        if (!alike([&](size_t side) { return operandOf(tail, below, side, i); }))
          return false;
    return true;
  }

  BasicBlock *join_;
  const BranchAnalyses &analyses_;
  const bool modeChanges_;
};

// The row that produces this operand on every side, or -1.
int rowOf(const Tail &tail, size_t row, unsigned index) {
  for (size_t above = 0; above < row; ++above) {
    bool all = true;
    for (size_t side = 0; side < tail.blocks.size() && all; ++side)
      all = operandOf(tail, row, side, index) == tail.rows[above][side];
    if (all)
      return int(above);
  }
  return -1;
}

// Estimates the gain; shortens the tail from its top where that is better: to nothing where nothing
// gains, unless `force` wants the best there is.
void weigh(Tail &tail, const CostModel &cost, bool force) {
  const size_t sides = tail.blocks.size();
  int best = force ? std::numeric_limits<int>::min() : 0, bestCost = 0;
  size_t bestTop = tail.rows.size();
  // The tail that begins at `top`; a value made above it comes by phi.
  for (size_t top = tail.rows.size(); top-- > 0;) {
    int gain = 0, all = 0;
    std::set<std::vector<Value *>> phis; // never walked
    for (size_t row = top; row < tail.rows.size(); ++row) {
      Instruction &leader = *tail.rows[row].front();
      int own = cost.instruction(leader);
      gain += own * int(sides - 1);
      all += own * int(sides);
      for (unsigned i = 0; i < leader.getNumOperands(); ++i) {
        int from = rowOf(tail, row, i);
        if (from >= int(top))
          continue;
        std::vector<Value *> values;
        for (size_t side = 0; side < sides; ++side)
          values.push_back(operandOf(tail, row, side, i));
        if (all_of(values, [&](Value *value) { return value == values.front(); }) ||
            !phis.insert(values).second)
          continue;
        // A value made for this phi alone is made in its register; others are moved there.
        for (Value *value : values)
          if (value->getType()->isIntegerTy(1))
            gain -= cost.select(value->getType());
          else if (!isa<Instruction>(value) || !value->hasOneUse())
            gain -= fullRate * cost.words(value->getType());
      }
    }
    // Sides that leave for the join on their own have to be kept apart.
    if (pred_size(tail.join) != sides)
      gain -= cost.guard();
    if (gain > best) {
      best = gain;
      bestCost = all;
      bestTop = top;
    }
  }
  tail.rows.erase(tail.rows.begin(), tail.rows.begin() + std::ptrdiff_t(bestTop));
  tail.swapped.erase(tail.swapped.begin(), tail.swapped.begin() + std::ptrdiff_t(bestTop));
  tail.gain = best;
  tail.cost = bestCost;
}

// The tail passes by what stands between its rows: an object must not end before it is used.
void widenLifetimesIn(const Tail &tail) {
  SmallVector<Instruction *, 8> passed;
  for (Instruction *top : tail.rows.front())
    for (Instruction *at = top; at; at = at->getNextNode())
      passed.push_back(at);
  widenLifetimes(passed);
}

void merge(const Tail &tail) {
  Function &function = *tail.join->getParent();
  widenLifetimesIn(tail);
  BasicBlock *block = BasicBlock::Create(function.getContext(), "meld.tail", &function, tail.join);
  BranchInst *jump = BranchInst::Create(tail.join, block);
  const size_t sides = tail.blocks.size();
  std::map<std::vector<Value *>, PHINode *> phis; // never walked
  auto joined = [&](const std::vector<Value *> &values) -> Value * {
    if (all_of(values, [&](Value *value) { return value == values.front(); }))
      return values.front();
    PHINode *&phi = phis[values];
    if (!phi) {
      phi = PHINode::Create(values.front()->getType(), unsigned(sides), "meld",
                            compat::before(&block->front()));
      for (size_t side = 0; side < sides; ++side)
        phi->addIncoming(values[side], tail.blocks[side]);
    }
    return phi;
  };
  std::vector<Instruction *> merged;
  for (size_t row = 0; row < tail.rows.size(); ++row) {
    Instruction &leader = *tail.rows[row].front();
    Instruction *clone = leader.clone();
    for (unsigned i = 0; i < leader.getNumOperands(); ++i) {
      if (int from = rowOf(tail, row, i); from >= 0) {
        clone->setOperand(i, merged[size_t(from)]);
        continue;
      }
      std::vector<Value *> values;
      for (size_t side = 0; side < sides; ++side)
        values.push_back(operandOf(tail, row, side, i));
      clone->setOperand(i, joined(values));
    }
    for (size_t side = 1; side < sides; ++side) {
      Instruction *before = clone->clone(); // what the sides so far agree on
      intersectInto(*clone, *before, *tail.rows[row][side], tail.swapped[row][side]);
      before->deleteValue();
    }
    clone->insertAfter(jump); // LLVM 21 lost the way to insert it where it belongs at once
    compat::moveBefore(clone, jump);
    clone->takeName(&leader);
    merged.push_back(clone);
  }
  for (PHINode &phi : tail.join->phis()) {
    std::vector<Value *> values;
    for (BasicBlock *from : tail.blocks)
      values.push_back(phi.getIncomingValueForBlock(from));
    Value *value = nullptr;
    for (size_t row = 0; row < tail.rows.size() && !value; ++row)
      if (std::equal(values.begin(), values.end(), tail.rows[row].begin()))
        value = merged[row];
    if (!value)
      value = joined(values);
    for (BasicBlock *from : tail.blocks)
      phi.removeIncomingValue(from, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(value, block);
  }
  DebugLoc where = tail.blocks.front()->getTerminator()->getDebugLoc();
  for (BasicBlock *from : tail.blocks) {
    where = DILocation::getMergedLocation(where, from->getTerminator()->getDebugLoc().get());
    from->getTerminator()->replaceSuccessorWith(tail.join, block);
  }
  jump->setDebugLoc(where);
  for (size_t row = tail.rows.size(); row-- > 0;)
    for (Instruction *instruction : tail.rows[row]) {
      if (!instruction->getType()->isVoidTy())
        instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType())); // debug values
      instruction->eraseFromParent();
    }
  MergeBlockIntoPredecessor(tail.join);
  forgetUniformNotes(function);
}

// Code generation may take the ways to a new meeting by turns, one block of each.
bool tellTurns(const Tail &tail, const BranchAnalyses &analyses) {
  auto *node = analyses.dominators.getNode(tail.join);
  if (!node || !node->getIDom())
    return false;
  OrderedAccesses &accesses = analyses.accesses;
  unsigned kinds = OrderedAccesses::none;
  SmallSetVector<const BasicBlock *, 16> parting;
  parting.insert(node->getIDom()->getBlock());
  SmallVector<const BasicBlock *, 16> open(tail.blocks.begin(), tail.blocks.end());
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (analyses.dominators.dominates(tail.join, block) || !parting.insert(block))
      continue;
    kinds |= accesses.of(*block);
    append_range(open, predecessors(block));
  }
  return OrderedAccesses::keepOrder(kinds, kinds) && any_of(parting, [&](const BasicBlock *head) {
           return accesses.sidesTellTurns(*head, analyses.dominators, analyses.postDominators,
                                          analyses.progress);
         });
}

} // namespace

PreservedAnalyses MeldTailMergePass::run(Function &function, FunctionAnalysisManager &manager) {
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, manager, log_, "meld-tail-merge", point_);
  CurrentAnalyses current(function, manager);
  const bool modeChanges = changesMode(function);
  bool changed = false, again = true;
  for (unsigned round = 0; again && round < options_.maxIterations * 64; ++round) {
    again = false;
    const BranchAnalyses &analyses = current.get();
    std::vector<Decision> left;
    for (BasicBlock &join : function) {
      if (join.hasNPredecessors(0) || join.getSinglePredecessor() || join.isEHPad())
        continue;
      std::vector<Tail> tails = TailFinder(&join, analyses, modeChanges).find();
      Tail *best = nullptr;
      for (Tail &tail : tails) {
        const size_t rows = tail.rows.size();
        Decision decision = recorder.at(*tail.blocks.front()->getTerminator());
        weigh(tail, analyses.cost, options_.force);
        const double percent = tail.cost > 0 ? 100.0 * tail.gain / tail.cost : 0.0;
        if (analyses.progress.waitsAbove(join)) {
          decision.reason = waitsReason;
          left.push_back(std::move(decision));
          continue;
        }
        if (tellTurns(tail, analyses)) {
          decision.reason = turnsReason;
          left.push_back(std::move(decision));
          continue;
        }
        if ((tail.gain <= 0 && !options_.force) || !options_.isEnough(percent)) {
          decision.reason = "common tail of " + std::to_string(rows) + ": gain too small";
          left.push_back(std::move(decision));
        } else if (!best || tail.gain > best->gain) {
          best = &tail;
        }
      }
      if (!best)
        continue;
      if (!mayMeld(*best->blocks.front()->getTerminator(), options_)) {
        left.push_back(recorder.at(*best->blocks.front()->getTerminator()));
        left.back().reason = leftOutReason;
        continue;
      }
      Decision decision = recorder.at(*best->blocks.front()->getTerminator());
      decision.melded = true;
      decision.reason = "common tail";
      decision.profit = 100.0 * best->gain / best->cost;
      decision.alignment = "sides " + std::to_string(best->blocks.size()) + ", instructions " +
                           std::to_string(best->rows.size());
      DebugLoc where = best->blocks.front()->getTerminator()->getDebugLoc();
      merge(*best);
      current.changed();
      recorder.record(std::move(decision), where);
      changed = again = true;
      break;
    }
    if (!again)
      for (Decision &decision : left)
        recorder.record(std::move(decision));
  }
  if (!changed)
    return PreservedAnalyses::all();
  avoidFaultsOfCodeGeneration(function);
  keepApart(function);
  return PreservedAnalyses::none();
}

} // namespace meld::passes
