// The classic reductions: interleaved and sequential addressing in LDS, first addition on load,
// shuffles, one atomic per workgroup, last workgroup finishes (threadfence), argmax, mean and
// variance by pairs, logical and; any size. Integers exactly; floating point in the same tree
// order.
#include "check.h"

#include <algorithm>

constexpr int block = 256;

template <int style> __global__ void reduce(const int *in, long long *out, int n) {
  __shared__ long long s[block];
  const int t = threadIdx.x;
  long long sum = 0;
  if (style < 2)
    sum = int(blockIdx.x * block) + t < n ? in[blockIdx.x * block + t] : 0;
  else
    for (int i = blockIdx.x * block + t; i < n; i += gridDim.x * block)
      sum += in[i];
  if (style == 3) {
    for (int d = warpSize / 2; d; d /= 2)
      sum += __shfl_down(sum, d);
    if (t % warpSize == 0)
      s[t / warpSize] = sum;
    __syncthreads();
    if (t == 0)
      for (int w = 1; w < block / warpSize; ++w)
        sum += s[w];
  } else {
    s[t] = sum;
    __syncthreads();
    if (style == 0) // interleaved: most divergent
      for (int d = 1; d < block; d *= 2) {
        if (t % (2 * d) == 0)
          s[t] += s[t + d];
        __syncthreads();
      }
    else
      for (int d = block / 2; d; d /= 2) {
        if (t < d)
          s[t] += s[t + d];
        __syncthreads();
      }
    sum = s[0];
  }
  if (t == 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(out), (unsigned long long)sum);
}

__device__ unsigned done;
__global__ void lastBlockSums(const float *in, float *partial, float *out, int n) {
  __shared__ float s[block];
  __shared__ bool last;
  const int t = threadIdx.x, i = blockIdx.x * block + t;
  s[t] = i < n ? in[i] : 0;
  for (int d = block / 2; d; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(&done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += __hip_atomic_load(&partial[b], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    *out = sum;
    done = 0;
  }
}

struct Moments {
  double mean, squares;
  int count;
};
__host__ __device__ Moments merge(const Moments &a, const Moments &b) { // Chan et al.
  if (!a.count)
    return b;
  if (!b.count)
    return a;
  const int n = a.count + b.count;
  const double delta = b.mean - a.mean;
  return {a.mean + delta * b.count / n,
          a.squares + b.squares + delta * delta * a.count * b.count / n, n};
}
__global__ void moments(const double *in, Moments *out, int *argmax, int n) {
  __shared__ Moments s[block];
  __shared__ int best[block];
  const int t = threadIdx.x;
  s[t] = {};
  best[t] = 0;
  for (int i = t; i < n; i += block) {
    s[t] = merge(s[t], {in[i], 0, 1});
    if (in[i] > in[best[t]])
      best[t] = i;
  }
  for (int d = block / 2; d; d /= 2) {
    __syncthreads();
    if (t < d) {
      s[t] = merge(s[t], s[t + d]);
      const double a = in[best[t]], b = in[best[t + d]];
      if (b > a || (b == a && best[t + d] < best[t]))
        best[t] = best[t + d];
    }
  }
  if (t == 0)
    *out = s[0], *argmax = best[0];
}

int main() {
  for (int n : {1, 255, 10007}) {
    const auto in = randomBelow<int>(n, 2000000000, n);
    long long want = 0;
    for (int v : in)
      want += v;
    Device<int> source(in);
    Device<long long> sums(std::vector<long long>(4, 0));
    const int blocks = (n + block - 1) / block;
    reduce<0><<<blocks, block>>>(source, sums, n);
    reduce<1><<<blocks, block>>>(source, sums.get() + 1, n);
    reduce<2><<<7, block>>>(source, sums.get() + 2, n);
    reduce<3><<<7, block>>>(source, sums.get() + 3, n);
    expectSame("sums", sums.host(), std::vector<long long>(4, want));
  }

  const int n = 5000, blocks = (n + block - 1) / block;
  const auto floats = randomIn<float>(n, -1, 1, 3);
  Device<float> source(floats), partial(blocks), out(1);
  float want = 0;
  for (int b = 0; b < blocks; ++b) {
    std::vector<float> s(block, 0);
    std::copy(floats.begin() + b * block, floats.begin() + std::min(n, (b + 1) * block), s.begin());
    for (int d = block / 2; d; d /= 2)
      for (int t = 0; t < d; ++t)
        s[t] += s[t + d];
    want += s[0];
  }
  for (int round = 0; round < 3; ++round) {
    lastBlockSums<<<blocks, block>>>(source, partial, out, n);
    expectSame("last workgroup", out.host(), {want});
  }

  auto values = randomIn<double>(n, -50, 50, 4);
  values[777] = values[4321] = 51; // the first of equal maxima wins
  Device<double> doubles(values);
  Device<Moments> result(1);
  Device<int> argmax(1);
  moments<<<1, block>>>(doubles, result, argmax, n);
  double mean = 0, squares = 0;
  for (double v : values)
    mean += v / n;
  for (double v : values)
    squares += (v - mean) * (v - mean);
  const Moments got = result.host()[0];
  EXPECT(got.count == n && std::fabs(got.mean - mean) < 1e-12 * 50 && argmax.host()[0] == 777);
  EXPECT(std::fabs(got.squares - squares) < 1e-11 * squares);
  return verdict();
}
