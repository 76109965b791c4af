// v_cmp_* and v_cmpx_*: every relation, width and type; classification.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

namespace meld::test {
namespace {

using namespace softgpu;

/// -1, 0, 1 or 2 for unordered.
using Order = int (*)(uint64_t, uint64_t);

template <class T> int order(uint64_t a, uint64_t b) {
  return (T)a < (T)b ? -1 : (T)a == (T)b ? 0 : 1;
}
template <const Format &F> int orderFloat(uint64_t a, uint64_t b) {
  if (F.isNan(a) || F.isNan(b))
    return 2;
  const auto key = [](uint64_t x) {
    return x & F.sign() ? -(int64_t)F.magnitude(x) : (int64_t)F.magnitude(x);
  };
  return order<int64_t>((uint64_t)key(a), (uint64_t)key(b));
}

/// Runs `op` as v_cmpx: EXEC gets the mask, on GFX9 dst as well.
void checkCmpx(Op op, Target target, const char *types, Order f, bool (*holds)(int)) {
  SCOPED_TRACE(nameOf(op) + " on " + std::string(isa::targetName(target)));
  const isa::TargetTraits traits = isa::traitsOf(target);
  Machine m;
  const bool wide = types[2] == 'q' || types[2] == 'd', half = types[2] == 's' || types[2] == 'h';
  for (uint64_t exec : {~0ull, 0ull, 0x123456789abcdef0ull, 0xffffffffull}) {
    const auto &edges = edgeValues(types[2]);
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned k = 0; k < 2; ++k) {
        const uint64_t x = edges[random64() % edges.size()];
        m.v(10 + 2 * k).u[l] = (uint32_t)x;
        m.v(11 + 2 * k).u[l] = (uint32_t)(x >> 32);
      }
    if (traits.waveSize == 32)
      exec &= 0xffffffff;
    m.wave.exec() = exec;
    const uint64_t vcc = m.wave.vcc() = random64();
    const unsigned dwords = wide ? 2 : 1;
    const Operand dst = traits.generation >= 10 ? Operand{} : sgpr(106, 2);
    ASSERT_TRUE(m.run(make(op, Enc::VOPC, dst, {vgpr(10, dwords), vgpr(12, dwords)}), target));
    uint64_t want = 0;
    for (unsigned l = 0; l < 64; ++l) {
      uint64_t x[2];
      for (unsigned k = 0; k < 2; ++k) {
        x[k] = m.v(10 + 2 * k).u[l];
        if (wide)
          x[k] |= (uint64_t)m.v(11 + 2 * k).u[l] << 32;
        if (half)
          x[k] &= 0xffff;
      }
      want |= (uint64_t)((exec >> l & 1) && holds(f(x[0], x[1]))) << l;
    }
    EXPECT_EQ(m.wave.vcc(), traits.generation >= 10 ? vcc : want);
    EXPECT_EQ(m.wave.exec(), want);
  }
}

void relation(Op cmp, Op cmpx, const char *types, Order f, bool (*holds)(int)) {
  check({cmp, types, [=](Lane &l) { return (uint64_t)holds(f(l.a, l.b)); }, Enc::VOPC});
  checkCmpx(cmpx, Target::gfx90a, types, f, holds);
  for (Target target : kRdnaTargets)
    checkCmpx(cmpx, target, types, f, holds);
}

#define INT_RELATIONS(T, TYPES, F)                                                                 \
  relation(Op::v_cmp_f_##T, Op::v_cmpx_f_##T, TYPES, F, [](int) { return false; });                \
  relation(Op::v_cmp_lt_##T, Op::v_cmpx_lt_##T, TYPES, F, [](int o) { return o < 0; });            \
  relation(Op::v_cmp_eq_##T, Op::v_cmpx_eq_##T, TYPES, F, [](int o) { return o == 0; });           \
  relation(Op::v_cmp_le_##T, Op::v_cmpx_le_##T, TYPES, F, [](int o) { return o <= 0; });           \
  relation(Op::v_cmp_gt_##T, Op::v_cmpx_gt_##T, TYPES, F, [](int o) { return o > 0; });            \
  relation(Op::v_cmp_ne_##T, Op::v_cmpx_ne_##T, TYPES, F, [](int o) { return o != 0; });           \
  relation(Op::v_cmp_ge_##T, Op::v_cmpx_ge_##T, TYPES, F, [](int o) { return o >= 0; });           \
  relation(Op::v_cmp_t_##T, Op::v_cmpx_t_##T, TYPES, F, [](int) { return true; })

TEST(ValuCompare, Integers) {
  INT_RELATIONS(i32, "c:uu", order<int32_t>);
  INT_RELATIONS(u32, "c:uu", order<uint32_t>);
  INT_RELATIONS(i64, "c:qq", order<int64_t>);
  INT_RELATIONS(u64, "c:qq", order<uint64_t>);
  INT_RELATIONS(i16, "c:ss", order<int16_t>);
  INT_RELATIONS(u16, "c:ss", order<uint16_t>);
}

#define FLOAT_RELATIONS(T, TYPES, F)                                                               \
  relation(Op::v_cmp_f_##T, Op::v_cmpx_f_##T, TYPES, F, [](int) { return false; });                \
  relation(Op::v_cmp_lt_##T, Op::v_cmpx_lt_##T, TYPES, F, [](int o) { return o == -1; });          \
  relation(Op::v_cmp_eq_##T, Op::v_cmpx_eq_##T, TYPES, F, [](int o) { return o == 0; });           \
  relation(Op::v_cmp_le_##T, Op::v_cmpx_le_##T, TYPES, F, [](int o) { return o <= 0; });           \
  relation(Op::v_cmp_gt_##T, Op::v_cmpx_gt_##T, TYPES, F, [](int o) { return o == 1; });           \
  relation(Op::v_cmp_lg_##T, Op::v_cmpx_lg_##T, TYPES, F,                                          \
           [](int o) { return o == -1 || o == 1; });                                               \
  relation(Op::v_cmp_ge_##T, Op::v_cmpx_ge_##T, TYPES, F, [](int o) { return o == 0 || o == 1; }); \
  relation(Op::v_cmp_o_##T, Op::v_cmpx_o_##T, TYPES, F, [](int o) { return o != 2; });             \
  relation(Op::v_cmp_u_##T, Op::v_cmpx_u_##T, TYPES, F, [](int o) { return o == 2; });             \
  relation(Op::v_cmp_nge_##T, Op::v_cmpx_nge_##T, TYPES, F,                                        \
           [](int o) { return !(o == 0 || o == 1); });                                             \
  relation(Op::v_cmp_nlg_##T, Op::v_cmpx_nlg_##T, TYPES, F,                                        \
           [](int o) { return !(o == -1 || o == 1); });                                            \
  relation(Op::v_cmp_ngt_##T, Op::v_cmpx_ngt_##T, TYPES, F, [](int o) { return o != 1; });         \
  relation(Op::v_cmp_nle_##T, Op::v_cmpx_nle_##T, TYPES, F, [](int o) { return !(o <= 0); });      \
  relation(Op::v_cmp_neq_##T, Op::v_cmpx_neq_##T, TYPES, F, [](int o) { return o != 0; });         \
  relation(Op::v_cmp_nlt_##T, Op::v_cmpx_nlt_##T, TYPES, F, [](int o) { return o != -1; });        \
  relation(Op::v_cmp_tru_##T, Op::v_cmpx_tru_##T, TYPES, F, [](int) { return true; })

TEST(ValuCompare, Floats) {
  FLOAT_RELATIONS(f32, "c:ff", orderFloat<kSingle>);
  FLOAT_RELATIONS(f64, "c:dd", orderFloat<kDouble>);
  FLOAT_RELATIONS(f16, "c:hh", orderFloat<kHalf>);
}

/// Denormal inputs compare as zeros when MODE flushes them.
TEST(ValuCompare, FlushedDenormals) {
  const uint32_t flush = kDefaultMode & ~0xf0u;
  check({Op::v_cmp_lt_f32, "c:ff",
         [](Lane &l) {
           return (uint64_t)(orderFloat<kSingle>(flushDenormal(kSingle, l.a),
                                                 flushDenormal(kSingle, l.b)) == -1);
         },
         Enc::VOPC, false, flush});
  check({Op::v_cmp_eq_f64, "c:dd",
         [](Lane &l) {
           return (uint64_t)(orderFloat<kDouble>(flushDenormal(kDouble, l.a),
                                                 flushDenormal(kDouble, l.b)) == 0);
         },
         Enc::VOPC, false, flush});
}

template <const Format &F> uint64_t classOf(uint64_t x, uint64_t wanted) {
  const bool neg = x & F.sign();
  int bit;
  if (F.isNan(x))
    bit = x & F.quietBit() ? 1 : 0;
  else if (F.isInf(x))
    bit = neg ? 2 : 9;
  else if (F.isZero(x))
    bit = neg ? 5 : 6;
  else if (F.isDenormal(x))
    bit = neg ? 4 : 7;
  else
    bit = neg ? 3 : 8;
  return wanted >> bit & 1;
}
TEST(ValuCompare, Class) {
  check(
      {Op::v_cmp_class_f32, "c:fu", [](Lane &l) { return classOf<kSingle>(l.a, l.b); }, Enc::VOPC});
  check(
      {Op::v_cmp_class_f64, "c:du", [](Lane &l) { return classOf<kDouble>(l.a, l.b); }, Enc::VOPC});
  check({Op::v_cmp_class_f16, "c:hs", [](Lane &l) { return classOf<kHalf>(l.a, l.b); }, Enc::VOPC});
}

} // namespace
} // namespace meld::test
