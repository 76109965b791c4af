// A copy of a function, to try something on or to go back to.
//
//   trial:     change the copy; replaceBody() when it has turned out better. Otherwise the function
//              leaves exactly as it came, down to the order of its use lists.
//   rollback:  change the function; replaceBody() when that has turned out bad.
//
// Cost: a clone of the function. Would be unsafe: a module pass, a printer or anything else that
// walks over the module's functions while a trial lives, since its copy is one of them.
#pragma once

#include "llvm/IR/Function.h"

namespace meld::passes {

class FunctionCopy {
public:
  enum class Use : uint8_t {
    trial,   ///< at the end of the module; a recursive function's copy calls the function
    rollback ///< in no module: nobody sees it; a recursive function's copy calls itself
  };
  FunctionCopy(llvm::Function &function, Use use);
  ~FunctionCopy();
  FunctionCopy(const FunctionCopy &) = delete;
  FunctionCopy &operator=(const FunctionCopy &) = delete;

  llvm::Function &get() { return *copy_; }
  /// The copy's block that stands for `block` of the function; valid until either is changed.
  llvm::BasicBlock *twin(const llvm::BasicBlock &block) const;

  /// The function gets the copy's body. At most once; of no use afterwards.
  void replaceBody();

private:
  llvm::Function &function_;
  llvm::Function *copy_ = nullptr;
};

} // namespace meld::passes
