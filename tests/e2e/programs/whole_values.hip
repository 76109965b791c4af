// Values of 8 and 16 bytes that one workgroup stores again and again while others load them: nobody sees parts of two.
// Devices store an aligned value of a lane at once, and libraries count on it: rocPRIM's scans keep a flag and a prefix in
// one. Lanes side by side, apart from each other, and all at one place; all of them, and some.
#include "check.h"

constexpr unsigned lanes = 64, rounds = 20000, readers = 3;

template <unsigned N> using Value = unsigned __attribute__((ext_vector_type(N)));

struct Result {
  unsigned torn, changes;
};

/// `stride`: from lane to lane, in values; 0: all lanes at one place.
template <unsigned N>
__global__ void storeAndLoad(volatile Value<N> *values, unsigned stride, unsigned some,
                             Result *result) {
  const unsigned t = threadIdx.x;
  if (some && t % 3 == 1)
    return;
  volatile Value<N> *mine = values + t * stride;
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= rounds; ++i)
      *mine = Value<N>(i);
    return;
  }
  unsigned torn = 0, changes = 0, last = 0;
  for (unsigned i = 0; i < 20 * rounds && last != rounds; ++i) {
    const Value<N> v = *mine;
    for (unsigned k = 1; k < N; ++k)
      torn += v[k] != v[0];
    changes += v[0] != last;
    last = v[0];
  }
  atomicAdd(&result->torn, torn);
  atomicAdd(&result->changes, changes);
}

template <unsigned N> void check(const char *name) {
  Value<N> *values;
  Result *result;
  HIP(hipMalloc(&values, sizeof(Value<N>) * lanes * 5));
  HIP(hipMalloc(&result, sizeof(Result)));
  for (unsigned stride : {1u, 5u, 0u})
    for (unsigned some : {0u, 1u}) {
      HIP(hipMemset(values, 0, sizeof(Value<N>) * lanes * 5));
      HIP(hipMemset(result, 0, sizeof(Result)));
      storeAndLoad<N><<<1 + readers, lanes>>>(values, stride, some, result);
      Result found;
      HIP(hipMemcpy(&found, result, sizeof found, hipMemcpyDeviceToHost));
      std::printf("%s, lanes %u apart, %s: %u changes seen, %u torn\n", name, stride,
                  some ? "some" : "all", found.changes, found.torn);
      EXPECT(found.torn == 0);
    }
  HIP(hipFree(values));
  HIP(hipFree(result));
}

int main() {
  check<2>("8 bytes");
  check<4>("16 bytes");
  return verdict();
}
