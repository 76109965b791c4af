// printf in kernels: standard output is redirected into a file, read back, and compared with what
// the host's snprintf makes of the same formats and values. Lines of different threads may come in
// any order; within a thread they keep theirs.
#include "check.h"

#include <map>
#include <string>
#include <unistd.h>

__global__ void speak(int rounds) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r)
    if (id % 3 == 0)
      printf("%d:%d i=%d u=%u x=%#x ll=%lld\n", id, r, -id * 1000, 4000000000u + id, id * 77,
             -1234567890123ll * id);
    else if (id % 3 == 1)
      printf("%d:%d f=%.3f e=%e g=%g %%\n", id, r, id * 0.37, id * 1e10, 1.0 / (id + 1));
    else
      printf("%d:%d s=%s c=%c w=[%6d|%-6d|%06d] %s\n", id, r, "text", 'a' + id % 26, id, id, id,
             r ? "later" : "first");
}
static std::string line(int id, int r) {
  char b[256];
  if (id % 3 == 0)
    std::snprintf(b, sizeof b, "%d:%d i=%d u=%u x=%#x ll=%lld\n", id, r, -id * 1000,
                  4000000000u + id, id * 77, -1234567890123ll * id);
  else if (id % 3 == 1)
    std::snprintf(b, sizeof b, "%d:%d f=%.3f e=%e g=%g %%\n", id, r, id * 0.37, id * 1e10,
                  1.0 / (id + 1));
  else
    std::snprintf(b, sizeof b, "%d:%d s=%s c=%c w=[%6d|%-6d|%06d] %s\n", id, r, "text",
                  'a' + id % 26, id, id, id, r ? "later" : "first");
  return b;
}

int main() {
  std::FILE *file = std::tmpfile();
  if (!file)
    return 2;
  std::fflush(stdout);
  const int terminal = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  const int rounds = 2, blocks = 3, threads = 70;
  speak<<<blocks, threads>>>(rounds);
  const hipError_t status = hipDeviceSynchronize();
  std::fflush(stdout);
  dup2(terminal, STDOUT_FILENO);
  EXPECT(status == hipSuccess);

  std::rewind(file);
  std::map<int, std::string> got;
  char buffer[512];
  int lines = 0;
  while (std::fgets(buffer, sizeof buffer, file)) {
    got[std::atoi(buffer)] += buffer;
    ++lines;
  }
  std::fclose(file);
  EXPECT(lines == rounds * blocks * threads);
  for (int id = 0; id < blocks * threads; ++id) {
    std::string want;
    for (int r = 0; r < rounds; ++r)
      want += line(id, r);
    if (got[id] != want) {
      std::printf("thread %d said\n%sexpected\n%s", id, got[id].c_str(), want.c_str());
      ++failures;
      break;
    }
  }
  return verdict();
}
