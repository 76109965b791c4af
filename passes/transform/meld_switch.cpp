#include "passes/transform/meld_switch.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/changed_code.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/fingerprint.h"
#include "passes/melder/function_copy.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/legality.h"
#include "passes/melder/meld_choice.h"
#include "passes/melder/region_cost.h"
#include "passes/melder/similarity.h"
#include "passes/transform/cfm.h"
#include "passes/transform/one_by_one.h"
#include "passes/transform/switch_chain.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/IR/Verifier.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t maxBody = 2000;   // instructions of a case that are compared
constexpr unsigned maxTests = 6;   // compares for one case; a case of scattered values stays
constexpr double alikeShare = 0.5; // of the cheaper case's cost must find a partner
constexpr size_t fewestMembers = 2;

// The code of a case: what only it reaches.
struct Body {
  std::vector<Instruction *> instructions;
  int cost = 0;
  std::string obstacle;
};

Body bodyOf(BasicBlock *entry, const DominatorTree &dominators, const CostModel &cost) {
  Body body;
  SmallPtrSet<BasicBlock *, 16> seen{entry};
  std::vector<BasicBlock *> work{entry};
  for (size_t i = 0; i < work.size(); ++i) {
    if (auto why = obstacle(*work[i])) {
      body.obstacle = *why;
      return body;
    }
    for (Instruction &instruction : *work[i]) {
      if (isa<PHINode>(instruction) || instruction.isTerminator() || isIgnorable(instruction))
        continue;
      if (body.instructions.size() == maxBody)
        return body;
      body.instructions.push_back(&instruction);
      body.cost += cost.instruction(instruction);
    }
    for (BasicBlock *successor : successors(work[i]))
      if (dominators.dominates(entry, successor) && seen.insert(successor).second)
        work.push_back(successor);
  }
  return body;
}

bool alike(const Body &left, const Body &right, const CostModel &cost) {
  const int paired = similarity(left.instructions, right.instructions, cost);
  return paired > 0 && paired >= alikeShare * std::min(left.cost, right.cost);
}

// The group of alike cases with the most code in it.
std::vector<SwitchCase> largestGroup(const std::vector<SwitchCase> &cases,
                                     const BasicBlock *switchBlock, const DominatorTree &dominators,
                                     const CostModel &cost, std::string &reason) {
  struct Group {
    Body leader;
    std::vector<SwitchCase> members;
    int cost = 0;
  };
  std::vector<Group> groups;
  reason = "no two cases look alike";
  for (const SwitchCase &one : cases) {
    if (any_of(predecessors(one.entry), [&](BasicBlock *p) { return p != switchBlock; }))
      continue; // the block behind the switch, a loop's head, or a fall-through too large to copy
    if (testsFor(one) > maxTests)
      continue;
    Body body = bodyOf(one.entry, dominators, cost);
    if (!body.obstacle.empty()) {
      reason = body.obstacle;
      continue;
    }
    if (body.instructions.empty())
      continue;
    auto found = find_if(groups, [&](Group &group) { return alike(group.leader, body, cost); });
    if (found == groups.end()) {
      groups.emplace_back();
      found = std::prev(groups.end());
      found->leader = body;
    }
    found->members.push_back(one);
    found->cost += body.cost;
  }
  Group *best = nullptr;
  for (Group &group : groups)
    if (group.members.size() >= fewestMembers && (!best || group.cost > best->cost))
      best = &group;
  return best ? best->members : std::vector<SwitchCase>();
}

/// What the switch decides over, as a number.
uint64_t printOf(BasicBlock &head, const BasicBlock *behind, const DivergenceInfo &divergence) {
  SmallVector<BasicBlock *, 32> region;
  SmallPtrSet<const BasicBlock *, 32> seen{&head, behind};
  auto addFrom = [&](BasicBlock &block) {
    for (BasicBlock *successor : successors(&block))
      if (seen.insert(successor).second)
        region.push_back(successor);
  };
  addFrom(head);
  for (size_t i = 0; i < region.size(); ++i)
    addFrom(*region[i]);
  const uint64_t print = fingerprintOf(head, region, [&](const Value &value) {
    return isa<BasicBlock>(value) ? 2 * uint64_t(&value == behind) + (&value == &head)
                                  : uint64_t(divergence.width(&value));
  });
  return hash_combine(head.getParent(), print);
}

// One switch, tried on a copy; true when the copy has been taken.
class SwitchMelder {
public:
  SwitchMelder(Function &function, const MeldOptions &options, bool loops,
               DecisionRecorder &recorder, LeftSwitches &left)
      : function_(function), options_(options), loops_(loops), recorder_(recorder), left_(left) {}

  bool tryAt(SwitchInst &choice, const BranchAnalyses &now) {
    Decision decision = recorder_.at(choice);
    DebugLoc where = choice.getDebugLoc();
    std::optional<uint64_t> tried;
    auto leave = [&](std::string reason) {
      if (tried)
        left_[*tried] = reason;
      decision.reason = std::move(reason);
      recorder_.record(std::move(decision), where);
      return false;
    };
    BasicBlock *block = choice.getParent();
    if (!now.divergence.isDivergentBranch(block))
      return leave(std::string("switch does not diverge within a wave (width ") +
                   passes::name(now.divergence.branchWidth(block)) + ")");
    if (now.progress.keepsOrder(*block))
      return leave(waitsReason);
    auto *node = now.postDominators.getNode(block);
    const BasicBlock *next = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    std::vector<SwitchCase> members;
    std::string reason;
    // Nothing to copy: what looks alike shows before there is a trial.
    const bool asItIs = !hasFallthrough(choice, next, now.dominators);
    if (asItIs) {
      members = largestGroup(casesOf(choice), block, now.dominators, now.cost, reason);
      if (members.empty())
        return leave(reason);
    }
    const uint64_t print = printOf(*block, next, now.divergence);
    if (auto known = left_.find(print); known != left_.end())
      return leave(known->second);
    tried = print;
    const int before =
        regionCost(block, now.dominators, now.postDominators, now.loops, now.divergence, now.cost);

    FunctionCopy trial(function_, FunctionCopy::Use::trial);
    Function &copy = trial.get();
    BasicBlock *anchor = trial.twin(*block);
    auto &copied = cast<SwitchInst>(*anchor->getTerminator());
    WeakVH head, behind; // the melder may remove blocks
    if (next)
      behind = trial.twin(*next);
    if (asItIs) {
      for (SwitchCase &member : members)
        member.entry = trial.twin(*member.entry);
    } else {
      separateFallthrough(copied, cast_or_null<BasicBlock>(static_cast<Value *>(behind)));
      members = largestGroup(casesOf(copied), anchor, DominatorTree(copy), now.cost, reason);
      if (members.empty())
        return leave(reason);
    }
    const size_t count = members.size();
    head = makeChain(copied, std::move(members));
    std::vector<std::pair<Decision, DebugLoc>> steps;
    unsigned melded = 0;
    std::string why = "nothing to look at";
    MeldSearch search;
    search.loops = loops_;
    search.disposable = true;
    search.within = [&](const BasicBlock &inside, const DominatorTree &dominators) {
      auto *first = cast_or_null<BasicBlock>(static_cast<Value *>(head));
      auto *last = cast_or_null<BasicBlock>(static_cast<Value *>(behind));
      return first && dominators.dominates(first, &inside) &&
             !(last && dominators.dominates(last, &inside));
    };
    std::unique_ptr<BranchAnalyses> after;
    meldBranches(
        copy, options_, search,
        [&](Decision step, DebugLoc at) {
          if (!step.melded) {
            why = step.reason;
            return;
          }
          ++melded;
          steps.push_back({std::move(step), at});
        },
        nullptr, &after);
    if (melded == 0)
      return leave("cases look alike, but none is melded: " + why);
    // The melder verifies each step, and says what holds at the end unless one was bad.
    if (options_.verify && !after && verifyFunction(copy))
      return leave("melded code failed the verifier");
    if (!after)
      after = std::make_unique<BranchAnalyses>(copy);
    const int cost = regionCost(anchor, after->dominators, after->postDominators, after->loops,
                                after->divergence, after->cost);
    decision.profit = before > 0 ? 100.0 * (before - cost) / before : 0.0;
    decision.alignment = "cases " + std::to_string(count) + ", meldings " + std::to_string(melded);
    if (!options_.isEnough(decision.profit) || (cost >= before && !options_.takesLosses()))
      return leave("switch: gain too small");
    if (!mayMeld(choice, options_))
      return leave(leftOutReason);
    trial.replaceBody();
    decision.melded = true;
    decision.reason = "switch";
    recorder_.record(std::move(decision), where);
    for (auto &[step, at] : steps)
      recorder_.record(std::move(step), at);
    return true;
  }

private:
  Function &function_;
  const MeldOptions &options_;
  bool loops_;
  DecisionRecorder &recorder_;
  LeftSwitches &left_;
};

} // namespace

PreservedAnalyses MeldSwitchPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (point_ == Point::early && goesIntoCallers(function))
    return PreservedAnalyses::all();
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()) ||
      none_of(function, [](BasicBlock &block) { return isa<SwitchInst>(block.getTerminator()); }))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-switch", point_);
  LeftSwitches own;
  SwitchMelder melder(function, options_, point_ != Point::early, recorder, left_ ? *left_ : own);
  if (!changeOneByOne(function, analyses, options_.maxIterations,
                      [&](Instruction &terminator, const BranchAnalyses &now) {
                        auto *choice = dyn_cast<SwitchInst>(&terminator);
                        return choice && melder.tryAt(*choice, now);
                      }))
    return PreservedAnalyses::all();
  avoidFaultsOfCodeGeneration(function);
  keepApart(function);
  return keepAnalyses(function, analyses);
}

} // namespace meld::passes
