// Floating-point atomics, f32 and f64, global and LDS: sums of values chosen so that every order
// gives the same exact result, minima and maxima over signs, zeros and infinities, CAS loops on bit
// patterns, the no-return forms (unsafeAtomicAdd).
#include "check.h"

#include <algorithm>

template <class T> __device__ T casMultiply(T *address, T factor) {
  using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  Bits *bits = reinterpret_cast<Bits *>(address);
  Bits old = *bits, seen;
  do {
    seen = old;
    T value;
    __builtin_memcpy(&value, &seen, sizeof value);
    value *= factor;
    Bits next;
    __builtin_memcpy(&next, &value, sizeof next);
    old = atomicCAS(bits, seen, next);
  } while (old != seen);
  T result;
  __builtin_memcpy(&result, &old, sizeof result);
  return result;
}

template <class T> struct Cells {
  T add, addNoReturn, min, max, product, exchanged;
};

template <class T> __device__ void apply(Cells<T> *c, const T *exact, const T *any, T *old, int i) {
  old[i] = atomicAdd(&c->add, exact[i]);
  unsafeAtomicAdd(&c->addNoReturn, exact[i]);
  atomicMin(&c->min, any[i]);
  atomicMax(&c->max, any[i]);
  casMultiply(&c->product, i % 2 ? T(2) : T(0.5));
  if (i == 7)
    atomicExch(&c->exchanged, any[i]);
}
template <class T>
__global__ void global(Cells<T> *c, const T *exact, const T *any, T *old, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    apply(c, exact, any, old, i);
}
template <class T> __global__ void local(Cells<T> *c, const T *exact, const T *any, T *old, int n) {
  __shared__ Cells<T> cells;
  if (threadIdx.x == 0)
    cells = *c;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    apply(&cells, exact, any, old, i);
  __syncthreads();
  if (threadIdx.x == 0)
    *c = cells;
}

template <class T> void check(const char *name) {
  const int n = 900;
  Random random(sizeof(T));
  std::vector<T> exact(n), any(n);
  for (int i = 0; i < n; ++i) {
    // multiples of 1/16 below 2^12: any partial sum of 900 is exact in 24 bits
    exact[i] = T(int(random.below(8192)) - 4096) / 16;
    any[i] = T(random.in(-1e30, 1e30));
  }
  any[5] = T(-0.0);
  any[17] = std::numeric_limits<T>::denorm_min();
  for (bool inLds : {false, true}) {
    const Cells<T> start = {T(0.5), 0, any[0], any[0], T(3), 0};
    Device<Cells<T>> cells(std::vector<Cells<T>>{start});
    Device<T> a(exact), b(any), old(n);
    if (inLds)
      local<T><<<1, 192>>>(cells, a, b, old, n);
    else
      global<T><<<(n + 127) / 128, 128>>>(cells, a, b, old, n);
    Cells<T> want = start;
    for (int i = 0; i < n; ++i) {
      want.add += exact[i], want.addNoReturn += exact[i];
      want.min = std::min(want.min, any[i]), want.max = std::max(want.max, any[i]);
    }
    want.exchanged = any[7];
    expectSame(name, cells.host(), {want});
    // the old values are the partial sums in some order: each differs from another by an addend
    auto partial = old.host();
    partial.push_back(want.add);
    for (int i = 0; i < n; ++i)
      partial.push_back(-(partial[i] + exact[i]));
    double sum = 0; // telescopes to the first partial sum
    for (double p : partial)
      sum += p;
    EXPECT(sum == start.add);
  }
}

int main() {
  check<float>("float");
  check<double>("double");
  return verdict();
}
