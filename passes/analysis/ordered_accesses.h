// What code does to memory that other threads of the wave look at meanwhile: atomic and volatile
// accesses, fences, and plain accesses for whoever finds a fence beside them; also those of
// functions that it calls.
//
//     if (c) put(p, 5);          The lanes of the first if come before those of the second in every
//     if (!c) x = get(p);        run: x is 5, whether put() and get() are inlined or not.
//
//     if (c) *p = 5;             So they do here. No memory model says so, but programs that know of
//     __threadfence_block();     waves have been written like this, and compilers keep it where they
//     if (!c) x = *p;            cannot tell that the conditions are one value. Of one value they
//                                make a branch of two sides, and no order of sides is promised.
//
//     if (c) { box[i] = 5; x = box[j]; }    Either order of the sides gives each lane what a lane of
//     else { box[i] = 7; y = box[j]; }      its own side has put (box is volatile). By turns it
//                                           does not.
//
// A call does what the body of its function does. An atomic operation whose result is used reads
// what others have stored: the lanes of the first if have the first numbers of a counter. Atomics
// of the target are intrinsics and no instructions, so these go by what LLVM knows of their
// effects. Its loads and stores of buffers and images are plain where their cache policy, the last
// operand, is 0; else they may be coherent or volatile. Assembly and what cannot be looked into may
// do anything. `nosync` says nothing here: relaxed atomics may have it.
//
// Of functions that are called by per_callee.h; what that calls unknown may do anything.
#pragma once

#include "passes/analysis/gpu_info.h"
#include "passes/analysis/per_callee.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"

namespace meld::passes {

class ForwardProgress;

/// What a decision says where sides could tell.
inline constexpr const char *turnsReason =
    "what both sides read and write for other threads is not done by turns";

class OrderedAccesses {
public:
  enum Kinds : unsigned {
    none = 0,
    reads = 1,
    stores = 2,
    fences = 4,     ///< also atomics that order what is beside them: acquire, release and stronger
    plainReads = 8, ///< of memory that other threads may reach
    plainStores = 16,
    /// Atomics of one kind whose result nobody uses come to the same in any order. All others read
    /// and store.
    sums = 32,
    ands = 64,
    ors = 128,
    exclusiveOrs = 256,
    minima = 512,
    maxima = 1024,
    unsignedMinima = 2048,
    unsignedMaxima = 4096,
  };
  static constexpr unsigned ordered = ~unsigned(plainReads | plainStores);
  static constexpr unsigned anything = ~0u;

  explicit OrderedAccesses(GpuInfo gpu) : gpu_(std::move(gpu)) {}

  /// Some of Kinds.
  unsigned of(const llvm::Instruction &instruction);
  unsigned of(const llvm::BasicBlock &block);
  /// The block has some of `ordered`.
  bool areIn(const llvm::BasicBlock &block);

  /// Code that comes before other code in every run of a wave has to stay there: where both have
  /// accesses that are seen, and they neither all only read nor come to the same in any order. With
  /// a fence anywhere plain accesses are seen, too.
  static bool keepOrder(unsigned before, unsigned behind);
  /// Which accesses are seen in code that has these.
  static unsigned seenIn(unsigned kinds);
  /// Two ways out of a branch, of which a wave runs one after the other, could tell that their
  /// accesses come by turns: one that reads, with several accesses on a side. One access of each,
  /// done together, is as good as one before the other. A side is what one way alone leads to, also
  /// behind an exit from the middle of it.
  bool sidesTellTurns(const llvm::BasicBlock &head, const llvm::DominatorTree &dominators,
                      const llvm::PostDominatorTree &postDominators,
                      const ForwardProgress &progress);

private:
  unsigned ofCall(const llvm::CallBase &call);
  bool tellTurns(llvm::ArrayRef<const llvm::BasicBlock *> left,
                 llvm::ArrayRef<const llvm::BasicBlock *> right);
  bool isParted(llvm::ArrayRef<const llvm::BasicBlock *> side);

  const GpuInfo gpu_;
  PerCallee<unsigned> known_{anything};
};

} // namespace meld::passes
