// Lanes leave a loop at different times. What each computed last, of bits and of counters that the whole wave has in
// scalar registers, is what it has behind the loop, whatever the lanes that stayed have made of those registers since.
//
// The loop itself needs such a value only for a product with the wave's number in the work-group. That is 0, which code
// generation finds out late: it could then move the value behind the loop.
#include "check.h"

constexpr unsigned lanes = 64, waves = 8, inputsOfLane = 16;

struct Inputs {
  unsigned u, v, w, other, round;
  bool c, e;
};

using Word = uint64_t;
/// What a lane needs behind the loop: `then` on one side of a branch, `otherwise` on the other, by a
/// number of bits that the loop goes on with.
#define SHAPE(name, number, then, otherwise)                                                       \
  struct name {                                                                                    \
    template <bool side> __host__ __device__ static unsigned of(const Inputs &in, unsigned &a) {   \
      [[maybe_unused]] const auto [u, v, w, other, round, c, e] = in;                              \
      [[maybe_unused]] const unsigned bits = number;                                               \
      a = side ? a ^ bits : a + bits;                                                              \
      return side ? then : otherwise;                                                              \
    }                                                                                              \
  };
SHAPE(SumOfBits, unsigned(c) + unsigned(e), u + bits, v + bits)
SHAPE(SumOfThreeBits, unsigned(c) + unsigned(e) + unsigned(u > v), u + bits, v + bits)
SHAPE(SumOfSums, unsigned(c), w + (u + bits), other + (v + bits))
SHAPE(Difference, unsigned(c), (u - bits) - w, (v - bits) - other)
SHAPE(Carry, u + w, other + unsigned(bits < u) + v, other + unsigned(bits < v) + u)
SHAPE(Borrow, u - w, other - unsigned(u < w) - v, other - unsigned(v < w) - u)
SHAPE(Chosen, c ? 1u : 0u, u + bits, v + bits)
SHAPE(MinusOne, c ? ~0u : 0u, (u & bits) + 3, (v & bits) + 3)
SHAPE(Packed, unsigned(c) | unsigned(e) << 1, u + bits, v + bits)
SHAPE(Shifted, unsigned(c), (u << bits) + w, (v << bits) + other)
SHAPE(Product24, round & 0xffffff, (u & 0xffffff) * bits + w, (v & 0xffffff) * bits + other)
SHAPE(Counter, round, (u + bits) ^ w, (v + bits) ^ other)
#undef SHAPE

template <class Shape>
__host__ __device__ void run(const unsigned *__restrict__ in, Word *__restrict__ out,
                             unsigned thread, unsigned other) {
  const unsigned numberOfWave = thread / lanes, limit = in[1] % (inputsOfLane - 2);
  unsigned v = in[0], a = 0, x = 0, i = 0;
  do {
    const unsigned u = in[2 + i], w = v ^ (u * 2654435761u);
    const bool c = w < u, e = static_cast<int>(w) < static_cast<int>(v);
    const Inputs inputs{u, v, w, other, i, c, e};
    if (u >> 9 & 1) {
      x = Shape::template of<true>(inputs, a);
      reinterpret_cast<unsigned *>(out)[6] = a + (x >> 3) * numberOfWave;
    } else {
      x = Shape::template of<false>(inputs, a);
      out[2] = (a ^ 1) + (x >> 3) * numberOfWave;
    }
    v = c ? v * 3 + u : v + 7;
    if (e)
      a += v;
    ++i;
  } while (i < limit);
  out[0] = x;
  out[1] = Word(a) << 32 | v;
}

template <class Shape>
__global__ __launch_bounds__(lanes) void kernel(const unsigned *in, Word *out, unsigned other) {
  const unsigned thread = blockIdx.x * lanes + threadIdx.x;
  run<Shape>(in + thread * inputsOfLane, out + thread * 4, threadIdx.x, other);
}

template <class Shape> void check(const char *name) {
  constexpr unsigned threads = lanes * waves, other = 0x87654321u;
  Random random(11);
  std::vector<unsigned> in(threads * inputsOfLane);
  for (unsigned &word : in)
    word = static_cast<unsigned>(random.next());
  std::vector<Word> got(threads * 4), expected(threads * 4);
  unsigned *inputs = nullptr;
  Word *outputs = nullptr;
  HIP(hipMalloc(&inputs, in.size() * sizeof *inputs));
  HIP(hipMalloc(&outputs, got.size() * sizeof *outputs));
  HIP(hipMemcpy(inputs, in.data(), in.size() * sizeof *inputs, hipMemcpyHostToDevice));
  HIP(hipMemset(outputs, 0, got.size() * sizeof *outputs));
  kernel<Shape><<<waves, lanes>>>(inputs, outputs, other);
  HIP(hipGetLastError());
  HIP(hipMemcpy(got.data(), outputs, got.size() * sizeof *outputs, hipMemcpyDeviceToHost));
  unsigned wrong = 0, rounds = 0;
  for (unsigned t = 0; t < threads; ++t) {
    run<Shape>(&in[t * inputsOfLane], &expected[t * 4], t % lanes, other);
    rounds += in[t * inputsOfLane + 1] % (inputsOfLane - 2);
    wrong += std::memcmp(&got[t * 4], &expected[t * 4], 4 * sizeof(Word)) != 0;
  }
  if (wrong)
    std::printf("%s: %u of %u threads are wrong\n", name, wrong, threads);
  EXPECT(!wrong && rounds > threads);
  HIP(hipFree(inputs));
  HIP(hipFree(outputs));
}

int main() {
  check<SumOfBits>("the sum of bits");
  check<SumOfThreeBits>("the sum of three bits");
  check<SumOfSums>("a sum of sums");
  check<Difference>("a difference");
  check<Carry>("a carry");
  check<Borrow>("a borrow");
  check<Chosen>("a choice between constants");
  check<MinusOne>("all bits or none");
  check<Packed>("packed bits");
  check<Shifted>("a shift by a bit");
  check<Product24>("a product with the counter");
  check<Counter>("a sum with the counter");
  return verdict();
}
