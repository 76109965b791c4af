// How much flattening copies: the same body many times, but code stays in the instruction cache.
#pragma once

#include "llvm/IR/BasicBlock.h"

namespace meld::passes {

/// Of one function. Counts instructions that code is generated for.
class Copies {
public:
  static size_t instructionsIn(llvm::ArrayRef<llvm::BasicBlock *> blocks);

  /// So many more may be copied for one loop.
  size_t left() const;
  /// Steps of a body of that size, at most `wanted`, at least one: the first is no copy.
  unsigned steps(size_t body, unsigned wanted) const;
  void add(size_t instructions) { made_ += instructions; }

private:
  size_t made_ = 0;
};

} // namespace meld::passes
