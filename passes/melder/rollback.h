// A copy of a function's body, to be put back when a change turns out bad.
#pragma once

#include "llvm/IR/Function.h"

namespace meld::passes {

class Rollback {
public:
  explicit Rollback(llvm::Function &function);
  ~Rollback();
  Rollback(const Rollback &) = delete;
  Rollback &operator=(const Rollback &) = delete;

  /// Makes the function what it was when this object was built. At most once.
  void restore();

private:
  llvm::Function &function_;
  llvm::Function *copy_ = nullptr;
};

} // namespace meld::passes
