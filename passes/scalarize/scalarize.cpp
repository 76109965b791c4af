#include "passes/scalarize/scalarize.h"
#include "passes/scalarize/affine_address.h"
#include "passes/scalarize/constant_loads.h"
#include "passes/scalarize/converged_loops.h"
#include "passes/scalarize/dynamic_convergence.h"
#include "passes/scalarize/multiply_add.h"
#include "passes/scalarize/uniform_values.h"
#include "passes/scalarize/xor_address.h"
#include <type_traits>

namespace meld::passes {

using namespace llvm;

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
  // Outside of loops, an address that only a test would bring into the form of affine-address gets
  // that of multiply-add-address.
  const bool products = options_.wants("multiply-add-address") && hasMultiplyAddAddresses(function);
  auto make = [&]<typename Pass>() {
    if constexpr (std::is_same_v<Pass, AffineAddressPass>)
      return Pass(options_, log_, point_, products);
    else
      return Pass(options_, log_, point_);
  };
#define MELD_SCALARIZER(name, Class, where, chosen)                                                \
  if (options_.wants(name))                                                                        \
    step(make.template operator()<Class>());
#include "passes/passes.def"
  return all;
}

} // namespace meld::passes
