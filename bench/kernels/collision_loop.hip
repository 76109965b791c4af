// Particles that fly through a medium, one a thread: each step is cheap, and now and then there is a
// collision, which is dear. "skewed": a lane collides in one step of 32, at random, so that nearly
// every step some lane of the wave does; "balanced": all lanes collide in every 32nd step.
// Integers throughout, so that the host's sums are exact.
#include "harness.h"

/// A linear congruential generator modulo 2^32.
constexpr unsigned kFactor = 1664525u, kSummand = 1013904223u;
constexpr unsigned kScatterings = 24;

__global__ void collisionLoop(unsigned *tally, unsigned threads, unsigned steps, unsigned mask,
                              unsigned every) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads)
    return;
  unsigned state = thread * 2654435761u + 12345u, energy = 1u << 20, path = 0;
  for (unsigned step = 0; step < steps; ++step) {
    state = state * kFactor + kSummand;
    path += (state >> 20) + (energy >> 8);
    if (((state >> 12) & mask) == 0 && (step & every) == every) { // divergent: branch
      for (unsigned k = 0; k < kScatterings; ++k) {
        energy ^= energy >> 7;
        energy = energy * 69069u + (path >> (k & 7));
        path ^= energy << 3;
      }
    }
    path = (path << 1) | (path >> 31);
  }
  tally[thread] = path + energy;
}

/// The n-th number behind `state`, in one leap: x -> a^n x + c (a^n - 1) / (a - 1).
static unsigned leap(unsigned state, unsigned n) {
  unsigned factor = kFactor, summand = kSummand, a = 1, c = 0;
  for (; n; n >>= 1) {
    if (n & 1)
      a *= factor, c = c * factor + summand;
    summand *= factor + 1;
    factor *= factor;
  }
  return a * state + c;
}

static unsigned particle(unsigned thread, unsigned steps, unsigned mask, unsigned every) {
  const unsigned first = thread * 2654435761u + 12345u;
  unsigned energy = 1048576, path = 0;
  for (unsigned step = 0; step < steps; ++step) {
    const unsigned state = leap(first, step + 1);
    path += state / 1048576 + energy / 256;
    if (state / 4096 % (mask + 1) == 0 && step % (every + 1) == every)
      for (unsigned k = 0; k < kScatterings; ++k) {
        const unsigned mixed = energy ^ energy / 128;
        energy = mixed * 69069u + path / (1u << k % 8);
        path = path ^ energy * 8;
      }
    path = path * 2 + path / 2147483648u;
  }
  return path + energy;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {1024, 8192, "threads"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("collision_loop");
  const unsigned threads = static_cast<unsigned>(o.size), steps = 256;
  const bool balanced = o.pattern == "balanced";
  const unsigned mask = balanced ? 0 : 31, every = balanced ? 31 : 0;
  std::vector<unsigned> want;
  for (unsigned t = 0; t < threads; ++t)
    want.push_back(particle(t, steps, mask, every));
  bench::DeviceBuffer<unsigned> tally(want.size());
  const unsigned block = o.block ? o.block : 128;
  collisionLoop<<<dim3((threads + block - 1) / block), dim3(block)>>>(tally.get(), threads, steps,
                                                                      mask, every);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("threads=" + std::to_string(threads) + " pattern=" + o.pattern,
                       tally.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
