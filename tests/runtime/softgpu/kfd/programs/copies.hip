// Copies that need no kernel: pageable, pinned and registered host memory, small and large, 2D,
// asynchronous; stream and event order. With the argument "kernels" also those that HIP does with
// kernels: device to device, memset.
#include "tests/e2e/programs/check.h"

#include <cstdint>
#include <cstring>
#include <vector>

static std::vector<uint8_t> pattern(size_t n, unsigned seed) {
  std::vector<uint8_t> v(n);
  uint32_t x = seed * 2654435761u + 1;
  for (auto &b : v)
    b = static_cast<uint8_t>((x = x * 1664525u + 1013904223u) >> 24);
  return v;
}

static void roundTrip(size_t bytes) {
  const auto in = pattern(bytes, static_cast<unsigned>(bytes));
  std::vector<uint8_t> out(bytes, 0xee);
  void *device = nullptr;
  HIP(hipMalloc(&device, bytes));
  HIP(hipMemcpy(device, in.data(), bytes, hipMemcpyHostToDevice));
  HIP(hipMemcpy(out.data(), device, bytes, hipMemcpyDeviceToHost));
  EXPECT(in == out);
  HIP(hipFree(device));
}

static void pinned(size_t bytes) {
  const auto in = pattern(bytes, 7);
  uint8_t *host = nullptr, *back = nullptr;
  void *device = nullptr;
  HIP(hipHostMalloc(&host, bytes));
  HIP(hipHostMalloc(&back, bytes));
  HIP(hipMalloc(&device, bytes));
  std::memcpy(host, in.data(), bytes);
  std::memset(back, 0, bytes);
  hipStream_t stream;
  hipEvent_t begin, end;
  HIP(hipStreamCreate(&stream));
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreate(&end));
  HIP(hipEventRecord(begin, stream));
  HIP(hipMemcpyAsync(device, host, bytes, hipMemcpyHostToDevice, stream));
  HIP(hipMemcpyAsync(back, device, bytes, hipMemcpyDeviceToHost, stream));
  HIP(hipEventRecord(end, stream));
  HIP(hipEventSynchronize(end));
  float ms = -1;
  HIP(hipEventElapsedTime(&ms, begin, end));
  EXPECT(ms >= 0);
  EXPECT(std::memcmp(back, in.data(), bytes) == 0);
  HIP(hipEventDestroy(begin));
  HIP(hipEventDestroy(end));
  HIP(hipStreamDestroy(stream));
  HIP(hipFree(device));
  HIP(hipHostFree(host));
  HIP(hipHostFree(back));
}

static void registered(size_t bytes) {
  auto in = pattern(bytes, 9);
  std::vector<uint8_t> out(bytes);
  HIP(hipHostRegister(in.data(), bytes, hipHostRegisterDefault));
  HIP(hipHostRegister(out.data(), bytes, hipHostRegisterDefault));
  void *device = nullptr;
  HIP(hipMalloc(&device, bytes));
  HIP(hipMemcpyAsync(device, in.data(), bytes, hipMemcpyHostToDevice, nullptr));
  HIP(hipMemcpyAsync(out.data(), device, bytes, hipMemcpyDeviceToHost, nullptr));
  HIP(hipDeviceSynchronize());
  EXPECT(in == out);
  HIP(hipHostUnregister(in.data()));
  HIP(hipHostUnregister(out.data()));
  HIP(hipFree(device));
}

static void twoDimensional(size_t width, size_t height) {
  const size_t hostPitch = width + 13;
  const auto in = pattern(hostPitch * height, 11);
  std::vector<uint8_t> out(hostPitch * height, 0);
  void *device = nullptr;
  size_t pitch = 0;
  HIP(hipMallocPitch(&device, &pitch, width, height));
  EXPECT(pitch >= width);
  HIP(hipMemcpy2D(device, pitch, in.data(), hostPitch, width, height, hipMemcpyHostToDevice));
  HIP(hipMemcpy2D(out.data(), hostPitch, device, pitch, width, height, hipMemcpyDeviceToHost));
  bool same = true;
  for (size_t y = 0; y < height; ++y)
    same &= std::memcmp(&in[y * hostPitch], &out[y * hostPitch], width) == 0;
  EXPECT(same);
  for (size_t y = 0; y + 1 < height; ++y) // the gaps stay untouched
    for (size_t x = width; x < hostPitch; ++x)
      same &= out[y * hostPitch + x] == 0;
  EXPECT(same);
  HIP(hipFree(device));
}

static void withKernels() {
  const size_t bytes = 3 * 1000 * 1000 + 5;
  const auto in = pattern(bytes, 13);
  std::vector<uint8_t> out(bytes);
  void *a = nullptr, *b = nullptr;
  HIP(hipMalloc(&a, bytes));
  HIP(hipMalloc(&b, bytes));
  HIP(hipMemcpy(a, in.data(), bytes, hipMemcpyHostToDevice));
  HIP(hipMemcpy(b, a, bytes, hipMemcpyDeviceToDevice));
  HIP(hipMemcpy(out.data(), b, bytes, hipMemcpyDeviceToHost));
  EXPECT(in == out);
  HIP(hipMemset(b, 0x5a, bytes));
  HIP(hipMemcpy(out.data(), b, bytes, hipMemcpyDeviceToHost));
  bool all = true;
  for (uint8_t x : out)
    all &= x == 0x5a;
  EXPECT(all);
  HIP(hipMemsetD32(reinterpret_cast<hipDeviceptr_t>(a), 0x01020304, 1000));
  HIP(hipMemcpy(out.data(), a, 4004, hipMemcpyDeviceToHost));
  for (size_t i = 0; i < 1000; ++i) {
    uint32_t x;
    std::memcpy(&x, &out[i * 4], 4);
    all &= x == 0x01020304;
  }
  EXPECT(all);
  EXPECT(std::memcmp(&out[4000], &in[4000], 4) == 0); // nothing past the end
  HIP(hipFree(a));
  HIP(hipFree(b));
}

int main(int argc, char **argv) {
  for (size_t bytes : {1ul, 3ul, 64ul, 4096ul, 70001ul, 1ul << 20, (5ul << 20) + 3, 70ul << 20})
    roundTrip(bytes);
  for (size_t bytes : {17ul, 1ul << 16, (9ul << 20) + 1})
    pinned(bytes);
  for (size_t bytes : {4096ul, (3ul << 20) + 77})
    registered(bytes);
  twoDimensional(17, 5);
  twoDimensional(1000, 33);
  twoDimensional(4096, 64);
  if (argc > 1 && !std::strcmp(argv[1], "kernels"))
    withKernels();
  size_t free = 0, total = 0;
  HIP(hipMemGetInfo(&free, &total));
  EXPECT(free <= total && total > 0);
  return verdict();
}
