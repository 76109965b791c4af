#include "passes/transform/flatten/delay_iterations.h"
#include "passes/analysis/divergence.h"
#include "passes/cost/cost_model.h"
#include "passes/decisions.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/legality.h"
#include "passes/transform/flatten/codegen.h"
#include "passes/transform/flatten/copies.h"
#include "passes/transform/flatten/legality.h"
#include "passes/transform/flatten/part_loop.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr int perLevel = 8;        // times that a loop in a side is taken to go round
constexpr int leastCost = 100;     // of a side, in cycles: what a round and its gate cost
constexpr int mostOfOtherSide = 4; // times dearer than what the other side has for itself

class Chooser {
public:
  /// `any`: whatever it costs.
  Chooser(Function &function, const DivergenceInfo &divergence, const LoopInfo &loops, bool any)
      : model_(function, divergence.gpu()), divergence_(divergence), loops_(loops), any_(any) {}

  /// Of the loop's branches, the one with the dearest side worth waiting for.
  std::optional<LoopSide> best(const Loop &loop) const {
    std::optional<LoopSide> found;
    int dearest = 0;
    const int whole = cost(loop.getBlocks(), loop);
    for (BasicBlock *block : loop.blocks()) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (loops_.getLoopFor(block) != &loop || !branch || !branch->isConditional() ||
          !divergence_.isDivergentBranch(block))
        continue;
      for (unsigned successor : {0u, 1u}) {
        std::optional<LoopSide> side = sideOf(loop, *block, successor);
        if (!side)
          continue;
        const int own = cost(side->own, loop), rest = whole - own;
        const std::optional<LoopSide> other = sideOf(loop, *block, 1 - successor);
        if (own <= dearest ||
            (!any_ && (own < leastCost || 2 * own < rest ||
                       (other && cost(other->own, loop) * mostOfOtherSide > own))))
          continue;
        dearest = own;
        found = std::move(side);
      }
    }
    return found;
  }

private:
  int cost(ArrayRef<BasicBlock *> blocks, const Loop &loop) const {
    int sum = 0;
    for (const BasicBlock *block : blocks) {
      int times = 1;
      for (unsigned depth = loops_.getLoopDepth(block); depth > loop.getLoopDepth(); --depth)
        times = std::min(times * perLevel, perLevel * perLevel);
      for (const Instruction &instruction : *block)
        if (!isIgnorable(instruction) && !instruction.isTerminator())
          sum += times * model_.instruction(instruction);
    }
    return sum;
  }

  const CostModel model_;
  const DivergenceInfo &divergence_;
  const LoopInfo &loops_;
  const bool any_;
};

Loop *loopAt(const LoopInfo &loops, const BasicBlock *header) {
  Loop *loop = loops.getLoopFor(header);
  return loop && loop->getHeader() == header ? loop : nullptr;
}

/// The headers of the loops, innermost first, and what stands against each: asked of the function
/// as it came, since a loop that was changed has marks and ballots that forbid it and others.
std::vector<std::pair<BasicBlock *, const char *>> headersOf(Function &function, bool lanesWait,
                                                             FunctionAnalysisManager &analyses) {
  SmallVector<Loop *, 8> order = analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder();
  stable_sort(order,
              [](const Loop *a, const Loop *b) { return a->getLoopDepth() > b->getLoopDepth(); });
  std::vector<std::pair<BasicBlock *, const char *>> headers;
  for (const Loop *loop : order)
    headers.emplace_back(
        loop->getHeader(),
        whyNotFlat(function, *loop, *analyses.getResult<DivergenceAnalysis>(function),
                   analyses.getResult<DominatorTreeAnalysis>(function), lanesWait));
  return headers;
}

/// One function's loops, one after the other.
class Delayer {
public:
  Delayer(Function &function, FunctionAnalysisManager &analyses, const MeldOptions &options,
          unsigned waveSize)
      : function_(function), analyses_(analyses), options_(options), waveSize_(waveSize) {}

  /// Brings the loop into the form that is parted; its blocks may be others then. Null where it
  /// does not take it.
  std::optional<LoopSide> prepare(Loop &loop, const LoopSide &side) {
    auto &loops = analyses_.getResult<LoopAnalysis>(function_);
    auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
    const BasicBlock *header = loop.getHeader();
    simplifyLoop(&loop, &dominators, &loops, nullptr,
                 &analyses_.getResult<AssumptionAnalysis>(function_), nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSARecursively(loop, dominators, &loops, nullptr);
    // LLVM may have cut a loop with several ways back in two.
    if (!loop.isLoopSimplifyForm() || loop.getHeader() != header ||
        loops.getLoopFor(side.branch) != &loop ||
        llvm::count(successors(loop.getLoopLatch()), header) != 1)
      return std::nullopt;
    std::optional<LoopSide> found = sideOf(loop, *side.branch, side.successor);
    if (found && Copies::instructionsIn(found->shared) > copies_.left())
      return std::nullopt;
    return found;
  }

  /// Of a prepared loop.
  std::optional<FlatShape> delay(const Loop &loop, const LoopSide &side) {
    const BasicBlock *header = loop.getHeader();
    copies_.add(Copies::instructionsIn(side.shared));
    const BasicBlock *parted = partLoop(function_, loop, side);
    analyses_.invalidate(function_, PreservedAnalyses::none());
    auto &loops = analyses_.getResult<LoopAnalysis>(function_);
    Loop *outer = loopAt(loops, parted), *inner = loopAt(loops, header);
    if (!outer || !inner ||
        !prepareNest(*outer, *inner, analyses_.getResult<DominatorTreeAnalysis>(function_), loops,
                     analyses_.getResult<AssumptionAnalysis>(function_)))
      return std::nullopt; // it is a nest that does what the loop did
    const size_t iteration = Copies::instructionsIn(inner->getBlocks());
    const FlatShape shape = {copies_.steps(iteration, options_.flattenSteps),
                             std::max(options_.flattenLanes, 1u), waveSize_};
    copies_.add((shape.steps - 1) * iteration);
    rounds_.insert(flatten(function_, *outer, *inner, shape));
    return shape;
  }

  /// One in it was changed.
  bool isDone(const Loop &loop) const {
    return any_of(loop.blocks(), [&](auto *block) { return rounds_.count(block); });
  }

private:
  Function &function_;
  FunctionAnalysisManager &analyses_;
  const MeldOptions &options_;
  const unsigned waveSize_;
  Copies copies_;
  DenseSet<const BasicBlock *> rounds_;
};

} // namespace

PreservedAnalyses DelayIterationsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function))
    return PreservedAnalyses::all();
  const GpuInfo gpu = analyses.getResult<DivergenceAnalysis>(function)->gpu();
  if (gpu.kind() != GpuKind::amdgpu || !gpu.isKernel())
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-delay-iterations", point_);
  Delayer delayer(function, analyses, options_, gpu.waveSize());
  bool changed = false;
  for (const auto &[header, why] : headersOf(function, options_.flattenLanes > 1, analyses)) {
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    Loop *loop = loopAt(loops, header);
    if (!loop || delayer.isDone(*loop))
      continue;
    const std::optional<LoopSide> chosen =
        Chooser(function, *analyses.getResult<DivergenceAnalysis>(function), loops, options_.force)
            .best(*loop);
    if (!chosen)
      continue;
    const Instruction &place = *chosen->branch->getTerminator();
    Decision decision = recorder.at(place);
    const DebugLoc where = place.getDebugLoc();
    const unsigned depth = loop->getLoopDepth();
    decision.reason = why ? why : "it is no loop with one way in and one way back, or too large";
    if (!why) {
      changed = true;
      std::optional<FlatShape> shape;
      if (const std::optional<LoopSide> side = delayer.prepare(*loop, *chosen))
        shape = delayer.delay(*loop, *side);
      analyses.invalidate(function, PreservedAnalyses::none());
      if (shape) {
        decision.melded = true;
        decision.reason = "delayed a side in a loop at depth " + std::to_string(depth);
        decision.alignment =
            "U=" + std::to_string(shape->steps) + " T=" + std::to_string(shape->lanes);
      }
    }
    recorder.record(std::move(decision), where);
  }
  if (!changed)
    return PreservedAnalyses::all();
  keepApart(function);
  return PreservedAnalyses::none();
}

} // namespace meld::passes
