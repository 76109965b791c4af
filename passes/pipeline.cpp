#include "passes/pipeline.h"
#include "passes/analysis/constancy.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/forward_progress.h"
#include "passes/analysis/gpu_info.h"
#include "passes/cost/pressure.h"
#include "passes/llvm_fixes/atomics_apart.h"
#include "passes/llvm_fixes/changed_code.h"
#include "passes/llvm_fixes/changed_functions.h"
#include "passes/llvm_fixes/far_conditions.h"
#include "passes/llvm_fixes/keep_joins.h"
#include "passes/llvm_fixes/kept_floats.h"
#include "passes/llvm_fixes/one_way_round.h"
#include "passes/llvm_fixes/or_address.h"
#include "passes/llvm_fixes/own_exits.h"
#include "passes/llvm_fixes/own_lanes.h"
#include "passes/llvm_fixes/repeated_ifs.h"
#include "passes/llvm_fixes/scalar_operands.h"
#include "passes/llvm_fixes/stay_before_barrier.h"
#include "passes/llvm_fixes/stay_in_loop.h"
#include "passes/llvm_fixes/unsigned_division.h"
#include "passes/llvm_fixes/wide_products.h"
#include "passes/meld_pass.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/meld_choice.h"
#include "passes/melder/region_printer.h"
#include "passes/pass_list.h"
#include "passes/scalarize/affine_address.h"
#include "passes/scalarize/constant_loads.h"
#include "passes/scalarize/converged_loops.h"
#include "passes/scalarize/dynamic_convergence.h"
#include "passes/scalarize/multiply_add.h"
#include "passes/scalarize/scalarize.h"
#include "passes/scalarize/uniform_values.h"
#include "passes/scalarize/xor_address.h"
#include "passes/specialize/specialize.h"
#include "passes/transform/cfm.h"
#include "passes/transform/else_if.h"
#include "passes/transform/flatten/delay_iterations.h"
#include "passes/transform/flatten/flatten_loops.h"
#include "passes/transform/fp_choices.h"
#include "passes/transform/hoist_selects.h"
#include "passes/transform/meld_switch.h"
#include "passes/transform/padding.h"
#include "passes/transform/simplify_selects.h"
#include "passes/transform/tail_merge.h"
#include "passes/transform/triangles.h"
#include "passes/transform/uniform_branch.h"
#include "passes/transform/unpredicate.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include <type_traits>

namespace meld::passes {

using namespace llvm;

namespace {

/// A pass of ours, kept away from functions whose floating point is not settled, and from those of
/// the host, which a compiler with our plugin gives us, too.
template <typename Pass> class WhereSettled : public PassInfoMixin<WhereSettled<Pass>> {
public:
  WhereSettled(std::shared_ptr<FpSettling> settling, Pass pass)
      : settling_(std::move(settling)), pass_(std::move(pass)) {}
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (isForOtherMachines(*function.getParent()))
      return PreservedAnalyses::all();
    if (settling_ && !function.isDeclaration() && !settling_->mayChange(function))
      return PreservedAnalyses::all();
    return pass_.run(function, analyses);
  }

private:
  std::shared_ptr<FpSettling> settling_;
  Pass pass_;
};

/// A pass that says of itself only that it has changed something.
template <typename Pass> class Marked : public PassInfoMixin<Marked<Pass>> {
public:
  explicit Marked(Pass pass) : pass_(std::move(pass)) {}
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    PreservedAnalyses preserved = pass_.run(function, analyses);
    if (!preserved.areAllPreserved())
      markChanged(function);
    return preserved;
  }

private:
  Pass pass_;
};

/// A pass that keeps a fault of LLVM's away from changed code, for functions that have some.
template <typename Pass> class WhereChanged : public PassInfoMixin<WhereChanged<Pass>> {
public:
  WhereChanged(MeldOptions options, Pass pass)
      : options_(std::move(options)), pass_(std::move(pass)) {}
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (!holdsChanges(function) || !options_.wantsKernel(function.getName()))
      return PreservedAnalyses::all();
    return pass_.run(function, analyses);
  }

private:
  MeldOptions options_;
  Pass pass_;
};

/// LLVM's simplification once more, for a kernel that was specialised when it was over.
class SimplifySpecialized : public PassInfoMixin<SimplifySpecialized> {
public:
  SimplifySpecialized(std::shared_ptr<Specialization> about, FunctionPassManager simplify)
      : about_(std::move(about)), simplify_(std::move(simplify)) {}
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (!about_->late || function.getName() != about_->kernel)
      return PreservedAnalyses::all();
    return simplify_.run(function, analyses);
  }

private:
  std::shared_ptr<Specialization> about_;
  FunctionPassManager simplify_;
};

/// The last of ours: nothing behind it reads the marks, and what was not changed has none. What was
/// goes to a code generation with a fault that all changed code has to be kept from.
class DropMarksPass : public PassInfoMixin<DropMarksPass> {
public:
  explicit DropMarksPass(std::shared_ptr<MeldChoice> choice) : choice_(std::move(choice)) {}
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    forgetShape(function);
    if (!dropChangedMark(function))
      return PreservedAnalyses::all();
    avoidFaultsOfCodeGeneration(function);
    if (choice_)
      choice_->noteChanged(function.getName());
    return PreservedAnalyses::all(); // no analysis knows it
  }

private:
  std::shared_ptr<MeldChoice> choice_;
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

/// A pass of that list: with all of the three, with the options, or with nothing, as it wants them.
template <typename Pass>
Pass makePass(const MeldOptions &options, DecisionLog *log, Point point = Point::byName) {
  if constexpr (std::is_constructible_v<Pass, MeldOptions, DecisionLog *, Point>)
    return Pass(options, log, point);
  else if constexpr (std::is_constructible_v<Pass, MeldOptions>)
    return Pass(options);
  else
    return Pass();
}

/// Options that name a number of meldings, with who counts them.
MeldOptions withChoice(MeldOptions options) {
  if (options.meldings && !options.choice)
    options.choice = std::make_shared<MeldChoice>(MeldChoice::ByFunction(), options.meldings);
  return options;
}

/// Adds `Pass` with what stands in its angle brackets; false where that is no options.
template <typename Pass>
bool addByName(StringRef parameters, FunctionPassManager &manager, const MeldOptions &defaults,
               DecisionLog *log) {
  if (parameters.empty()) {
    manager.addPass(makePass<Pass>(defaults, log));
    return true;
  }
  auto options = MeldOptions::parse(parameters);
  if (options)
    *options = withChoice(*options);
  if (!options) {
    errs() << toString(options.takeError()) << "\n";
    return false;
  }
  manager.addPass(makePass<Pass>(*options, log));
  return true;
}

bool parseByName(StringRef text, FunctionPassManager &manager, const MeldOptions &defaults,
                 DecisionLog *log) {
  if (auto found = parameters(text, "meld"))
    return addByName<MeldPass>(*found, manager, defaults, log);
#define MELD_PASS(name, Class, where, chosen)                                                      \
  if (auto found = parameters(text, "meld-" name))                                                 \
    return addByName<Class>(*found, manager, defaults, log);
#define MELD_PRINTER(name, Class)                                                                  \
  if (text == "print<meld-" name ">") {                                                            \
    manager.addPass(Class(outs()));                                                                \
    return true;                                                                                   \
  }
#include "passes/passes.def"
  return false;
}

} // namespace

void registerMeldCallbacks(PassBuilder &builder, const MeldOptions &given, DecisionLog *log) {
  const MeldOptions options = withChoice(given);
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
      if (options.specialization)
        manager.addPass(WhereSettled(options.settling, SpecializePass(options, log, Point::early)));
      manager.addPass(WhereSettled(options.settling, MeldPass(options, log, Point::early, atRest)));
    });
  if (options.late)
    builder.registerOptimizerLastEPCallback(
        [options, log, &builder](ModulePassManager &manager, OptimizationLevel level, auto...) {
          if (level == OptimizationLevel::O0)
            return;
          auto add = [&](auto pass) {
            manager.addPass(
                createModuleToFunctionPassAdaptor(WhereSettled(options.settling, std::move(pass))));
          };
          if (options.settling)
            manager.addPass(
                createModuleToFunctionPassAdaptor(SettleFpPass(options.settling, Point::late)));
          if (options.specialization) {
            add(SpecializePass(options, log, Point::late));
            // Loops as behind LLVM's own simplification, which unrolls those alone that go away.
            auto simplify =
                builder.buildFunctionSimplificationPipeline(level, ThinOrFullLTOPhase::None);
            simplify.addPass(LoopUnrollPass(LoopUnrollOptions(int(level.getSpeedupLevel()))));
            simplify.addPass(InstCombinePass());
            manager.addPass(createModuleToFunctionPassAdaptor(
                SimplifySpecialized(options.specialization, std::move(simplify))));
          }
#define MELD_BEFORE(name, Class, where, chosen)                                                    \
  if (options.wants(name))                                                                         \
    add(Marked(makePass<Class>(options, log, Point::late)));
#include "passes/passes.def"
          add(MeldPass(options, log, Point::late));
#define MELD_FAMILY(name, Class, where, chosen)                                                    \
  if (Where::where == Where::behind && runsUnasked(Chosen::chosen) &&                              \
      !options.without.count(name))                                                                \
    add(Marked(makePass<Class>(options, log, Point::late)));
#define MELD_FIX(name, Class, where, chosen)                                                       \
  if (Where::where == Where::behind && runsUnasked(Chosen::chosen) &&                              \
      !options.without.count(name))                                                                \
    add(WhereChanged(options, makePass<Class>(options, log, Point::late)));
#include "passes/passes.def"
        });
  // The dots: from 20 on there is a link-time phase, too.
  builder.registerOptimizerLastEPCallback(
      [choice = options.choice](ModulePassManager &manager, OptimizationLevel, auto...) {
        manager.addPass(createModuleToFunctionPassAdaptor(DropMarksPass(choice)));
      });
}

} // namespace meld::passes
