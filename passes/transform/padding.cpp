#include "passes/transform/padding.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/codegen.h"
#include "passes/melder/function_copy.h"
#include "passes/melder/legality.h"
#include "passes/melder/meld_choice.h"
#include "passes/melder/planner.h"
#include "passes/melder/side_by_side.h"
#include "passes/melder/similarity.h"
#include "passes/transform/one_by_one.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include <algorithm>
#include <optional>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t mostPlaces = 2;  // tried per branch
constexpr size_t mostBlocks = 24; // of a region
constexpr size_t mostBody = 2000; // instructions compared

/// A branch with a block on one side and a region on the other.
struct Candidate {
  BasicBlock *block = nullptr;      ///< the single block
  Node region;                      ///< the other side's
  BasicBlock *join = nullptr;       ///< where the block goes
  std::vector<BasicBlock *> places; ///< blocks of the region it may stand beside, best first
};

// Every branch can be led by a constant, and each block runs at most once.
bool canBePadded(const Node &node) {
  if (node.blocks.size() < 2 || node.blocks.size() > mostBlocks || node.hasLoop || node.isLoop ||
      node.openEnd || !node.next)
    return false;
  DenseMap<const BasicBlock *, size_t> place; // in reverse post-order
  for (size_t i = 0; i < node.blocks.size(); ++i)
    place[node.blocks[i]] = i;
  for (BasicBlock *block : node.blocks) {
    if (!isa<BranchInst>(block->getTerminator()) || obstacle(*block))
      return false;
    for (const BasicBlock *successor : successors(block)) // an irreducible loop has no back edge
      if (auto at = place.find(successor); at != place.end() && at->second <= place[block])
        return false;
  }
  return true;
}

std::vector<Instruction *> bodyOf(BasicBlock &block) {
  std::vector<Instruction *> body;
  for (Instruction &instruction : block)
    if (!isa<PHINode>(instruction) && !instruction.isTerminator() && !isIgnorable(instruction) &&
        body.size() < mostBody)
      body.push_back(&instruction);
  return body;
}

std::optional<Candidate> candidateAt(BranchInst &branch, const BranchAnalyses &now) {
  for (unsigned side : {0u, 1u}) {
    BasicBlock *block = branch.getSuccessor(side), *other = branch.getSuccessor(1 - side);
    if (!block->getSinglePredecessor() || !other->getSinglePredecessor() || block == other)
      continue;
    const Arm lone = buildArm(block, now.dominators, now.postDominators, /*cutHeads=*/false);
    const Arm rest = buildArm(other, now.dominators, now.postDominators, /*cutHeads=*/false);
    if (lone.nodes.size() != 1 || !lone.nodes[0].isBlock() || lone.nodes[0].openEnd || !lone.end ||
        lone.end != rest.end || obstacle(*block) || isa<PHINode>(block->front()))
      continue;
    const auto body = bodyOf(*block);
    std::vector<std::pair<int, Candidate>> found;
    for (const Node &node : rest.nodes) {
      if (!canBePadded(node))
        continue;
      std::vector<std::pair<int, BasicBlock *>> scored;
      for (BasicBlock *place : node.blocks)
        if (const int score = similarity(body, bodyOf(*place), now.cost); score > 0)
          scored.push_back({score, place});
      if (scored.empty())
        continue;
      stable_sort(scored, [](auto &a, auto &b) { return a.first > b.first; });
      Candidate candidate{block, node, lone.end, {}};
      for (auto [score, place] : scored)
        if (candidate.places.size() < mostPlaces)
          candidate.places.push_back(place);
      found.push_back({scored.front().first, std::move(candidate)});
    }
    if (!found.empty())
      return std::max_element(found.begin(), found.end(),
                              [](auto &a, auto &b) { return a.first < b.first; })
          ->second;
  }
  return std::nullopt;
}

// Blocks of the region from which `place` is reached inside of it.
SmallPtrSet<BasicBlock *, 16> leadingTo(const Node &region, BasicBlock *place) {
  SmallPtrSet<BasicBlock *, 16> leading{place};
  for (BasicBlock *block : reverse(region.blocks)) // reverse post-order: successors come first here
    for (BasicBlock *successor : successors(block))
      if (leading.count(successor))
        leading.insert(block);
  return leading;
}

/// The region's shape around one block; returns the padding blocks that no thread enters.
class Padding {
public:
  Padding(BasicBlock *block, const Node &region, BasicBlock *join, BasicBlock *place)
      : block_(block), region_(region), join_(join), place_(place) {}

  SmallPtrSet<const BasicBlock *, 16> make() {
    Function &function = *block_->getParent();
    BasicBlock *above = block_->getSinglePredecessor();
    const DebugLoc where = block_->getTerminator()->getDebugLoc();
    for (BasicBlock *block : region_.blocks)
      twin_[block] = block == place_
                         ? block_
                         : BasicBlock::Create(function.getContext(), "meld.pad", &function, block_);
    const auto leading = leadingTo(region_, place_);
    SmallPtrSet<const BasicBlock *, 16> walked;
    block_->getTerminator()->eraseFromParent();
    for (BasicBlock *block : region_.blocks)
      terminate(block, leading)->setDebugLoc(where);
    BasicBlock *entry = twin_[region_.entry];
    if (entry != block_)
      above->getTerminator()->replaceSuccessorWith(block_, entry);
    fixExits(entry);
    for (BasicBlock *at = entry; at && at != join_;) { // the one way through
      walked.insert(at);
      auto *branch = cast<BranchInst>(at->getTerminator());
      at = branch->isUnconditional()
               ? branch->getSuccessor(0)
               : branch->getSuccessor(cast<ConstantInt>(branch->getCondition())->isOne() ? 0 : 1);
    }
    SmallPtrSet<const BasicBlock *, 16> idle;
    for (BasicBlock *block : region_.blocks)
      if (!walked.count(twin_[block]))
        idle.insert(twin_[block]);
    return idle;
  }

private:
  BasicBlock *twinOf(BasicBlock *successor) const {
    return successor == region_.next ? join_ : twin_.lookup(successor);
  }

  Instruction *terminate(BasicBlock *block, const SmallPtrSetImpl<BasicBlock *> &leading) {
    auto *branch = cast<BranchInst>(block->getTerminator());
    BasicBlock *at = twin_[block];
    if (branch->isUnconditional())
      return BranchInst::Create(twinOf(branch->getSuccessor(0)), at);
    BasicBlock *first = branch->getSuccessor(0), *second = branch->getSuccessor(1);
    // At the place itself and behind it any way will do.
    const bool takeFirst = leading.count(first) || !leading.count(second) || block == place_;
    return BranchInst::Create(twinOf(first), twinOf(second),
                              ConstantInt::getBool(block->getContext(), takeFirst), at);
  }

  // The join's phis knew one edge, from the block; now there is one from each exit of the padding,
  // and the block's values get there through phis.
  void fixExits(BasicBlock *entry) {
    SmallVector<BasicBlock *, 4> exits;
    for (BasicBlock *block : region_.blocks)
      for (BasicBlock *successor : successors(twin_[block]))
        if (successor == join_)
          exits.push_back(twin_[block]); // once per edge
    for (PHINode &phi : join_->phis()) {
      Value *value = phi.getIncomingValueForBlock(block_);
      phi.removeIncomingValue(block_, /*DeletePHIIfEmpty=*/false);
      auto *own = dyn_cast<Instruction>(value);
      SSAUpdater updater;
      if (own && own->getParent() == block_) {
        updater.Initialize(value->getType(), "meld");
        updater.AddAvailableValue(block_, value);
        if (entry != block_)
          updater.AddAvailableValue(entry, PoisonValue::get(value->getType()));
        for (BasicBlock *exit : exits)
          phi.addIncoming(updater.GetValueAtEndOfBlock(exit), exit);
        continue;
      }
      for (BasicBlock *exit : exits)
        phi.addIncoming(value, exit);
    }
  }

  BasicBlock *block_;
  const Node &region_;
  BasicBlock *join_, *place_;
  DenseMap<BasicBlock *, BasicBlock *> twin_;
};

// Is the block part of one case of a switch?
bool isInCase(const BasicBlock &block, const BranchAnalyses &now) {
  for (auto *at = now.dominators.getNode(&block); at && at->getIDom(); at = at->getIDom()) {
    const BasicBlock *above = at->getIDom()->getBlock();
    auto *behind = now.postDominators.getNode(above)->getIDom();
    if (isa<SwitchInst>(above->getTerminator()) &&
        is_contained(successors(above), at->getBlock()) &&
        (!behind || behind->getBlock() != at->getBlock()))
      return true;
  }
  return false;
}

// The region in the copy.
Node twinOf(const Node &node, const FunctionCopy &trial) {
  Node copy = node;
  copy.entry = trial.twin(*node.entry);
  copy.next = trial.twin(*node.next);
  for (BasicBlock *&block : copy.blocks)
    block = trial.twin(*block);
  return copy;
}

class PaddingMelder {
public:
  PaddingMelder(Function &function, const MeldOptions &options, bool early,
                DecisionRecorder &recorder)
      : function_(function), options_(options), early_(early), recorder_(recorder) {}

  /// True when a copy with this branch melded has been taken.
  bool tryAt(BranchInst &branch, const BranchAnalyses &now) {
    // Padded, a case is no longer like the others: the switch melder comes first, and it meets
    // simplified cases late.
    if (early_ && isInCase(*branch.getParent(), now))
      return false;
    const auto candidate = candidateAt(branch, now);
    if (!candidate)
      return false; // not of this shape: the melder has said what there is to say
    Decision decision = recorder_.at(branch);
    const DebugLoc where = branch.getDebugLoc();
    decision.reason = "block with region: gain too small";
    for (BasicBlock *place : candidate->places) {
      FunctionCopy trial(function_, FunctionCopy::Use::trial);
      auto *copied = cast<BranchInst>(trial.twin(*branch.getParent())->getTerminator());
      const Node region = twinOf(candidate->region, trial);
      const auto idle = Padding(trial.twin(*candidate->block), region, trial.twin(*candidate->join),
                                trial.twin(*place))
                            .make();
      BranchAnalyses padded(trial.get());
      Planner planner(padded.divergence, padded.cost, padded.dominators, padded.postDominators,
                      padded.progress, MeldScope::all, /*loops=*/!early_);
      planner.setIdle(&idle);
      Plan plan = planner.planWhole(*copied);
      const bool joined = any_of(plan.nodes, [](const NodePlan &node) {
        return node.blocks.size() > 1 && node.pairs > 0;
      });
      if (!joined)
        continue;
      decision.profit = std::max(decision.profit, plan.percent());
      if (!options_.isEnough(plan.percent()) || (plan.gain <= 0 && !options_.takesLosses()))
        continue;
      decision.profit = plan.percent();
      decision.alignment = plan.summary();
      if (options_.recordSides)
        recordSides(plan, decision);
      carryOut(plan);
      if (options_.verify && verifyFunction(trial.get())) {
        decision.reason = "melded code failed the verifier";
        break;
      }
      if (!mayMeld(branch, options_)) {
        decision.reason = leftOutReason;
        break;
      }
      trial.replaceBody();
      decision.melded = true;
      decision.reason = "block with region";
      recorder_.record(std::move(decision), where);
      return true;
    }
    recorder_.record(std::move(decision), where);
    return false;
  }

private:
  Function &function_;
  const MeldOptions &options_;
  bool early_;
  DecisionRecorder &recorder_;
};

} // namespace

PreservedAnalyses MeldPaddingPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-padding", point_);
  PaddingMelder melder(function, options_, point_ == Point::early, recorder);
  return meldOneByOne(
      function, analyses, options_.maxIterations,
      [&](BranchInst &branch, const BranchAnalyses &now) { return melder.tryAt(branch, now); });
}

} // namespace meld::passes
