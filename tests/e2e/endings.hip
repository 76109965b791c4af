// endings HOW sync|async: a program that ends while its kernels are being compiled. Its output and
// its status are the same with libmeld and without.
#include <hip/hip_runtime.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>

// Enough code for seconds of compiling.
template <int N> __global__ void longCompile(int *data, int n) {
  const int i = threadIdx.x;
  int a = data[i];
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    if ((a + k + N) & 1)
      a = (a * 3 + k) ^ (a >> 3), a = a * 17 + data[(a + k) & 63];
    else
      a = (a * 5 + k) ^ (a >> 2), a = a * 13 + data[(a - k) & 63];
  }
  data[i] = a + n;
}

template <int N> void launchAll(int *data) {
  longCompile<N><<<1, 64>>>(data, N);
  if constexpr (N > 0)
    launchAll<N - 1>(data);
}

static void use(std::atomic<bool> *done) {
  int *data = nullptr;
  if (hipMalloc(&data, 256) != hipSuccess)
    std::_Exit(90);
  launchAll<25>(data);
  if (done)
    *done = true;
}

static void say(const char *text) {
  std::fputs(text, stdout);
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string how = argv[1];
  std::atexit([] { say("exit handler\n"); });
  std::at_quick_exit([] { say("quick exit handler\n"); });
  static std::atomic<bool> done{false};
  if (argv[2] == std::string("async")) {
    use(nullptr); // does not wait for the compile
  } else {
    std::thread([] { use(&done); }).detach(); // does
    usleep(400000);
  }
  say("in between\n");
  if (how == "exit")
    std::exit(3);
  if (how == "_exit")
    _exit(4);
  if (how == "quick_exit")
    std::quick_exit(5);
  if (how == "abort")
    std::abort();
  if (how == "terminate")
    raise(SIGTERM);
  if (how == "thread") {
    std::thread([] { std::exit(6); }).detach();
    pause();
  }
  if (how == "exec")
    execl("/bin/echo", "echo", "another program", nullptr);
  if (how == "daemon") {
    if (fork())
      _exit(8);
    _exit(0);
  }
  return 7;
}
