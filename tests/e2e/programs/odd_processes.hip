// What processes do that HIP and libmeld are guests in: an operator new of their own that knows its
// blocks, timers that interrupt every call, threads with the smallest stacks that HIP itself can do
// with, and children that are forked while another thread's first launch loads the code.
#include "check.h"

#include <hip/hiprtc.h>

#include <atomic>
#include <csignal>
#include <new>
#include <pthread.h>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

// --- operator new: a block of anybody else's is noticed when it is given back --------------------

constexpr uint64_t mark = 0xfeedfacecafebeefull;
struct alignas(16) Head {
  uint64_t mark;
};
std::atomic<unsigned> blocks{0};

void foreignBlock() {
  const char text[] = "operator delete was given somebody else's block\nFAIL\n";
  (void)!write(STDOUT_FILENO, text, sizeof text - 1);
  _exit(1);
}

} // namespace

void *operator new(size_t size) {
  auto *head = static_cast<Head *>(std::malloc(sizeof(Head) + size));
  if (!head)
    throw std::bad_alloc();
  head->mark = mark;
  ++blocks;
  return head + 1;
}
void operator delete(void *block) noexcept {
  if (!block)
    return;
  Head *head = static_cast<Head *>(block) - 1;
  if (head->mark != mark)
    foreignBlock();
  head->mark = 0;
  std::free(head);
}
void operator delete(void *block, size_t) noexcept { operator delete(block); }
void *operator new[](size_t size) { return operator new(size); }
void operator delete[](void *block) noexcept { operator delete(block); }
void operator delete[](void *block, size_t) noexcept { operator delete(block); }

// --- something to meld --------------------------------------------------------------------------

__host__ __device__ inline uint32_t left(uint32_t x) {
  x = (x ^ (x >> 3)) * 17 + 5;
  x = (x ^ (x >> 7)) * 31 + x;
  return (x ^ (x >> 5)) * 19 + 1;
}
__host__ __device__ inline uint32_t right(uint32_t x) {
  x = (x ^ (x >> 2)) * 13 + 7;
  x = (x ^ (x >> 6)) * 37 + x;
  return (x ^ (x >> 4)) * 23 + 2;
}
__global__ void mix(uint32_t *out, uint32_t seed) {
  const uint32_t i = threadIdx.x + blockIdx.x * blockDim.x, x = i * 2654435761u + seed;
  if (x & 256)
    out[i] = left(x);
  else
    out[i] = right(x);
}

/// Launches and compares; true when all is right.
bool launch(uint32_t seed) {
  constexpr uint32_t count = 256;
  uint32_t *out = nullptr, got[count];
  bool ok = hipMalloc(&out, sizeof got) == hipSuccess;
  if (!ok)
    return false;
  mix<<<4, 64>>>(out, seed);
  ok = hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost) == hipSuccess;
  for (uint32_t i = 0; ok && i < count; ++i) {
    const uint32_t x = i * 2654435761u + seed;
    ok = got[i] == (x & 256 ? left(x) : right(x));
  }
  return hipFree(out) == hipSuccess && ok;
}

// --- timers -------------------------------------------------------------------------------------

volatile sig_atomic_t alarms = 0;
void ring(int) { alarms = alarms + 1; }

void setTimers(int microseconds) {
  const itimerval often{{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &often, nullptr);
  setitimer(ITIMER_PROF, &often, nullptr);
}

// --- children -----------------------------------------------------------------------------------

/// The status of a child that takes memory and goes, or -1 when it does not end. It runs no exit
/// handlers: ROCr's own abort in a child.
int statusOfChild() {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char> memory(1 << 20);
    _exit(memory[77] == 0 ? 7 : 8);
  }
  for (int turn = 0; turn < 60000; ++turn) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    usleep(1000); // or until the next interruption
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

// --- small stacks -------------------------------------------------------------------------------

constexpr const char *source = R"(
extern "C" __global__ void step(unsigned *out) {
  unsigned x = threadIdx.x * 2654435761u;
  if (x & 256) {
    x = (x ^ (x >> 3)) * 17 + 5;
    x = (x ^ (x >> 7)) * 31 + x;
  } else {
    x = (x ^ (x >> 2)) * 13 + 7;
    x = (x ^ (x >> 6)) * 37 + x;
  }
  out[threadIdx.x] = x;
})";

std::vector<char> compileAtRunTime() {
  hipDeviceProp_t device;
  HIP(hipGetDeviceProperties(&device, 0));
  const std::string arch = std::string("--offload-arch=") + device.gcnArchName;
  const char *options[] = {arch.c_str()};
  hiprtcProgram program;
  size_t size = 0;
  if (hiprtcCreateProgram(&program, source, "step.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS ||
      hiprtcCompileProgram(program, 1, options) != HIPRTC_SUCCESS ||
      hiprtcGetCodeSize(program, &size) != HIPRTC_SUCCESS)
    return {};
  std::vector<char> code(size);
  hiprtcGetCode(program, code.data());
  hiprtcDestroyProgram(&program);
  return code;
}

struct SmallThread {
  std::vector<char> code;
  bool right = false;
};

void *loadAndLaunch(void *argument) {
  auto &thread = *static_cast<SmallThread *>(argument);
  hipModule_t module;
  hipFunction_t step;
  uint32_t *out = nullptr, got[64];
  if (hipModuleLoadData(&module, thread.code.data()) != hipSuccess ||
      hipModuleGetFunction(&step, module, "step") != hipSuccess ||
      hipMalloc(&out, sizeof got) != hipSuccess)
    return nullptr;
  void *arguments[] = {&out};
  thread.right = hipModuleLaunchKernel(step, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr) ==
                     hipSuccess &&
                 hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost) == hipSuccess;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t x = i * 2654435761u;
    const uint32_t a = (x ^ (x >> 3)) * 17 + 5, b = (x ^ (x >> 2)) * 13 + 7;
    x = x & 256 ? (a ^ (a >> 7)) * 31 + a : (b ^ (b >> 6)) * 37 + b;
    thread.right &= got[i] == x;
  }
  thread.right &= hipFree(out) == hipSuccess && hipModuleUnload(module) == hipSuccess;
  return nullptr;
}

int main() {
  struct sigaction action {};
  action.sa_handler = ring;
  action.sa_flags = SA_RESTART; // HIP itself does not expect interrupted calls
  sigaction(SIGALRM, &action, nullptr);
  sigaction(SIGPROF, &action, nullptr);
  HIP(hipInit(0));

  setTimers(700);
  std::atomic<bool> over{false};
  bool first = false;
  std::thread worker([&] {
    first = launch(1); // the code is loaded, and compiled again
    over = true;
  });
  int children = 0;
  do {
    EXPECT(statusOfChild() == 7);
    ++children;
  } while (!over || children < 3);
  worker.join();
  EXPECT(first);
  setTimers(0);
  EXPECT(alarms > 0);

  EXPECT(launch(2));

  SmallThread small;
  small.code = compileAtRunTime();
  EXPECT(!small.code.empty());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread;
  EXPECT(pthread_create(&thread, &attributes, loadAndLaunch, &small) == 0);
  pthread_join(thread, nullptr);
  EXPECT(small.right);
  EXPECT(blocks > 0);
  return verdict();
}
