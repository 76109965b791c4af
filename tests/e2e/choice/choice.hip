// Kernels that are launched often, for the choice between their versions:
//   gains    two sides alike, every second lane takes either: melded it is faster
//   loses    an else-if chain of which no lane takes any side: skipped as it is
//   counts   as gains, and counts its launches in a variable of the module
//   turns    all lanes take one side in the first half of the launches, every second lane either
//            one in the second half; turns:same, turns:mixed: either in all launches
// choice PART LAUNCHES [sync|fork|late]: with sync the host waits behind each launch; with fork it makes two
// processes at every tenth launch, one that ends as programs do and one that runs another program; with late
// it does something else for some seconds behind the last launch, in which versions can be made.
#include "tests/e2e/choice/side.h"
#include "tests/e2e/programs/check.h"

#include <string>
#include <sys/wait.h>
#include <unistd.h>

constexpr unsigned kThreads = 256, kGroups = 32, kCount = kThreads * kGroups;
__device__ unsigned counted;

extern "C" __global__ void gains(const unsigned *key, unsigned *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = data[i];
  if (key[i] & 1) {
    ODD_SIDE(x)
  } else {
    EVEN_SIDE(x)
  }
  data[i] = x;
}

extern "C" __global__ void counts(const unsigned *key, unsigned *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = data[i];
  if (key[i] & 1) {
    ODD_SIDE(x)
  } else {
    EVEN_SIDE(x)
  }
  data[i] = x;
  if (i == 0)
    atomicAdd(&counted, 1);
}

// Each step has a constant of its own: melded, it takes a select.
#define STEP(x, a)                                                                                 \
  x = x * (a) + (x >> 5);                                                                          \
  x ^= x << 9;
#define STEPS(x, a) STEP(x, a) STEP(x, a + 2) STEP(x, a + 6) STEP(x, a + 16) STEP(x, a + 30)
#define TURN(x, a) STEPS(x, a) STEPS(x, a + 100) STEPS(x, a + 204) STEPS(x, a + 310)

extern "C" __global__ void turns(const unsigned *key, unsigned *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = data[i];
  if (key[i] & 1) {
    TURN(x, 1664525u)
    x ^= 0x9e3779b9u;
  } else {
    TURN(x, 22695477u)
    x += 0x9e3779b9u;
  }
  data[i] = x;
}

extern "C" __global__ void loses(const unsigned *key, unsigned *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned k = key[i];
  unsigned x = data[i];
  if (k == 1001) {
    SIDE(x, 1664525u, 1013904223u, ^=)
  } else if (k == 1002) {
    SIDE(x, 22695477u, 12345u, +=)
  } else if (k == 1003) {
    SIDE(x, 69069u, 54321u, -=)
  }
  data[i] = x + 1;
}

static unsigned turn(unsigned x, bool odd) {
  if (odd) {
    TURN(x, 1664525u)
    x ^= 0x9e3779b9u;
  } else {
    TURN(x, 22695477u)
    x += 0x9e3779b9u;
  }
  return x;
}

static void makeProcesses() {
  for (const bool runs : {false, true}) {
    const pid_t child = fork();
    if (child == 0 && runs) {
      execl("/bin/true", "true", nullptr);
      _exit(1);
    }
    if (child == 0 && HIP_VERSION_MAJOR >= 6) // whose exit handlers fault in the child of a fork
      _exit(0);
    if (child == 0)
      std::exit(0);
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
  }
}

int main(int argc, char **argv) {
  const std::string whole = argc > 1 ? argv[1] : "gains", part = whole.substr(0, whole.find(':'));
  const int launches = argc > 2 ? std::atoi(argv[2]) : 200;
  const std::string with = argc > 3 ? argv[3] : "";
  const int straight = whole == "turns:same" ? launches : whole == "turns" ? launches / 2 : 0;
  std::vector<unsigned> keys = randomBelow<unsigned>(kCount, 1000, 1);
  const std::vector<unsigned> same(kCount, 1);
  std::vector<unsigned> data = randomBelow<unsigned>(kCount, 1u << 30, 2);
  unsigned *key, *uniform, *x;
  HIP(hipMalloc(&key, 4 * kCount));
  HIP(hipMalloc(&uniform, 4 * kCount));
  HIP(hipMalloc(&x, 4 * kCount));
  HIP(hipMemcpy(key, keys.data(), 4 * kCount, hipMemcpyHostToDevice));
  HIP(hipMemcpy(uniform, same.data(), 4 * kCount, hipMemcpyHostToDevice));
  HIP(hipMemcpy(x, data.data(), 4 * kCount, hipMemcpyHostToDevice));
  for (int i = 0; i < launches; ++i) {
    if (part == "gains")
      gains<<<kGroups, kThreads>>>(key, x);
    else if (part == "counts")
      counts<<<kGroups, kThreads>>>(key, x);
    else if (part == "turns")
      turns<<<kGroups, kThreads>>>(i < straight ? uniform : key, x);
    else if (part == "loses")
      loses<<<kGroups, kThreads>>>(key, x);
    if (with == "sync")
      HIP(hipDeviceSynchronize());
    if (with == "fork" && i % 10 == 9)
      makeProcesses();
  }
  HIP(hipDeviceSynchronize());
  if (with == "late")
    sleep(4);
  std::vector<unsigned> got(kCount);
  HIP(hipMemcpy(got.data(), x, 4 * kCount, hipMemcpyDeviceToHost));
  unsigned wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) {
    unsigned want = data[i];
    for (int l = 0; l < launches; ++l) {
      const bool odd = part == "turns" && l < straight ? true : keys[i] & 1;
      if (part == "loses")
        ++want;
      else if (part == "turns")
        want = turn(want, odd);
      else
        want = sideOf(want, odd);
    }
    wrong += want != got[i];
  }
  EXPECT(wrong == 0);
  if (part == "counts") {
    unsigned seen = 0;
    HIP(hipMemcpyFromSymbol(&seen, HIP_SYMBOL(counted), 4));
    EXPECT(seen == static_cast<unsigned>(launches));
  }
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
