// rocRAND's device XORWOW: the sequence obeys Marsaglia's recurrence (Xorshift RNGs, JSS 2003), and
// a subsequence or offset skipped is the same as one drawn.
#include "check.h"
#include <rocrand/rocrand_kernel.h>

__global__ void draw(unsigned *out, unsigned count, unsigned long long offset) {
  rocrand_state_xorwow state;
  rocrand_init(2024, threadIdx.x, offset, &state);
  for (unsigned i = 0; i < count; ++i)
    out[threadIdx.x * count + i] = rocrand(&state);
}

int main() {
  const unsigned threads = 64, count = 40, offset = 13;
  Device<unsigned> whole(threads * count), late(threads * count);
  draw<<<1, threads>>>(whole.get(), count, 0);
  draw<<<1, threads>>>(late.get(), count, offset);
  HIP(hipDeviceSynchronize());
  const auto all = whole.host(), after = late.host();
  for (unsigned t = 0; t < threads; ++t) {
    const unsigned *row = &all[t * count];
    for (unsigned i = offset; i < count; ++i)
      EXPECT(after[t * count + i - offset] == row[i]);
    EXPECT(t == 0 || row[0] != row[-int(count)]);
    // Without the counter d (362437 a step) the outputs are the state words of the xorshift:
    // v' = v ^ (v << 4) ^ t ^ (t << 1) with t = x ^ (x >> 2), x the word five steps back. The
    // counter's start is unknown: it is tried from the first recurrence and must hold in all.
    const auto word = [&](unsigned i, unsigned d0) { return row[i] - (d0 + 362437u * i); };
    const auto holds = [&](unsigned i, unsigned d0) {
      const unsigned x = word(i - 5, d0), s = x ^ (x >> 2), v = word(i - 1, d0);
      return word(i, d0) == ((v ^ (v << 4)) ^ (s ^ (s << 1)));
    };
    // The state's d after seeding is 6615241 plus multiples that depend on the seed alone, so one
    // thread's counter start serves the others: found bit by bit, lowest first.
    std::vector<unsigned> candidates{0};
    for (unsigned bit = 0; bit < 32; ++bit) {
      std::vector<unsigned> next;
      for (unsigned c : candidates)
        next.push_back(c), next.push_back(c | 1u << bit);
      if (bit >= 8) { // low bits of the recurrence need bits above them: the shift right by two
        candidates.clear();
        for (unsigned c : next) {
          bool ok = true;
          const unsigned mask = (2u << (bit - 2)) - 1;
          for (unsigned i = 5; i < 25 && ok; ++i) {
            const unsigned x = word(i - 5, c), s = x ^ (x >> 2), v = word(i - 1, c);
            ok = ((word(i, c) ^ (v ^ (v << 4)) ^ (s ^ (s << 1))) & mask) == 0;
          }
          if (ok)
            candidates.push_back(c);
        }
      } else {
        candidates = next;
      }
    }
    bool found = false;
    for (unsigned c : candidates) {
      bool ok = true;
      for (unsigned i = 5; i < count && ok; ++i)
        ok = holds(i, c);
      found |= ok;
    }
    EXPECT(found);
  }
  return verdict();
}
