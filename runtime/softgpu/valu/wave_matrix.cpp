// v_wmma_* of GFX11: D = A * B + C for matrices of 16 x 16, the whole wave taking part whatever EXEC
// says ("RDNA3" ISA, "Wave Matrix Multiply Accumulate"; AMD's matrix instruction calculator for the
// places).
//
// A wave is groups of 16 lanes: two, or four in a wave of 64. For lane l of a group g of G:
//   A[l][k]  k = 0..15 packed from the lowest bits of the first register on
//   B[k][l]  likewise. Each group has to hold the same A and B; it reads its own.
//   C, D     register r holds row r * G + g, column l
// C and D of 16 bits have the low or the high halves of their registers (op_sel[2]), the others stay.
//
// Sums run over k in order, starting from C, in f32: exact products and one rounding per sum, always
// to nearest; a 16-bit result is rounded once more at the end. Of denormals MODE decides: its field
// for f16 for elements of f16, that for f32 for the others. Integers: neg_lo says that A (bit 0) or B
// (bit 1) is signed, sums wrap or, with clamp, saturate at the end. Modifiers of floats: neg_lo and
// neg_hi change signs of A's and B's elements with even and with odd k; of C neg_lo[2] is neg and
// neg_hi[2] abs.
#include "runtime/softgpu/valu/wave_matrix.h"
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/matrix_nan.h"
#include "runtime/softgpu/valu/slow.h"

namespace meld::softgpu::valu {

using isa::Inst;
using isa::Op;
using enum Ty;

namespace {

constexpr unsigned kSize = 16; ///< rows, columns, and lanes of a group

/// Register `r` of C in a lane: a constant is the same everywhere.
uint32_t accumulator(const VRow *c, uint32_t constant, unsigned r, unsigned lane) {
  return c ? c[r].u[lane] : constant;
}

/// Matrix A or B as a group of lanes holds it, transposed: [k][row or column].
template <Format In>
void gather(float (&to)[kSize][kSize], const VRow *v, const Inst &in, unsigned source,
            unsigned group, uint32_t mode) {
  const bool flush = flushes(In, mode, false);
  for (unsigned k = 0; k < kSize; ++k) {
    const bool negate = (k & 1 ? in.abs : in.neg) >> source & 1;
    for (unsigned l = 0; l < kSize; ++l)
      to[k][l] = toFloat<In>(v[k / 2].u[group * kSize + l] >> (16 * (k & 1)), ~0u,
                             negate ? 0x8000 : 0, flush);
  }
}

template <Format Out, Format In> void multiplyFloats(const Inst &in, Wave &w) {
  const VRow *va = vectorOperand(w, in.src[0]), *vb = vectorOperand(w, in.src[1]),
             *vc = vectorOperand(w, in.src[2]);
  VRow *vd = const_cast<VRow *>(vectorOperand(w, in.dst));
  const uint32_t constant = vc ? 0 : (uint32_t)scalarOperand(w, in.src[2], false);
  const uint32_t keep = in.abs & 4 ? ~signOf(Out) : ~0u, flip = in.neg & 4 ? signOf(Out) : 0;
  // A constant is in both halves.
  const unsigned shift = Out != Format::f32 && (in.opSel & 4) ? 16 : 0, from = vc ? shift : 0;
  const unsigned groups = w.waveSize / kSize, registers = kSize / groups;
  const bool flushIn = flushes(Out, w.mode, false), flushOut = flushes(Out, w.mode, true);
  uint32_t out[kSize / 2][kWaveSize];
  for (unsigned g = 0; g < groups; ++g) {
    alignas(32) float a[kSize][kSize], b[kSize][kSize];
    gather<In>(a, va, in, 0, g, w.mode);
    gather<In>(b, vb, in, 1, g, w.mode);
    for (unsigned r = 0; r < registers; ++r) {
      const unsigned row = r * groups + g;
      alignas(32) float sum[kSize], start[kSize];
      for (unsigned l = 0; l < kSize; ++l)
        sum[l] = start[l] =
            toFloat<Out>(accumulator(vc, constant, r, g * kSize + l) >> from, keep, flip, flushIn);
      for (unsigned k = 0; k < kSize; ++k)
        for (unsigned l = 0; l < kSize; ++l)
          sum[l] = __builtin_fmaf(a[k][row], b[k][l], sum[l]);
      for (unsigned l = 0; l < kSize; ++l) {
        if (__builtin_expect(sum[l] != sum[l], 0)) { // again, with the rule at each step
          sum[l] = start[l];
          for (unsigned k = 0; k < kSize; ++k)
            sum[l] =
                repairNan(__builtin_fmaf(a[k][row], b[k][l], sum[l]), a[k][row], b[k][l], sum[l]);
        }
        out[r][g * kSize + l] = fromFloat<Out>(sum[l], flushOut, w.mode & Mode::fp16Ovfl) << shift;
      }
    }
  }
  const uint32_t stays = Out == Format::f32 ? 0 : ~(0xffffu << shift);
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned l = 0; l < w.waveSize; ++l)
      vd[r].u[l] = (vd[r].u[l] & stays) | out[r][l];
}

template <unsigned Bits> void multiplyIntegers(const Inst &in, Wave &w) {
  const VRow *va = vectorOperand(w, in.src[0]), *vb = vectorOperand(w, in.src[1]),
             *vc = vectorOperand(w, in.src[2]);
  VRow *vd = const_cast<VRow *>(vectorOperand(w, in.dst));
  const uint32_t constant = vc ? 0 : (uint32_t)scalarOperand(w, in.src[2], false);
  const auto element = [&](const VRow *v, unsigned source, unsigned lane, unsigned k) -> int32_t {
    constexpr unsigned each = 32 / Bits;
    const uint32_t x = v[k / each].u[lane] >> (Bits * (k % each)) << (32 - Bits);
    return in.neg >> source & 1 ? (int32_t)x >> (32 - Bits) : (int32_t)(x >> (32 - Bits));
  };
  const unsigned groups = w.waveSize / kSize, registers = kSize / groups;
  uint32_t out[kSize / 2][kWaveSize];
  for (unsigned g = 0; g < groups; ++g) {
    alignas(32) int32_t a[kSize][kSize], b[kSize][kSize];
    for (unsigned k = 0; k < kSize; ++k)
      for (unsigned l = 0; l < kSize; ++l) {
        a[k][l] = element(va, 0, g * kSize + l, k);
        b[k][l] = element(vb, 1, g * kSize + l, k);
      }
    for (unsigned r = 0; r < registers; ++r)
      for (unsigned l = 0; l < kSize; ++l) {
        const unsigned lane = g * kSize + l;
        int32_t products = 0; // 16 of them are far from 32 bits
        for (unsigned k = 0; k < kSize; ++k)
          products += a[k][r * groups + g] * b[k][l];
        int64_t sum = (int64_t)(int32_t)accumulator(vc, constant, r, lane) + products;
        if (in.clamp)
          sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        out[r][lane] = (uint32_t)sum;
      }
  }
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned l = 0; l < w.waveSize; ++l)
      vd[r].u[l] = out[r][l];
}

template <void (*Multiply)(const Inst &, Wave &)>
const ExecInst *waveMatrix(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  if (!vectorOperand(w, in.src[0]) || !vectorOperand(w, in.src[1]) || !vectorOperand(w, in.dst))
    return w.raise(i, FaultKind::illegalInstruction, "v_wmma without VGPRs");
  Multiply(in, w);
  return following(i);
}

template <void (*Multiply)(const Inst &, Wave &)> OpInfo product() {
  OpInfo info = infoOf<Sig<b32, b32, b32, b32>>(0);
  info.special = waveMatrix<Multiply>;
  return info;
}

} // namespace

void addWaveMatrix(OpTable &t) {
  t[Op::v_wmma_f32_16x16x16_f16] = product<multiplyFloats<Format::f32, Format::f16>>();
  t[Op::v_wmma_f32_16x16x16_bf16] = product<multiplyFloats<Format::f32, Format::bf16>>();
  t[Op::v_wmma_f16_16x16x16_f16] = product<multiplyFloats<Format::f16, Format::f16>>();
  t[Op::v_wmma_bf16_16x16x16_bf16] = product<multiplyFloats<Format::bf16, Format::bf16>>();
  t[Op::v_wmma_i32_16x16x16_iu8] = product<multiplyIntegers<8>>();
  t[Op::v_wmma_i32_16x16x16_iu4] = product<multiplyIntegers<4>>();
}

} // namespace meld::softgpu::valu
