#include "passes/pipeline.h"
#include "passes/analysis/constancy.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/forward_progress.h"
#include "passes/compat.h"
#include "passes/cost/pressure.h"
#include "passes/scalarize/scalarize.h"
#include "passes/transform/branch_analyses.h"
#include "passes/transform/cfm.h"
#include "passes/transform/fingerprint.h"
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
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// Functions in which one compilation's early point has found nothing to do, as they were then.
class AtRest {
public:
  using Key = std::pair<const Function *, uint64_t>;
  // What callers pass decides, too, which branches diverge.
  static Key keyOf(const Function &function) {
    uint64_t callers = 0;
    for (Width width : argumentsAtCalls(function))
      callers = hash_combine(callers, width);
    return {&function, hash_combine(fingerprintOf(function), callers)};
  }
  bool has(const Key &key) const { return known_.count(key); }
  void add(const Key &key) { known_.insert(key); }

  LeftSwitches left; ///< and of the others

private:
  DenseSet<Key> known_;
};

// The whole family on one function, with a clean-up of its own where nothing else follows.
class MeldPass : public PassInfoMixin<MeldPass> {
public:
  MeldPass(MeldOptions options, DecisionLog *log, std::string point,
           std::shared_ptr<AtRest> atRest = nullptr)
      : options_(std::move(options)), log_(log), point_(std::move(point)),
        atRest_(std::move(atRest)) {}

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    // Before inlining a HIP kernel is mostly calls to one-line wrappers; melding then would look at
    // the wrong code.
    if (function.isDeclaration() || (point_ == "early" && awaitsInlining(function)))
      return PreservedAnalyses::all();
    if (!branches(function) && (!options_.wants("unpredicate") || point_ == "early"))
      return PreservedAnalyses::all();
    const AtRest::Key key = atRest_ ? AtRest::keyOf(function) : AtRest::Key();
    if (atRest_ && atRest_->has(key))
      return PreservedAnalyses::all();
    bool changed = false;
    auto step = [&](auto &&pass) {
      PreservedAnalyses preserved = pass.run(function, analyses);
      if (!preserved.areAllPreserved()) {
        analyses.invalidate(function, preserved);
        changed = true;
      }
      return !preserved.areAllPreserved();
    };
    if (options_.wants("triangles"))
      step(MeldTrianglesPass(options_, log_, point_));
    // Widest first: what a whole-region melding could have joined must not be cut up by a tail.
    if (options_.wants("branch-fusion"))
      step(MeldCfmPass(options_, log_, point_, MeldScope::diamonds));
    if (options_.wants("cfm"))
      step(MeldCfmPass(options_, log_, point_, MeldScope::all));
    if (options_.wants("padding") && step(MeldPaddingPass(options_, log_, point_)) &&
        options_.wants("cfm"))
      step(MeldCfmPass(options_, log_, point_, MeldScope::all)); // what has come together
    if (options_.wants("switch") &&
        step(MeldSwitchPass(options_, log_, point_, atRest_ ? &atRest_->left : nullptr)) &&
        options_.wants("cfm"))
      step(MeldCfmPass(options_, log_, point_, MeldScope::all)); // around what was a switch
    if (options_.wants("tail-merge"))
      step(MeldTailMergePass(options_, log_, point_));
    if (changed) {
      step(EarlyCSEPass(true));
      step(SimplifyCFGPass());
    }
    // Last, and not early: LLVM's if-conversion would flatten again what this opens.
    if (options_.wants("unpredicate") && point_ != "early")
      step(MeldUnpredicatePass(options_, log_, point_));
    // What is proven uniform stays scalar where our selects and joins hide it from LLVM.
    if (changed && options_.wants("uniform-branch") && point_ != "early")
      step(UniformBranchPass(options_, log_, point_));
    // Of whatever was melded at either point.
    if (point_ != "early")
      step(RepeatedIfsPass());
    if (!changed && atRest_)
      atRest_->add(key);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

private:
  static bool branches(const Function &function) {
    return any_of(function, [](const BasicBlock &block) {
      return block.getTerminator()->getNumSuccessors() > 1;
    });
  }

  MeldOptions options_;
  DecisionLog *log_;
  std::string point_;
  std::shared_ptr<AtRest> atRest_; ///< null: looks at everything
};

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
      manager.addPass(MeldPass(options, log, ""));
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
      manager.addPass(
          MeldCfmPass(options, log, "", pass == "meld-cfm" ? MeldScope::all : MeldScope::diamonds));
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
    builder.registerPeepholeEPCallback([options, log, atRest = std::make_shared<AtRest>()](
                                           FunctionPassManager &manager, OptimizationLevel level) {
      if (level == OptimizationLevel::O0)
        return;
      if (options.settling)
        manager.addPass(SettleFpPass(options.settling, FpSettling::Point::early));
      manager.addPass(WhereSettled(options.settling, MeldPass(options, log, "early", atRest)));
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
            manager.addPass(createModuleToFunctionPassAdaptor(
                SettleFpPass(options.settling, FpSettling::Point::late)));
          add(MeldPass(options, log, "late"));
          if (options.scalarize)
            add(ScalarizePass(options, log, "late"));
          if (StayInLoopPass::needed)
            add(StayInLoopPass());
          add(StayBeforeBarrierPass(options));
        });
}

} // namespace meld::passes
