#include "passes/transform/flatten/flatten_loops.h"
#include "passes/analysis/divergence.h"
#include "passes/decisions.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/legality.h"
#include "passes/transform/flatten/codegen.h"
#include "passes/transform/flatten/copies.h"
#include "passes/transform/flatten/legality.h"
#include "llvm/ADT/DenseSet.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr char noNest[] = "it is no nest with one way in and one way back for each loop";

/// Lanes are counted by an instruction of AMD's.
bool hasWaves(const GpuInfo &gpu, const MeldOptions &options) {
  return gpu.kind() == GpuKind::amdgpu ||
         (gpu.kind() == GpuKind::nvptx && options.flattenLanes <= 1);
}

/// A nest that was looked at: its inner loop, whose parent is the outer one.
struct Nest {
  Loop *inner = nullptr;
  const char *why = nullptr; ///< what stands against it
  FlatShape shape;
};

/// What stands against flattening the nests of each loop, by its header, asked of the function as
/// it came: what one flattening leaves in a loop is nothing that its lanes did before, and must not
/// forbid the next one.
using Verdicts = DenseMap<const BasicBlock *, const char *>;

Verdicts judge(Function &function, const MeldOptions &options, const DivergenceInfo &divergence,
               const DominatorTree &dominators, const LoopInfo &loops) {
  Verdicts verdicts;
  for (const Loop *outer : loops.getLoopsInPreorder())
    if (!outer->isInnermost())
      verdicts[outer->getHeader()] =
          whyNotFlat(function, *outer, divergence, dominators, options.flattenLanes > 1);
  return verdicts;
}

/// The next nest, innermost loops first, whose inner header is not in `seen`, which then has it.
std::optional<Nest> nextNest(const MeldOptions &options, const DivergenceInfo &divergence,
                             const Verdicts &verdicts, const DenseSet<const BasicBlock *> &rounds,
                             const Copies &copies, LoopInfo &loops,
                             DenseSet<const BasicBlock *> &seen) {
  SmallVector<Loop *, 8> order = loops.getLoopsInPreorder();
  stable_sort(order,
              [](const Loop *a, const Loop *b) { return a->getLoopDepth() > b->getLoopDepth(); });
  for (Loop *inner : order) {
    Loop *outer = inner->getParentLoop();
    if (!outer || !seen.insert(inner->getHeader()).second || !leavesApart(*inner, divergence))
      continue;
    Nest nest;
    nest.inner = inner;
    nest.shape.lanes = std::max(options.flattenLanes, 1u);
    nest.shape.waveSize = divergence.gpu().waveSize();
    // A round has its steps in it already.
    if (none_of(inner->blocks(), [&](const BasicBlock *block) { return rounds.count(block); }))
      nest.shape.steps =
          copies.steps(Copies::instructionsIn(inner->getBlocks()), options.flattenSteps);
    const auto verdict = verdicts.find(outer->getHeader());
    nest.why = verdict == verdicts.end() ? noNest : verdict->second; // LLVM may have cut a loop
    return nest;
  }
  return std::nullopt;
}

} // namespace

PreservedAnalyses FlattenLoopsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-flatten-loops", point_);
  DenseSet<const BasicBlock *> seen, rounds;
  std::optional<Verdicts> verdicts;
  Copies copies;
  bool changed = false;
  for (;;) {
    auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
    if (!hasWaves(divergence.gpu(), options_) || !divergence.gpu().isKernel())
      return PreservedAnalyses::all();
    auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    if (!verdicts)
      verdicts = judge(function, options_, divergence, dominators, loops);
    std::optional<Nest> nest =
        nextNest(options_, divergence, *verdicts, rounds, copies, loops, seen);
    if (!nest)
      break;
    Loop &inner = *nest->inner, &outer = *inner.getParentLoop();
    const Instruction &place = *outer.getHeader()->getTerminator();
    Decision decision = recorder.at(place);
    const DebugLoc where = place.getDebugLoc();
    const unsigned depth = outer.getLoopDepth();
    if (!nest->why) {
      if (prepareNest(outer, inner, dominators, loops,
                      analyses.getResult<AssumptionAnalysis>(function))) {
        copies.add((nest->shape.steps - 1) * Copies::instructionsIn(inner.getBlocks()));
        const BasicBlock *round = flatten(function, outer, inner, nest->shape);
        rounds.insert(round);
        (*verdicts)[round] = nullptr; // the outer loop's
      } else {
        nest->why = noNest;
      }
      analyses.invalidate(function, PreservedAnalyses::none());
      changed = true;
    }
    decision.melded = !nest->why;
    decision.reason = nest->why ? nest->why : "flattened loop at depth " + std::to_string(depth);
    if (!nest->why)
      decision.alignment =
          "U=" + std::to_string(nest->shape.steps) + " T=" + std::to_string(nest->shape.lanes);
    recorder.record(std::move(decision), where);
  }
  if (!changed)
    return PreservedAnalyses::all();
  keepApart(function);
  return PreservedAnalyses::none();
}

} // namespace meld::passes
