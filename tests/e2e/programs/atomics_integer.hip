// Every integer atomic of HIP on int, unsigned and 64 bits, in global memory and in LDS: the final
// value is the host's fold (all these folds commute), the returned old values of add and inc are a
// permutation, CAS loops and exchange lose nothing.
#include "check.h"

#include <algorithm>

template <class T> struct Cells {
  T add, sub, exch, min, max, band, bor, bxor, inc, dec, cas, ticket;
};

template <class T> __device__ void apply(Cells<T> *c, T v, unsigned id, T *tickets) {
  atomicAdd(&c->add, v);
  atomicMin(&c->min, v);
  atomicMax(&c->max, v);
  atomicAnd(&c->band, v | T(0xff00));
  atomicOr(&c->bor, v & T(0xff0ff));
  atomicXor(&c->bxor, v);
  tickets[id] = atomicAdd(&c->ticket, T(1));
  // multiply by an odd number: only a CAS loop can; odd multiplications commute
  T old = c->cas, seen;
  do {
    seen = old;
    old = atomicCAS(&c->cas, seen, seen * T(2 * v + 1));
  } while (old != seen);
}

template <class T>
__global__ void global(Cells<T> *c, const T *values, T *tickets, T *swapped, int n) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= unsigned(n))
    return;
  apply(c, values[id], id, tickets);
  swapped[id] = atomicExch(&c->exch, T(id + 1));
  if constexpr (sizeof(T) == 4) {
    atomicSub(&c->sub, values[id]);
    if constexpr (!std::is_signed_v<T>) {
      atomicInc(&c->inc, T(100));
      atomicDec(&c->dec, T(70));
    }
  }
}
/// The same in LDS, one workgroup; the cells are copied out by their bytes.
template <class T>
__global__ void local(Cells<T> *c, const T *values, T *tickets, T *swapped, int n) {
  __shared__ Cells<T> cells;
  if (threadIdx.x == 0)
    cells = *c;
  __syncthreads();
  for (int id = threadIdx.x; id < n; id += blockDim.x) {
    apply(&cells, values[id], id, tickets);
    swapped[id] = atomicExch(&cells.exch, T(id + 1));
    if constexpr (sizeof(T) == 4) {
      atomicSub(&cells.sub, values[id]);
      if constexpr (!std::is_signed_v<T>) {
        atomicInc(&cells.inc, T(100));
        atomicDec(&cells.dec, T(70));
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    *c = cells;
}

template <class T> void check(const char *name) {
  const int n = 1000;
  Random random(sizeof(T) + std::is_signed_v<T>);
  std::vector<T> values(n);
  for (T &v : values)
    v = T(random.next());
  Cells<T> start = {1, 2, 0, T(values[0]), T(values[0]), T(~T(0)), 0, 3, 0, 50, 1, 0};
  for (bool inLds : {false, true}) {
    Device<Cells<T>> cells(std::vector<Cells<T>>{start});
    Device<T> in(values), tickets(n), swapped(n);
    if (inLds)
      local<T><<<1, 256>>>(cells, in, tickets, swapped, n);
    else
      global<T><<<4, 256>>>(cells, in, tickets, swapped, n);
    Cells<T> want = start;
    unsigned long long add = start.add, sub = start.sub, cas = start.cas;
    for (int i = 0; i < n; ++i) {
      const T v = values[i];
      add += v, sub -= v, cas *= 2 * (unsigned long long)v + 1;
      want.min = std::min(want.min, v), want.max = std::max(want.max, v);
      want.band &= v | T(0xff00), want.bor |= v & T(0xff0ff), want.bxor ^= v;
      if (sizeof(T) == 4 && !std::is_signed_v<T>) {
        want.inc = want.inc >= 100 ? 0 : want.inc + 1;
        want.dec = want.dec == 0 || want.dec > 70 ? 70 : want.dec - 1;
      }
    }
    want.add = T(add), want.cas = T(cas), want.ticket = n;
    if (sizeof(T) == 4)
      want.sub = T(sub);
    auto got = cells.host();
    auto order = tickets.host(), passed = swapped.host();
    passed.push_back(got[0].exch);
    want.exch = got[0].exch; // any thread may be the last
    expectSame(name, got, {want});
    std::sort(order.begin(), order.end());
    std::sort(passed.begin(), passed.end());
    std::vector<T> each(n), all(n + 1);
    for (int i = 0; i <= n; ++i) {
      if (i < n)
        each[i] = i;
      all[i] = i;
    }
    expectSame(name, order, each);
    expectSame(name, passed, all); // what exchange took out and left is what went in
  }
}

int main() {
  check<int>("int");
  check<unsigned>("unsigned");
  check<unsigned long long>("unsigned long long");
  return verdict();
}
