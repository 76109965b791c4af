// Minima and maxima of GFX12, where no mode decides what becomes of a NaN: *_num_* prefer numbers,
// the others NaNs (minmax.h; "RDNA4" ISA, V_MIN_NUM_F32 .. V_MAXIMUMMINIMUM_F16).
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/half.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

/// A function of floats as one of f16: exact, since one of the operands comes out.
template <auto F>
constexpr auto kHalves2 = [](U32 a, U32 b) { return narrowHalf(F(widenKeep(a), widenKeep(b))); };
template <auto F>
constexpr auto kHalves3 =
    [](U32 a, U32 b, U32 c) { return narrowHalf(F(widenKeep(a), widenKeep(b), widenKeep(c))); };

constexpr auto minNum = [](auto a, auto b) { return minNumOf(a, b); };
constexpr auto maxNum = [](auto a, auto b) { return maxNumOf(a, b); };
constexpr auto minimum = [](auto a, auto b) { return minimumOf(a, b); };
constexpr auto maximum = [](auto a, auto b) { return maximumOf(a, b); };
/// Of the result of F and a third.
template <auto F, auto G>
constexpr auto kThen = [](auto a, auto b, auto c) { return G(F(a, b), c); };
constexpr auto med3Num = [](auto a, auto b, auto c) { return med3NumOf(a, b, c); };

template <auto F> OpInfo two32() {
  return vec<Sig<f32, f32, f32>, [](F32 a, F32 b) { return F(a, b); }>();
}
template <auto F> OpInfo three32() {
  return vec<Sig<f32, f32, f32, f32>, [](F32 a, F32 b, F32 c) { return F(a, b, c); }>();
}
template <auto F> OpInfo two64() {
  return vec<Sig<f64, f64, f64>, [](F64 a, F64 b) { return F(a, b); }>();
}
template <auto F> OpInfo two16() { return vec<Sig<f16, f16, f16>, kHalves2<F>>(); }
template <auto F> OpInfo three16() { return vec<Sig<f16, f16, f16, f16>, kHalves3<F>>(); }

} // namespace

void addMinima(OpTable &t) {
  t[Op::v_min_num_f32] = two32<minNum>();
  t[Op::v_max_num_f32] = two32<maxNum>();
  t[Op::v_minimum_f32] = two32<minimum>();
  t[Op::v_maximum_f32] = two32<maximum>();
  t[Op::v_min_num_f64] = two64<minNum>();
  t[Op::v_max_num_f64] = two64<maxNum>();
  t[Op::v_minimum_f64] = two64<minimum>();
  t[Op::v_maximum_f64] = two64<maximum>();
  t[Op::v_min_num_f16] = two16<minNum>();
  t[Op::v_max_num_f16] = two16<maxNum>();
  t[Op::v_minimum_f16] = two16<minimum>();
  t[Op::v_maximum_f16] = two16<maximum>();

  t[Op::v_min3_num_f32] = three32<kThen<minNum, minNum>>();
  t[Op::v_max3_num_f32] = three32<kThen<maxNum, maxNum>>();
  t[Op::v_med3_num_f32] = three32<med3Num>();
  t[Op::v_minmax_num_f32] = three32<kThen<minNum, maxNum>>();
  t[Op::v_maxmin_num_f32] = three32<kThen<maxNum, minNum>>();
  t[Op::v_minimummaximum_f32] = three32<kThen<minimum, maximum>>();
  t[Op::v_maximumminimum_f32] = three32<kThen<maximum, minimum>>();

  t[Op::v_min3_num_f16] = three16<kThen<minNum, minNum>>();
  t[Op::v_max3_num_f16] = three16<kThen<maxNum, maxNum>>();
  t[Op::v_med3_num_f16] = three16<med3Num>();
  t[Op::v_minmax_num_f16] = three16<kThen<minNum, maxNum>>();
  t[Op::v_maxmin_num_f16] = three16<kThen<maxNum, minNum>>();
  t[Op::v_minimum3_f16] = three16<kThen<minimum, minimum>>();
  t[Op::v_maximum3_f16] = three16<kThen<maximum, maximum>>();
  t[Op::v_minimummaximum_f16] = three16<kThen<minimum, maximum>>();
  t[Op::v_maximumminimum_f16] = three16<kThen<maximum, minimum>>();
}

} // namespace meld::softgpu::valu
