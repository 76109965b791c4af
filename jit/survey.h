// Which kernels of a code object a compile would have something to work with, and why not the others:
// for `meld doctor`, which asks of programs that do not run.
//
// Reads names and options only; no function's body is read and nothing is generated, so an object of
// thousands of kernels takes milliseconds. Untrusted input, like a compile's.
#pragma once

#include "jit/request.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace meld::jit {

struct SurveyedKernel {
  std::string name;
  std::string why; ///< it cannot be recompiled; empty: its IR is there
};

/// In the order of the object's metadata. Errors: the object cannot be read. Only inside of
/// runGuarded() (guard.h).
llvm::Expected<std::vector<SurveyedKernel>> surveyKernels(llvm::StringRef codeObject);

/// The same as meld_jit_survey (api.h) answers: guarded, `unchanged` with JSON or `failed` with a
/// reason.
CompileReply survey(llvm::StringRef codeObject);

} // namespace meld::jit
