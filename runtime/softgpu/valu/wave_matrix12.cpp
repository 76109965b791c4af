// v_wmma_* and v_swmmac_* of GFX12: D = A * B + C for matrices of 16 x K and K x 16, the whole wave
// taking part whatever EXEC says ("RDNA4" ISA, "Wave Matrix Multiply Accumulate"; AMD's matrix
// instruction calculator for the places).
//
// Each element is in one place. Lane and register of A[i][k] (and of B[k][i]) depend on k in
// blocks: `Block` bits of the number choose the register or one of the two or four groups of 16
// lanes, i is the lane in the group. Example, elements of 16 bits in a wave of 32: k = 0..3 are in
// v0 and v1 of lanes 0 to 15, k = 4..7 in those of lanes 16 to 31, 8..15 likewise in v2 and v3.
//   C, D    row i, column j: wave of 32: register i % 8, lane 16 * (i / 8) + j; wave of 64: register i % 4, lane
//           32 * (i / 4 % 2) + 16 * (i / 8) + j. Of 16 bits, two rows are in one register.
// v_swmmac: of four elements of a row of A two are there, and an index of four bits says which (the
// lower two bits of the first). C is D. op_sel says which part of the register with indices counts.
//
// Sums, rounding, denormals and signs are as on GFX11 (wave_matrix.cpp): over k in order, starting
// from C, in f32.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/matrix_nan.h"
#include "runtime/softgpu/valu/slow.h"
#include "runtime/softgpu/valu/wave_matrix.h"

#include <array>

namespace meld::softgpu::valu {

using isa::Inst;
using isa::Op;
namespace {

constexpr unsigned kSize = 16;  ///< rows and columns, and lanes of a group
constexpr unsigned kDepth = 64; ///< the largest K
constexpr unsigned kRegisterBits = 32, kWave32 = 32;

struct Place {
  unsigned reg = 0, lane = 0, bit = 0;
};

/// Shape of A and B.
struct Shape {
  unsigned bits; ///< of an element
  unsigned depth;
  bool sparse;
};

/// Where element k of line i of a matrix is all of whose elements are there.
Place denseAt(Shape s, unsigned wave, unsigned i, unsigned k) {
  const unsigned each = kRegisterBits / s.bits; // in a register
  Place p;
  p.bit = s.bits * (k % each);
  unsigned group = 0;
  if (s.sparse && wave == kWave32) {
    const unsigned half = s.bits == 16 ? 8 : s.depth / 2; // of k, for each group of lanes
    group = k / half % 2;
    p.reg = s.bits == 16 ? 4 * (k / 16) + k / 2 % 4 : k % half / each;
  } else if (s.sparse) {
    const unsigned quarter = s.depth / 4;
    group = s.bits == 16 ? k / 8 : 2 * (k / quarter % 2) + k / (2 * quarter);
    p.reg = s.bits == 16 ? k / 2 % 4 : k % quarter / each;
  } else if (wave == kWave32) {
    const unsigned half = s.depth / 2;
    group = s.bits == 16 ? k / 4 % 2 : k / half;
    p.reg = s.bits == 16 ? 2 * (k / 8) + k / 2 % 2 : k % half / each;
  } else if (s.bits == 16) {
    group = 2 * (k / 8) + k / 4 % 2;
    p.reg = k / 2 % 2;
  } else if (s.bits == 4 && s.depth == kSize) { // half of the wave has nothing
    group = k / 8;
  } else {
    const unsigned quarter = s.depth / 4;
    group = 2 * (k / quarter % 2) + k / (2 * quarter);
  }
  p.lane = kSize * group + i;
  return p;
}

/// Where the two elements are that line i of a sparse matrix has of its elements 4 * four to 4 * four + 3.
Place sparseAt(Shape s, unsigned wave, unsigned i, unsigned four) {
  const unsigned k = 4 * four, pair = 2 * s.bits, each = kRegisterBits / pair;
  Place p;
  unsigned group;
  if (wave == kWave32) {
    const unsigned half = s.bits == 16 ? 8 : s.depth / 2;
    group = k / half % 2;
    p.reg = s.bits == 16 ? 2 * (k / 16) + k / 4 % 2 : k % half / 4 / each;
  } else if (s.bits == 16) {
    group = k / 8;
    p.reg = k / 4 % 2;
  } else if (s.bits == 4 && s.depth == 32) { // half of the wave has nothing
    group = k / 16;
  } else {
    const unsigned quarter = s.depth / 4;
    group = 2 * (k / quarter % 2) + k / (2 * quarter);
  }
  p.bit = pair * (four % each);
  p.lane = kSize * group + i;
  return p;
}

/// The first bit of the index for these four, in the same lane as the elements.
unsigned indexBit(Shape s, unsigned wave, unsigned four, unsigned key) {
  const unsigned k = 4 * four;
  unsigned fours, sets; // that a lane has indices for, parts of the register
  if (wave == kWave32) {
    fours = s.bits == 4 && s.depth == kDepth ? 8 : 4;
    sets = 8 / fours;
    if (s.bits == 16)
      return 8 * (k / 16) + 4 * (k / 4 % 2) + 16 * key;
  } else {
    fours = s.bits == 4 ? 4 : 2;
    sets = 8 / fours;
  }
  return 4 * (four % fours) + kRegisterBits / sets * key;
}

Place outputAt(bool halves, unsigned wave, unsigned i, unsigned j) {
  const unsigned rows = wave == kWave32 ? 8 : 4;
  Place p;
  p.reg = halves ? i % rows / 2 : i % rows;
  p.bit = halves ? 16 * (i % 2) : 0;
  p.lane = wave == kWave32 ? kSize * (i / 8) + j : 32 * (i / 4 % 2) + kSize * (i / 8) + j;
  return p;
}

uint32_t field(const VRow *v, Place p, unsigned bits) {
  return v[p.reg].u[p.lane] >> p.bit & (bits == kRegisterBits ? ~0u : (1u << bits) - 1);
}

/// A (row, k) and B (k, column), as `Element` makes numbers of bits: (bits, source, odd) -> T.
template <class T> struct Operands {
  T a[kSize][kDepth], b[kDepth][kSize];

  template <class Element>
  Operands(const Inst &in, const Wave &w, Shape s, const Element &element) {
    const VRow *va = vectorOperand(w, in.src[0]), *vb = vectorOperand(w, in.src[1]);
    for (unsigned i = 0; i < kSize; ++i)
      for (unsigned k = 0; k < s.depth; ++k)
        b[k][i] = element(field(vb, denseAt(s, w.waveSize, i, k), s.bits), 1, k & 1);
    if (!s.sparse) {
      for (unsigned i = 0; i < kSize; ++i)
        for (unsigned k = 0; k < s.depth; ++k)
          a[i][k] = element(field(va, denseAt(s, w.waveSize, i, k), s.bits), 0, k & 1);
      return;
    }
    const VRow *indices = vectorOperand(w, in.src[2]);
    for (unsigned i = 0; i < kSize; ++i)
      for (unsigned four = 0; four < s.depth / 4; ++four) {
        Place p = sparseAt(s, w.waveSize, i, four);
        const unsigned index =
            indices->u[p.lane] >> indexBit(s, w.waveSize, four, in.opSel & 3) & 15;
        for (unsigned k = 0; k < 4; ++k)
          a[i][4 * four + k] = T{};
        for (unsigned n = 0; n < 2; ++n, p.bit += s.bits)
          a[i][4 * four + (index >> (2 * n) & 3)] = element(field(va, p, s.bits), 0, n);
      }
  }
};

/// What C is where it is not D: a register or a constant, which is the same everywhere.
struct Accumulator {
  const VRow *rows;
  uint32_t constant = 0;
  Accumulator(const Inst &in, const Wave &w, bool sparse)
      : rows(vectorOperand(w, sparse ? in.dst : in.src[2])) {
    if (!rows)
      constant = (uint32_t)scalarOperand(w, in.src[2], false);
  }
  uint32_t at(Place p, unsigned bits) const {
    return rows ? field(rows, p, bits) : bits == 16 ? constant & 0xffff : constant;
  }
};

/// Keeps the results until all are there.
class Results {
public:
  Results(const Inst &in, Wave &w) : rows_(const_cast<VRow *>(vectorOperand(w, in.dst))) {}
  void put(Place p, uint32_t bits) { out_[p.reg][p.lane] |= bits << p.bit; }
  void write(const Wave &w, bool halves) {
    const unsigned count = (w.waveSize == kWave32 ? 8 : 4) / (halves ? 2 : 1);
    for (unsigned r = 0; r < count; ++r)
      for (unsigned l = 0; l < w.waveSize; ++l)
        rows_[r].u[l] = out_[r][l];
  }

private:
  VRow *rows_;
  uint32_t out_[8][kWaveSize] = {};
};

/// An element of A or B as f32.
template <Format F> float elementOf(uint32_t bits, bool negate, bool flush) {
  if constexpr (F == Format::fp8)
    return OcpFp8::values()[bits];
  else if constexpr (F == Format::bf8)
    return OcpBf8::values()[bits];
  else
    return toFloat<F>(bits, ~0u, negate ? 0x8000 : 0, flush);
}
constexpr unsigned bitsOf(Format f) {
  return f == Format::f32 ? 32 : f == Format::f16 || f == Format::bf16 ? 16 : 8;
}

template <Format Out, Format A, Format B, unsigned Depth, bool Sparse>
void multiplyFloats(const Inst &in, Wave &w) {
  constexpr Shape shape{bitsOf(A), Depth, Sparse};
  constexpr bool halves = Out != Format::f32;
  const bool flush = flushes(A, w.mode, false);
  const Operands<float> m(in, w, shape, [&](uint32_t bits, unsigned source, bool odd) {
    const bool negate = (odd ? in.abs : in.neg) >> source & 1;
    return source == 0 ? elementOf<A>(bits, negate, flush) : elementOf<B>(bits, negate, flush);
  });
  const Accumulator c(in, w, Sparse);
  const uint32_t keep = !Sparse && in.abs & 4 ? ~signOf(Out) : ~0u,
                 flip = !Sparse && in.neg & 4 ? signOf(Out) : 0;
  const bool flushIn = flushes(Out, w.mode, false), flushOut = flushes(Out, w.mode, true);
  Results results(in, w);
  for (unsigned i = 0; i < kSize; ++i)
    for (unsigned j = 0; j < kSize; ++j) {
      const Place p = outputAt(halves, w.waveSize, i, j);
      const float start = toFloat<Out>(c.at(p, bitsOf(Out)), keep, flip, flushIn);
      float sum = start;
      for (unsigned k = 0; k < Depth; ++k)
        sum = __builtin_fmaf(m.a[i][k], m.b[k][j], sum);
      if (__builtin_expect(sum != sum, 0)) { // again, with the rule at each step
        sum = start;
        for (unsigned k = 0; k < Depth; ++k)
          sum = repairNan(__builtin_fmaf(m.a[i][k], m.b[k][j], sum), m.a[i][k], m.b[k][j], sum);
      }
      results.put(p, fromFloat<Out>(sum, flushOut, w.mode & Mode::fp16Ovfl));
    }
  results.write(w, halves);
}

template <unsigned Bits, unsigned Depth, bool Sparse>
void multiplyIntegers(const Inst &in, Wave &w) {
  constexpr Shape shape{Bits, Depth, Sparse};
  const Operands<int32_t> m(in, w, shape, [&](uint32_t bits, unsigned source, bool) -> int32_t {
    const uint32_t x = bits << (32 - Bits);
    return in.neg >> source & 1 ? (int32_t)x >> (32 - Bits) : (int32_t)(x >> (32 - Bits));
  });
  const Accumulator c(in, w, Sparse);
  Results results(in, w);
  for (unsigned i = 0; i < kSize; ++i)
    for (unsigned j = 0; j < kSize; ++j) {
      const Place p = outputAt(false, w.waveSize, i, j);
      int32_t products = 0; // 64 of them are far from 32 bits
      for (unsigned k = 0; k < Depth; ++k)
        products += m.a[i][k] * m.b[k][j];
      int64_t sum = (int64_t)(int32_t)c.at(p, kRegisterBits) + products;
      if (in.clamp)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      results.put(p, (uint32_t)sum);
    }
  results.write(w, false);
}

template <void (*Multiply)(const Inst &, Wave &), bool Sparse>
const ExecInst *waveMatrix(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  if (!vectorOperand(w, in.src[0]) || !vectorOperand(w, in.src[1]) || !vectorOperand(w, in.dst) ||
      (Sparse && !vectorOperand(w, in.src[2])))
    return w.raise(i, FaultKind::illegalInstruction, "a product of matrices without VGPRs");
  Multiply(in, w);
  return following(i);
}

template <void (*Multiply)(const Inst &, Wave &), bool Sparse = false> OpInfo product() {
  OpInfo info = infoOf<Sig<Ty::b32, Ty::b32, Ty::b32, Ty::b32>>(0);
  info.special = waveMatrix<Multiply, Sparse>;
  return info;
}
template <Format Out, Format A, Format B> OpInfo dense() {
  return product<multiplyFloats<Out, A, B, 16, false>>();
}
template <Format Out, Format A, Format B> OpInfo sparse() {
  return product<multiplyFloats<Out, A, B, 32, true>, true>();
}

} // namespace

void addWaveMatrix12(OpTable &t) {
  constexpr Format f32 = Format::f32, f16 = Format::f16, bf16 = Format::bf16, fp8 = Format::fp8,
                   bf8 = Format::bf8;
  // GFX11 has these, too, with other places.
  t[Op::v_wmma_f32_16x16x16_f16].special12 = dense<f32, f16, f16>().special;
  t[Op::v_wmma_f32_16x16x16_bf16].special12 = dense<f32, bf16, bf16>().special;
  t[Op::v_wmma_f16_16x16x16_f16].special12 = dense<f16, f16, f16>().special;
  t[Op::v_wmma_bf16_16x16x16_bf16].special12 = dense<bf16, bf16, bf16>().special;
  t[Op::v_wmma_i32_16x16x16_iu8].special12 = product<multiplyIntegers<8, 16, false>>().special;
  t[Op::v_wmma_i32_16x16x16_iu4].special12 = product<multiplyIntegers<4, 16, false>>().special;

  t[Op::v_wmma_f32_16x16x16_fp8_fp8] = dense<f32, fp8, fp8>();
  t[Op::v_wmma_f32_16x16x16_fp8_bf8] = dense<f32, fp8, bf8>();
  t[Op::v_wmma_f32_16x16x16_bf8_fp8] = dense<f32, bf8, fp8>();
  t[Op::v_wmma_f32_16x16x16_bf8_bf8] = dense<f32, bf8, bf8>();
  t[Op::v_wmma_i32_16x16x32_iu4] = product<multiplyIntegers<4, 32, false>>();

  t[Op::v_swmmac_f32_16x16x32_f16] = sparse<f32, f16, f16>();
  t[Op::v_swmmac_f32_16x16x32_bf16] = sparse<f32, bf16, bf16>();
  t[Op::v_swmmac_f16_16x16x32_f16] = sparse<f16, f16, f16>();
  t[Op::v_swmmac_bf16_16x16x32_bf16] = sparse<bf16, bf16, bf16>();
  t[Op::v_swmmac_f32_16x16x32_fp8_fp8] = sparse<f32, fp8, fp8>();
  t[Op::v_swmmac_f32_16x16x32_fp8_bf8] = sparse<f32, fp8, bf8>();
  t[Op::v_swmmac_f32_16x16x32_bf8_fp8] = sparse<f32, bf8, fp8>();
  t[Op::v_swmmac_f32_16x16x32_bf8_bf8] = sparse<f32, bf8, bf8>();
  t[Op::v_swmmac_i32_16x16x32_iu8] = product<multiplyIntegers<8, 32, true>, true>();
  t[Op::v_swmmac_i32_16x16x32_iu4] = product<multiplyIntegers<4, 32, true>, true>();
  t[Op::v_swmmac_i32_16x16x64_iu4] = product<multiplyIntegers<4, 64, true>, true>();
}

} // namespace meld::softgpu::valu
