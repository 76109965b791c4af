// The launching side under load: a thousand small kernels in a row and over eight streams, host
// threads that launch at the same time, a large grid of tiny workgroups, workgroups of every size
// from 1 to 1024, empty kernels between copies.
#include "check.h"

#include <thread>

__global__ void bump(unsigned *x, unsigned by) { x[threadIdx.x] = x[threadIdx.x] * 3 + by; }
__global__ void ids(unsigned *out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = blockIdx.x * 7 + blockDim.x;
}
__global__ void whole(unsigned *out) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, threadIdx.x + 1);
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1)
    *out = sum;
}
__global__ void nothing() {}

int main() {
  Device<unsigned> x(std::vector<unsigned>(64, 1));
  std::vector<unsigned> want(64, 1);
  for (unsigned k = 0; k < 600; ++k) {
    bump<<<1, 64>>>(x, k);
    for (unsigned &v : want)
      v = v * 3 + k;
  }
  expectSame("in a row", x.host(), want);

  hipStream_t streams[8];
  std::vector<Device<unsigned> *> data;
  for (auto &s : streams) {
    HIP(hipStreamCreate(&s));
    data.push_back(new Device<unsigned>(std::vector<unsigned>(64, 2)));
  }
  for (unsigned k = 0; k < 400; ++k)
    bump<<<1, 64, 0, streams[k % 8]>>>(*data[k % 8], k);
  HIP(hipDeviceSynchronize());
  for (unsigned s = 0; s < 8; ++s) {
    unsigned v = 2;
    for (unsigned k = s; k < 400; k += 8)
      v = v * 3 + k;
    expectSame("streams", data[s]->host(), std::vector<unsigned>(64, v));
  }

  std::vector<std::thread> threads;
  std::vector<unsigned> results(4);
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t, &results, &streams, &data] {
      for (unsigned k = 0; k < 50; ++k) {
        bump<<<1, 64, 0, streams[t]>>>(*data[t], t);
        if (k % 10 == 0) {
          nothing<<<1, 1, 0, streams[t]>>>();
          HIP(hipMemcpyAsync(&results[t], *data[t], 4, hipMemcpyDeviceToHost, streams[t]));
          HIP(hipStreamSynchronize(streams[t]));
        }
      }
    });
  for (auto &t : threads)
    t.join();
  HIP(hipDeviceSynchronize());
  for (unsigned t = 0; t < 4; ++t) {
    unsigned v = 2;
    for (unsigned k = t; k < 400; k += 8)
      v = v * 3 + k;
    for (unsigned k = 0; k < 50; ++k)
      v = v * 3 + t;
    expectSame("host threads", data[t]->host(), std::vector<unsigned>(64, v));
  }
  for (unsigned s = 0; s < 8; ++s) {
    delete data[s];
    HIP(hipStreamDestroy(streams[s]));
  }

  const unsigned blocks = 20000;
  Device<unsigned> many(blocks);
  ids<<<blocks, 2>>>(many);
  std::vector<unsigned> wantMany(blocks);
  for (unsigned b = 0; b < blocks; ++b)
    wantMany[b] = b * 7 + 2;
  expectSame("large grid", many.host(), wantMany);

  Device<unsigned> sums(1025);
  std::vector<unsigned> wantSums(1025, 0xa5a5a5a5);
  for (unsigned size = 1; size <= 1024; size += size < 130 ? 1 : 61) {
    whole<<<1, size>>>(sums.get() + size);
    wantSums[size] = size * (size + 1) / 2;
  }
  expectSame("sizes", sums.host(), wantSums);
  return verdict();
}
