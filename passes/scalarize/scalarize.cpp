#include "passes/scalarize/scalarize.h"
#include "passes/scalarize/affine_address.h"
#include "passes/scalarize/constant_loads.h"
#include "passes/scalarize/converged_loops.h"
#include "passes/scalarize/dynamic_convergence.h"
#include "passes/scalarize/multiply_add.h"
#include "passes/scalarize/uniform_values.h"
#include "llvm/ADT/STLExtras.h"

namespace meld::passes {

using namespace llvm;

ArrayRef<StringRef> scalarizePassNames() {
  static const StringRef names[] = {"converged-loops",  "dynamic-convergence",
                                    "scalarize-values", "scalarize-loads",
                                    "affine-address",   "multiply-add-address"};
  return names;
}

bool isScalarizePass(StringRef name) {
  return name.consume_front("meld-") && is_contained(scalarizePassNames(), name);
}

// No one knows how often waves agree: what costs a copy of the code for that has to be asked for,
// and so has what this LLVM does not live with.
static bool onlyByName(StringRef pass) {
  return pass == "converged-loops" || pass == "dynamic-convergence" ||
         (pass == "multiply-add-address" && !MultiplyAddPass::unasked);
}

static bool isNamed(StringRef list, StringRef pass) {
  SmallVector<StringRef, 8> names;
  list.split(names, ',', -1, false);
  return any_of(names, [&](StringRef name) {
    name = name.trim();
    name.consume_front("meld-");
    return name == pass;
  });
}

bool wantsScalarize(const MeldOptions &options, StringRef pass) {
  if (!options.scalarize || options.without.count(pass.str()) || options.without.count("scalarize"))
    return false;
  if (onlyByName(pass))
    return isNamed(options.passes, pass);
  return options.wants("scalarize") || options.wants(pass);
}

PreservedAnalyses ScalarizePass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration())
    return PreservedAnalyses::all();
  PreservedAnalyses all = PreservedAnalyses::all();
  auto step = [&](auto &&pass) {
    PreservedAnalyses preserved = pass.run(function, analyses);
    if (!preserved.areAllPreserved())
      analyses.invalidate(function, preserved);
    all.intersect(std::move(preserved));
  };
  if (wantsScalarize(options_, "converged-loops"))
    step(ConvergedLoopsPass(options_, log_, point_));
  if (wantsScalarize(options_, "dynamic-convergence"))
    step(DynamicConvergencePass(options_, log_, point_));
  if (wantsScalarize(options_, "scalarize-values"))
    step(UniformValuesPass(options_, log_, point_));
  if (wantsScalarize(options_, "scalarize-loads"))
    step(ConstantLoadsPass(options_, log_, point_));
  // Outside of loops, an address that only a test would bring into the first form gets the second.
  const bool products =
      wantsScalarize(options_, "multiply-add-address") && hasMultiplyAddAddresses(function);
  if (wantsScalarize(options_, "affine-address"))
    step(AffineAddressPass(options_, log_, point_, products));
  if (products)
    step(MultiplyAddPass(options_, log_, point_));
  return all;
}

bool addScalarizePass(StringRef name, FunctionPassManager &manager, const MeldOptions &options,
                      DecisionLog *log) {
  if (name == "meld-scalarize")
    manager.addPass(ScalarizePass(options, log));
  else if (name == "meld-converged-loops")
    manager.addPass(ConvergedLoopsPass(options, log));
  else if (name == "meld-dynamic-convergence")
    manager.addPass(DynamicConvergencePass(options, log));
  else if (name == "meld-scalarize-values")
    manager.addPass(UniformValuesPass(options, log));
  else if (name == "meld-scalarize-loads")
    manager.addPass(ConstantLoadsPass(options, log));
  else if (name == "meld-affine-address")
    manager.addPass(AffineAddressPass(options, log));
  else if (name == "meld-multiply-add-address")
    manager.addPass(MultiplyAddPass(options, log));
  else
    return false;
  return true;
}

} // namespace meld::passes
