// Processes: a fork before the first HIP call, a fork after it (parent and child each use the
// device), children of children. argv[1] = number of children.
#include "tests/e2e/programs/check.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static void work(int seed) {
  const size_t bytes = 200000;
  std::vector<unsigned char> in(bytes, static_cast<unsigned char>(seed)), out(bytes);
  void *device = nullptr;
  HIP(hipMalloc(&device, bytes));
  HIP(hipMemcpy(device, in.data(), bytes, hipMemcpyHostToDevice));
  HIP(hipMemcpy(out.data(), device, bytes, hipMemcpyDeviceToHost));
  EXPECT(in == out);
  HIP(hipFree(device));
}

static void reap(std::vector<pid_t> children) {
  for (pid_t child : children) {
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4;
  std::vector<pid_t> children;
  for (int i = 0; i < n; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      work(i + 1);
      std::exit(failures != 0);
    }
    children.push_back(child);
  }
  reap(children);
  work(50);
  // After the parent opened the device: the child must not disturb it (HIP itself does not support
  // using the device here), and the parent goes on.
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  reap({child});
  work(51);
  return verdict();
}
