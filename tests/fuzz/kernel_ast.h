// Random structured kernels: a small AST, made from a seed.
//
// A kernel reads `in`, works on a handful of i32 variables, and writes `out` (per thread), `acc`
// (commuting atomics without return) and its own LDS words. Everything it does is defined behaviour
// and independent of the order in which lanes or waves run, so two correct compilations leave the
// same memory, bit for bit:
//   - shift counts are masked, divisors are made non-zero, array indices are masked;
//   - each atomic operation has its own region, so that all updates of a word commute;
//   - threads see each other's LDS words only between two barriers in uniform control flow;
//   - cross-lane operations appear only under `if`s, never under a loop or after a return, so that
//   the set of
//     active lanes is fixed by the source;
//   - floating point starts from converted integers and ends in a saturating conversion, so that no
//   NaN payload
//     is seen.
// The else arm of an `if` is often a mutated copy of the then arm: that is what melding is for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace meld::fuzz {

enum class ExprKind : uint8_t {
  variable,
  constant,
  threadId,
  groupId,
  argument,  // leaves
  binary,    // op: BinaryOp
  compare,   // op: 0..9 icmp predicates in LLVM's order; 0 or 1
  select,    // kids: condition, a, b
  loadInput, // in[kid & mask]
  loadOwnLds,
  loadPrivate,
  floatOp, // op: 0 add 1 sub 2 mul 3 fma 4 min 5 max 6 compare-select
  wideMul, // (zext a * zext b) >> op
  minMax,  // op: 0 smin 1 smax 2 umin 3 umax
  bits,    // op: 0 ctpop 1 bswap 2 bitreverse 3 ctlz 4 fshl
  narrow,  // sext/zext of the low 8 or 16 bits, op: 0..3
  // From generator 2 on.
  doubleOp, // op: 0 add 1 sub 2 mul 3 fma 4 min 5 compare-select
  halfOp,   // op: 0 add 1 sub 2 mul 3 fma 4 max
  vector,   // <4 x i32> of the kids: op 0 add 1 mul 2 xor with its reverse, then the sum of the
            // lanes; 3, 4: <2 x i16> add, unsigned maximum
  call,     // device<op>(kid, kid), not inlined
  wide, // of 64 bits, or a division of few: op and value, see kernel_wide.h; from generator 6 on
  // Of nests.
  loopItem, // what the loop `op` levels out counts
  sumBits,  // the bits of sum[value]
};
enum class BinaryOp : uint8_t {
  add,
  sub,
  mul,
  bitAnd,
  bitOr,
  bitXor,
  shl,
  lshr,
  ashr,
  udiv,
  urem,
  sdiv,
  count
};

/// Of ExprKind::wide: operations, and shapes of their operands.
inline constexpr uint32_t wideOps = 14, wideShapes = 1 << 10;

struct Expr {
  ExprKind kind = ExprKind::constant;
  uint32_t op = 0;    ///< see ExprKind
  uint32_t value = 0; ///< constant, or variable index
  std::vector<Expr> kids;
};

enum class StmtKind : uint8_t {
  assign,      // variable[index] = expr
  storeOutput, // out[thread][index] = expr
  storeOwnLds,
  storePrivate,
  atomic,    // acc[op][expr1 & 63] op= expr0
  branch,    // if (expr != 0) arms[0] else arms[1] (arms[1] may be empty)
  loop,      // for (i = 0; i < (expr & 7); ++i) arms[0]
  breakIf,   // inside a loop
  switchOn,  // switch (expr % n) arms
  exchange,  // barrier; variable[index] = lds[(thread + expr) % block]; barrier -- top level only
  crossLane, // variable[index] = op(expr0, expr1): 0 bpermute 1 readfirstlane 2 ballot 3 readlane
             // (top level only)
  returnIf,  // top level only, in kernels without exchange
  ldsAtomic, // shared[op][expr1 & 7] op= expr0; from generator 2 on
  // Of nests.
  nestLoop, // arms[0] as often as op (a LoopForm), index and expr0 say
  leaveIf,  // if (expr0) leave the loop `op` levels out, or go on with its next item if index is 1
  addToSum, // sum[index] = sum[index] * 0.5 + float(expr0 & 0xffff): finite, and the order shows
};

/// `index` is the limit of a nestLoop.
enum class LoopForm : uint32_t {
  counted,    // for (i = 0; i < (expr & (limit - 1)); ++i): limit is a power of two
  before,     // for (i = 0; i < limit && expr; ++i): the condition is asked for anew
  behind,     // do .. while (++i < limit && expr)
  gridStride, // for (i = thread; i < limit; i += threads)
};

struct Stmt {
  StmtKind kind = StmtKind::assign;
  uint32_t index = 0, op = 0;
  std::vector<Expr> exprs;
  std::vector<std::vector<Stmt>> arms;
};

struct KernelAst {
  uint64_t seed = 0;
  uint32_t blockSize = 64; ///< 32, 64, 96, 128, 192 or 256
  uint32_t blocks = 2;
  bool exactShape =
      false; ///< the workgroup's size is fixed, and what was `n` is n + the wave's number
  bool noHighBits = false; ///< unsigned divisions have operands below 2^31
  bool ldsAtomics = false; ///< there is a shared accumulator, added to `acc` at the end
  bool ofNests = false;    ///< buffers are restrict, there are float sums
  std::vector<Stmt> body;

  static constexpr uint32_t variables = 6, inputWords = 1024, outputsPerThread = 4,
                            ldsWordsPerThread = 2, privateWords = 4, accRegion = 64, accOps = 8,
                            ldsAccRegion = 8, callees = 3, sums = 2;
  uint32_t threads() const { return blockSize * blocks; }
};

/// Each generator stays as it was, so that a seed found with it is the same kernel for ever. 2 adds
/// else-if chains, triangles in a row on one predicate, deeper loops, conditions that are uniform
/// or affine in the thread, doubles, halves, vectors, calls, LDS atomics and readlane. 3 is 2 with
/// KernelAst::exactShape, for scalarization. 4 is 3 for every third seed and 2 for the others, with
/// KernelAst::noHighBits: LLVM 15 divides two values of many equal leading bits in 24-bit
/// floating point even where those bits are ones and the division is unsigned (seeds 303138 and
/// 305518 of generators 2 and 3), so that a plain kernel's result hangs on what else LLVM sees. 5
/// makes nests of loops (kernel_nests.cpp). 6 is 2 with ExprKind::wide.
inline constexpr unsigned newestGenerator = 6, defaultGenerator = 2, nestGenerator = 5,
                          wideGenerator = 6;

/// Same seed and generator, same kernel, on every host.
KernelAst generateKernel(uint64_t seed, unsigned generator = defaultGenerator);

/// Nests of two or three loops whose inner trip counts differ between lanes, for
/// meld-flatten-loops: what generator 5 makes.
KernelAst generateNests(uint64_t seed);

} // namespace meld::fuzz
