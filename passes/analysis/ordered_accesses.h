// What code does to memory that other threads of the wave look at meanwhile: atomic and volatile
// accesses, fences, and plain accesses for whoever finds a fence beside them; also those of
// functions that it calls.
//
//     if (c) put(p, 5);          The lanes of the first if come before those of the second in every
//     if (!c) x = get(p);        run: x is 5, whether put() and get() are inlined or not.
//
//     if (c) *p = 5;             So they do here. No memory model says so, but programs that know of
//     __threadfence_block();     waves have been written like this, and compilers keep it: the load
//     if (!c) x = *p;            cannot go up past the fence, nor the store down.
//
// A call does what the body of its function does. Atomics of the target are intrinsics and no
// instructions, so these go by what LLVM knows of their effects: one that reads and writes is an
// update. Its loads and stores of buffers and images are plain where their cache policy, the last
// operand, is 0; else they may be coherent or volatile. Assembly and what cannot be looked into may
// do anything. `nosync` says nothing here: relaxed atomics may have it.
//
// Of functions that are called by per_callee.h; what that calls unknown may do anything.
#pragma once

#include "passes/analysis/gpu_info.h"
#include "passes/analysis/per_callee.h"
#include "llvm/IR/InstrTypes.h"

namespace meld::passes {

class OrderedAccesses {
public:
  enum Kinds : unsigned {
    none = 0,
    reads = 1,
    stores = 2,
    updates = 4,
    fences = 8,
    plainReads = 16, ///< of memory that other threads may reach
    plainStores = 32,
  };
  static constexpr unsigned ordered = reads | stores | updates | fences;
  static constexpr unsigned anything = ordered | plainReads | plainStores;

  explicit OrderedAccesses(GpuInfo gpu) : gpu_(std::move(gpu)) {}

  /// Some of Kinds.
  unsigned of(const llvm::Instruction &instruction);
  unsigned of(const llvm::BasicBlock &block);
  /// The block has some of `ordered`.
  bool areIn(const llvm::BasicBlock &block);

  /// Code that comes before other code in every run of a wave has to stay there: where both have
  /// accesses that are seen, and not all only read, nor all update, each of which sees what is
  /// there. With a fence anywhere plain accesses are seen, too.
  static bool keepOrder(unsigned before, unsigned behind);

private:
  unsigned ofCall(const llvm::CallBase &call);

  const GpuInfo gpu_;
  PerCallee<unsigned> known_{anything};
};

} // namespace meld::passes
