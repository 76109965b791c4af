// Votes and lane masks: __ballot, __any, __all, the block-wide __syncthreads_count/and/or, lane id,
// the mask of active lanes, readfirstlane, in full and partial waves and under nested divergence.
#include "check.h"

struct Votes {
  unsigned long long ballot, active;
  int any, all, lane, before, first;
};

__device__ Votes vote(int predicate, int value) {
  Votes v;
  v.ballot = __ballot(predicate);
  v.active = __builtin_amdgcn_read_exec();
  v.any = __any(predicate);
  v.all = __all(predicate);
  v.lane = __lane_id();
  v.before = __popcll(v.ballot & ((1ull << __lane_id()) - 1));
  v.first = __builtin_amdgcn_readfirstlane(value);
  return v;
}
__global__ void votes(const int *in, Votes *out, int *counts) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, v = in[t];
  Votes r;
  if (v % 3 == 0)
    r = vote(v & 4, v);
  else if (v % 3 == 1) {
    r = vote(v & 8, v);
    if (v & 16)
      r.ballot ^= __ballot(v & 2);
  } else
    r = vote(1, v);
  out[t] = r;
  const int odd = __syncthreads_count(v & 1), every = __syncthreads_and(v < 990),
            some = __syncthreads_or(v == 77);
  counts[t] = odd * 4 + (every != 0) * 2 + (some != 0);
}

int main() {
  const int blocks = 6, threads = 150, n = blocks * threads; // the last wave has 22 lanes
  const auto in = randomBelow<int>(n, 1000, 3);
  Device<int> source(in), counts(n);
  Device<Votes> out(n);
  votes<<<blocks, threads>>>(source, out, counts);

  const int lanes = int(waveSize());
  std::vector<Votes> want(n);
  std::vector<int> wantCounts(n);
  std::memset(want.data(), 0, n * sizeof(Votes));
  for (int b = 0; b < blocks; ++b) {
    int odd = 0, every = 1, some = 0;
    for (int t = 0; t < threads; ++t) {
      const int v = in[b * threads + t];
      odd += v & 1, every &= v < 990, some |= v == 77;
    }
    for (int t = 0; t < threads; ++t) {
      const int at = b * threads + t, v = in[at], wave = t / lanes * lanes;
      unsigned long long active = 0, ballot = 0, inner = 0;
      int first = -1;
      for (int l = 0; l < lanes && wave + l < threads; ++l) {
        const int w = in[b * threads + wave + l];
        if (w % 3 != v % 3)
          continue;
        if (first < 0)
          first = w;
        active |= 1ull << l;
        if (v % 3 == 0 ? w & 4 : v % 3 == 1 ? w & 8 : 1)
          ballot |= 1ull << l;
        if (v % 3 == 1 && (w & 16) && (w & 2))
          inner |= 1ull << l;
      }
      Votes &r = want[at];
      r.lane = t % lanes;
      r.active = active;
      r.any = ballot != 0;
      r.all = ballot == active;
      r.before = __builtin_popcountll(ballot & ((1ull << r.lane) - 1));
      r.first = first;
      r.ballot = ballot ^ (v % 3 == 1 && (v & 16) ? inner : 0);
      wantCounts[at] = odd * 4 + every * 2 + some;
    }
  }
  auto got = out.host();
  for (Votes &v : got)
    v.any = v.any != 0, v.all = v.all != 0;
  // field by field: the struct has padding
  for (int i = 0; i < n; ++i) {
    const Votes &g = got[i], &w = want[i];
    if (g.ballot != w.ballot || g.active != w.active || g.any != w.any || g.all != w.all ||
        g.lane != w.lane || g.before != w.before || g.first != w.first) {
      std::printf(
          "thread %d: ballot %llx/%llx active %llx/%llx any %d/%d all %d/%d lane %d/%d before "
          "%d/%d first %d/%d\n",
          i, g.ballot, w.ballot, g.active, w.active, g.any, w.any, g.all, w.all, g.lane, w.lane,
          g.before, w.before, g.first, w.first);
      ++failures;
      break;
    }
  }
  expectSame("block votes", counts.host(), wantCounts);
  return verdict();
}
