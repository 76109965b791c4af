#include "passes/scalarize/converged_loops.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/forward_progress.h"
#include "passes/decisions.h"
#include "passes/melder/first_lane.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/legality.h"
#include "passes/scalarize/together.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t largestRegion = 600; // instructions that one site may double
constexpr unsigned mostCopies = 16;   // in one function

bool canBeCopied(const Instruction &instruction) {
  if (isa<AllocaInst>(instruction) || instruction.getType()->isTokenTy())
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return !call || isReading(*call) ||
         (isa<IntrinsicInst>(call) && !isConvergentOperation(*call) && !call->cannotDuplicate());
}

/// Why these blocks cannot be copied; null: they can.
template <typename Blocks> const char *whyNotCopied(const Blocks &blocks) {
  size_t size = 0;
  for (const BasicBlock *block : blocks)
    for (const Instruction &instruction : *block) {
      if (!canBeCopied(instruction))
        return "it has a call or an operation that must not be doubled";
      if (++size > largestRegion)
        return "it is too long to be copied";
    }
  return nullptr;
}

WayOut wayOut(const Loop &loop, BranchInst *branch) {
  const unsigned inside = loop.contains(branch->getSuccessor(0)) ? 0 : 1;
  return {branch, branch->getSuccessor(inside), branch->getSuccessor(1 - inside)};
}

/// Sites that were looked at, by header or by the block of the guard.
struct Seen {
  DenseSet<const BasicBlock *> loops, guards;
};

/// Where lanes part: a loop that they leave in different rounds, or a guard around such loops.
struct Site {
  Loop *loop = nullptr; ///< null: a guard
  SmallVector<WayOut, 4> waysOut;
  SmallVector<BasicBlock *, 16> region; ///< of a guard
  const char *why = nullptr;            ///< what stands against it
  BranchInst *branch() const { return waysOut.front().branch; }
};

class Finder {
public:
  Finder(Function &function, FunctionAnalysisManager &analyses, const DivergenceInfo &divergence)
      : function_(function), divergence_(divergence), backend_(function, analyses, divergence),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        loops_(analyses.getResult<LoopAnalysis>(function)),
        progress_(function, dominators_, analyses.getResult<PostDominatorTreeAnalysis>(function)) {}

  /// The first one that is not in `seen`, which then has it; outer ones come first.
  std::optional<Site> next(Seen &seen) const {
    ReversePostOrderTraversal<Function *> order(&function_);
    for (BasicBlock *block : order) {
      if (!divergence_.isConvergentExceptExits(block, Width::wave) || isParting(*block))
        continue; // not the wave comes here or goes on, but some lanes
      for (BasicBlock *successor : successors(block))
        if (Loop *loop = loops_.getLoopFor(successor); loop && loop->getHeader() == successor &&
                                                       !loop->contains(block) &&
                                                       !seen.loops.count(successor))
          if (auto site = loopSite(*loop)) {
            seen.loops.insert(successor);
            return site;
          }
      if (seen.guards.count(block))
        continue;
      if (auto site = guardSite(*block)) {
        seen.guards.insert(block);
        return site;
      }
    }
    return std::nullopt;
  }

private:
  bool parts(const BranchInst *branch) const {
    return branch && branch->isConditional() &&
           branch->getSuccessor(0) != branch->getSuccessor(1) &&
           !backend_.isScalar(*branch->getCondition());
  }

  std::optional<Site> loopSite(Loop &loop) const {
    Site site;
    site.loop = &loop;
    SmallVector<BasicBlock *, 8> exiting;
    loop.getExitingBlocks(exiting);
    for (BasicBlock *block : exiting) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch)
        site.why = "lanes leave by something else than a branch";
      else if (parts(branch))
        site.waysOut.push_back(wayOut(loop, branch));
    }
    if (site.waysOut.empty())
      return std::nullopt;
    SmallVector<BasicBlock *, 4> latches;
    loop.getLoopLatches(latches);
    for (const WayOut &way : site.waysOut)
      for (BasicBlock *latch : latches)
        if (!dominators_.dominates(way.branch->getParent(), latch) || loop.contains(way.outside))
          site.why = "not all lanes in the loop come by where some leave it";
    if (!site.why)
      site.why = whyNotCopied(loop.blocks());
    return site;
  }

  // A side of a branch that has loops of this kind in it.
  std::optional<Site> guardSite(BasicBlock &block) const {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!parts(branch))
      return std::nullopt;
    for (unsigned side : {0u, 1u}) {
      BasicBlock *inside = branch->getSuccessor(side);
      if (inside->getSinglePredecessor() != &block ||
          divergence_.isConvergentExceptExits(inside, Width::wave))
        continue; // those who pass by have nothing more to do: who comes in is the wave
      Site site;
      site.waysOut.push_back({branch, inside, branch->getSuccessor(1 - side)});
      dominators_.getDescendants(inside, site.region);
      if (dominators_.dominates(inside, site.waysOut.front().outside) || !hasLoop(site.region))
        continue;
      site.why = whyNotCopied(site.region);
      if (!site.why && progress_.keepsOrder(block)) // a second branch may be taken the other way
        site.why = waitsReason;                     // round
      return site;
    }
    return std::nullopt;
  }

  bool hasLoop(ArrayRef<BasicBlock *> region) const {
    return any_of(region, [&](BasicBlock *block) {
      Loop *loop = loops_.getLoopFor(block);
      return loop && loop->getHeader() == block && loopSite(*loop);
    });
  }

  Function &function_;
  const DivergenceInfo &divergence_;
  const BackendView backend_;
  const DominatorTree &dominators_;
  const LoopInfo &loops_;
  const ForwardProgress progress_;
};

/// False where the loop cannot be brought into the form that the copy needs; it may have changed.
bool prepare(Site &site, Function &function, FunctionAnalysisManager &analyses) {
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  BasicBlock *header = site.loop->getHeader();
  if (!site.loop->isLoopSimplifyForm())
    simplifyLoop(site.loop, &dominators, &loops, nullptr,
                 &analyses.getResult<AssumptionAnalysis>(function), nullptr,
                 /*PreserveLCSSA=*/false);
  if (!site.loop->isLoopSimplifyForm() || site.loop->getHeader() != header)
    return false;                                                // it was cut in two, for example
  formLCSSARecursively(*site.loop, dominators, &loops, nullptr); // values of inner loops, too
  for (WayOut &way : site.waysOut)
    way = wayOut(*site.loop, way.branch);
  return true;
}

} // namespace

PreservedAnalyses ConvergedLoopsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-converged-loops", point_);
  Seen seen;
  bool changed = false;
  for (unsigned copies = 0; copies < mostCopies;) {
    auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
    if (divergence.gpu().kind() != GpuKind::amdgpu || !divergence.gpu().isKernel())
      return PreservedAnalyses::all();
    std::optional<Site> site = Finder(function, analyses, divergence).next(seen);
    if (!site)
      break;
    if (!site->why && asksForLanes(function, divergence))
      site->why = lanesAskedFor;
    Decision decision = recorder.at(*site->branch());
    const DebugLoc where = site->branch()->getDebugLoc();
    if (!site->why) {
      const unsigned waveSize = divergence.gpu().waveSize();
      if (!site->loop)
        copyGuarded(site->waysOut.front(), site->region, waveSize);
      else if (prepare(*site, function, analyses))
        copyLoop(*site->loop, site->waysOut, waveSize);
      else
        site->why = "it is no loop with one way in and one way back";
      analyses.invalidate(function, PreservedAnalyses::none());
      changed = true;
      ++copies;
    }
    decision.melded = !site->why;
    decision.reason = site->why ? site->why : "a copy for waves that agree";
    if (!site->why)
      decision.alignment = site->loop ? "a loop, ways out: " + std::to_string(site->waysOut.size())
                                      : std::string("a guard around loops");
    recorder.record(std::move(decision), where);
  }
  if (!changed)
    return PreservedAnalyses::all();
  keepApart(function);
  return PreservedAnalyses::none();
}

} // namespace meld::passes
