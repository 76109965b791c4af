#include "passes/meld_pass.h"
#include "passes/llvm_fixes/changed_functions.h"
#include "passes/llvm_fixes/kept_floats.h"
#include "passes/llvm_fixes/repeated_ifs.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/fingerprint.h"
#include "passes/pass_list.h"
#include "passes/transform/cfm.h"
#include "passes/transform/else_if.h"
#include "passes/transform/fp_choices.h"
#include "passes/transform/hoist_selects.h"
#include "passes/transform/meld_switch.h"
#include "passes/transform/padding.h"
#include "passes/transform/simplify_selects.h"
#include "passes/transform/tail_merge.h"
#include "passes/transform/triangles.h"
#include "passes/transform/uniform_branch.h"
#include "passes/transform/unpredicate.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <type_traits>

namespace meld::passes {

using namespace llvm;

#define MELD_FIX(name, Class, where, chosen) class Class;
#include "passes/passes.def"

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

std::shared_ptr<AtRest> newAtRest() { return std::make_shared<AtRest>(); }

static bool branches(const Function &function) {
  return any_of(function, [](const BasicBlock &block) {
    return block.getTerminator()->getNumSuccessors() > 1;
  });
}

PreservedAnalyses MeldPass::run(Function &function, FunctionAnalysisManager &analyses) {
  // Before inlining a HIP kernel is mostly calls to one-line wrappers; melding then would look at
  // the wrong code.
  if (function.isDeclaration() || !options_.wantsKernel(function.getName()) ||
      (point_ == Point::early && awaitsInlining(function)))
    return PreservedAnalyses::all();
  if (!branches(function) && (!options_.wants("unpredicate") || point_ == Point::early))
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
  auto make = [&]<typename Pass>() {
    if constexpr (std::is_same_v<Pass, MeldSwitchPass>)
      return Pass(options_, log_, point_, atRest_ ? &atRest_->left : nullptr);
    else
      return Pass(options_, log_, point_);
  };
  auto one = [&]<typename Pass>(StringRef name, Where where) {
    if (!options_.wants(name) || (where == Where::lateIfMelded && !changed))
      return;
    // What has come together, or stands around what was a switch.
    if (step(make.template operator()<Pass>()) && where == Where::bothThenCfm &&
        options_.wants("cfm"))
      step(MeldCfmPass(options_, log_, point_));
  };
  auto melders = [&](bool late) {
#define MELD_MELDER(name, Class, where, chosen)                                                    \
  if (late == (Where::where == Where::late || Where::where == Where::lateIfMelded))                \
    one.template operator()<Class>(name, Where::where);
#include "passes/passes.def"
  };
  auto fix = [&]<typename Pass, Where where, Chosen chosen>() {
    if constexpr (where == Where::withMelders && runsUnasked(chosen))
      step(Pass());
  };
  melders(false);
  if (changed) {
    step(EarlyCSEPass(true));
    step(SimplifyCFGPass());
#define MELD_FIX(name, Class, where, chosen)                                                       \
  fix.template operator()<Class, Where::where, Chosen::chosen>();
#include "passes/passes.def"
  }
  if (point_ != Point::early) {
    // LLVM's if-conversion would flatten again, behind the early point, what unpredicate opens; and
    // what is proven uniform stays scalar where our selects and joins hide it from LLVM.
    melders(true);
    // At the late point it comes behind scalarization.
    if (point_ == Point::byName && changed)
      step(RepeatedIfsPass());
  }
  if (!changed && atRest_)
    atRest_->add(key);
  if (changed && point_ != Point::byName) // by name nobody takes the marks away
    markChanged(function);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace meld::passes
