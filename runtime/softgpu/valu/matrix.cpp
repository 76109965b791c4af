// Matrix cores: v_mfma_* of gfx908 and later, v_smfmac_* of gfx942. D = A * B + C for one or more
// independent blocks of M x N, the whole wave taking part whatever EXEC says ("MI100", "MI200" and
// "MI300" ISA manuals, matrix chapters; AMD's matrix instruction calculator for the places).
//
// Where the elements lie, for lane l of 64 (example: v_mfma_f32_32x32x1f32, 2 blocks):
//   A[i][k]  i = l % M, then the block, then groups of K; each lane holds `perLane` consecutive k
//   B[k][j]  j = l % N, likewise
//   C, D     j = l % N; register r of a block and l / N give i (rowOf below)
// v_smfmac: of four neighbouring k two of A are kept, and two bits of the third source say for each
// which one it is; A's lane holds half of what B's holds, C is D (multiplySparse below).
// cbsz/abid let groups of 2^cbsz blocks share A block `abid` of the group; blgp permutes B's lanes.
// Sums run over k in order, starting from C: fused for f32 and f64, exact products and one rounding
// per sum for 16 and 8 bits (too large: Rules::limits); xf32 operands lose all but 10 bits of
// mantissa first (the manual says "rounded" in one place and "truncated" in another; who has
// measured it found truncation). gfx90a flushes denormals of f16 and bf16 (halvesFlush in
// targets.def). Integer sums wrap. For f64, gfx942 negates A, B and C by the bits of blgp. Cost:
// M*N*K*blocks multiply-adds, vectorised over j.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/fp8.h"
#include "runtime/softgpu/valu/matrix_call.h"
#include "runtime/softgpu/valu/matrix_nan.h"
#include "runtime/softgpu/valu/small_float.h"

#include <algorithm>
#include <array>

namespace meld::softgpu::valu {

using isa::Inst;
using isa::Op;
using enum Ty;

namespace {

enum class Element { f32, xf32, f16, bf16, fp8, bf8, i8, f64 };

template <Element E> struct Traits {
  using Value = float;
};
template <> struct Traits<Element::i8> {
  using Value = int32_t;
};
template <> struct Traits<Element::f64> {
  using Value = double;
};

/// Source lane of B under blgp.
unsigned permutedLane(unsigned blgp, unsigned lane) {
  switch (blgp) {
  case 1:
    return lane & 31;
  case 2:
    return lane | 32;
  case 3:
    return (lane + 16) & 63;
  case 4:
  case 5:
  case 6:
  case 7:
    return (lane & 15) | (blgp - 4) << 4;
  default:
    return lane;
  }
}

/// Element `k` of a lane.
template <Element E>
typename Traits<E>::Value element(const VRow *v, unsigned lane, unsigned k, Rules rules) {
  if constexpr (E == Element::f32) {
    return __builtin_bit_cast(float, v[0].u[lane]);
  } else if constexpr (E == Element::xf32) {
    uint32_t x = v[k].u[lane];
    if ((x & 0x7fffffff) > 0x7f800000) // a NaN stays one
      x |= kQuiet32;
    return __builtin_bit_cast(float, x & ~0x1fffu);
  } else if constexpr (E == Element::fp8 || E == Element::bf8) {
    const uint8_t code = (uint8_t)(v[k / 4].u[lane] >> (8 * (k % 4)));
    if (rules.ocp)
      return E == Element::fp8 ? OcpFp8::values()[code] : OcpBf8::values()[code];
    return E == Element::fp8 ? Fp8::values()[code] : Bf8::values()[code];
  } else if constexpr (E == Element::f64) {
    return __builtin_bit_cast(double, v[0].u[lane] | (uint64_t)v[1].u[lane] << 32);
  } else if constexpr (E == Element::i8) {
    return (int8_t)(v[k / 4].u[lane] >> (8 * (k % 4)));
  } else {
    uint32_t h = v[k / 2].u[lane] >> (16 * (k & 1)) & 0xffff;
    if (rules.flushes && !(h & (E == Element::f16 ? 0x7c00 : 0x7f80)))
      h &= 0x8000;
    return E == Element::f16 ? _cvtsh_ss((uint16_t)h) : __builtin_bit_cast(float, h << 16);
  }
}

/// Whether a sum has to be made again, step by step: it is a NaN, which stays one to the end, or is
/// too large for `limits`.
template <class V> MELD_INLINE bool isSpecial(V sum, bool limits) {
  return sum != sum || (limits && std::isinf(sum));
}
/// The sum of integers' products that ends at the largest and the smallest number.
int32_t limitedSum(int64_t sum) { return int32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)); }

/// a * b + c; the NaN rule is applied by the caller, where needed.
template <Element E, class V> MELD_INLINE V multiplyAdd(V a, V b, V c) {
  if constexpr (E == Element::i8)
    return (V)((uint32_t)c + (uint32_t)(a * b));
  else if constexpr (E == Element::f64)
    return __builtin_fma(a, b, c);
  else
    return __builtin_fmaf(a, b, c); // with f16 and bf16 the product is exact anyway
}

/// Row of register r (within a block) in the lane group l / N.
template <Element E, unsigned M> unsigned rowOf(unsigned r, unsigned group) {
  if (M == 32)
    return 8 * (r / 4) + 4 * group + r % 4;
  if (M == 16)
    return E == Element::f64 ? 4 * r + group : 4 * group + r;
  return r;
}

template <Element E, Element EB, unsigned M, unsigned K, unsigned Blocks, unsigned PerLane>
void multiply(const Inst &in, Wave &w, Rules rules) {
  using V = typename Traits<E>::Value;
  constexpr unsigned N = M;
  const bool flushes = rules.flushes && (E == Element::f16 || E == Element::bf16);
  const bool limits = rules.limits && E != Element::f64; // results of f32 and i32
  const VRow *va = vectorOperand(w, in.src[0]), *vb = vectorOperand(w, in.src[1]),
             *vc = vectorOperand(w, in.src[2]);
  VRow *vd = const_cast<VRow *>(vectorOperand(w, in.dst));
  alignas(32) std::array<V, 64 * PerLane> a, b; // [block][k][i or j]
  constexpr unsigned perBlock = M * K;
  static_assert(perBlock * Blocks == 64 * PerLane);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const unsigned i = lane % M, block = lane / M % Blocks, outer = lane / (M * Blocks);
    for (unsigned k = 0; k < PerLane; ++k) {
      const unsigned at = block * perBlock + (outer * PerLane + k) * M + i;
      a[at] = element<E>(va, lane, k, rules);
      b[at] = element<EB>(vb, E == Element::f64 ? lane : permutedLane(in.blgp, lane), k, rules);
    }
  }
  bool negateC = false;
  if constexpr (E == Element::f64)
    if (rules.negatesDoubles && in.blgp) {
      negateC = in.blgp & 4;
      for (unsigned at = 0; at < 64; ++at) {
        a[at] = in.blgp & 1 ? -a[at] : a[at];
        b[at] = in.blgp & 2 ? -b[at] : b[at];
      }
    }
  constexpr bool wide = E == Element::f64;
  // How many registers one block takes in a lane, and how the lane's group picks rows or blocks.
  constexpr unsigned groups = 64 / N;
  constexpr unsigned regs = M == 4 ? (wide ? 1 : 4) : M * N / 64;
  constexpr unsigned sets = M == 4 ? 1 : Blocks;
  alignas(32) std::array<V, 64 * regs * sets> out;
  for (unsigned set = 0; set < sets; ++set)
    for (unsigned r = 0; r < regs; ++r)
      for (unsigned group = 0; group < groups; ++group) {
        unsigned i, block;
        if (M == 4) { // the groups are the blocks (and, for f64, the rows)
          block = wide ? group % Blocks : group;
          i = wide ? group / Blocks : r;
        } else {
          block = set;
          i = rowOf<E, M>(r, group);
        }
        unsigned blockA = block;
        if (in.cbsz && !wide)
          blockA = ((block >> in.cbsz << in.cbsz) + in.abid) % Blocks;
        const unsigned reg = set * regs + r;
        V acc[N];
        for (unsigned j = 0; j < N; ++j) {
          const unsigned lane = group * N + j;
          if constexpr (wide) {
            acc[j] = __builtin_bit_cast(V, vc ? vc[2 * reg].u[lane] |
                                                    (uint64_t)vc[2 * reg + 1].u[lane] << 32
                                              : scalarOperand(w, in.src[2], true));
            acc[j] = negateC ? -acc[j] : acc[j];
          } else
            acc[j] = __builtin_bit_cast(V, vc ? vc[reg].u[lane]
                                              : (uint32_t)scalarOperand(w, in.src[2], false));
        }
        V *sum = &out[reg * 64 + group * N];
        for (unsigned j = 0; j < N; ++j)
          sum[j] = acc[j];
        for (unsigned k = 0; k < K; ++k) {
          const V x = a[blockA * perBlock + k * M + i];
          const V *y = &b[block * perBlock + k * M];
          for (unsigned j = 0; j < N; ++j)
            sum[j] = multiplyAdd<E>(x, y[j], sum[j]);
        }
        const auto factors = [&](unsigned k, unsigned j) {
          return std::pair(a[blockA * perBlock + k * M + i], b[block * perBlock + k * M + j]);
        };
        for (unsigned j = 0; j < N; ++j) {
          if constexpr (E == Element::i8) {
            if (!rules.limits)
              break;
            int64_t total = acc[j];
            for (unsigned k = 0; k < K; ++k) {
              const auto [x, y] = factors(k, j);
              total += x * y;
            }
            sum[j] = limitedSum(total);
          } else if (__builtin_expect(isSpecial(sum[j], limits), 0)) {
            V total = acc[j];
            for (unsigned k = 0; k < K; ++k) {
              const auto [x, y] = factors(k, j);
              total = settled(multiplyAdd<E>(x, y, total), x, y, total, limits);
            }
            sum[j] = total;
          }
        }
      }
  for (unsigned reg = 0; reg < regs * sets; ++reg)
    for (unsigned lane = 0; lane < 64; ++lane) {
      V x = out[reg * 64 + lane];
      if constexpr (wide) {
        const uint64_t bits = __builtin_bit_cast(uint64_t, x);
        vd[2 * reg].u[lane] = (uint32_t)bits;
        vd[2 * reg + 1].u[lane] = (uint32_t)(bits >> 32);
      } else {
        uint32_t bits = __builtin_bit_cast(uint32_t, x);
        if (flushes && !(bits & 0x7f800000))
          bits &= 0x80000000;
        vd[reg].u[lane] = bits;
      }
    }
}

/// v_smfmac: A's element r of a lane in group g = lane / M belongs to k = KB * g + 4 * (r / 2) + the
/// index's bits 2r + 1 : 2r, where KB is what a lane holds of B. The index has 8 or 16 bits; with
/// cbsz 0, abid says which of the third source's it is. Those of gfx950 with twice the K (`Double`)
/// have twice the bits, so that 8-bit elements' index is all of the source; and a lane's B is two
/// pieces of 16 bytes, the groups' first pieces before the groups' second ("CDNA4" ISA, 7.5).
template <Element E, Element EB, unsigned M, unsigned K, bool Double>
void multiplySparse(const Inst &in, Wave &w, Rules rules) {
  using V = typename Traits<E>::Value;
  constexpr unsigned N = M, perLaneB = M * K / 64, perLaneA = perLaneB / 2, groups = 64 / M;
  constexpr unsigned indexBits = 2 * perLaneA, sets = 32 / indexBits, regs = M * N / 64;
  constexpr unsigned piece = Double ? perLaneB / 2 : perLaneB;
  const VRow *va = vectorOperand(w, in.src[0]), *vb = vectorOperand(w, in.src[1]),
             *index = vectorOperand(w, in.src[2]);
  VRow *vd = const_cast<VRow *>(vectorOperand(w, in.dst));
  const unsigned noSet = Double ? in.cbsz & 3 : in.cbsz;
  const unsigned shift = noSet ? 0 : in.abid % sets * indexBits;
  alignas(32) std::array<V, 64 * perLaneB> b; // [k][j]
  std::array<V, 64 * perLaneA> a;             // [i][what is kept of k]
  std::array<uint8_t, 64 * perLaneA> kept;    // the k of each
  for (unsigned lane = 0; lane < 64; ++lane) {
    const unsigned i = lane % M, group = lane / M;
    for (unsigned n = 0; n < perLaneB; ++n) {
      const unsigned k = n / piece * (piece * groups) + group * piece + n % piece;
      b[k * N + i] = element<EB>(vb, lane, n, rules);
    }
    for (unsigned r = 0; r < perLaneA; ++r) {
      const unsigned at = i * (K / 2) + group * perLaneA + r;
      a[at] = element<E>(va, lane, r, rules);
      kept[at] =
          (uint8_t)(group * perLaneB + 4 * (r / 2) + (index->u[lane] >> (shift + 2 * r) & 3));
    }
  }
  alignas(32) std::array<V, 64 * regs> out;
  for (unsigned r = 0; r < regs; ++r)
    for (unsigned group = 0; group < groups; ++group) {
      const unsigned i = rowOf<E, M>(r, group);
      V *sum = &out[r * 64 + group * N];
      for (unsigned j = 0; j < N; ++j) {
        const V c = __builtin_bit_cast(V, vd[r].u[group * N + j]);
        sum[j] = c;
        [[maybe_unused]] int64_t wide = int64_t(c); // of integers
        for (unsigned n = 0; n < K / 2; ++n) {
          const V x = a[i * (K / 2) + n], y = b[kept[i * (K / 2) + n] * N + j], old = sum[j];
          sum[j] = multiplyAdd<E>(x, y, old);
          if constexpr (E == Element::i8)
            wide += x * y;
          else if (__builtin_expect(isSpecial(sum[j], rules.limits), 0))
            sum[j] = settled(sum[j], x, y, old, rules.limits);
        }
        if constexpr (E == Element::i8)
          sum[j] = rules.limits ? limitedSum(wide) : sum[j];
      }
    }
  for (unsigned r = 0; r < regs; ++r)
    for (unsigned lane = 0; lane < 64; ++lane)
      vd[r].u[lane] = __builtin_bit_cast(uint32_t, out[r * 64 + lane]);
}

template <Element E, unsigned M, unsigned K, unsigned Blocks, unsigned PerLane, Element EB = E>
OpInfo matrix() {
  OpInfo info;
  info.special = mfma<multiply<E, EB, M, K, Blocks, PerLane>, false>;
  return info;
}
/// gfx942's products of one block and 16 or 8 bits, and of xf32: none takes B's lanes from elsewhere.
template <Element E, unsigned M, unsigned K, unsigned PerLane, Element EB = E> OpInfo matrixAsIs() {
  OpInfo info = matrix<E, M, K, 1, PerLane, EB>();
  info.flags = kNoBlgp;
  return info;
}
template <Element E, unsigned M, unsigned K, Element EB = E> OpInfo sparse() {
  OpInfo info;
  info.special = mfma<multiplySparse<E, EB, M, K, false>, true>;
  return info;
}
template <Element E, unsigned M, unsigned K, Element EB = E> OpInfo doubleSparse() {
  OpInfo info;
  info.special = mfma<multiplySparse<E, EB, M, K, true>, true>;
  return info;
}

/// The four products of fp8 and bf8 in each shape.
void addFloat8Matrices(OpTable &t) {
  constexpr Element fp8 = Element::fp8, bf8 = Element::bf8;
  t[Op::v_mfma_f32_16x16x32_bf8_bf8] = matrixAsIs<bf8, 16, 32, 8>();
  t[Op::v_mfma_f32_16x16x32_bf8_fp8] = matrixAsIs<bf8, 16, 32, 8, fp8>();
  t[Op::v_mfma_f32_16x16x32_fp8_bf8] = matrixAsIs<fp8, 16, 32, 8, bf8>();
  t[Op::v_mfma_f32_16x16x32_fp8_fp8] = matrixAsIs<fp8, 16, 32, 8>();
  t[Op::v_mfma_f32_32x32x16_bf8_bf8] = matrixAsIs<bf8, 32, 16, 8>();
  t[Op::v_mfma_f32_32x32x16_bf8_fp8] = matrixAsIs<bf8, 32, 16, 8, fp8>();
  t[Op::v_mfma_f32_32x32x16_fp8_bf8] = matrixAsIs<fp8, 32, 16, 8, bf8>();
  t[Op::v_mfma_f32_32x32x16_fp8_fp8] = matrixAsIs<fp8, 32, 16, 8>();
  t[Op::v_smfmac_f32_16x16x64_bf8_bf8] = sparse<bf8, 16, 64>();
  t[Op::v_smfmac_f32_16x16x64_bf8_fp8] = sparse<bf8, 16, 64, fp8>();
  t[Op::v_smfmac_f32_16x16x64_fp8_bf8] = sparse<fp8, 16, 64, bf8>();
  t[Op::v_smfmac_f32_16x16x64_fp8_fp8] = sparse<fp8, 16, 64>();
  t[Op::v_smfmac_f32_32x32x32_bf8_bf8] = sparse<bf8, 32, 32>();
  t[Op::v_smfmac_f32_32x32x32_bf8_fp8] = sparse<bf8, 32, 32, fp8>();
  t[Op::v_smfmac_f32_32x32x32_fp8_bf8] = sparse<fp8, 32, 32, bf8>();
  t[Op::v_smfmac_f32_32x32x32_fp8_fp8] = sparse<fp8, 32, 32>();
}

/// What gfx950 has beyond gfx942: twice the K.
void addDoubleMatrices(OpTable &t) {
  constexpr Element f16 = Element::f16, bf16 = Element::bf16, i8 = Element::i8;
  constexpr Element fp8 = Element::fp8, bf8 = Element::bf8;
  t[Op::v_mfma_f32_16x16x32_f16] = matrixAsIs<f16, 16, 32, 8>();
  t[Op::v_mfma_f32_32x32x16_f16] = matrixAsIs<f16, 32, 16, 8>();
  t[Op::v_mfma_f32_16x16x32_bf16] = matrixAsIs<bf16, 16, 32, 8>();
  t[Op::v_mfma_f32_32x32x16_bf16] = matrixAsIs<bf16, 32, 16, 8>();
  t[Op::v_mfma_i32_16x16x64_i8] = matrixAsIs<i8, 16, 64, 16>();
  t[Op::v_mfma_i32_32x32x32_i8] = matrixAsIs<i8, 32, 32, 16>();
  t[Op::v_smfmac_f32_16x16x64_f16] = doubleSparse<f16, 16, 64>();
  t[Op::v_smfmac_f32_32x32x32_f16] = doubleSparse<f16, 32, 32>();
  t[Op::v_smfmac_f32_16x16x64_bf16] = doubleSparse<bf16, 16, 64>();
  t[Op::v_smfmac_f32_32x32x32_bf16] = doubleSparse<bf16, 32, 32>();
  t[Op::v_smfmac_i32_16x16x128_i8] = doubleSparse<i8, 16, 128>();
  t[Op::v_smfmac_i32_32x32x64_i8] = doubleSparse<i8, 32, 64>();
  t[Op::v_smfmac_f32_16x16x128_bf8_bf8] = doubleSparse<bf8, 16, 128>();
  t[Op::v_smfmac_f32_16x16x128_bf8_fp8] = doubleSparse<bf8, 16, 128, fp8>();
  t[Op::v_smfmac_f32_16x16x128_fp8_bf8] = doubleSparse<fp8, 16, 128, bf8>();
  t[Op::v_smfmac_f32_16x16x128_fp8_fp8] = doubleSparse<fp8, 16, 128>();
  t[Op::v_smfmac_f32_32x32x64_bf8_bf8] = doubleSparse<bf8, 32, 64>();
  t[Op::v_smfmac_f32_32x32x64_bf8_fp8] = doubleSparse<bf8, 32, 64, fp8>();
  t[Op::v_smfmac_f32_32x32x64_fp8_bf8] = doubleSparse<fp8, 32, 64, bf8>();
  t[Op::v_smfmac_f32_32x32x64_fp8_fp8] = doubleSparse<fp8, 32, 64>();
}

} // namespace

void addMatrix(OpTable &t) {
  t[Op::v_mfma_f32_32x32x1f32] = matrix<Element::f32, 32, 1, 2, 1>();
  t[Op::v_mfma_f32_16x16x1f32] = matrix<Element::f32, 16, 1, 4, 1>();
  t[Op::v_mfma_f32_4x4x1f32] = matrix<Element::f32, 4, 1, 16, 1>();
  t[Op::v_mfma_f32_32x32x2f32] = matrix<Element::f32, 32, 2, 1, 1>();
  t[Op::v_mfma_f32_16x16x4f32] = matrix<Element::f32, 16, 4, 1, 1>();

  t[Op::v_mfma_f32_32x32x4f16] = matrix<Element::f16, 32, 4, 2, 4>();
  t[Op::v_mfma_f32_16x16x4f16] = matrix<Element::f16, 16, 4, 4, 4>();
  t[Op::v_mfma_f32_4x4x4f16] = matrix<Element::f16, 4, 4, 16, 4>();
  t[Op::v_mfma_f32_32x32x8f16] = matrix<Element::f16, 32, 8, 1, 4>();
  t[Op::v_mfma_f32_16x16x16f16] = matrix<Element::f16, 16, 16, 1, 4>();

  t[Op::v_mfma_f32_32x32x2bf16] = matrix<Element::bf16, 32, 2, 2, 2>();
  t[Op::v_mfma_f32_16x16x2bf16] = matrix<Element::bf16, 16, 2, 4, 2>();
  t[Op::v_mfma_f32_4x4x2bf16] = matrix<Element::bf16, 4, 2, 16, 2>();
  t[Op::v_mfma_f32_32x32x4bf16] = matrix<Element::bf16, 32, 4, 1, 2>();
  t[Op::v_mfma_f32_16x16x8bf16] = matrix<Element::bf16, 16, 8, 1, 2>();
  t[Op::v_mfma_f32_32x32x4bf16_1k] = matrix<Element::bf16, 32, 4, 2, 4>();
  t[Op::v_mfma_f32_16x16x4bf16_1k] = matrix<Element::bf16, 16, 4, 4, 4>();
  t[Op::v_mfma_f32_4x4x4bf16_1k] = matrix<Element::bf16, 4, 4, 16, 4>();
  t[Op::v_mfma_f32_32x32x8bf16_1k] = matrix<Element::bf16, 32, 8, 1, 4>();
  t[Op::v_mfma_f32_16x16x16bf16_1k] = matrix<Element::bf16, 16, 16, 1, 4>();

  t[Op::v_mfma_i32_32x32x4i8] = matrix<Element::i8, 32, 4, 2, 4>();
  t[Op::v_mfma_i32_16x16x4i8] = matrix<Element::i8, 16, 4, 4, 4>();
  t[Op::v_mfma_i32_4x4x4i8] = matrix<Element::i8, 4, 4, 16, 4>();
  t[Op::v_mfma_i32_32x32x8i8] = matrix<Element::i8, 32, 8, 1, 4>();
  t[Op::v_mfma_i32_16x16x16i8] = matrix<Element::i8, 16, 16, 1, 4>();

  t[Op::v_mfma_f64_16x16x4f64] = matrix<Element::f64, 16, 4, 1, 1>();
  t[Op::v_mfma_f64_4x4x4f64] = matrix<Element::f64, 4, 4, 4, 1>();

  // Under gfx942's names.
  t[Op::v_mfma_f32_32x32x1_2b_f32] = t[Op::v_mfma_f32_32x32x1f32];
  t[Op::v_mfma_f32_16x16x1_4b_f32] = t[Op::v_mfma_f32_16x16x1f32];
  t[Op::v_mfma_f32_4x4x1_16b_f32] = t[Op::v_mfma_f32_4x4x1f32];
  t[Op::v_mfma_f32_32x32x2_f32] = t[Op::v_mfma_f32_32x32x2f32];
  t[Op::v_mfma_f32_16x16x4_f32] = t[Op::v_mfma_f32_16x16x4f32];
  t[Op::v_mfma_f32_32x32x4_2b_f16] = t[Op::v_mfma_f32_32x32x4f16];
  t[Op::v_mfma_f32_16x16x4_4b_f16] = t[Op::v_mfma_f32_16x16x4f16];
  t[Op::v_mfma_f32_4x4x4_16b_f16] = t[Op::v_mfma_f32_4x4x4f16];
  t[Op::v_mfma_f32_32x32x8_f16] = matrixAsIs<Element::f16, 32, 8, 4>();
  t[Op::v_mfma_f32_16x16x16_f16] = matrixAsIs<Element::f16, 16, 16, 4>();
  t[Op::v_mfma_f32_32x32x4_2b_bf16] = t[Op::v_mfma_f32_32x32x4bf16_1k];
  t[Op::v_mfma_f32_16x16x4_4b_bf16] = t[Op::v_mfma_f32_16x16x4bf16_1k];
  t[Op::v_mfma_f32_4x4x4_16b_bf16] = t[Op::v_mfma_f32_4x4x4bf16_1k];
  t[Op::v_mfma_f32_32x32x8_bf16] = matrixAsIs<Element::bf16, 32, 8, 4>();
  t[Op::v_mfma_f32_16x16x16_bf16] = matrixAsIs<Element::bf16, 16, 16, 4>();
  t[Op::v_mfma_i32_32x32x4_2b_i8] = t[Op::v_mfma_i32_32x32x4i8];
  t[Op::v_mfma_i32_16x16x4_4b_i8] = t[Op::v_mfma_i32_16x16x4i8];
  t[Op::v_mfma_i32_4x4x4_16b_i8] = t[Op::v_mfma_i32_4x4x4i8];
  t[Op::v_mfma_f64_16x16x4_f64] = t[Op::v_mfma_f64_16x16x4f64];
  t[Op::v_mfma_f64_4x4x4_4b_f64] = t[Op::v_mfma_f64_4x4x4f64];

  t[Op::v_mfma_f32_16x16x8_xf32] = matrixAsIs<Element::xf32, 16, 8, 2>();
  t[Op::v_mfma_f32_32x32x4_xf32] = matrixAsIs<Element::xf32, 32, 4, 2>();
  t[Op::v_mfma_i32_32x32x16_i8] = matrixAsIs<Element::i8, 32, 16, 8>();
  t[Op::v_mfma_i32_16x16x32_i8] = matrixAsIs<Element::i8, 16, 32, 8>();
  addFloat8Matrices(t);
  addDoubleMatrices(t);

  t[Op::v_smfmac_f32_16x16x32_f16] = sparse<Element::f16, 16, 32>();
  t[Op::v_smfmac_f32_32x32x16_f16] = sparse<Element::f16, 32, 16>();
  t[Op::v_smfmac_f32_16x16x32_bf16] = sparse<Element::bf16, 16, 32>();
  t[Op::v_smfmac_f32_32x32x16_bf16] = sparse<Element::bf16, 32, 16>();
  t[Op::v_smfmac_i32_16x16x64_i8] = sparse<Element::i8, 16, 64>();
  t[Op::v_smfmac_i32_32x32x32_i8] = sparse<Element::i8, 32, 32>();
}

} // namespace meld::softgpu::valu
