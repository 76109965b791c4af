// Conversions with a scale of 32 numbers of each lane, to and from floats of 6 bits, which lie one behind
// the other in six registers; see scaled.h. The 2xpk16 forms take 16 numbers from each of two sources,
// the first source's and the second's by turns ("CDNA4" ISA, V_CVT_SCALEF32_2XPK16_FP6_F32).
#include "runtime/softgpu/valu/scaled.h"

namespace meld::softgpu::valu {

using isa::Inst;
using isa::Op;
using isa::Operand;
using enum Ty;

namespace {

constexpr unsigned kNumbers = 32, kShortRows = 6;

using Converts = void (*)(const Inst &, Wave &);

/// Rounds to nearest with denormals on.
template <Converts C, unsigned Vectors> const ExecInst *converts(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  bool registers = in.dst.kind == Operand::Kind::vgpr;
  for (unsigned k = 0; k < Vectors; ++k)
    registers = registers && in.src[k].kind == Operand::Kind::vgpr;
  if (!registers)
    return w.raise(i, FaultKind::illegalInstruction, "a vector conversion needs VGPRs");
  if (w.mode & Mode::gprIdxEn)
    return w.raise(i, FaultKind::illegalInstruction, "a vector conversion with VGPR indexing");
  callToNearest([&] { C(in, w); });
  return following(i);
}

/// Where element `n` is: by turns in two sources, or one after the other in one.
template <class W, bool Two>
double wideElement(const Inst &in, const Wave &w, unsigned lane, unsigned n) {
  const Operand &o = in.src[Two ? n % 2 : 0];
  uint32_t x = bitsAt(vectorOperand(w, o), lane, (Two ? n / 2 : n) * W::bits, W::bits);
  return W::decode(W::bits == 32 ? asSource(x, w.mode) : x);
}

enum class Rounding { nearest, atRandom };

template <class F, class W, Rounding R, bool Two> void narrow(const Inst &in, Wave &w) {
  constexpr unsigned scaleAt = Two || R == Rounding::atRandom ? 2 : 1;
  std::array<VRow, kShortRows> out;
  forActive(w.exec(), [&](unsigned lane) {
    const double scale = scaleOf(laneValue(w, in.src[scaleAt], lane));
    uint32_t random = R == Rounding::atRandom ? laneValue(w, in.src[1], lane) : 0;
    std::array<uint32_t, kShortRows + 1> bits{};
    for (unsigned n = 0; n < kNumbers; ++n, random = nextRandom(random)) {
      const double x = dividedBy(scale, wideElement<W, Two>(in, w, lane, n));
      const uint32_t code =
          R == Rounding::atRandom ? F::encodeStochastic(x, random, true) : F::encode(x, true);
      const unsigned at = n * F::bits;
      const uint64_t placed = uint64_t(code) << (at % 32);
      bits[at / 32] |= uint32_t(placed);
      bits[at / 32 + 1] |= uint32_t(placed >> 32);
    }
    for (unsigned d = 0; d < kShortRows; ++d)
      out[d].u[lane] = bits[d];
  });
  for (unsigned d = 0; d < kShortRows; ++d)
    writeRow(w.v[in.dst.index + d].u, out[d].u, w.exec());
}

template <class W, class F> void widen(const Inst &in, Wave &w) {
  constexpr unsigned rows = kNumbers * W::bits / 32;
  std::array<VRow, rows> out;
  const VRow *from = vectorOperand(w, in.src[0]);
  forActive(w.exec(), [&](unsigned lane) {
    const double scale = scaleOf(laneValue(w, in.src[1], lane));
    std::array<uint32_t, rows> bits{};
    for (unsigned n = 0; n < kNumbers; ++n) {
      const double x = F::values()[bitsAt(from, lane, n * F::bits, F::bits)];
      bits[n * W::bits / 32] |= W::encode(multipliedBy(scale, x), w.mode) << (n * W::bits % 32);
    }
    for (unsigned d = 0; d < rows; ++d)
      out[d].u[lane] = bits[d];
  });
  for (unsigned d = 0; d < rows; ++d)
    writeRow(w.v[in.dst.index + d].u, out[d].u, w.exec());
}

template <Converts C, unsigned Vectors = 1> OpInfo vectors() {
  OpInfo info;
  info.special = converts<C, Vectors>;
  info.flags = kPlain;
  return info;
}

} // namespace

void addScaledVectors(OpTable &t) {
  constexpr Rounding nearest = Rounding::nearest, atRandom = Rounding::atRandom;
#define SIX_BITS(name, F)                                                                          \
  t[Op::v_cvt_scalef32_2xpk16_##name##_f32] = vectors<narrow<F, Single, nearest, true>, 2>();      \
  t[Op::v_cvt_scalef32_pk32_##name##_f16] = vectors<narrow<F, HalfPrecision, nearest, false>>();   \
  t[Op::v_cvt_scalef32_pk32_##name##_bf16] = vectors<narrow<F, Bfloat, nearest, false>>();         \
  t[Op::v_cvt_scalef32_sr_pk32_##name##_f32] = vectors<narrow<F, Single, atRandom, false>>();      \
  t[Op::v_cvt_scalef32_sr_pk32_##name##_f16] =                                                     \
      vectors<narrow<F, HalfPrecision, atRandom, false>>();                                        \
  t[Op::v_cvt_scalef32_sr_pk32_##name##_bf16] = vectors<narrow<F, Bfloat, atRandom, false>>();     \
  t[Op::v_cvt_scalef32_pk32_f32_##name] = vectors<widen<Single, F>>();                             \
  t[Op::v_cvt_scalef32_pk32_f16_##name] = vectors<widen<HalfPrecision, F>>();                      \
  t[Op::v_cvt_scalef32_pk32_bf16_##name] = vectors<widen<Bfloat, F>>();
  SIX_BITS(fp6, OcpFp6)
  SIX_BITS(bf6, OcpBf6)
#undef SIX_BITS
}

} // namespace meld::softgpu::valu
