// What code does to memory that other threads of the wave look at meanwhile: atomic and volatile
// accesses, also those of functions that it calls.
//
//     if (c) put(p, 5);          The lanes of the first if come before those of the second in every
//     if (!c) x = get(p);        run: x is 5, whether put() and get() are inlined or not.
//
// A call does what the body of its function does. Atomics of the target are intrinsics and no
// instructions, so these go by what LLVM knows of their effects: one that reads and writes is an
// update. Its loads and stores of buffers and images are plain where their cache policy, the last
// operand, is 0; else they may be coherent or volatile. Assembly and what cannot be looked into may do anything. `nosync` says
// nothing here: relaxed atomics may have it.
//
// A function is looked into when first asked for, the functions that it calls before it. Recursion,
// a chain of more than 16 calls, and more than 4,000 instructions count as anything. Linear in the
// functions that are called.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace meld::passes {

class OrderedAccesses {
public:
  enum Kinds : unsigned { none = 0, reads = 1, stores = 2, updates = 4 };
  static constexpr unsigned anything = reads | stores | updates;

  /// Some of Kinds.
  unsigned of(const llvm::Instruction &instruction);
  bool areIn(const llvm::BasicBlock &block);

private:
  unsigned ofCall(const llvm::CallBase &call);
  unsigned ofBody(const llvm::Function &callee);

  unsigned depth_ = 0;
  llvm::DenseMap<const llvm::Function *, unsigned> known_;
};

} // namespace meld::passes
