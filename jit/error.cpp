#include "jit/error.h"

#include "llvm/Support/raw_ostream.h"

namespace meld::jit {

char CompileError::ID;

void CompileError::log(llvm::raw_ostream &os) const { os << message_; }

std::error_code CompileError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

} // namespace meld::jit
