#include "tests/runtime/softgpu/mem/reference.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

namespace meld::softgpu::test {
namespace {

template <class T> T get(const uint8_t *p) {
  T x = 0;
  std::memcpy(&x, p, sizeof(T));
  return x;
}
template <class T> void put(uint8_t *p, T x) { std::memcpy(p, &x, sizeof(T)); }
template <class A, class B> A as(B b) {
  static_assert(sizeof(A) == sizeof(B));
  A a;
  std::memcpy(&a, &b, sizeof(a));
  return a;
}

struct Small {
  unsigned bytes;
  bool isSigned;
  int half; // -1 whole register, 0 low, 1 high
};
const std::map<std::string, Small> kSmallLoads = {
    {"load_ubyte", {1, false, -1}},    {"load_sbyte", {1, true, -1}},
    {"load_ushort", {2, false, -1}},   {"load_sshort", {2, true, -1}},
    {"load_ubyte_d16", {1, false, 0}}, {"load_ubyte_d16_hi", {1, false, 1}},
    {"load_sbyte_d16", {1, true, 0}},  {"load_sbyte_d16_hi", {1, true, 1}},
    {"load_short_d16", {2, false, 0}}, {"load_short_d16_hi", {2, false, 1}},
    {"read_u8", {1, false, -1}},       {"read_i8", {1, true, -1}},
    {"read_u16", {2, false, -1}},      {"read_i16", {2, true, -1}},
    {"read_u8_d16", {1, false, 0}},    {"read_u8_d16_hi", {1, false, 1}},
    {"read_i8_d16", {1, true, 0}},     {"read_i8_d16_hi", {1, true, 1}},
    {"read_u16_d16", {2, false, 0}},   {"read_u16_d16_hi", {2, false, 1}}};
const std::map<std::string, Small> kSmallStores = {
    {"store_byte", {1, false, 0}},  {"store_byte_d16_hi", {1, false, 1}},
    {"store_short", {2, false, 0}}, {"store_short_d16_hi", {2, false, 1}},
    {"write_b8", {1, false, 0}},    {"write_b8_d16_hi", {1, false, 1}},
    {"write_b16", {2, false, 0}},   {"write_b16_d16_hi", {2, false, 1}}};
const std::map<std::string, unsigned> kWideLoads = {
    {"load_dword", 1}, {"load_dwordx2", 2}, {"load_dwordx3", 3}, {"load_dwordx4", 4},
    {"read_b32", 1},   {"read_b64", 2},     {"read_b96", 3},     {"read_b128", 4}};
const std::map<std::string, unsigned> kWideStores = {
    {"store_dword", 1}, {"store_dwordx2", 2}, {"store_dwordx3", 3}, {"store_dwordx4", 4},
    {"write_b32", 1},   {"write_b64", 2},     {"write_b96", 3},     {"write_b128", 4}};

/// New value from (memory, data, data2); data2 is the compare value of cmpswap and cmpst.
struct Atomic {
  unsigned bits;
  bool twoOperands;
  std::function<uint64_t(uint64_t, uint64_t, uint64_t, uint32_t)> f;
};

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

uint32_t halfAdd(uint32_t a, uint32_t b) {
  // Exact sum in double, rounded to f16 by hand.
  auto value = [](uint32_t h) {
    int e = int(h >> 10 & 31);
    double m = h & 1023,
           r = e == 31 ? (m ? NAN : INFINITY) : std::ldexp(e ? 1024 + m : m, (e ? e : 1) - 25);
    return h & 0x8000 ? -r : r;
  };
  double sum = value(a) + value(b);
  uint32_t sign = std::signbit(sum) ? 0x8000 : 0;
  double x = std::fabs(sum);
  if (std::isinf(x))
    return sign | 0x7c00;
  int e = x == 0 ? -14 : std::max(std::ilogb(x), -14);
  double units = std::nearbyint(std::ldexp(x, 10 - e)); // 1024..2048 when normal
  if (units == 2048)
    units = 1024, ++e;
  if (e > 15)
    return sign | 0x7c00;
  return sign |
         (units < 1024 ? uint32_t(units) : uint32_t(e + 15) << 10 | (uint32_t(units) - 1024));
}

std::map<std::string, Atomic> atomics() {
  std::map<std::string, Atomic> table;
  auto both = [&](const std::string &memory, const std::string &ds, bool two, auto f32, auto f64) {
    if (!memory.empty()) {
      table["atomic_" + memory] = {32, two, f32};
      table["atomic_" + memory + "_x2"] = {64, two, f64};
    }
    if (!ds.empty()) {
      const bool letter = std::string("ui").find(ds.back()) != std::string::npos; // "add_u" + 32
      table[letter ? ds + "32" : ds + "_b32"] = {32, two, f32};
      table[letter ? ds + "64" : ds + "_b64"] = {64, two, f64};
    }
  };
  using U = uint64_t;
#define BOTH(memory, ds, two, expression)                                                          \
  both(                                                                                            \
      memory, ds, two,                                                                             \
      [](U m_, U d_, U c_, uint32_t) -> U {                                                        \
        uint32_t m = uint32_t(m_), d = uint32_t(d_), c = uint32_t(c_);                             \
        [[maybe_unused]] int32_t ms = int32_t(m), ds_ = int32_t(d);                                \
        (void)c;                                                                                   \
        return uint32_t(expression);                                                               \
      },                                                                                           \
      [](U m, U d, U c, uint32_t) -> U {                                                           \
        [[maybe_unused]] int64_t ms = int64_t(m), ds_ = int64_t(d);                                \
        (void)c;                                                                                   \
        return expression;                                                                         \
      })
  BOTH("swap", "wrxchg", false, d);
  BOTH("add", "add_u", false, m + d);
  BOTH("sub", "sub_u", false, m - d);
  BOTH("", "rsub_u", false, d - m);
  BOTH("smin", "min_i", false, ms < ds_ ? m : d);
  BOTH("smax", "max_i", false, ms > ds_ ? m : d);
  BOTH("umin", "min_u", false, m < d ? m : d);
  BOTH("umax", "max_u", false, m > d ? m : d);
  BOTH("and", "and", false, m & d);
  BOTH("or", "or", false, m | d);
  BOTH("xor", "xor", false, m ^ d);
  BOTH("inc", "inc_u", false, m >= d ? 0 : m + 1);
  BOTH("dec", "dec_u", false, m == 0 || m > d ? d : m - 1);
  BOTH("cmpswap", "cmpst", true, m == c ? d : m);
  BOTH("", "mskor", true, (m & ~d) | c);
#undef BOTH
  table["wrap_b32"] = {
      32, true, [](U a, U d, U c, uint32_t) -> U { return uint32_t(a >= d ? a - d : a + c); }};
  table["atomic_add_f32"] = {
      32, false, [](U a, U d, U, uint32_t) -> U {
        return as<uint32_t>(flush(flush(as<float>(uint32_t(a))) + flush(as<float>(uint32_t(d)))));
      }};
  table["add_f32"] = {32, false, [](U a, U d, U, uint32_t mode) -> U {
                        float x = as<float>(uint32_t(a)), y = as<float>(uint32_t(d));
                        if (!(mode & 0x10))
                          x = flush(x), y = flush(y);
                        float r = x + y;
                        return as<uint32_t>(mode & 0x20 ? r : flush(r));
                      }};
  auto addF64 = [](U a, U d, U, uint32_t) -> U { return as<U>(as<double>(a) + as<double>(d)); };
  auto minF64 = [](U a, U d, U, uint32_t) -> U {
    return as<U>(std::fmin(as<double>(a), as<double>(d)));
  };
  auto maxF64 = [](U a, U d, U, uint32_t) -> U {
    return as<U>(std::fmax(as<double>(a), as<double>(d)));
  };
  table["atomic_add_f64"] = table["add_f64"] = {64, false, addF64};
  table["atomic_min_f64"] = table["min_f64"] = {64, false, minF64};
  table["atomic_max_f64"] = table["max_f64"] = {64, false, maxF64};
  table["min_f32"] = {32, false, [](U a, U d, U, uint32_t) -> U {
                        return as<uint32_t>(
                            std::fmin(as<float>(uint32_t(a)), as<float>(uint32_t(d))));
                      }};
  table["max_f32"] = {32, false, [](U a, U d, U, uint32_t) -> U {
                        return as<uint32_t>(
                            std::fmax(as<float>(uint32_t(a)), as<float>(uint32_t(d))));
                      }};
  table["cmpst_f32"] = {32, true, [](U a, U d, U c, uint32_t) -> U {
                          return as<float>(uint32_t(a)) == as<float>(uint32_t(c)) ? d : a;
                        }};
  table["cmpst_f64"] = {64, true, [](U a, U d, U c, uint32_t) -> U {
                          return as<double>(a) == as<double>(c) ? d : a;
                        }};
  // GFX10
  table["atomic_csub"] = {32, false, [](U a, U d, U, uint32_t) -> U {
                            return uint32_t(a) > uint32_t(d) ? uint32_t(a - d) : 0;
                          }};
  table["atomic_fmin"] = table["min_f32"];
  table["atomic_fmax"] = table["max_f32"];
  table["atomic_fmin_x2"] = table["min_f64"];
  table["atomic_fmax_x2"] = table["max_f64"];
  table["atomic_fcmpswap"] = table["cmpst_f32"];
  table["atomic_fcmpswap_x2"] = table["cmpst_f64"];
  table["atomic_pk_add_f16"] = {32, false, [](U a, U d, U, uint32_t) -> U {
                                  return halfAdd(uint32_t(a & 0xffff), uint32_t(d & 0xffff)) |
                                         halfAdd(uint32_t(a >> 16), uint32_t(d >> 16)) << 16;
                                }};
  return table;
}

const std::map<std::string, Atomic> kAtomics = atomics();

} // namespace

ElementInfo elementInfo(const std::string &name) {
  ElementInfo e;
  if (auto it = kSmallLoads.find(name); it != kSmallLoads.end())
    return {it->second.bytes, 1, 0, false, true};
  if (auto it = kSmallStores.find(name); it != kSmallStores.end())
    return {it->second.bytes, 0, 1, false, false};
  if (auto it = kWideLoads.find(name); it != kWideLoads.end())
    return {it->second * 4, it->second, 0, false, true};
  if (auto it = kWideStores.find(name); it != kWideStores.end())
    return {it->second * 4, 0, it->second, false, false};
  if (auto it = kAtomics.find(name); it != kAtomics.end()) {
    unsigned n = it->second.bits / 32;
    return {n * 4, n, it->second.twoOperands ? 2 * n : n, true, false};
  }
  return e;
}

void accessLane(const std::string &name, LaneAccess &lane, uint32_t mode) {
  if (auto it = kSmallLoads.find(name); it != kSmallLoads.end()) {
    const Small &k = it->second;
    uint32_t x = k.bytes == 1 ? lane.bytes[0] : get<uint16_t>(lane.bytes);
    if (k.isSigned)
      x = k.bytes == 1 ? uint32_t(int32_t(int8_t(x))) : uint32_t(int32_t(int16_t(x)));
    if (k.half < 0)
      lane.dst[0] = x;
    else if (k.half == 0)
      lane.dst[0] = (lane.dst[0] & 0xffff0000) | (x & 0xffff);
    else
      lane.dst[0] = (lane.dst[0] & 0xffff) | x << 16;
  } else if (auto it2 = kSmallStores.find(name); it2 != kSmallStores.end()) {
    uint32_t x = it2->second.half == 1 ? lane.data[0] >> 16 : lane.data[0];
    lane.bytes[0] = uint8_t(x);
    if (it2->second.bytes == 2)
      lane.bytes[1] = uint8_t(x >> 8);
  } else if (auto it3 = kWideLoads.find(name); it3 != kWideLoads.end()) {
    std::memcpy(lane.dst, lane.bytes, it3->second * 4);
  } else if (auto it4 = kWideStores.find(name); it4 != kWideStores.end()) {
    std::memcpy(lane.bytes, lane.data, it4->second * 4);
  } else {
    const Atomic &a = kAtomics.at(name);
    auto wide = [&](const uint32_t *x) {
      return a.bits == 64 ? x[0] | uint64_t(x[1]) << 32 : x[0];
    };
    uint64_t old = a.bits == 64 ? get<uint64_t>(lane.bytes) : get<uint32_t>(lane.bytes);
    const uint32_t *d = lane.data, *c = lane.data2;
    if (name.rfind("cmpst", 0) == 0) // DS: DATA0 compares, DATA1 replaces
      std::swap(d, c);
    uint64_t now = a.f(old, wide(d), wide(c), mode);
    std::memcpy(lane.bytes, &now, a.bits / 8);
    std::memcpy(lane.dst, &old, a.bits / 8);
  }
}

} // namespace meld::softgpu::test
