// Shuffles: every form (indexed, up, down, xor), widths from 2 to the wave's, the types HIP offers, sources that
// leave their segment, and shuffles in diverged code where only some lanes take part.
#include "check.h"

template <class T> __global__ void shuffle(const T *in, T *out, int width, int delta) {
  const int t = threadIdx.x, n = blockDim.x;
  const T v = in[t];
  out[t] = __shfl(v, delta & (width - 1), width);
  out[n + t] = __shfl(v, (t * 7 + delta) & (width - 1), width);
  out[2 * n + t] = __shfl_up(v, delta, width);
  out[3 * n + t] = __shfl_down(v, delta, width);
  out[4 * n + t] = __shfl_xor(v, delta, width);
}

/// What the manual says: a lane outside the segment's range gives the lane's own value.
template <class T> std::vector<T> expected(const std::vector<T> &in, int width, int delta) {
  const int n = int(in.size()), lanes = int(waveSize());
  std::vector<T> out(5 * n);
  for (int t = 0; t < n; ++t) {
    const int lane = t % lanes, wave = t - lane, segment = lane & -width;
    auto at = [&](int l) { return in[wave + l]; };
    out[t] = at(segment + (delta & (width - 1)));
    out[n + t] = at(segment + ((t * 7 + delta) & (width - 1)));
    out[2 * n + t] = lane - delta < segment ? in[t] : at(lane - delta);
    out[3 * n + t] = (lane & (width - 1)) + delta >= width ? in[t] : at(lane + delta);
    const int x = lane ^ delta;
    out[4 * n + t] = x >= ((lane + width) & -width) ? in[t] : at(x);
  }
  return out;
}

template <class T> void check(const char *name) {
  const int n = 128;
  Random random(sizeof(T));
  std::vector<T> in(n);
  for (T &v : in)
    v = static_cast<T>(int64_t(random.next()) >> 12);
  Device<T> source(in);
  for (int width = 2; width <= int(waveSize()); width *= 2)
    for (int delta : {0, 1, 3, width / 2, width - 1}) {
      Device<T> out(5 * n);
      shuffle<T><<<1, n>>>(source, out, width, delta);
      expectSame(name, out.host(), expected(in, width, delta));
    }
}

/// Half a wave reduces by shuffles while the other half does something else with them.
__global__ void diverged(const int *in, int *out) {
  const int t = threadIdx.x;
  const int half = warpSize / 2, segment = half / 4;
  int v = in[t];
  if (t & half) {
    for (int d = half / 2; d; d >>= 1)
      v += __shfl_xor(v, d);
  } else if ((t & (half - 1)) < 3 * segment) {
    for (int d = 1; d < segment; d <<= 1) {
      const int from = __shfl_up(v, d, segment);
      if ((t & (segment - 1)) >= d)
        v += from;
    }
  }
  out[t] = v;
}

int main() {
  check<int>("int");
  check<unsigned>("unsigned");
  check<float>("float");
  check<double>("double");
  check<long long>("long long");
  check<unsigned long>("unsigned long");

  const auto in = randomBelow<int>(64, 1000, 9);
  Device<int> source(in), out(64);
  diverged<<<1, 64>>>(source, out);
  std::vector<int> want = in;
  const int half = int(waveSize()) / 2, segment = half / 4;
  for (int t = 0; t < 64; ++t)
    if (t & half) {
      want[t] = 0;
      for (int i = t / half * half; i < t / half * half + half; ++i)
        want[t] += in[i];
    } else if (t % half < 3 * segment && t % segment)
      want[t] = want[t - 1] + in[t];
  expectSame("diverged", out.host(), want);
  return verdict();
}
