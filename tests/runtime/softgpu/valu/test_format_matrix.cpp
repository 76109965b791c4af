// v_mfma_f32_*_f8f6f4 and v_mfma_scale_f32_*_f8f6f4 of gfx950: sums of products of values from the
// formats' definitions, each rounded once. Where elements and scales lie is read from the "CDNA4" ISA,
// chapters 7.1.4 and 7.2; the words are LLVM 21's.
#include "tests/runtime/softgpu/valu/gfx950.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

namespace meld::test {
namespace {

using namespace softgpu;

constexpr OcpFloat kFormats[] = {kFp8, kBf8, kFp6, kBf6, kFp4};

struct Product {
  std::vector<uint32_t> words;
  unsigned m, k, formatA, formatB;
  bool scaled = false;
  unsigned byteA = 0, byteB = 0; ///< of the scales' registers v20 and v21
};

double element(const std::vector<VRow> &rows, unsigned first, const OcpFloat &f, unsigned m,
               unsigned K, unsigned i, unsigned k) {
  unsigned lane, at;
  if (f.width() == 8) { // two pieces of 16
    lane = i + m * (k % (K / 2) / 16);
    at = k / (K / 2) * 16 + k % 16;
  } else {
    lane = i + m * (k / 32);
    at = k % 32;
  }
  unsigned code = 0;
  for (unsigned bit = 0; bit < unsigned(f.width()); ++bit) {
    const unsigned n = at * unsigned(f.width()) + bit;
    code |= (rows[first + n / 32].u[lane] >> (n % 32) & 1) << bit;
  }
  return f.value(code);
}
double scale(const std::vector<VRow> &rows, unsigned row, unsigned byte, unsigned m, unsigned i,
             unsigned k) {
  const uint8_t e = uint8_t(rows[row].u[i + m * (k / 32)] >> (8 * byte));
  return e == 255 ? NAN : std::ldexp(1, int(e) - 127);
}

/// The product of the elements and their scales as m * 2^e: the significands have four bits each.
Exact exactProduct(double x) {
  Exact r;
  int e;
  const double fraction = std::frexp(std::fabs(x), &e);
  r.negative = std::signbit(x);
  r.m = uint64_t(std::ldexp(fraction, 53));
  r.e = e - 53;
  return r;
}
uint32_t addTo(uint32_t sum, double x) {
  const double c = std::bit_cast<float>(sum);
  if (std::isnan(x) || std::isnan(c))
    return 0x7fc00000;
  if (std::isinf(c) || std::isinf(x)) {
    const double r = std::isinf(c) && std::isinf(x) && c != x ? NAN : std::isinf(c) ? c : x;
    return std::isnan(r) ? 0x7fc00000 : std::bit_cast<uint32_t>(float(r));
  }
  if (x == 0)
    return std::bit_cast<uint32_t>(float(c) + float(x));
  if (c == 0)
    return uint32_t(round(kSingle, exactProduct(x), toNearest));
  // Magnitudes here are near enough for a sum in 128 bits.
  const Exact a = exactProduct(c), b = exactProduct(x);
  const int low = std::min(a.e, b.e);
  EXPECT_LT(std::max(a.e, b.e) - low, 70);
  const auto whole = [low](const Exact &v) {
    const __int128 m = __int128(v.m << (v.e - low));
    return v.negative ? -m : m;
  };
  const __int128 total = whole(a) + whole(b);
  if (total == 0)
    return 0;
  Exact r;
  r.negative = total < 0;
  r.m = (unsigned __int128)(total < 0 ? -total : total);
  r.e = low;
  return uint32_t(round(kSingle, r, toNearest));
}

void checkProduct(const Product &p, unsigned seed) {
  Machine m;
  m.fill(seed);
  const bool specials = seed % 3 == 2;
  for (unsigned row = 40; row < 56; ++row)
    for (unsigned l = 0; l < 64; ++l) {
      const bool eight = kFormats[row < 48 ? p.formatA : p.formatB].width() == 8;
      if (eight && !specials) // no NaN, no infinity, no large exponents
        m.v(row).u[l] &= 0xbfbfbfbf;
    }
  for (unsigned l = 0; l < 64; ++l) {
    for (unsigned r = 0; r < 16; ++r)
      m.v(r).u[l] = 0x3f000000 + (m.v(r).u[l] & 0x80ffffff);
    for (unsigned r : {20, 21})
      m.v(r).u[l] = 0x7c7c7c7c + (m.v(r).u[l] & 0x07070707);
    if (specials && l == 5)
      m.v(20).u[l] = 0xffffffff;
  }
  const std::vector<VRow> before = m.rows;
  m.wave.exec() = 0x5; // matrix instructions ignore EXEC
  Inst i;
  ASSERT_EQ(isa::decode(p.words.data(), p.words.size() * 4, Target::gfx950, i),
            isa::DecodeStatus::ok);
  ASSERT_TRUE(m.run(i, Target::gfx950));
  const OcpFloat &fa = kFormats[p.formatA], &fb = kFormats[p.formatB];
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned col = 0; col < p.m; ++col) {
      const unsigned gpr = p.m == 32 ? 4 * (row / 8) + row % 4 : row % 4;
      const unsigned lane = (p.m == 32 ? 32 * (row / 4) % 64 : 16 * (row / 4)) + col;
      uint32_t sum = before[gpr].u[lane];
      for (unsigned k = 0; k < p.k; ++k) {
        double x =
            element(before, 40, fa, p.m, p.k, row, k) * element(before, 48, fb, p.m, p.k, col, k);
        if (p.scaled)
          x *= scale(before, 20, p.byteA, p.m, row, k) * scale(before, 21, p.byteB, p.m, col, k);
        sum = addTo(sum, x);
      }
      uint32_t got = m.v(gpr).u[lane];
      if ((got & 0x7fffffff) > 0x7f800000)
        got = 0x7fc00000;
      ASSERT_EQ(got, sum) << std::hex << "row " << row << " col " << col << " seed " << seed;
    }
}

TEST(ValuFormatMatrix, Products) {
  const Product products[] = {
      // v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[40:45], v[48:51], v[0:3] cbsz:2 blgp:4
      {{0xd3ad0200, 0x84026128}, 16, 128, 2, 4},
      // v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[40:47], v[48:53], v[0:15] cbsz:1 blgp:3
      {{0xd3ae0100, 0x64026128}, 32, 64, 1, 3},
      // v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[40:47], v[48:53], v[0:3], v20, v21
      // op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:2
      {{0xd3ac0800, 0x10022b14, 0xd3ad0800, 0x44026128}, 16, 128, 0, 2, true, 1, 2},
      // v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[40:43], v[48:51], v[0:15], v20, v21
      // op_sel:[1,1,0] op_sel_hi:[1,0,0] cbsz:4 blgp:4
      {{0xd3ac1800, 0x08022b14, 0xd3ae0c00, 0x84026128}, 32, 64, 4, 4, true, 3, 1},
  };
  for (const Product &p : products)
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(p.words[0]);
      checkProduct(p, seed);
      if (HasFatalFailure())
        return;
    }
}

/// All 25 pairs of formats, with and without scales.
TEST(ValuFormatMatrix, Formats) {
  for (unsigned a = 0; a < 5; ++a)
    for (unsigned b = 0; b < 5; ++b)
      for (bool wide : {false, true}) {
        const uint32_t product = (wide ? 0xd3ae0000 : 0xd3ad0000) | a << 8,
                       operands = 0x04026128 | b << 29;
        const unsigned m = wide ? 32 : 16, k = wide ? 64 : 128;
        checkProduct({{product, operands}, m, k, a, b}, a + b);
        checkProduct({{0xd3ac0000, 0x00022b14, product | 0x800, operands}, m, k, a, b, true},
                     a + 2 * b);
        if (HasFatalFailure())
          return;
      }
}

/// 1.0 and a scalar register as scales, the same for all: 2 * 1.5 * 2^3 in each of 128.
TEST(ValuFormatMatrix, ScalarScales) {
  Machine m;
  for (unsigned l = 0; l < 64; ++l) {
    for (unsigned r = 40; r < 48; ++r) {
      m.v(r).u[l] = 0x40404040;     // fp8: 2
      m.v(r + 8).u[l] = 0x3c3c3c3c; // 1.5
    }
    for (unsigned r = 0; r < 4; ++r)
      m.v(r).u[l] = 0x3f800000;
  }
  m.wave.s[6] = 130;
  // v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[40:47], v[48:55], v[0:3], 1.0, s6 op_sel_hi:[0,0,0]
  runWords(m, {0xd3ac0000, 0x00000cf2, 0xd3ad0800, 0x04026128});
  for (unsigned l = 0; l < 64; ++l)
    EXPECT_EQ(std::bit_cast<float>(m.v(3).u[l]), 1 + 128 * 24.0f);
  // v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[40:47], v[48:55], v[0:3], s6, 1.0 op_sel_hi:[0,0,0]
  runWords(m, {0xd3ac0000, 0x0001e406, 0xd3ad0800, 0x04026128});
  for (unsigned l = 0; l < 64; ++l)
    EXPECT_EQ(std::bit_cast<float>(m.v(3).u[l]), 1 + 2 * 128 * 24.0f);
}

/// MODE.FP16_OVFL, of all matrix instructions of gfx950 ("CDNA4" ISA, 7.1.2, 7.1.5 and 7.5): sums
/// that are too large are the largest number of their sign, but where an element is infinite.
TEST(ValuFormatMatrix, SumsThatAreTooLarge) {
  struct Case {
    std::vector<uint32_t> words;
    uint32_t a, b, c, result, limited;
    Target target = Target::gfx950;
  };
  const uint32_t infinity = 0x7f800000, largest = 0x7f7fffff, minus = 0x80000000;
  const uint32_t big = 0x7f7f7f7f, minusBig = 0xff7fff7f, one = 0x3f803f80; // bf16
  const Case cases[] = {
      // v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[0:3]
      {{0xd3b50000, 0x04021104}, big, one, 0, infinity, largest},
      {{0xd3b50000, 0x04021104}, minusBig, one, 0, infinity | minus, largest | minus},
      {{0xd3b50000, 0x04021104}, 0x7f807f80, one, 0, infinity, infinity},
      {{0xd3b50000, 0x04021104}, big, one, infinity, infinity, infinity},
      // v_mfma_f32_16x16x16_bf16 v[0:3], v[4:5], v[8:9], v[0:3]: nothing is known of gfx942's
      {{0xd3e10000, 0x04021104}, big, one, 0, infinity, infinity, Target::gfx942},
      // v_mfma_i32_16x16x64_i8 v[0:3], v[4:7], v[8:11], v[0:3]: 64 * 127 * 127, or -64 * 128 * 127
      {{0xd3b60000, 0x04021104}, big, big, 0x7fffff00, 0x800fbf40, 0x7fffffff},
      {{0xd3b60000, 0x04021104}, 0x80808080, big, 0x80000100, 0x7ff02100, 0x80000000},
      {{0xd3b60000, 0x04021104}, big, big, 5, 0x000fc045, 0x000fc045},
      // v_smfmac_f32_16x16x64_bf16 v[0:3], v[4:7], v[8:15], v16
      {{0xd3b90000, 0x04421104}, minusBig, one, 0, infinity | minus, largest | minus},
      // v_smfmac_i32_16x16x128_i8 v[0:3], v[4:7], v[8:15], v16
      {{0xd3ba0000, 0x04421104}, big, big, 0x7fffff00, 0x800fbf40, 0x7fffffff},
      // v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3], v20, v20
      // op_sel_hi:[0,0,0] cbsz:1 blgp:1
      {{0xd3ac0000, 0x00022914, 0xd3ad0900, 0x24021904},
       0x7b7b7b7b,
       0x7b7b7b7b,
       0,
       infinity,
       largest},
      {{0xd3ac0000, 0x00022914, 0xd3ad0900, 0x24021904},
       0x7c7c7c7c,
       0x7b7b7b7b,
       0,
       infinity,
       infinity}};
  for (const Case &c : cases)
    for (bool limits : {false, true}) {
      Machine m;
      m.wave.setMode(limits ? kDefaultMode | Mode::fp16Ovfl : kDefaultMode);
      for (unsigned l = 0; l < 64; ++l) {
        for (unsigned r = 0; r < 4; ++r) {
          m.v(r).u[l] = c.c;
          m.v(4 + r).u[l] = c.a;
        }
        for (unsigned r = 8; r < 20; ++r)
          m.v(r).u[l] = c.b;
        if (c.words.size() == 4)
          for (unsigned r = 8; r < 12; ++r)
            m.v(r).u[l] = c.a;
        m.v(20).u[l] = 254; // 2^127
      }
      Inst i;
      ASSERT_EQ(isa::decode(c.words.data(), c.words.size() * 4, c.target, i),
                isa::DecodeStatus::ok);
      ASSERT_TRUE(m.run(i, c.target)) << nameOf(i.op);
      for (unsigned r = 0; r < 4; ++r)
        for (unsigned l = 0; l < 64; ++l)
          ASSERT_EQ(m.v(r).u[l], limits ? c.limited : c.result)
              << nameOf(i.op) << std::hex << " " << c.a << " " << c.c;
    }
}

/// Scales with no product behind them are nothing that runs.
TEST(ValuFormatMatrix, ScalesAloneAreRefused) {
  const uint32_t words[] = {0xd3ac4000, 0x18022b14}; // v_mfma_ld_scale_b32 v20, v21
  Inst i;
  ASSERT_EQ(isa::decode(words, sizeof words, Target::gfx950, i), isa::DecodeStatus::ok);
  Machine m;
  EXPECT_FALSE(m.run(i, Target::gfx950));
}

} // namespace
} // namespace meld::test
