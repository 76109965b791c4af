// Several devices in one process, and what goes wrong on one of them: its memory runs out, a kernel
// makes a mistake. One part per name on the command line.
#include "tests/e2e/agents/agents.h"

namespace {

__global__ void wildStore(unsigned long long where) {
  *reinterpret_cast<volatile int *>(where) = 1;
}
__global__ void trapped() { __builtin_trap(); }

/// One device's memory runs out, the others' does not.
void memory() {
  const int devices = static_cast<int>(wantedDevices().size());
  for (int full = 0; full < devices; ++full) {
    HIP(hipSetDevice(full));
    size_t free = 0, total = 0;
    HIP(hipMemGetInfo(&free, &total));
    std::vector<void *> all;
    void *p = nullptr;
    EXPECT(hipMalloc(&p, total + 4096) == hipErrorOutOfMemory);
    while (all.size() < 64 && hipMalloc(&p, total / 16) == hipSuccess)
      all.push_back(p);
    (void)hipGetLastError();
    EXPECT(all.size() >= 13 && all.size() <= 16);
    for (int other = 0; other < devices; ++other) {
      if (other == full)
        continue;
      HIP(hipSetDevice(other));
      size_t otherTotal = 0;
      HIP(hipMemGetInfo(&free, &otherTotal));
      void *half = nullptr;
      HIP(hipMalloc(&half, otherTotal / 2));
      HIP(hipFree(half));
      EXPECT(branchyIsRight(nullptr, 3));
    }
    HIP(hipSetDevice(full));
    for (void *one : all)
      HIP(hipFree(one));
    EXPECT(branchyIsRight(nullptr, 4));
  }
}

// Mistakes on the last device, while the first one is fine: these end the program.

void mistake(const std::function<void()> &launch) {
  HIP(hipSetDevice(0));
  EXPECT(branchyIsRight(nullptr, 1));
  HIP(hipSetDevice(static_cast<int>(wantedDevices().size()) - 1));
  HIP(hipFree(nullptr));
  launch();
  std::printf("hipDeviceSynchronize: %s\n", hipGetErrorName(hipDeviceSynchronize()));
  ++failures;
}
void wild() {
  mistake([] { wildStore<<<1, 1>>>(0xdeadbee000ull); });
}
void trap() {
  mistake([] { trapped<<<1, 1>>>(); });
}
/// Memory of the first device, to which the last one was given no access.
void stranger() {
  HIP(hipSetDevice(0));
  Device<int> x(64);
  HIP(hipDeviceSynchronize());
  mistake([&] { wildStore<<<1, 1>>>(reinterpret_cast<unsigned long long>(x.get())); });
}
/// All devices write LDS without a barrier.
__global__ void racy(int *x) {
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[255 - threadIdx.x];
}
void races() {
  onEach([](int) {
    Device<int> x(counting(256));
    racy<<<1, 256>>>(x.get());
    HIP(hipDeviceSynchronize());
  });
}

} // namespace

int main(int argc, char **argv) {
  return runParts(argc, argv,
                  {{"memory", memory},
                   {"wild", wild},
                   {"trap", trap},
                   {"stranger", stranger},
                   {"races", races}});
}
