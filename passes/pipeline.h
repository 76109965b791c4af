// Where the passes sit in -O<n>, and their names for `opt -passes=`.
//
//   llvm::PassBuilder builder(targetMachine);
//   meld::passes::DecisionLog log;
//   meld::passes::registerMeldCallbacks(builder, options, &log);
//   auto pipeline = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
//
// Our passes run at two points of the pipeline: an early one, inside the function simplification
// after inlining, SROA and the first instcombine (before loops are unrolled and before common code
// is hoisted or sunk), and a late one, at the end, where unrolling has made new candidates.
//
// A function in which nothing is melded leaves exactly as it came: recompiling stays
// byte-identical.
//
// Thread rule: no state of its own; one DecisionLog per compilation.
#pragma once

#include "passes/decision_log.h"
#include "passes/options.h"
#include "llvm/Passes/PassBuilder.h"

namespace meld::passes {

/// Puts our analyses, our passes (by name) and our two pipeline points into `builder`. `log` may be
/// null and must outlive the pipelines that the builder makes.
void registerMeldCallbacks(llvm::PassBuilder &builder, const MeldOptions &options,
                           DecisionLog *log);

} // namespace meld::passes
