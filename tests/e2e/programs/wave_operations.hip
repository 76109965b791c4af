// What a wave does as one, in the sides of branches that look alike: votes and exchanges, the MODE
// register, a cycle with two ways in that lanes leave in different rounds, and a value that some
// lanes do not have, on which a loop is split in two.
#include "check.h"

#include <cfenv>

enum class Asks { ballot, first, exchange, shifted, assembly, any };

template <Asks asks> __device__ uint64_t ask(uint32_t x) {
  switch (asks) {
  case Asks::ballot:
    return __ballot((x & 16) != 0);
  case Asks::first:
    return static_cast<uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(x)));
  case Asks::exchange: { // the sides are made of pairs of lanes
    const unsigned other = (threadIdx.x ^ 1) * 4;
    return static_cast<uint32_t>(
        __builtin_amdgcn_ds_bpermute(static_cast<int>(other), static_cast<int>(x)));
  }
  case Asks::shifted: // quad_perm [1, 0, 3, 2]; both of a pair are there
    return static_cast<uint32_t>(
        __builtin_amdgcn_update_dpp(0, static_cast<int>(x), 0xb1, 0xf, 0xf, false));
  case Asks::assembly: {
    uint32_t first;
    asm("v_readfirstlane_b32 %0, %1" : "=s"(first) : "v"(x));
    return first;
  }
  case Asks::any:
    return __any((x & 1023) == 5) ? 77 : 88;
  }
}

/// Either side makes x by a region of its own and asks; what comes after is not alike.
template <Asks asks> __global__ void votes(const uint32_t *in, uint32_t *s, uint64_t *out) {
  const unsigned t = threadIdx.x, lanes = warpSize;
  const uint32_t v = in[t], w = in[t + lanes];
  uint32_t x;
  uint64_t m;
  if (w & 1) {
    if (v & 2) {
      x = v * 3 + w;
      x = (x ^ (x >> 3)) * 7 + v;
      x = (x ^ (x >> 5)) * 11 + w;
      s[t] = x;
    } else {
      x = v * 7 + w;
      x = (x ^ (x >> 2)) * 5;
      s[t + lanes] = x;
    }
    m = ask<asks>(x);
    for (unsigned i = 0; i < (v & 3) + 1; ++i)
      m = m * 3 ^ in[i];
  } else {
    if (v & 2) {
      x = v * 5 + w;
      x = (x ^ (x >> 3)) * 9 + v;
      x = (x ^ (x >> 5)) * 13 + w;
      s[t] = x;
    } else {
      x = v * 9 + w;
      x = (x ^ (x >> 2)) * 3;
      s[t + lanes] = x;
    }
    m = ask<asks>(x);
    for (unsigned i = 0; i < (w & 3) + 2; ++i)
      m = m * 7 + in[i];
  }
  out[t] = m;
}

template <Asks asks> static void checkVotes(const char *what) {
  const unsigned lanes = waveSize();
  std::vector<uint32_t> in = randomBelow<uint32_t>(2 * lanes, 1u << 20, 7);
  for (unsigned t = 0; t < lanes; ++t) // the side, by pairs of lanes
    in[t + lanes] = (in[t + lanes] & ~1u) | ((t >> 1) % 3 == 0);
  Device<uint32_t> deviceIn(in), s(2 * lanes);
  Device<uint64_t> out(lanes);
  votes<asks><<<1, lanes>>>(deviceIn, s, out);

  std::vector<uint32_t> x(lanes);
  for (unsigned t = 0; t < lanes; ++t) {
    const uint32_t v = in[t], w = in[t + lanes];
    const bool left = w & 1;
    if (v & 2) {
      x[t] = v * (left ? 3 : 5) + w;
      x[t] = (x[t] ^ (x[t] >> 3)) * (left ? 7 : 9) + v;
      x[t] = (x[t] ^ (x[t] >> 5)) * (left ? 11 : 13) + w;
    } else {
      x[t] = v * (left ? 7 : 9) + w;
      x[t] = (x[t] ^ (x[t] >> 2)) * (left ? 5 : 3);
    }
  }
  std::vector<uint64_t> want(lanes);
  for (unsigned t = 0; t < lanes; ++t) {
    const uint32_t side = in[t + lanes] & 1;
    uint64_t mask = 0;
    uint32_t first = 0;
    bool found = false, any = false;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((in[lane + lanes] & 1) != side)
        continue;
      mask |= static_cast<uint64_t>((x[lane] & 16) != 0) << lane;
      any |= (x[lane] & 1023) == 5;
      if (!found)
        first = x[lane];
      found = true;
    }
    uint64_t m = 0;
    switch (asks) {
    case Asks::ballot:
      m = mask;
      break;
    case Asks::first:
    case Asks::assembly:
      m = first;
      break;
    case Asks::exchange:
    case Asks::shifted:
      m = x[t ^ 1];
      break;
    case Asks::any:
      m = any ? 77 : 88;
      break;
    }
    if (side)
      for (unsigned i = 0; i < (in[t] & 3) + 1; ++i)
        m = m * 3 ^ in[i];
    else
      for (unsigned i = 0; i < (in[t + lanes] & 3) + 2; ++i)
        m = m * 7 + in[i];
    want[t] = m;
  }
  expectSame(what, out.host(), want);
}

// hwreg(HW_REG_MODE, 0, 4): the rounding of all sizes. 15 is towards zero, 0 to nearest even.
constexpr int roundField = (4 - 1) << 11 | 0 << 6 | 1;

__global__ void rounding(const float *in, float *out) {
  const unsigned t = threadIdx.x, lanes = warpSize;
  const float x = in[t], y = in[t + lanes];
  float r;
  if (in[t + 2 * lanes] > 0) {
    __builtin_amdgcn_s_setreg(roundField, 15);
    r = x * y + x;
    r = r * y + x;
    r = r * y + x;
    r = r * r + y;
    out[t + lanes] = r * 0.3f;
    __builtin_amdgcn_s_setreg(roundField, 0);
  } else {
    r = y * x + y;
    r = r * x + y;
    r = r * x + y;
    r = r * r + x;
    out[t + lanes] = r * 0.7f;
  }
  out[t] = r;
}

static void checkRounding() {
  const unsigned lanes = waveSize();
  std::vector<float> in = randomIn<float>(3 * lanes, 1, 2, 3);
  for (unsigned t = 0; t < lanes; ++t)
    in[t + 2 * lanes] = t % 3 ? 1.0f : -1.0f;
  Device<float> deviceIn(in), out(2 * lanes);
  rounding<<<1, lanes>>>(deviceIn, out);
  std::vector<float> want(2 * lanes);
  for (unsigned t = 0; t < lanes; ++t) {
    const bool cut = in[t + 2 * lanes] > 0;
    std::fesetround(cut ? FE_TOWARDZERO : FE_TONEAREST);
    // volatile: every step is done here and now
    const volatile float x = in[cut ? t : t + lanes], y = in[cut ? t + lanes : t];
    volatile float r = x * y;
    r = r + x;
    for (int i = 0; i < 2; ++i) {
      r = r * y;
      r = r + x;
    }
    r = r * r;
    r = r + y;
    want[t] = r;
    const volatile float factor = cut ? 0.3f : 0.7f;
    r = r * factor;
    want[t + lanes] = r;
    std::fesetround(FE_TONEAREST);
  }
  expectSame("rounding", out.host(), want);
}

/// `w` and `r` are one address, which the kernel cannot know. One wave: what is loaded is what all
/// lanes that are still in the cycle have stored.
__global__ void twoWaysIn(uint32_t *p, uint32_t *w, const uint32_t *r, int n, const float *in,
                          float *out) {
  const unsigned t = threadIdx.x;
  float x = in[t]; // something to meld
  if (x > 0) {
    for (unsigned i = 0; i < (t & 15) + 3; ++i) {
      x = x * 3.f + in[i];
      x = x * x + 2.f;
      x = x * 5.f + x;
      x = x * x + 1.f;
    }
    out[t] = x;
  } else {
    for (unsigned i = 0; i < (t & 7) + 5; ++i) {
      x = x * 4.f + in[i + 1];
      x = x * x + 3.f;
      x = x * 6.f + x;
      x = x * x + 3.f;
    }
    out[t] = x;
  }
  uint32_t k = 0, v;
  if (n & 1)
    goto second;
first:
  k += 1;
second:
  k += 3;
  w[0] = k;
  v = r[0];
  if (v < t)
    goto first;
  if (v == 12) {
    p[t] = 111;
    atomicAdd(w + 1, 1u);
  } else {
    p[t] = v;
    atomicMax(w + 2, k);
  }
}

static void checkTwoWaysIn(int n) {
  const unsigned lanes = waveSize();
  std::vector<float> in(lanes + 1);
  for (unsigned i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i) - 30;
  Device<float> deviceIn(in), out(lanes);
  Device<uint32_t> p(lanes), w(std::vector<uint32_t>(3, 0));
  twoWaysIn<<<1, lanes>>>(p, w, w, n, deviceIn, out);
  std::vector<uint32_t> want(lanes);
  for (unsigned t = 0; t < lanes; ++t) {
    uint32_t k = n & 1 ? 3 : 4;
    while (k < t)
      k += 4;
    want[t] = k == 12 ? 111 : k;
  }
  expectSame("a cycle with two ways in", p.host(), want);
}

__device__ __attribute__((noinline)) int tripled(int n) { return n * 3 + 1; }

/// `v` is the same for all that have it. LLVM takes the test of it out of the loop, of the lanes
/// without it, too, for which it then is anything.
__global__ void knownToSome(const int *in, int *out, int n, int rounds) {
  const unsigned t = threadIdx.x, lanes = warpSize;
  const bool has = in[t] & 1;
  int v;
  if (has)
    v = tripled(n);
  int s = 0;
  for (int i = 0; i < rounds; ++i) {
    s += in[i];
    if (has) {
      if (v == 16) {
        s = s * 5 + in[i + 1];
      } else {
        s ^= in[i + 2];
        out[lanes + t] = s;
      }
    }
  }
  out[t] = s;
}

static void checkKnownToSome(int n) {
  const unsigned lanes = waveSize();
  constexpr int rounds = 7;
  const std::vector<int> in = randomBelow<int>(lanes, 1000, 11);
  Device<int> deviceIn(in), out(std::vector<int>(2 * lanes, 0));
  knownToSome<<<1, lanes>>>(deviceIn, out, n, rounds);
  std::vector<int> want(2 * lanes, 0);
  for (unsigned t = 0; t < lanes; ++t) {
    int s = 0;
    for (int i = 0; i < rounds; ++i) {
      s += in[i];
      if (in[t] & 1) {
        if (n == 5)
          s = s * 5 + in[i + 1];
        else
          want[lanes + t] = s ^= in[i + 2];
      }
    }
    want[t] = s;
  }
  expectSame("a value that some lanes have", out.host(), want);
}

int main() {
  checkVotes<Asks::ballot>("ballot");
  checkVotes<Asks::first>("the first lane");
  checkVotes<Asks::exchange>("bpermute");
  checkVotes<Asks::shifted>("dpp");
  checkVotes<Asks::assembly>("assembly");
  checkVotes<Asks::any>("any");
  checkRounding();
  checkTwoWaysIn(0);
  checkTwoWaysIn(1);
  checkKnownToSome(5);
  checkKnownToSome(6);
  return verdict();
}
