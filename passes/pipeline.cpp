#include "passes/pipeline.h"
#include "passes/analysis/constancy.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/forward_progress.h"
#include "passes/compat.h"
#include "passes/cost/pressure.h"
#include "passes/meld_pass.h"
#include "passes/scalarize/scalarize.h"
#include "passes/transform/branch_analyses.h"
#include "passes/transform/cfm.h"
#include "passes/transform/fp_choices.h"
#include "passes/transform/meld_switch.h"
#include "passes/transform/padding.h"
#include "passes/transform/region_printer.h"
#include "passes/transform/repeated_ifs.h"
#include "passes/transform/stay_before_barrier.h"
#include "passes/transform/stay_in_loop.h"
#include "passes/transform/tail_merge.h"
#include "passes/transform/triangles.h"
#include "passes/transform/uniform_branch.h"
#include "passes/transform/unpredicate.h"
#include "llvm/Support/raw_ostream.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// A pass of ours, kept away from functions whose floating point is not settled.
template <typename Pass> class WhereSettled : public PassInfoMixin<WhereSettled<Pass>> {
public:
  WhereSettled(std::shared_ptr<FpSettling> settling, Pass pass)
      : settling_(std::move(settling)), pass_(std::move(pass)) {}
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (settling_ && !function.isDeclaration() && !settling_->mayChange(function))
      return PreservedAnalyses::all();
    return pass_.run(function, analyses);
  }

private:
  std::shared_ptr<FpSettling> settling_;
  Pass pass_;
};

// "meld-cfm<min-profit=5>" -> the parameters after the name, or nothing when it is another pass.
std::optional<StringRef> parameters(StringRef text, StringRef pass) {
  if (!text.consume_front(pass))
    return std::nullopt;
  if (text.empty())
    return text;
  if (!text.consume_front("<") || !text.consume_back(">"))
    return std::nullopt;
  return text;
}

bool parseByName(StringRef text, FunctionPassManager &manager, const MeldOptions &defaults,
                 DecisionLog *log) {
  if (text == "print<meld-divergence>") {
    manager.addPass(DivergencePrinterPass(outs()));
    return true;
  }
  if (text == "meld-settle-fp") {
    manager.addPass(SettleFpPass());
    return true;
  }
  if (text == "meld-repeated-ifs") {
    manager.addPass(RepeatedIfsPass());
    return true;
  }
  if (text == "meld-stay-before-barrier") {
    manager.addPass(StayBeforeBarrierPass(defaults));
    return true;
  }
  if (text == "meld-stay-in-loop") {
    manager.addPass(StayInLoopPass());
    return true;
  }
  if (text == "print<meld-constancy>") {
    manager.addPass(ConstancyPrinterPass(outs()));
    return true;
  }
  if (text == "print<meld-forward-progress>") {
    manager.addPass(ForwardProgressPrinterPass(outs()));
    return true;
  }
  if (text == "print<meld-cost>") {
    manager.addPass(CostPrinterPass(outs()));
    return true;
  }
  if (text == "print<meld-regions>") {
    manager.addPass(RegionPrinterPass(outs()));
    return true;
  }
  for (StringRef pass :
       {"meld", "meld-triangles", "meld-unpredicate", "meld-uniform-branch", "meld-cfm",
        "meld-padding", "meld-switch", "meld-branch-fusion", "meld-tail-merge", "meld-scalarize",
        "meld-scalarize-values", "meld-scalarize-loads", "meld-affine-address",
        "meld-multiply-add-address", "meld-converged-loops", "meld-dynamic-convergence"}) {
    auto found = parameters(text, pass);
    if (!found)
      continue;
    MeldOptions options = defaults;
    if (!found->empty()) {
      auto parsed = MeldOptions::parse(*found);
      if (!parsed) {
        errs() << toString(parsed.takeError()) << "\n";
        return false;
      }
      options = *parsed;
    }
    if (addScalarizePass(pass, manager, options, log))
      return true;
    if (pass == "meld")
      manager.addPass(MeldPass(options, log));
    else if (pass == "meld-triangles")
      manager.addPass(MeldTrianglesPass(options, log));
    else if (pass == "meld-uniform-branch")
      manager.addPass(UniformBranchPass(options, log));
    else if (pass == "meld-unpredicate")
      manager.addPass(MeldUnpredicatePass(options, log));
    else if (pass == "meld-padding")
      manager.addPass(MeldPaddingPass(options, log));
    else if (pass == "meld-switch")
      manager.addPass(MeldSwitchPass(options, log));
    else if (pass == "meld-tail-merge")
      manager.addPass(MeldTailMergePass(options, log));
    else
      manager.addPass(MeldCfmPass(options, log, Point::byName,
                                  pass == "meld-cfm" ? MeldScope::all : MeldScope::diamonds));
    return true;
  }
  return false;
}

} // namespace

void registerMeldCallbacks(PassBuilder &builder, const MeldOptions &options, DecisionLog *log) {
  builder.registerAnalysisRegistrationCallback([](FunctionAnalysisManager &analyses) {
    analyses.registerPass([] { return DivergenceAnalysis(); });
    analyses.registerPass([] { return ConstancyAnalysis(); });
    analyses.registerPass([] { return BranchAnalysis(); });
  });
  builder.registerPipelineParsingCallback([options, log](StringRef name,
                                                         FunctionPassManager &manager,
                                                         ArrayRef<PassBuilder::PipelineElement>) {
    return parseByName(name, manager, options, log);
  });
  if (options.passes == "none")
    return;
  if (options.early)
    builder.registerPeepholeEPCallback([options, log, atRest = newAtRest()](
                                           FunctionPassManager &manager, OptimizationLevel level) {
      if (level == OptimizationLevel::O0)
        return;
      if (options.settling)
        manager.addPass(SettleFpPass(options.settling, Point::early));
      manager.addPass(WhereSettled(options.settling, MeldPass(options, log, Point::early, atRest)));
    });
  if (options.late)
    // The dots: from 20 on there is a link-time phase, too.
    builder.registerOptimizerLastEPCallback(
        [options, log](ModulePassManager &manager, OptimizationLevel level, auto...) {
          if (level == OptimizationLevel::O0)
            return;
          auto add = [&](auto pass) {
            manager.addPass(
                createModuleToFunctionPassAdaptor(WhereSettled(options.settling, std::move(pass))));
          };
          if (options.settling)
            manager.addPass(
                createModuleToFunctionPassAdaptor(SettleFpPass(options.settling, Point::late)));
          add(MeldPass(options, log, Point::late));
          if (options.scalarize)
            add(ScalarizePass(options, log, Point::late));
          if (StayInLoopPass::needed)
            add(StayInLoopPass());
          add(StayBeforeBarrierPass(options));
        });
}

} // namespace meld::passes
