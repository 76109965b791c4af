// Integer device functions against plain host definitions: counting and reversing bits, high
// multiplications, 24-bit products, averages, sums of absolute differences, byte permutes, funnel
// shifts, bit fields, 64-bit division, 128-bit products. (The signed __hadd and __rhadd are left
// out: in ROCm 5.2.3's headers they return a truth value, and the unsigned ones overflow above
// 2^31.)
#include "check.h"

struct Results {
  unsigned clz, ffs, popc, brev, mulhiU, mul24U, hadd, rhadd, sadU, usad, perm, funnelL, funnelR,
      bfe, bfi;
  int mulhiS, mul24S, sadS, bfeS;
  unsigned long long clzll, ffsll, popcll, brevll, umul64hi, quotient, remainder;
  long long mul64hi, signedQuotient, signedRemainder;
};

__global__ void device(const unsigned *a, const unsigned *b, const unsigned *c, Results *out,
                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned x = a[i], y = b[i], z = c[i];
  const int sx = int(x), sy = int(y);
  const unsigned long long l = (unsigned long long)x << 32 | y, m = (unsigned long long)z << 20 | x;
  Results r = {};
  r.clz = __clz(sx), r.ffs = __ffs(sx), r.popc = __popc(x), r.brev = __brev(x);
  r.mulhiU = __umulhi(x, y), r.mul24U = __umul24(x, y);
  r.hadd = __uhadd(x >> 1, y >> 1), r.rhadd = __urhadd(x >> 1, y >> 1);
  r.sadU = __usad(x, y, z);
  r.usad = __builtin_amdgcn_sad_u8(x, y, z);
  r.perm = __byte_perm(x, y, z);
  r.funnelL = __funnelshift_l(x, y, z), r.funnelR = __funnelshift_r(x, y, z);
  r.bfe = __bitextract_u32(x, z & 15, y & 15), r.bfi = __bitinsert_u32(x, y, z & 15, y & 15);
  r.mulhiS = __mulhi(sx, sy), r.mul24S = __mul24(sx, sy);
  r.sadS = __sad(sx >> 1, sy >> 1, z); // it subtracts ints
  r.bfeS = __builtin_amdgcn_sbfe(x, z & 31, y & 31);
  r.clzll = __clzll((long long)l), r.ffsll = __ffsll(l), r.popcll = __popcll(l);
  r.brevll = __brevll(l), r.umul64hi = __umul64hi(l, m), r.mul64hi = __mul64hi(l, m);
  r.quotient = l / (m | 1), r.remainder = l % (m | 1);
  r.signedQuotient = (long long)l / ((long long)z + 1);
  r.signedRemainder = (long long)l % ((long long)z + 1);
  out[i] = r;
}

static unsigned reversed(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i)
    r |= (v >> i & 1) << (31 - i);
  return r;
}
static Results host(unsigned x, unsigned y, unsigned z) {
  const int64_t sx = int(x), sy = int(y);
  const uint64_t ux = x, uy = y;
  const unsigned long long l = ux << 32 | y, m = uint64_t(z) << 20 | x;
  auto s24 = [](unsigned v) { return int64_t(int(v << 8) >> 8); };
  Results r = {};
  r.clz = x ? __builtin_clz(x) : 32, r.ffs = __builtin_ffs(x), r.popc = __builtin_popcount(x);
  r.brev = reversed(x);
  r.mulhiU = unsigned(ux * uy >> 32), r.mul24U = unsigned((ux & 0xffffff) * (uy & 0xffffff));
  r.hadd = ((x >> 1) + (y >> 1)) >> 1, r.rhadd = ((x >> 1) + (y >> 1) + 1) >> 1;
  r.sadU = (x > y ? x - y : y - x) + z;
  r.usad = z;
  for (int k = 0; k < 32; k += 8)
    r.usad += std::abs(int(x >> k & 255) - int(y >> k & 255));
  const uint64_t bytes = uy << 32 | x;
  for (int k = 0; k < 4; ++k)
    r.perm |= unsigned(bytes >> (z >> (4 * k) & 7) * 8 & 255) << (8 * k);
  r.funnelL = unsigned((uy << 32 | x) << (z & 31) >> 32);
  r.funnelR = unsigned((uy << 32 | x) >> (z & 31));
  const unsigned offset = z & 31, width = y & 15;
  r.bfe = width ? unsigned(x >> (z & 15)) & ((1u << width) - 1) : 0;
  const unsigned mask = ((1u << (y & 15)) - 1) << (z & 15);
  r.bfi = (x & ~mask) | (y << (z & 15) & mask);
  r.mulhiS = int(sx * sy >> 32), r.mul24S = int(s24(x) * s24(y));
  r.sadS = int(unsigned(std::abs((sx >> 1) - (sy >> 1))) + z);
  const unsigned w = y & 31;
  r.bfeS = w == 0            ? 0
           : offset + w < 32 ? int(x << (32 - offset - w)) >> (32 - w)
                             : int(x) >> offset;
  r.clzll = l ? __builtin_clzll(l) : 64, r.ffsll = __builtin_ffsll(l);
  r.popcll = __builtin_popcountll(l);
  r.brevll = (unsigned long long)(reversed(y)) << 32 | reversed(x);
  r.umul64hi = (unsigned long long)((unsigned __int128)l * m >> 64);
  r.mul64hi = (long long)((__int128)(long long)l * (long long)m >> 64);
  r.quotient = l / (m | 1), r.remainder = l % (m | 1);
  r.signedQuotient = (long long)l / ((long long)z + 1);
  r.signedRemainder = (long long)l % ((long long)z + 1);
  return r;
}

int main() {
  const unsigned edges[] = {0,          1,          2,          31,        32,       0x7f,
                            0x80,       0xff,       0x7fffff,   0x800000,  0xffffff, 0x7fffffff,
                            0x80000000, 0x80000001, 0xffffffff, 0x00010203};
  std::vector<unsigned> a, b, c;
  for (unsigned x : edges)
    for (unsigned y : edges)
      for (unsigned z : edges) {
        a.push_back(x), b.push_back(y), c.push_back(z);
      }
  Random random(1);
  for (int i = 0; i < 4000; ++i) {
    a.push_back(unsigned(random.next()) >> random.below(32));
    b.push_back(unsigned(random.next()) >> random.below(32));
    c.push_back(unsigned(random.next()));
  }
  const int n = int(a.size());
  Device<unsigned> da(a), db(b), dc(c);
  Device<Results> out(n);
  device<<<(n + 255) / 256, 256>>>(da, db, dc, out, n);
  const auto got = out.host();
  static_assert(sizeof(Results) == 19 * 4 + 4 + 10 * 8, "one hole after the 32-bit results");
  size_t wrong = 0;
  for (int i = 0; i < n; ++i) {
    const Results want = host(a[i], b[i], c[i]);
    unsigned g[sizeof(Results) / 4], w[sizeof(Results) / 4];
    std::memcpy(g, &got[i], sizeof g);
    std::memcpy(w, &want, sizeof w);
    for (size_t k = 0; k < sizeof(Results) / 4; ++k)
      if (k != 19 && g[k] != w[k] && wrong++ < 8)
        std::printf("word %zu of (0x%x, 0x%x, 0x%x): 0x%x, expected 0x%x\n", k, a[i], b[i], c[i],
                    g[k], w[k]);
  }
  EXPECT(wrong == 0);
  return verdict();
}
