// assert in a kernel: one that holds changes nothing; one that fails ends the process with a signal
// and a message naming expression, file and function. The failing run is a child process.
#undef NDEBUG
#include "check.h"

#include <cassert>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__global__ void checked(const int *in, int *out, int limit) {
  const int i = threadIdx.x;
  assert(in[i] < limit && "too large");
  out[i] = in[i] * 2;
}

static int run(int limit) {
  std::vector<int> in(64), want(64);
  for (int i = 0; i < 64; ++i) {
    in[i] = i;
    want[i] = 2 * i;
  }
  Device<int> from(in), to(64);
  checked<<<1, 64>>>(from, to, limit);
  expectSame("assert that holds", to.host(), want);
  return verdict();
}

int main(int argc, char **argv) {
  if (argc > 1)
    return run(40);
  int ends[2];
  if (pipe(ends) != 0)
    return 2;
  const pid_t child = fork(); // before this process has touched the device
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    execl("/proc/self/exe", argv[0], "fail", nullptr);
    _exit(9);
  }
  close(ends[1]);
  std::string said;
  char buffer[512];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, n);
  int status = 0;
  waitpid(child, &status, 0);
  const bool named = said.find("device_assert.hip") != std::string::npos &&
                     said.find("in[i] < limit") != std::string::npos &&
                     said.find("checked") != std::string::npos;
  if (!WIFSIGNALED(status) || !named) {
    std::printf("status 0x%x, said:\n%s\n", status, said.c_str());
    ++failures;
  }
  return run(64);
}
