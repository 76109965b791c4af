// Indices at the ends of what 32 bits hold, signed and unsigned, elements of 1 to 64 bytes, two
// arrays, two blocks, a loop: compiled with multiply-add addresses forced (indices.test) and
// compared with the host. The arrays lie where index `first` is; what the kernels get is where
// index 0 would be.
#include "tests/e2e/programs/check.h"

template <unsigned bytes> struct Element {
  unsigned char byte[bytes];
};

template <class Index, unsigned bytes>
__global__ void copy(const Element<bytes> *from, Element<bytes> *to, Index first, int n) {
  const Index i = first + static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i - first < static_cast<Index>(n))
    to[i] = from[i];
}

// Constants besides, another block, and an index that a loop does not change.
template <class Index> __global__ void blocks(const int *from, int *to, Index first, int n) {
  const Index i = first + static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i - first >= static_cast<Index>(n))
    return;
  int sum = from[i] + from[i + 1];
  if (sum & 1)
    to[i] = sum;
  for (int k = 0; k < 3; ++k)
    sum += from[i] ^ from[i + static_cast<Index>(k)];
  to[i] += sum;
}

template <class T> T *zeroOf(T *where, int64_t first) {
  return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(where) -
                               static_cast<uintptr_t>(first) * sizeof(T));
}

constexpr int n = 300;

template <class Index, unsigned bytes> void copies(Index first) {
  std::vector<unsigned char> bytesOf = randomBelow<unsigned char>(n * bytes, 256, bytes);
  Device<unsigned char> from(bytesOf), to(std::vector<unsigned char>(bytesOf.size(), 0));
  auto *source = reinterpret_cast<const Element<bytes> *>(from.get());
  auto *target = reinterpret_cast<Element<bytes> *>(to.get());
  copy<Index, bytes><<<2, 192>>>(zeroOf(source, first), zeroOf(target, first), first, n);
  expectSame("copy", to.host(), bytesOf);
}

template <class Index> void all(Index first) {
  copies<Index, 1>(first);
  copies<Index, 2>(first);
  copies<Index, 4>(first);
  copies<Index, 8>(first);
  copies<Index, 16>(first);
  copies<Index, 20>(first);
  copies<Index, 64>(first);
  const auto numbers = randomBelow<int>(n + 3, 1000, 7);
  std::vector<int> want(n, 5);
  for (int i = 0; i < n; ++i) {
    int sum = numbers[i] + numbers[i + 1];
    if (sum & 1)
      want[i] = sum;
    for (int k = 0; k < 3; ++k)
      sum += numbers[i] ^ numbers[i + k];
    want[i] += sum;
  }
  Device<int> from(numbers), to(std::vector<int>(n, 5));
  blocks<Index><<<2, 192>>>(zeroOf(from.get(), first), zeroOf(to.get(), first), first, n);
  expectSame("blocks", to.host(), want);
}

int main() {
  for (int first : {0, -150, INT32_MIN, INT32_MAX - n - 200, -n - 200})
    all<int>(first);
  for (unsigned first : {0u, 0x7fffff80u, 0x80000000u, 0xfffffdf0u})
    all<unsigned>(first);
  std::printf(failures ? "FAIL\n" : "PASS\n");
  return failures != 0;
}
