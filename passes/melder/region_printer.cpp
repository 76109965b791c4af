#include "passes/melder/region_printer.h"
#include "passes/melder/planner.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace meld::passes {

using namespace llvm;

static void printArm(const Arm &arm, raw_ostream &out) {
  for (const Node &node : arm.nodes) {
    out << (node.isLoop ? " loop[" : node.isHead ? " head[" : " [");
    bool first = true;
    for (const BasicBlock *block : node.blocks) {
      if (!first)
        out << " ";
      first = false;
      block->printAsOperand(out, false);
    }
    out << (node.openEnd ? "]..." : "]");
  }
}

PreservedAnalyses RegionPrinterPass::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &postDominators = analyses.getResult<PostDominatorTreeAnalysis>(function);
  DivergenceInfo divergence(function, analyses.getResult<LoopAnalysis>(function), dominators,
                            postDominators, {/*assumeOneDimension=*/true});
  CostModel cost(function, divergence.gpu());
  const ForwardProgress progress(function, dominators, postDominators);
  Planner planner(divergence, cost, dominators, postDominators, progress);
  out_ << "meld-regions for function: " << function.getName() << "\n";
  ReversePostOrderTraversal<Function *> order(&function);
  for (BasicBlock *block : order) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    out_ << "  branch ";
    block->printAsOperand(out_, false);
    out_ << " " << passes::name(divergence.branchWidth(block)) << ":";
    Plan plan = planner.plan(*branch);
    if (!plan.left.nodes.empty() || !plan.right.nodes.empty()) {
      out_ << " left";
      printArm(plan.left, out_);
      out_ << "  right";
      printArm(plan.right, out_);
    }
    out_ << " -> " << plan.reason;
    if (!plan.nodes.empty())
      out_ << ", gain " << plan.gain << " of " << plan.cost << " cycles ("
           << format("%.1f", plan.percent()) << " %), " << plan.summary();
    out_ << "\n";
  }
  return PreservedAnalyses::all();
}

} // namespace meld::passes
