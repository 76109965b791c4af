// Kernels whose versions share everything with their originals: variables of every kind, the
// printf buffer, LDS; and kernels that can have none. Each is launched three times; a kernel that
// nobody melds reads in between what the others have written, and writes what they read.
#include "tests/e2e/programs/check.h"

#include <string>
#include <unistd.h>

constexpr unsigned threads = 128, blocks = 3, all = threads * blocks;

__device__ unsigned counted = 11;
__device__ unsigned histogram[16];
__constant__ unsigned addend;
__managed__ unsigned shared = 5;
template <class T> struct OfType {
  static __device__ T member;
};
template <class T> __device__ T OfType<T>::member = 3;
__device__ unsigned *pointerTo = &counted;
__device__ const unsigned squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
static __device__ unsigned hidden;

// Two arms that differ in constants alone.
__host__ __device__ inline unsigned arms(unsigned v, unsigned i) {
  const unsigned n = i | 1;
  if (v & 1)
    v = (v % n + 17) % (n + 2) * 3;
  else
    v = (v % n + 35) % (n + 4) * 7;
  return v;
}

#define GLOBAL_ID const unsigned i = blockIdx.x * blockDim.x + threadIdx.x

extern "C" __global__ void variables(unsigned *y) {
  GLOBAL_ID;
  y[i] = arms(y[i], i) + addend + squares[i & 7];
  atomicAdd(&counted, 1u);
  atomicAdd(&histogram[y[i] & 15], 1u);
  if (i == 0) {
    shared += 2;
    OfType<unsigned>::member *= 2;
  }
  if (i == 1)
    atomicAdd(pointerTo, 1000u);
}

/// Has no version, as it names `hidden`: what it says is what the original's variables hold.
extern "C" __global__ void look(unsigned *out) {
  const unsigned t = threadIdx.x;
  if (t < 16)
    out[t] = histogram[t];
  if (t == 16) {
    out[t] = counted;
    counted += 7;
  }
  if (t == 17)
    out[t] = shared;
  if (t == 18)
    out[t] = OfType<unsigned>::member + hidden;
}

extern __shared__ unsigned dynamic[]; // for the atomic, the object has a symbol of that name

extern "C" __global__ void local(unsigned *y, unsigned shift) {
  __shared__ unsigned fixed[threads];
  GLOBAL_ID;
  fixed[threadIdx.x] = y[i];
  dynamic[threadIdx.x] = y[i] * 3;
  __syncthreads();
  const unsigned other = (threadIdx.x + shift) % threads;
  y[i] = arms(fixed[other], i) + atomicAdd(&dynamic[other], 1u);
}

extern "C" __global__ void prints(unsigned *y) {
  GLOBAL_ID;
  y[i] = arms(y[i], i);
  if (i == 5)
    printf("element %u is %u, %s\n", i, y[i], y[i] & 1 ? "odd" : "even");
}

extern "C" __global__ void hides(unsigned *y) {
  GLOBAL_ID;
  y[i] = arms(y[i], i) + hidden;
}

extern "C" __global__ void setsHidden(unsigned v) { hidden = v; }

__device__ __noinline__ unsigned increment(unsigned v) { return v + 1; }
__device__ __noinline__ unsigned twice(unsigned v) { return v * 2; }
using Function = unsigned (*)(unsigned);
__device__ Function functions[2] = {increment, twice};

extern "C" __global__ void indirect(unsigned *y) {
  GLOBAL_ID;
  y[i] = functions[i & 1](arms(y[i], i));
}

static std::vector<unsigned> input() { return randomBelow<unsigned>(all, 100000, 3); }

static void testVariables() {
  std::vector<unsigned> y = input();
  Device<unsigned> device(y), seen(19);
  unsigned count = 11, members = 3, managed = 5, table[16] = {};
  for (unsigned round = 0; round < 3; ++round) {
    const unsigned add = 100 + round;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(addend), &add, sizeof add));
    variables<<<blocks, threads>>>(device);
    for (unsigned i = 0; i < all; ++i) {
      y[i] = arms(y[i], i) + add + (i & 7) * (i & 7);
      ++table[y[i] & 15];
    }
    count += all + 1000;
    managed += 2;
    members *= 2;
    expectSame("variables", device.host(), y);
    look<<<1, 64>>>(seen);
    std::vector<unsigned> want(table, table + 16);
    want.insert(want.end(), {count, managed, members});
    expectSame("seen by another kernel", seen.host(), want);
    count += 7;
    unsigned read = 0;
    HIP(hipMemcpyFromSymbol(&read, HIP_SYMBOL(counted), sizeof read));
    EXPECT(read == count);
    EXPECT(shared == managed);
    shared = managed += 50;
  }
}

static void testLocal() {
  std::vector<unsigned> y = input();
  Device<unsigned> device(y);
  for (unsigned shift : {1u, 7u, 100u}) {
    local<<<blocks, threads, threads * sizeof(unsigned)>>>(device, shift);
    const std::vector<unsigned> before = y;
    for (unsigned i = 0; i < all; ++i) {
      const unsigned other = i / threads * threads + (i % threads + shift) % threads;
      y[i] = arms(before[other], i) + before[other] * 3;
    }
    expectSame("local", device.host(), y);
  }
}

static void testPrints() {
  std::vector<unsigned> y = input();
  Device<unsigned> device(y);
  std::FILE *file = std::tmpfile();
  std::fflush(stdout);
  const int terminal = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  std::string want;
  for (int round = 0; round < 3; ++round) {
    prints<<<blocks, threads>>>(device);
    for (unsigned i = 0; i < all; ++i)
      y[i] = arms(y[i], i);
    char line[80];
    std::snprintf(line, sizeof line, "element 5 is %u, %s\n", y[5], y[5] & 1 ? "odd" : "even");
    want += line;
  }
  const hipError_t status = hipDeviceSynchronize();
  std::fflush(stdout);
  dup2(terminal, STDOUT_FILENO);
  EXPECT(status == hipSuccess);
  std::rewind(file);
  char text[400] = {};
  EXPECT(std::fread(text, 1, sizeof text - 1, file) == want.size());
  EXPECT(want == text);
  expectSame("prints", device.host(), y);
  std::fclose(file);
}

static void testRefused() {
  std::vector<unsigned> y = input();
  Device<unsigned> device(y);
  for (unsigned round = 1; round < 4; ++round) {
    setsHidden<<<1, 1>>>(round * 10);
    hides<<<blocks, threads>>>(device);
    indirect<<<blocks, threads>>>(device);
    for (unsigned i = 0; i < all; ++i) {
      const unsigned v = arms(arms(y[i], i) + round * 10, i);
      y[i] = i & 1 ? v * 2 : v + 1;
    }
    expectSame("refused", device.host(), y);
  }
}

int main() {
  testVariables();
  testLocal();
  testPrints();
  testRefused();
  return verdict();
}
