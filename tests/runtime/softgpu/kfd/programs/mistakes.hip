// Kernels that do wrong, one per run (argv[1]): the process must end with ROCr's own message.
//   wild      a store far outside of all memory
//   null      a load from address 0
//   trap      __builtin_trap
//   forever   a kernel that never ends (the caller interrupts it)
#include "tests/e2e/programs/check.h"

#include <cstring>

__global__ void wildStore(unsigned long long where) {
  *reinterpret_cast<volatile int *>(where) = 1;
}
__global__ void nullLoad(int *out, const volatile int *in) { *out = *in; }
__global__ void trapped() { __builtin_trap(); }
__global__ void forever(volatile int *p) {
  while (*p == 0)
    ;
}

int main(int argc, char **argv) {
  int *p = nullptr;
  HIP(hipMalloc(&p, 64));
  HIP(hipMemset(p, 0, 64));
  HIP(hipDeviceSynchronize());
  const char *what = argc > 1 ? argv[1] : "";
  if (!std::strcmp(what, "wild"))
    wildStore<<<1, 1>>>(0xdeadbee000ull);
  else if (!std::strcmp(what, "null"))
    nullLoad<<<1, 1>>>(p, nullptr);
  else if (!std::strcmp(what, "trap"))
    trapped<<<1, 1>>>();
  else if (!std::strcmp(what, "forever")) {
    forever<<<1, 1>>>(p);
    std::puts("running");
    std::fflush(stdout);
  }
  const hipError_t error = hipDeviceSynchronize();
  std::printf("hipDeviceSynchronize: %s\n", hipGetErrorName(error));
  return 3;
}
