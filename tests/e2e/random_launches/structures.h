// Kernels whose arguments are structures, functors and lambdas, by value.
#pragma once

#include "device.h"

struct Outer {
  int rounds;
  bool on; // and three bytes of nothing
  struct {
    int16_t shift;
    uint8_t steps;
    double factor;
  } inner;
  float weights[3];
  struct {
    bool x, y;
    uint64_t mask;
  } deep;
};
template <> inline std::vector<Field> fieldsOf<Outer>() {
  return {FIELD(Outer, rounds),
          FIELD(Outer, on),
          INNER(Outer, inner.shift, int16_t),
          INNER(Outer, inner.steps, uint8_t),
          INNER(Outer, inner.factor, double),
          INNER(Outer, weights[0], float),
          INNER(Outer, weights[1], float),
          INNER(Outer, weights[2], float),
          INNER(Outer, deep.x, bool),
          INNER(Outer, deep.y, bool),
          INNER(Outer, deep.mask, uint64_t)};
}
extern "C" __global__ void nested(unsigned *to, Outer o) {
  const unsigned i = item();
  unsigned x = get(to, i);
  for (int k = 0; k < o.rounds && k < 10; ++k)
    x = mix(x, o.on ? static_cast<unsigned>(o.inner.shift) : 5u);
  if (o.deep.x && o.deep.mask >> 40)
    for (int k = 0; k < 3; ++k)
      x += o.weights[k] > 0.75f ? mix(x, k) : 1;
  if (o.deep.y)
    x ^= i & 1 ? static_cast<unsigned>(o.deep.mask) : o.inner.steps;
  if (o.inner.factor > 1)
    x = x * 3 + 1;
  put(to, i, x);
}

struct Push { // a functor whose members are functors
  struct {
    unsigned order;
    bool external;
  } field;
  struct Extra {
    int16_t species;
    bool absorbing, radiating;
    __device__ unsigned operator()(unsigned x) const {
      if (absorbing && x % 4 == 0)
        return 0;
      return radiating ? mix(x, static_cast<unsigned>(species)) : x;
    }
  } extra;
  float charge;
  __device__ void operator()(unsigned *to, unsigned i) const {
    unsigned x = get(to, i);
    for (unsigned k = 0; k < field.order && k < 8; ++k)
      x = mix(x, k);
    if (field.external)
      x += charge < 0 ? 3 : 4;
    put(to, i, extra(x));
  }
};
template <> inline std::vector<Field> fieldsOf<Push>() {
  return {INNER(Push, field.order, unsigned),  INNER(Push, field.external, bool),
          INNER(Push, extra.species, int16_t), INNER(Push, extra.absorbing, bool),
          INNER(Push, extra.radiating, bool),  FIELD(Push, charge)};
}
template <class F> __device__ void forEach(unsigned *to, const F &f) { f(to, item()); }
extern "C" __global__ void functor(unsigned *to, Push push) { forEach(to, push); }

inline auto makeLambda(unsigned order, unsigned mode, float limit) {
  return [=] __device__(unsigned *to, unsigned i) {
    unsigned x = get(to, i);
    if (mode == 2)
      for (unsigned k = 0; k < order && k < 7; ++k)
        x = mix(x, k * order);
    else if (mode > 4 && limit > 1)
      x += 13;
    put(to, i, x);
  };
}
using Lambda = decltype(makeLambda(0, 0, 0));
template <> inline std::vector<Field> fieldsOf<Lambda>() { // its captures, in their order
  return {{0, Kind::word32}, {4, Kind::word32}, {8, Kind::single}};
}
extern "C" __global__ void lambda(unsigned *to, Lambda f) { forEach(to, f); }

struct Table {
  unsigned values[12];
  uint8_t which[4];
  int16_t n;
};
template <> inline std::vector<Field> fieldsOf<Table>() {
  std::vector<Field> fields = {FIELD(Table, n)};
  for (unsigned i = 0; i < 12; ++i)
    fields.push_back({4 * i, Kind::word32});
  for (unsigned i = 0; i < 4; ++i)
    fields.push_back({48 + i, Kind::byte});
  return fields;
}
extern "C" __global__ void table(unsigned *to, Table t) {
  const unsigned i = item();
  unsigned x = get(to, i);
  for (int k = 0; k < t.n && k < 12; ++k) // an array that is indexed in a loop
    if (t.values[k] & 1)
      x = mix(x, t.values[(k + i) % 12]);
  x += t.values[t.which[0] % 12] > 3 ? t.which[i & 3] : 9;
  put(to, i, x);
}

#pragma pack(push, 1)
struct Packed {
  uint8_t a;
  uint32_t b; // at 1
  uint64_t c; // at 5
  int16_t d;
  float e;
  bool f;
};
#pragma pack(pop)
template <> inline std::vector<Field> fieldsOf<Packed>() {
  return {{0, Kind::byte},    {1, Kind::word32},  {5, Kind::word64},
          {13, Kind::word16}, {15, Kind::single}, {19, Kind::flag}};
}
extern "C" __global__ void packed(unsigned *to, Packed p) {
  const unsigned i = item();
  unsigned x = get(to, i);
  for (unsigned k = 0; k < p.b && k < 9; ++k)
    x = mix(x, p.a == 2 ? k : 1);
  if (p.c == 1ull << 32)
    x += 100;
  if (p.d < 0)
    x = x << 3 | x >> 29;
  if (p.f && p.e > 0)
    x ^= 0xabc;
  put(to, i, x);
}

struct Bits {
  unsigned order : 3, mode : 2, on : 1, rest : 26;
  uint64_t low : 33, high : 31;
};
template <> inline std::vector<Field> fieldsOf<Bits>() {
  return {{0, Kind::word32}, {8, Kind::word64}};
}
extern "C" __global__ void bits(unsigned *to, Bits b) {
  const unsigned i = item();
  unsigned x = get(to, i) + b.rest;
  for (unsigned k = 0; k < b.order; ++k)
    x = mix(x, k);
  if (b.mode == 2 && b.on)
    x += i;
  if (b.low == 1ull << 32 || b.high == 1)
    x = ~x;
  put(to, i, x);
}

struct Large { // what lies behind the first 1,024 bytes is not looked at
  unsigned first, filler[280], last;
  bool on;
};
template <> inline std::vector<Field> fieldsOf<Large>() {
  std::vector<Field> fields = {FIELD(Large, first), FIELD(Large, last), FIELD(Large, on)};
  for (unsigned i = 0; i < 280; ++i)
    fields.push_back({4 + 4 * i, Kind::word32});
  return fields;
}
extern "C" __global__ void large(unsigned *to, unsigned n, Large l, unsigned behind) {
  const unsigned i = item();
  unsigned x = get(to, i);
  for (unsigned k = 0; k < n && k < 6; ++k)
    x = mix(x, l.filler[k * 40 + i % 8]);
  if (l.first == 2)
    x += 5;
  if (l.filler[250] > 100)
    x = mix(x, 250);
  if (l.on && l.last > 3 && behind != 4)
    x ^= l.filler[279];
  put(to, i, x);
}

struct Many { // more options than a guard compares
  uint64_t options[40];
};
template <> inline std::vector<Field> fieldsOf<Many>() {
  std::vector<Field> fields;
  for (unsigned i = 0; i < 40; ++i)
    fields.push_back({8 * i, Kind::word64});
  return fields;
}
extern "C" __global__ void many(unsigned *to, Many m) {
  const unsigned i = item();
  unsigned x = get(to, i);
#pragma unroll
  for (unsigned k = 0; k < 40; ++k)
    if (m.options[k] > 2)
      x = mix(x, k + i);
  put(to, i, x);
}
