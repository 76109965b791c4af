// The whole way from a code object to a verdict; api.h is its C face.
//
//   read ELF -> filter kernels -> [optimise + meld] --nothing melded--> unchanged
//                                       | melded
//                                 comgr code of what changed -> judge each kernel against the
//                                 ORIGINAL's machine code
//                                       | some are worse: these alone once more with some of their
//                                       | meldings (meld_search.h), in the end without any
//                                 code of all, link, judge again -> check ABI, append .meld
//                                                                -> replaced
//
// The original is its own unmelded version (recompiling is byte-identical), so nothing is compiled
// twice for the comparison. compile_rounds.cpp says how it goes on, why it ends and what it costs.
//
// Thread rule: any thread, one at a time inside (guard.h). Never throws.
#pragma once

#include "jit/request.h"

#include <string>

namespace meld::jit {

CompileReply compile(const CompileRequest &request);

/// "libmeld-jit 0.1.0; LLVM 15.0.6; comgr 2.4"
const std::string &version();

} // namespace meld::jit
