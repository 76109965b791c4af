// Kernels that do wrong, one per run (argv[1]): the process must end with ROCr's own message.
//   wild      a store far outside of all memory
//   null      a load from address 0
//   trap      __builtin_trap
//   forever   a kernel that never ends (the caller interrupts it)
//   heap, stack, global, page, readonly   a store into the host program's memory
//   peek      a load from its heap
//   scalar    the same by the scalar unit
//   host      a jump to a function of the host program
#include "tests/e2e/programs/check.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

__global__ void wildStore(unsigned long long where) {
  *reinterpret_cast<volatile int *>(where) = 1;
}
__global__ void nullLoad(int *out, const volatile int *in) { *out = *in; }
__global__ void trapped() { __builtin_trap(); }
__global__ void scalarLoad(int *out, const int *__restrict__ in) { *out = in[0] + in[5]; }
__global__ void jumps(unsigned long long where, int *p) {
  reinterpret_cast<void (*)(int *)>(where)(p);
}
__global__ void forever(volatile int *p) {
  while (*p == 0)
    ;
}

int global = 7;
const volatile int readonly = 7;

/// Memory of the host program by name; nullptr: no such name.
const void *hostMemory(const char *name, int *stack) {
  static int *const heap = static_cast<int *>(std::calloc(4096, 1));
  if (!std::strcmp(name, "heap"))
    return heap;
  if (!std::strcmp(name, "stack"))
    return stack;
  if (!std::strcmp(name, "global"))
    return &global;
  if (!std::strcmp(name, "readonly"))
    return const_cast<const int *>(&readonly);
  if (!std::strcmp(name, "page"))
    return mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return nullptr;
}

int main(int argc, char **argv) {
  int stack = 7;
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
  } else if (const void *host = hostMemory(what, &stack))
    wildStore<<<1, 1>>>(reinterpret_cast<unsigned long long>(host));
  else if (!std::strcmp(what, "peek"))
    nullLoad<<<1, 1>>>(p, static_cast<const volatile int *>(hostMemory("heap", nullptr)));
  else if (!std::strcmp(what, "scalar"))
    scalarLoad<<<1, 1>>>(p, static_cast<const int *>(hostMemory("heap", nullptr)));
  else if (!std::strcmp(what, "host"))
    jumps<<<1, 1>>>(reinterpret_cast<unsigned long long>(&hostMemory), p);
  const hipError_t error = hipDeviceSynchronize();
  std::printf("hipDeviceSynchronize: %s\n", hipGetErrorName(error));
  return 3;
}
