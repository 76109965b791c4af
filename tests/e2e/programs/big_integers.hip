// Big integers: 256 x 256 -> 512 bit products with carries, sums of 2048 bits (of 1024 in waves
// of 32 lanes) with carry look-ahead by a wave's ballots, modular powers by Montgomery's method (against __int128, and Fermat's theorem).
#include "check.h"

using u64 = unsigned long long;

__global__ void multiply(const u64 *a, const u64 *b, u64 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  u64 r[8] = {};
  for (int j = 0; j < 4; ++j) {
    u64 carry = 0;
    for (int k = 0; k < 4; ++k) {
      const u64 x = a[i * 4 + j], y = b[i * 4 + k];
      const u64 low = x * y, high = __umul64hi(x, y);
      const u64 s = r[j + k] + low, t = s + carry;
      carry = high + (s < low) + (t < carry);
      r[j + k] = t;
    }
    r[j + 4] = carry;
  }
  for (int k = 0; k < 8; ++k)
    out[i * 8 + k] = r[k];
}

/// One sum per wave, one 32-bit digit per lane: generate and propagate masks added as
/// integers give all carries at once.
__global__ void addWide(const unsigned *a, const unsigned *b, unsigned *out, int *carryOut) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
  const int last = warpSize - 1;
  const unsigned s = a[i] + b[i];
  const u64 generate = __ballot(s < a[i]), propagate = __ballot(s == 0xffffffffu);
  const u64 into = (((generate << 1) + propagate) ^ propagate);
  out[i] = s + unsigned(into >> lane & 1);
  if (lane == last)
    carryOut[i / warpSize] =
        (generate >> last & 1) | ((propagate >> last & 1) & (into >> last & 1));
}

__global__ void power(const u64 *base, const u64 *exponent, const u64 *modulus, u64 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const u64 m = modulus[i];
  u64 inverse = 1; // of m modulo 2^64, by Newton
  for (int k = 0; k < 6; ++k)
    inverse *= 2 - m * inverse;
  auto montgomery = [&](u64 a, u64 b) { // a b 2^-64 mod m
    const u64 low = a * b, high = __umul64hi(a, b), q = low * inverse, t = __umul64hi(q, m);
    return high >= t ? high - t : high - t + m;
  };
  u64 one = (~0ull % m + 1) % m, square = one; // 2^64 mod m, then 2^128 mod m by doubling
  for (int k = 0; k < 64; ++k)
    square = square >= m - square ? square - (m - square) : square + square;
  u64 b = montgomery(base[i] % m, square), r = one;
  for (u64 e = exponent[i]; e; e >>= 1) {
    if (e & 1)
      r = montgomery(r, b);
    b = montgomery(b, b);
  }
  out[i] = montgomery(r, 1);
}

int main() {
  Random random(1);
  auto words = [&](size_t count) {
    std::vector<u64> v(count);
    for (u64 &w : v)
      w = random.below(4) ? random.next() : random.below(2) ? ~0ull : 0; // many carries
    return v;
  };
  const int n = 500;
  {
    const auto a = words(n * 4), b = words(n * 4);
    std::vector<u64> want(n * 8, 0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < 8; ++j) { // by 32-bit digits: another way
        u64 carry = 0;
        auto digit = [&](const std::vector<u64> &v, int at) {
          return v[i * 4 + at / 2] >> (at % 2 * 32) & 0xffffffff;
        };
        for (int k = 0; k < 8 || carry; ++k) {
          u64 &w = want[i * 8 + (j + k) / 2];
          const int shift = (j + k) % 2 * 32;
          const u64 t = (w >> shift & 0xffffffff) + (k < 8 ? digit(a, j) * digit(b, k) : 0) + carry;
          w = (w & ~(0xffffffffull << shift)) | (t & 0xffffffff) << shift;
          carry = t >> 32;
        }
      }
    Device<u64> da(a), db(b), out(n * 8);
    multiply<<<(n + 127) / 128, 128>>>(da, db, out, n);
    expectSame("products", out.host(), want);
  }
  {
    const int lanes = int(waveSize()), waves = 2560 / lanes;
    std::vector<unsigned> a(waves * lanes), b(waves * lanes), want(waves * lanes);
    std::vector<int> wantCarry(waves);
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = unsigned(random.next());
      b[i] = random.below(8) ? ~a[i] : unsigned(random.next()); // long runs of propagation
    }
    for (int w = 0; w < waves; ++w) {
      u64 carry = 0;
      for (int l = 0; l < lanes; ++l) {
        carry += u64(a[w * lanes + l]) + b[w * lanes + l];
        want[w * lanes + l] = unsigned(carry);
        carry >>= 32;
      }
      wantCarry[w] = int(carry);
    }
    Device<unsigned> da(a), db(b), out(a.size());
    Device<int> carryOut(waves);
    addWide<<<waves * lanes / 256, 256>>>(da, db, out, carryOut);
    expectSame("sums", out.host(), want);
    expectSame("carries", carryOut.host(), wantCarry);
  }
  {
    std::vector<u64> base(n), exponent(n), modulus(n), want(n);
    const u64 primes[] = {18446744073709551557ull, 4611686018427387847ull, 1000000007,
                          2305843009213693951ull};
    for (int i = 0; i < n; ++i) {
      base[i] = random.next();
      modulus[i] = i % 3 ? random.next() | 1 : primes[i % 4];
      exponent[i] = i % 3 ? random.next() : modulus[i] - 1; // Fermat: 1
      unsigned __int128 r = 1, b = base[i] % modulus[i];
      for (u64 e = exponent[i]; e; e >>= 1, b = b * b % modulus[i])
        if (e & 1)
          r = r * b % modulus[i];
      want[i] = u64(r % modulus[i]);
      if (i % 3 == 0)
        EXPECT(want[i] == 1);
    }
    Device<u64> db(base), de(exponent), dm(modulus), out(n);
    power<<<(n + 127) / 128, 128>>>(db, de, dm, out, n);
    expectSame("powers", out.host(), want);
  }
  return verdict();
}
