// A managed variable is one for the host and all devices. (The runtime starts before main for its
// sake, so it has a program of its own.)
#include "tests/e2e/agents/agents.h"

__managed__ int everywhere = 5;

__global__ void addManaged(int v) { everywhere += v; }

int main() {
  int expected = 5;
  EXPECT(everywhere == expected);
  for (int round = 0; round < 3; ++round)
    onEach([&](int device) {
      expected += device + 1;
      addManaged<<<1, 1>>>(device + 1);
      HIP(hipDeviceSynchronize());
      EXPECT(everywhere == expected);
      everywhere = ++expected;
    });
  return verdict();
}
