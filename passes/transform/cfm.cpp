#include "passes/transform/cfm.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/changed_code.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/codegen.h"
#include "passes/melder/function_copy.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/meld_choice.h"
#include "passes/melder/occupancy_loss.h"
#include "passes/melder/planner.h"
#include "passes/melder/side_by_side.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace meld::passes {

using namespace llvm;

static constexpr const char *tooSmall = ": gain too small";
static constexpr const char *wavesLost = ": fewer waves would cost more";

static const char *passName(MeldScope scope) {
  return scope == MeldScope::diamonds ? "meld-branch-fusion" : "meld-cfm";
}

namespace {

// One melding after the other.
class BranchMelder {
public:
  BranchMelder(Function &function, const MeldOptions &options, const MeldSearch &search)
      : function_(function), options_(options), search_(search), forced_(options.takesLosses()) {}

  /// Melds the first branch that is worth it, outermost first; false when there is none. What it
  /// left is in rejected().
  bool meldNext(const BranchAnalyses &now, DecisionSink sink) {
    bool skipped = false;
    auto found = look(now, skipped);
    if (!found && skipped) {
      settled_.clear(); // everything once more, for what may have changed from afar
      found = look(now, skipped);
    }
    if (!found)
      return false;
    forget(*found->plan.branch->getParent(), now.dominators);
    std::optional<FunctionCopy> rollback;
    if (options_.verify && !search_.disposable)
      rollback.emplace(function_, FunctionCopy::Use::rollback);
    Decision &decision = found->decision;
    const DebugLoc where = found->plan.branch->getDebugLoc();
    if (options_.recordSides)
      recordSides(found->plan, decision);
    carryOut(found->plan);
    decision.melded = true;
    std::string why;
    raw_string_ostream whyStream(why);
    if (options_.verify && verifyFunction(function_, &whyStream)) {
      if (rollback)
        rollback->replaceBody();
      broken_ = true;
      decision.melded = false;
      decision.reason = "melded code failed the verifier: " + whyStream.str();
    }
    sink(std::move(decision), where);
    return true;
  }

  std::vector<Decision> &rejected() { return rejected_; }
  /// The verifier has rejected the last melding: the function is as it was before that step, unless
  /// it is disposable.
  bool broken() const { return broken_; }

private:
  struct Found {
    Plan plan;
    Decision decision;
  };

  std::optional<Found> look(const BranchAnalyses &now, bool &skipped) {
    Planner planner(now.divergence, now.cost, now.dominators, now.postDominators, now.progress,
                    search_.scope, search_.loops);
    OccupancyLoss occupancyLoss(now);
    rejected_.clear();
    ReversePostOrderTraversal<Function *> order(&function_);
    for (BasicBlock *block : order) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() ||
          (search_.within && !search_.within(*block, now.dominators)))
        continue;
      if (settled_.count(block)) {
        skipped = true;
        continue;
      }
      Decision decision;
      decision.pass = passName(search_.scope);
      decision.location = locationOf(*branch);
      if (!now.divergence.isDivergentBranch(block)) {
        decision.reason = std::string("does not diverge within a wave (width ") +
                          passes::name(now.divergence.branchWidth(block)) + ")";
        reject(*block, std::move(decision));
        continue;
      }
      // What stands for a plan that was made before; should it be carried out, it is made again.
      if (const auto *known = planned(now, *block);
          known && !isWorth(known->possible, known->gain, known->percent)) {
        decision.profit = known->percent;
        decision.reason = known->reason;
        decision.alignment = known->alignment;
        reject(*block, std::move(decision));
        continue;
      }
      Plan plan = planner.plan(*branch);
      judge(plan, occupancyLoss);
      now.planned[{block, plan.isDiamond() ? anyWay : ownWay()}] = {
          !plan.nodes.empty(), plan.gain, plan.percent(), plan.reason, plan.summary()};
      decision.profit = plan.percent();
      decision.reason = plan.reason;
      decision.alignment = plan.summary();
      if (!isWorth(!plan.nodes.empty(), plan.gain, plan.percent())) {
        reject(*block, std::move(decision));
        continue;
      }
      if (!mayMeld(*branch, options_)) {
        decision.reason = leftOutReason;
        reject(*block, std::move(decision));
        continue;
      }
      return Found{std::move(plan), std::move(decision)};
    }
    return std::nullopt;
  }

  // How branches are planned here; diamonds are planned alike by all.
  static constexpr unsigned anyWay = 0;
  unsigned ownWay() const { return 1 + 2 * unsigned(search_.scope) + unsigned(search_.loops); }

  const BranchAnalyses::Planned *planned(const BranchAnalyses &now, const BasicBlock &block) const {
    for (unsigned way : {anyWay, ownWay()})
      if (auto found = now.planned.find({&block, way}); found != now.planned.end())
        return &found->second;
    return nullptr;
  }

  bool isWorth(bool possible, int gain, double percent) const {
    return possible && (gain > 0 || forced_) && options_.isEnough(percent);
  }

  /// Takes lost waves off the gain, and says what is wrong with a plan that is not worth it.
  void judge(Plan &plan, OccupancyLoss &occupancyLoss) const {
    if (plan.nodes.empty())
      return; // it says why
    const int lost = options_.pressure && plan.gain > 0 && !forced_ ? occupancyLoss.of(plan) : 0;
    plan.gain -= lost;
    if (!isWorth(true, plan.gain, plan.percent()))
      plan.reason += lost > 0 ? wavesLost : tooSmall;
  }

  void reject(BasicBlock &block, Decision decision) {
    settled_[&block] = true;
    rejected_.push_back(std::move(decision));
  }

  // Melding at `block` changes what is below it, and with it the sides of the branches above it.
  void forget(const BasicBlock &block, const DominatorTree &dominators) {
    SmallVector<const BasicBlock *, 16> touched;
    for (const auto &[other, unused] : settled_)
      if (dominators.dominates(other, &block) || dominators.dominates(&block, other))
        touched.push_back(other);
    for (const BasicBlock *other : touched)
      settled_.erase(other);
  }

  Function &function_;
  const MeldOptions &options_;
  const MeldSearch &search_;
  const bool forced_; ///< tests that meld all that is legal
  std::vector<Decision> rejected_;
  /// Branches that were left, by their blocks. Forgets blocks that are deleted.
  ValueMap<const BasicBlock *, bool> settled_;
  bool broken_ = false;
};

} // namespace

unsigned meldBranches(Function &function, const MeldOptions &options, const MeldSearch &search,
                      DecisionSink sink, const BranchAnalyses *known,
                      std::unique_ptr<BranchAnalyses> *last) {
  // Without a threshold there is no falling cost to end by.
  const unsigned most = options.maxIterations * (options.takesLosses() ? 2 : 64);
  BranchMelder melder(function, options, search);
  std::unique_ptr<BranchAnalyses> own;
  unsigned melded = 0; // also those put back: the blocks are new ones
  while (melded < most && !melder.broken()) {
    if (!known)
      own = std::make_unique<BranchAnalyses>(function);
    if (!melder.meldNext(known ? *known : *own, sink)) {
      if (last)
        *last = std::move(own);
      break;
    }
    known = nullptr;
    own.reset();
    ++melded;
  }
  if (!melder.broken())
    for (Decision &other : melder.rejected())
      sink(std::move(other), {});
  return melded;
}

PreservedAnalyses MeldCfmPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, passName(scope_), point_);
  MeldSearch search;
  search.scope = scope_;
  search.loops = point_ != Point::early;
  std::unique_ptr<BranchAnalyses> last;
  const unsigned melded = meldBranches(
      function, options_, search,
      [&](Decision decision, DebugLoc where) { recorder.record(std::move(decision), where); },
      analyses.getResult<BranchAnalysis>(function).get(), &last);
  if (melded == 0)
    return PreservedAnalyses::all();
  avoidFaultsOfCodeGeneration(function);
  keepApart(function);
  leaveAnalyses(function, analyses, std::move(last));
  return keepAnalyses(function, analyses);
}

} // namespace meld::passes
