// What a static build (-fpass-plugin=MeldPasses.so) did, in files: one for each device module that is
// compiled, for `meld explain KERNEL FILE.json`.
//
//   {"static": "MeldPasses 0.1.0, LLVM 15", "source": "a.hip", "target": "gfx90a",
//    "kernels": [{"name", "melded", "verdict", "decisions": [...], "rejectionsLeftOut"}],
//    "functions": [{"function", ...decision}]}           (decisions: passes/decision_json.h)
//
// There are no registers, waves and cycles in it: nothing here sees machine code.
#pragma once

#include "passes/decision_log.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace meld::passes {

/// The module's report as text. Empty for a module without kernels for an AMD GPU.
std::string staticReport(const llvm::Module &module, const DecisionLog &log);

/// Writes it to FOLDER/<source>-<target>-<hash of the source's path>.json, over what an earlier
/// compile of the same source for the same target wrote; the folder is made where it is missing. A
/// file is whole or not there. Errors name the file.
llvm::Error writeStaticReport(const llvm::Module &module, const DecisionLog &log,
                              const std::string &folder);

} // namespace meld::passes
