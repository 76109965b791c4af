// One chunk of lanes (16, or 8 on AVX2) inside a translated segment: the VGPR values of these lanes
// as SSA vectors.
//
// A register is loaded when first read and stored at the end of the chunk, so a chain of operations
// stays in host registers. 64-bit values live as two half vectors in the order of the interleave
// instructions (as in valu/lanes.h); they are split into their two registers only when someone
// asks.
#pragma once

#include "runtime/softgpu/translate/lib/rules.h"

#include "llvm/IR/IRBuilder.h"

#include <map>
#include <vector>

namespace meld::softgpu::translate {

/// A 64-bit value of each lane: lanes 0 1 4 5 ... and 2 3 6 7 ... .
struct Halves {
  llvm::Value *a = nullptr, *b = nullptr;
};

struct VectorSource {
  enum Kind : uint8_t { none, row, scalar, pendingMask } kind = none;
  unsigned index = 0;           ///< row, or the id of a pending mask
  llvm::Value *value = nullptr; ///< scalar: i32 or i64
  bool neg = false, abs = false;
};

struct VectorOp {
  const Rule *rule = nullptr;
  const ExecInst *exec = nullptr;
  VectorSource src[3];
  unsigned dst = 0;
  int maskId = -1; ///< lane mask it makes
};

class Chunk {
public:
  Chunk(llvm::IRBuilder<> &builder, unsigned lanes);

  llvm::IRBuilder<> &b;
  const unsigned lanes;
  llvm::FixedVectorType *i32v, *f32v, *i64h, *f64h, *i1v;

  // --- for the queue ---
  void prepareScalars(const std::vector<VectorOp> &ops);    ///< splats, before the loop
  void begin(llvm::Value *rowsAtChunk, llvm::Value *shift); ///< shift: first lane, i64
  void emit(const VectorOp &op);
  void storeRows(llvm::Value *active);      ///< nullptr: all lanes are
  llvm::Value *maskBits(llvm::Value *mask); ///< this chunk's bits of a lane mask
  llvm::Value *madeMask(int id) const { return masks_.at(id); }
  llvm::Value *active = nullptr; ///< <lanes x i1>, nullptr: all

  // --- for rules: operands of the current operation ---
  llvm::Value *u(unsigned k); ///< bits, neg/abs applied for m32
  llvm::Value *f(unsigned k);
  Halves q(unsigned k);                         ///< i64 halves
  Halves d(unsigned k);                         ///< f64 halves
  llvm::Value *lo(unsigned k), *hi(unsigned k); ///< dwords of a 64-bit operand, in lane order
  llvm::Value *mask(unsigned k);
  llvm::Value *element(unsigned half, unsigned k); ///< packed: what op_sel and neg make of source k
  void setPair(llvm::Value *low, llvm::Value *high); ///< packed: both registers
  void set(llvm::Value *i32OrF32);
  void set(Halves x);
  void setMask(llvm::Value *bits);

  // --- helpers ---
  llvm::Value *splat(uint32_t x) const;
  llvm::Value *splatQ(uint64_t x) const;
  llvm::Value *bits(llvm::Value *f) { return b.CreateBitCast(f, i32v); }
  llvm::Value *asFloat(llvm::Value *u) { return b.CreateBitCast(u, f32v); }
  Halves interleave(llvm::Value *lo, llvm::Value *hi);
  llvm::Value *low(Halves x), *high(Halves x);
  /// A mask of halves in lane order.
  llvm::Value *joinMask(llvm::Value *a, llvm::Value *b2);
  /// The NaN rule of valu/lanes.h: the first NaN operand quieted, else the default NaN.
  llvm::Value *fixNan(llvm::Value *r, std::initializer_list<llvm::Value *> sources,
                      bool negative = false);
  /// Minimum or maximum, f32 or f64: a number wins over a quiet NaN, a signalling one (IEEE mode)
  /// gives itself quieted, -0 is below +0.
  llvm::Value *extreme(bool max, llvm::Value *x, llvm::Value *y);
  /// `usual` where no lane of `rare` is set, else what `repair` makes, in a block of its own.
  template <class F> llvm::Value *when(llvm::Value *rare, llvm::Value *usual, F repair) {
    Branch branch = enter(rare);
    llvm::Value *repaired = repair();
    return leave(branch, usual, repaired);
  }
  /// Lanes of x where m is set, else of y. Not a select of integers: LLVM 15 gives a masked
  /// vpternlog with a memory operand the wrong table when it merges one into such a select.
  llvm::Value *select(llvm::Value *m, llvm::Value *x, llvm::Value *y);
  llvm::Value *unary(llvm::Intrinsic::ID id, llvm::Value *x) {
    return b.CreateUnaryIntrinsic(id, x);
  }
  llvm::Value *firstLane = nullptr; ///< i64

private:
  struct Branch {
    llvm::BasicBlock *from, *join;
  };
  Branch enter(llvm::Value *rare);
  llvm::Value *leave(Branch branch, llvm::Value *usual, llvm::Value *repaired);
  llvm::Value *rowAddress(unsigned row);
  llvm::Value *row(unsigned r);
  Halves wideRow(unsigned r);
  void writeRow(unsigned r, llvm::Value *x);
  void materialise(unsigned r);
  llvm::Value *modify32(llvm::Value *x, const VectorSource &s);

  llvm::Value *base_ = nullptr;
  const VectorOp *op_ = nullptr;
  std::map<unsigned, llvm::Value *> rows_;
  std::map<unsigned, Halves> wide_; ///< by low row
  std::map<unsigned, bool> written_;
  std::map<int, llvm::Value *> masks_;
  std::map<llvm::Value *, llvm::Value *> splats_, splatsLo_, splatsHi_; ///< never walked
};

} // namespace meld::softgpu::translate
