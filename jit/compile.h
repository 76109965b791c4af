// The whole way from a code object to a verdict; api.h is its C face.
//
//   read ELF -> filter kernels -> [optimise + meld] --nothing melded--> unchanged
//                                       | melded
//                                 comgr code, link -> judge each kernel against the ORIGINAL's
//                                 machine code
//                                       | some are worse: once more with some of their meldings
//                                       | (meld_search.h), in the end without any
//                                 check ABI, append .meld -> replaced
//
// The original is its own unmelded version (recompiling is byte-identical), so nothing is compiled
// twice for the comparison. Terminates: every further round is a step of a search or excludes one
// more kernel, and both are bounded.
//
// Thread rule: any thread, one at a time inside (guard.h). Never throws.
#pragma once

#include "llvm/ADT/StringRef.h"

#include "jit/options_gate.h"
#include "passes/options.h"

#include <cstdint>
#include <functional>
#include <string>

namespace meld::jit {

struct CompileRequest {
  llvm::StringRef codeObject;
  std::string isa;          ///< the agent's target id; "" = not checked
  passes::MeldOptions meld; ///< include and exclude choose among the kernels
  bool trustVerify = false; ///< the bitcode has to give the original's bytes when not changed
  /// One kernel made as variant/recipes.h says, as a code object of its own that is loaded beside
  /// the original; both or none. What else is asked holds, but for passes, minProfit and force,
  /// which are the recipe's.
  std::string kernel, recipe;
  std::string dumpDir, dump;
  std::function<void(int level, const std::string &message)> log;
  OptionsGate options;
};

struct CompileReply {
  enum class Status { replaced, unchanged, failed } status = Status::failed;
  bool permanent = false;
  std::string bytes, json, reason;
};

CompileReply compile(const CompileRequest &request);

/// "libmeld-jit 0.1.0; LLVM 15.0.6; comgr 2.4"
const std::string &version();

} // namespace meld::jit
