#include "runtime/softgpu/mem/formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <immintrin.h>

namespace meld::softgpu::mem {
namespace {

constexpr TexelLayout kLayouts[16] = {
    {0, 0, {}},                // invalid
    {1, 1, {8}},               // 8
    {2, 1, {16}},              // 16
    {2, 2, {8, 8}},            // 8_8
    {4, 1, {32}},              // 32
    {4, 2, {16, 16}},          // 16_16
    {4, 3, {11, 11, 10}},      // 10_11_11
    {4, 3, {10, 11, 11}},      // 11_11_10
    {4, 4, {2, 10, 10, 10}},   // 10_10_10_2
    {4, 4, {10, 10, 10, 2}},   // 2_10_10_10
    {4, 4, {8, 8, 8, 8}},      // 8_8_8_8
    {8, 2, {32, 32}},          // 32_32
    {8, 4, {16, 16, 16, 16}},  // 16_16_16_16
    {12, 3, {32, 32, 32}},     // 32_32_32
    {16, 4, {32, 32, 32, 32}}, // 32_32_32_32
    {0, 0, {}},                // reserved
};

uint32_t lowBits(unsigned n) { return n == 32 ? UINT32_MAX : (1u << n) - 1; }
int32_t signExtend(uint32_t x, unsigned n) { return int32_t(x << (32 - n)) >> (32 - n); }
uint32_t bitsOf(double x) { return std::bit_cast<uint32_t>(float(x)); }

/// Unsigned floats of 10 and 11 bits: 5 exponent bits, no sign. They are f16 with the low mantissa
/// bits missing.
uint32_t decodeSmallFloat(uint32_t x, unsigned bits) { return halfToFloat(x << (15 - bits)); }
uint32_t encodeSmallFloat(uint32_t single, unsigned bits) {
  uint32_t h = floatToHalf(single);
  if ((h & 0x7fff) > 0x7c00)
    return lowBits(bits); // NaN
  if (h & 0x8000)
    return 0; // negative values have no representation
  const unsigned drop = 15 - bits;
  const uint32_t rounded = (h + (1u << (drop - 1)) - 1 + (h >> drop & 1)) >> drop;
  return h == 0x7c00 ? h >> drop : std::min(rounded, 0x7c00u >> drop);
}

uint32_t decodeComponent(uint32_t x, unsigned bits, unsigned nfmt) {
  const int32_t s = signExtend(x, bits);
  switch (nfmt) {
  case kUnorm:
    return bitsOf(double(x) / double(lowBits(bits)));
  case kSnorm:
    return bitsOf(std::max(double(s) / double(lowBits(bits) >> 1), -1.0));
  case kUscaled:
    return bitsOf(double(x));
  case kSscaled:
    return bitsOf(double(s));
  case kSint:
    return uint32_t(s);
  case kSnormOgl:
    return bitsOf((2.0 * s + 1) / double(lowBits(bits)));
  case kFloat:
    return bits == 32   ? x
           : bits == 16 ? halfToFloat(x)
           : bits >= 10 ? decodeSmallFloat(x, bits)
                        : x;
  default:
    return x;
  }
}

uint32_t encodeComponent(uint32_t v, unsigned bits, unsigned nfmt) {
  const double f = std::bit_cast<float>(v), limited = f != f ? 0 : f;
  const double unsignedMax = lowBits(bits), signedMax = lowBits(bits) >> 1;
  switch (nfmt) {
  case kUnorm:
    return uint32_t(std::nearbyint(std::clamp(limited, 0.0, 1.0) * unsignedMax));
  case kSnorm:
    return uint32_t(int64_t(std::nearbyint(std::clamp(limited, -1.0, 1.0) * signedMax))) &
           lowBits(bits);
  case kUscaled:
    return uint32_t(std::nearbyint(std::clamp(limited, 0.0, unsignedMax)));
  case kSscaled:
    return uint32_t(int64_t(std::nearbyint(std::clamp(limited, -signedMax - 1, signedMax)))) &
           lowBits(bits);
  case kSnormOgl:
    return uint32_t(
               int64_t(std::nearbyint((std::clamp(limited, -1.0, 1.0) * unsignedMax - 1) / 2))) &
           lowBits(bits);
  case kFloat:
    return bits == 32   ? v
           : bits == 16 ? floatToHalf(v)
           : bits >= 10 ? encodeSmallFloat(v, bits)
                        : v & lowBits(bits);
  default:
    return v & lowBits(bits); // integers keep their low bits
  }
}

} // namespace

const TexelLayout &texelLayout(unsigned dfmt) { return kLayouts[dfmt & 15]; }

uint32_t halfToFloat(uint32_t half) { return std::bit_cast<uint32_t>(_cvtsh_ss(uint16_t(half))); }
uint32_t floatToHalf(uint32_t single) {
  return uint32_t(_cvtss_sh(std::bit_cast<float>(single), _MM_FROUND_TO_NEAREST_INT)) & 0xffff;
}
uint32_t truncatedToHalf(uint32_t single) {
  return uint32_t(_cvtss_sh(std::bit_cast<float>(single), _MM_FROUND_TO_ZERO)) & 0xffff;
}

void decodeTexel(const uint8_t *memory, unsigned dfmt, unsigned nfmt, uint32_t value[4]) {
  const TexelLayout &t = texelLayout(dfmt);
  uint64_t words[2] = {};
  std::memcpy(words, memory, t.bytes);
  unsigned at = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if (k >= t.components) {
      value[k] = k < 3 ? 0 : isIntegerFormat(nfmt) ? 1 : bitsOf(1.0);
      continue;
    }
    value[k] = decodeComponent(uint32_t(words[at / 64] >> (at % 64)) & lowBits(t.bits[k]),
                               t.bits[k], nfmt);
    at += t.bits[k];
  }
}

void encodeTexel(uint8_t *memory, unsigned dfmt, unsigned nfmt, const uint32_t value[4]) {
  const TexelLayout &t = texelLayout(dfmt);
  uint64_t words[2] = {};
  unsigned at = 0;
  for (unsigned k = 0; k < t.components; ++k) {
    words[at / 64] |= uint64_t(encodeComponent(value[k], t.bits[k], nfmt)) << (at % 64);
    at += t.bits[k];
  }
  std::memcpy(memory, words, t.bytes);
}

} // namespace meld::softgpu::mem
