// The synthetic kernels of the control-flow melding paper: two nested loops around one divergent
// region.
//
//   SB1  a diamond of two blocks          SB2  an if-then region on each side
//   SB3  a nest: two if-then regions      SB4  three consecutive if-then regions on each side
// The plain variants compute the same on both sides; the -R variants compute different things.
// The then side works on a and b only, the else side on c and d only, all in LDS.
#include "harness.h"

using Word = unsigned;

struct Lane { // where all threads' words lie: four arrays in LDS
  Word *a, *b, *c, *d;
};

template <int Step> __device__ inline Word same(Word x, Word y, Word k) {
  x += y ^ (k + Step);
  x ^= x << 5;
  y = y * 3 + x;
  x -= y >> 3;
  return x * 5 + Step;
}
template <int Step> __device__ inline Word different(Word x, Word y, Word k) {
  x ^= y + (k | Step);
  y -= x << 2;
  x = (x >> 3) + y * 7;
  return (x & 0x7fffffff) ^ (y + Step);
}
template <bool Random, int Step> __device__ inline Word left(Word x, Word y, Word k) {
  return same<Step>(x, y, k);
}
template <bool Random, int Step> __device__ inline Word right(Word x, Word y, Word k) {
  return Random ? different<Step>(x, y, k) : same<Step>(x, y, k);
}

template <int Pattern, bool R>
__device__ inline void region(const Lane &l, unsigned i, bool side, Word k) {
  if (side) {
    if (Pattern == 1) {
      l.a[i] = left<R, 1>(l.a[i], l.b[i], k);
      l.b[i] = left<R, 2>(l.b[i], l.a[i], k);
    }
    if (Pattern == 2) {
      if (l.a[i] & 1)
        l.a[i] = left<R, 1>(l.a[i], l.b[i], k);
    }
    if (Pattern == 3) {
      if (l.a[i] & 2) {
        l.a[i] = left<R, 1>(l.a[i], l.b[i], k);
        if (l.b[i] & 4)
          l.b[i] = left<R, 2>(l.b[i], l.a[i], k);
      }
    }
    if (Pattern == 4) {
      if (l.a[i] & 1)
        l.a[i] = left<R, 1>(l.a[i], l.b[i], k);
      if (l.b[i] & 2)
        l.b[i] = left<R, 2>(l.b[i], l.a[i], k);
      if (l.a[i] & 4)
        l.a[i] = left<R, 3>(l.a[i], l.b[i], k);
    }
  } else {
    if (Pattern == 1) {
      l.c[i] = right<R, 1>(l.c[i], l.d[i], k);
      l.d[i] = right<R, 2>(l.d[i], l.c[i], k);
    }
    if (Pattern == 2) {
      if (l.c[i] & 1)
        l.c[i] = right<R, 1>(l.c[i], l.d[i], k);
    }
    if (Pattern == 3) {
      if (l.c[i] & 2) {
        l.c[i] = right<R, 1>(l.c[i], l.d[i], k);
        if (l.d[i] & 4)
          l.d[i] = right<R, 2>(l.d[i], l.c[i], k);
      }
    }
    if (Pattern == 4) {
      if (l.c[i] & 1)
        l.c[i] = right<R, 1>(l.c[i], l.d[i], k);
      if (l.d[i] & 2)
        l.d[i] = right<R, 2>(l.d[i], l.c[i], k);
      if (l.c[i] & 4)
        l.c[i] = right<R, 3>(l.c[i], l.d[i], k);
    }
  }
}

template <int Pattern, bool R>
__global__ void synthetic(Word *a, Word *b, Word *c, Word *d, int outer, int inner) {
  extern __shared__ Word words[];
  const unsigned t = threadIdx.x, n = blockDim.x, g = blockIdx.x * n + t;
  const Lane l{words, words + n, words + 2 * n, words + 3 * n};
  l.a[t] = a[g], l.b[t] = b[g], l.c[t] = c[g], l.d[t] = d[g];
  __syncthreads();
  for (int i = 0; i < outer; ++i)
    for (int j = 0; j < inner; ++j)
      region<Pattern, R>(l, t, ((t + j) & 1) == 0, static_cast<Word>(i));
  __syncthreads();
  a[g] = l.a[t], b[g] = l.b[t], c[g] = l.c[t], d[g] = l.d[t];
}

/// The patterns once more, as data: each side updates its pair of words in these steps, a step
/// under the condition that a bit of its word is set; a nested one only where the step before was
/// taken.
struct Step {
  int word;
  uint64_t bit;
  bool nested;
};
static const std::vector<Step> patterns[] = {{{0, 0, false}, {1, 0, false}},
                                             {{0, 1, false}},
                                             {{0, 2, false}, {1, 4, true}},
                                             {{0, 1, false}, {1, 2, false}, {0, 4, false}}};

/// One update, in numbers below 2^32.
static uint64_t update(bool random, uint64_t number, uint64_t x, uint64_t y, uint64_t k) {
  const uint64_t word = uint64_t(1) << 32;
  if (!random) {
    const uint64_t a = (x + (y ^ (k + number))) % word, b = a ^ a * 32 % word;
    const uint64_t c = (y * 3 + b) % word, d = (word + b - c / 8) % word;
    return (d * 5 + number) % word;
  }
  const uint64_t a = x ^ (y + (k | number)) % word, b = (word + y - a * 4 % word) % word;
  return (a / 8 + b * 7) % (word / 2) ^ (b + number) % word;
}

static void reference(int pattern, bool random, uint64_t *pair, uint64_t k) {
  bool taken = false;
  uint64_t number = 0;
  for (const Step &step : patterns[pattern - 1]) {
    ++number;
    uint64_t &x = pair[step.word];
    taken = (!step.nested || taken) && (step.bit == 0 || (x & step.bit));
    if (taken)
      x = update(random, number, x, pair[1 - step.word], k);
  }
}

template <int Pattern, bool R>
void run(const bench::Options &o, unsigned block, bench::Verdicts &verdicts) {
  const std::string name = "SB" + std::to_string(Pattern) + (R ? "-R" : "");
  if (o.pattern != "all" && o.pattern != name)
    return;
  const unsigned blocks = static_cast<unsigned>(o.sizeInMultiplesOf(block) / block);
  const unsigned n = blocks * block;
  const int outer = 4, inner = 8;
  bench::Random random(o.seed);
  std::vector<Word> in[4];
  for (auto &v : in) {
    v.resize(n);
    for (Word &w : v)
      w = static_cast<Word>(random.next());
  }
  bench::DeviceBuffer<Word> a(in[0]), b(in[1]), c(in[2]), d(in[3]);
  synthetic<Pattern, R><<<dim3(blocks), dim3(block), 4 * block * sizeof(Word)>>>(
      a.get(), b.get(), c.get(), d.get(), outer, inner);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  for (unsigned t = 0; t < n; ++t)
    for (int i = 0; i < outer; ++i)
      for (int j = 0; j < inner;
           ++j) { // even sums of thread and step take a and b, odd ones c and d
        const bool first = (t % block + static_cast<unsigned>(j)) % 2 == 0;
        std::vector<Word> &x = in[first ? 0 : 2], &y = in[first ? 1 : 3];
        uint64_t pair[2] = {x[t], y[t]};
        reference(Pattern, R && !first, pair, static_cast<uint64_t>(i));
        x[t] = static_cast<Word>(pair[0]);
        y[t] = static_cast<Word>(pair[1]);
      }
  std::vector<Word> got, want;
  for (auto *buffer : {&a, &b, &c, &d}) {
    const auto part = buffer->download();
    got.insert(got.end(), part.begin(), part.end());
  }
  for (const auto &v : in)
    want.insert(want.end(), v.begin(), v.end());
  verdicts.expectEqual(name + " n=" + std::to_string(n) + " block=" + std::to_string(block), got,
                       want);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(
      argc, argv, {1024, 16384, "threads"},
      {"all", "SB1", "SB1-R", "SB2", "SB2-R", "SB3", "SB3-R", "SB4", "SB4-R"});
  bench::Verdicts verdicts("synthetic");
  for (unsigned block : {32u, 64u, 128u, 256u}) {
    if (o.block && o.block != block)
      continue;
    run<1, false>(o, block, verdicts);
    run<1, true>(o, block, verdicts);
    run<2, false>(o, block, verdicts);
    run<2, true>(o, block, verdicts);
    run<3, false>(o, block, verdicts);
    run<3, true>(o, block, verdicts);
    run<4, false>(o, block, verdicts);
    run<4, true>(o, block, verdicts);
  }
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
