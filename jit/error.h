// The errors of this room: what kind, so that the reply can say whether the verdict will hold next
// time.
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>
#include <system_error>

namespace meld::jit {

/// In this room an Error is LLVM's, also where that of runtime/result.h is known.
using llvm::Error;

enum class Failure {
  input,    ///< the code object is malformed or asks for what we do not do: the same next time
  compiler, ///< LLVM or comgr refused or broke: may differ next time
};

class CompileError : public llvm::ErrorInfo<CompileError> {
public:
  static char ID;
  CompileError(Failure kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  Failure kind() const { return kind_; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Failure kind_;
  std::string message_;
};

inline llvm::Error inputError(const llvm::Twine &message) {
  return llvm::make_error<CompileError>(Failure::input, message.str());
}
inline llvm::Error compilerError(const llvm::Twine &message) {
  return llvm::make_error<CompileError>(Failure::compiler, message.str());
}

} // namespace meld::jit
