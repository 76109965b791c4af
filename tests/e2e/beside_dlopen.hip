// beside_dlopen LIBRARY [queue]: one thread loads a library whose constructor launches a kernel, while another
// launches its first. Each of them has a lock when it comes to the other's: the loader's, HIP's.
// With "queue" each of them makes a stream with a queue of its own.
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
static bool queues = false;
static std::atomic<bool> inside{false}, failed{false};

/// A queue of its own has a stream with a mask of compute units.
static void makeStream() {
  hipStream_t stream;
  const uint32_t units[4] = {~0u, ~0u, ~0u, ~0u};
  if (hipExtStreamCreateWithCUMask(&stream, 4, units) != hipSuccess)
    failed = true;
}

/// The library's constructor.
extern "C" __attribute__((visibility("default"))) void inConstructor() {
  inside = true;
  usleep(1000000); // the other thread is on its way
  if (queues)
    return makeStream();
  meldable<1><<<1, 64>>>(data);
}

int main(int argc, char **argv) {
  queues = argc > 2;
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
  if (queues)
    makeStream();
  else
    meldable<0><<<1, 64>>>(data);
  other.join();
  const bool fine = hipDeviceSynchronize() == hipSuccess && opened && !failed;
  std::puts(fine ? "done" : "failed");
  return fine ? 0 : 1;
}
