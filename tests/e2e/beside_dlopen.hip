// beside_dlopen LIBRARY: one thread loads a library whose constructor launches a kernel, while another launches
// its first. Each of them has a lock when it comes to the other's: the loader's, HIP's.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <thread>
#include <unistd.h>

extern "C" hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);

template <int N> __global__ void meldable(int *data) {
  const int i = threadIdx.x, a = data[i];
  data[i] = (a ^ i) & 1 ? a * 17 + data[(a + i) & 63] : a * 13 + data[(a - i) & 63] + N;
}

static int *data = nullptr;
static std::atomic<bool> inside{false};

/// The library's constructor.
extern "C" __attribute__((visibility("default"))) void inConstructor() {
  inside = true;
  usleep(1000000); // the other thread is on its way
  meldable<1><<<1, 64>>>(data);
}

int main(int, char **argv) {
  if (hipMalloc(&data, 256) != hipSuccess || hipMemset(data, 1, 256) != hipSuccess)
    return 90;
  // A thread's first launch takes the loader's lock by itself, for the destructor of a thread_local.
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
  if (__hipPushCallConfiguration(1, 1, 0, nullptr) != hipSuccess ||
      __hipPopCallConfiguration(&grid, &block, &shared, &stream) != hipSuccess)
    return 91;
  std::atomic<bool> opened{false};
  std::thread other([&] { opened = dlopen(argv[1], RTLD_NOW) != nullptr; });
  while (!inside)
    usleep(1000);
  meldable<0><<<1, 64>>>(data);
  other.join();
  const bool fine = hipDeviceSynchronize() == hipSuccess && opened;
  std::puts(fine ? "done" : "failed");
  return fine ? 0 : 1;
}
