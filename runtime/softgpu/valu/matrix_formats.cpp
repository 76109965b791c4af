// v_mfma_f32_*_f8f6f4 and v_mfma_scale_f32_*_f8f6f4 of gfx950 ("CDNA4" ISA, chapters 7.1 to 7.3):
// products of floats of 8, 6 and 4 bits, where cbsz says what A is made of and blgp what B is, and which
// may have a scale for each 32 elements of K.
//
// Where the elements lie, for lane l of 64, group g = l / M, element e of 32 in the lane:
//   6 and 4 bits   k = 32 * g + e, one behind the other without gaps
//   8 bits         k = 16 * g + e for the first 16, K / 2 + 16 * g + e - 16 for the others
//   scales         lane M * (k / 32) + i has that of A's row (B's column) i: a byte, 2^(byte - 127), 255
//                  is NaN; op_sel and op_sel_hi say which byte of the register
// Sums run over k in order, starting from C: exact products with their scales, one rounding per sum.
#include "runtime/softgpu/valu/matrix_call.h"
#include "runtime/softgpu/valu/matrix_nan.h"
#include "runtime/softgpu/valu/scaled.h"

namespace meld::softgpu::valu {

using isa::Inst;
using isa::Op;
using isa::Operand;

namespace {

constexpr unsigned kPerLane = 32, kPerScale = 32;

struct Format {
  unsigned bits;
  const std::array<float, 256> *values;
};
/// What cbsz and blgp mean; the decoder lets no other through.
Format formatOf(unsigned n) {
  switch (n) {
  case 0:
    return {8, &OcpFp8::values()};
  case 1:
    return {8, &OcpBf8::values()};
  case 2:
    return {6, &OcpFp6::values()};
  case 3:
    return {6, &OcpBf6::values()};
  default:
    return {4, &OcpFp4::values()};
  }
}

/// The scale that lane `lane` holds. Of a constant it is the exponent as of an f32.
double scaleOf(const Wave &w, const Operand &o, unsigned byte, unsigned lane) {
  const uint32_t x = laneValue(w, o, lane);
  return scaleOfExponent((o.kind == Operand::Kind::imm ? x >> 23 : x >> (8 * byte)) & 0xff);
}

/// c + p with one rounding. Where the double that the sum has on the way is not exact, its last bit is
/// made odd, towards what is missing, and then rounding it gives what rounding the sum would have.
float addOnce(double p, float c) {
  double sum = p + c;
  if (std::isfinite(sum)) {
    const double other = sum - c, rest = (c - (sum - other)) + (p - other);
    uint64_t bits = __builtin_bit_cast(uint64_t, sum);
    if (rest != 0 && !(bits & 1)) {
      bits += (rest > 0) == (sum > 0) ? 1 : -1;
      sum = __builtin_bit_cast(double, bits);
    }
  }
  return (float)sum;
}

struct Scales {
  bool used = false;
  Operand operand;
  unsigned byte = 0;
};

/// [k][row or column].
template <unsigned M, unsigned K, class V>
void gather(V *out, const Wave &w, const VRow *v, unsigned formatNumber, const Scales &scales) {
  const Format format = formatOf(formatNumber);
  for (unsigned lane = 0; lane < kWaveSize; ++lane) {
    const unsigned i = lane % M, group = lane / M;
    for (unsigned e = 0; e < kPerLane; ++e) {
      const unsigned k = format.bits < 8    ? kPerLane * group + e
                         : e < kPerLane / 2 ? kPerLane / 2 * group + e
                                            : K / 2 + kPerLane / 2 * group + e - kPerLane / 2;
      V x = (*format.values)[bitsAt(v, lane, e * format.bits, format.bits)];
      if (scales.used)
        x *= (V)scaleOf(w, scales.operand, scales.byte, M * (k / kPerScale) + i);
      out[k * M + i] = x;
    }
  }
}

template <bool Scaled, class V> float step(V a, V b, float c) {
  if constexpr (Scaled)
    return addOnce(a * b, c);
  else
    return __builtin_fmaf(a, b, c);
}

template <unsigned M, unsigned K, bool Scaled> void multiply(const Inst &in, Wave &w, Rules rules) {
  using V = std::conditional_t<Scaled, double, float>;
  constexpr unsigned regs = M * M / kWaveSize;
  std::array<V, M * K> a, b;
  gather<M, K>(a.data(), w, vectorOperand(w, in.src[0]), in.cbsz,
               {Scaled, in.src[3], (in.opSel & 1u) | (in.opSelHi & 1u) << 1});
  gather<M, K>(b.data(), w, vectorOperand(w, in.src[1]), in.blgp,
               {Scaled, in.scaleB, (in.opSel >> 1 & 1u) | (in.opSelHi >> 1 & 1u) << 1});
  const VRow *vc = vectorOperand(w, in.src[2]);
  VRow *vd = const_cast<VRow *>(vectorOperand(w, in.dst));
  std::array<VRow, regs> out;
  for (unsigned r = 0; r < regs; ++r)
    for (unsigned lane = 0; lane < kWaveSize; ++lane) {
      const unsigned j = lane % M, group = lane / M;
      const unsigned i = M == 32 ? 8 * (r / 4) + 4 * group + r % 4 : 4 * group + r;
      float sum = __builtin_bit_cast(float, vc ? vc[r].u[lane]
                                               : (uint32_t)scalarOperand(w, in.src[2], false));
      for (unsigned k = 0; k < K; ++k) {
        const V x = a[k * M + i], y = b[k * M + j];
        const float next = step<Scaled>(x, y, sum);
        sum = __builtin_expect(std::isfinite(next), 1) ? next
                                                       : settled(next, x, y, sum, rules.limits);
      }
      out[r].u[lane] = __builtin_bit_cast(uint32_t, sum);
    }
  for (unsigned r = 0; r < regs; ++r)
    vd[r] = out[r];
}

template <unsigned M, unsigned K, bool Scaled> OpInfo formats() {
  OpInfo info;
  info.special = mfma<multiply<M, K, Scaled>, false>;
  return info;
}

} // namespace

void addFormatMatrix(OpTable &t) {
  t[Op::v_mfma_f32_16x16x128_f8f6f4] = formats<16, 128, false>();
  t[Op::v_mfma_f32_32x32x64_f8f6f4] = formats<32, 64, false>();
  t[Op::v_mfma_scale_f32_16x16x128_f8f6f4] = formats<16, 128, true>();
  t[Op::v_mfma_scale_f32_32x32x64_f8f6f4] = formats<32, 64, true>();
}

} // namespace meld::softgpu::valu
