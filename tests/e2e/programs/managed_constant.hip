// Managed memory shared by host and device in turns, managed and constant variables, write-combined
// and mapped host memory, and a struct in constant memory indexed differently by every thread.
#include "check.h"

struct Polynomial {
  float coefficients[8];
  int degree;
};
__constant__ Polynomial polynomials[16];
__constant__ int uniformValue = 40; // initialised in the image
__managed__ int managedCounter = 5;
__managed__ float managedTable[32];

__global__ void evaluate(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Polynomial &p = polynomials[i % 16];
  float value = 0;
  for (int k = p.degree; k >= 0; --k)
    value = value * x[i] + p.coefficients[k];
  out[i] = value + uniformValue;
}
__global__ void count(const int *list, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && list[i] > 50)
    atomicAdd(&managedCounter, 1);
  if (i < 32)
    managedTable[i] = managedTable[i] * 2 + i;
}

struct Node {
  int value;
  Node *next;
};
__global__ void follow(const Node *head, long long *sum) {
  for (const Node *n = head; n; n = n->next)
    *sum = *sum * 31 + n->value;
}

static void constants() {
  Polynomial host[16];
  const auto c = randomIn<float>(16 * 8, -1, 1, 1);
  for (int p = 0; p < 16; ++p) {
    host[p].degree = p % 8;
    for (int k = 0; k < 8; ++k)
      host[p].coefficients[k] = c[p * 8 + k];
  }
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(polynomials), host, sizeof host));
  const int n = 1000;
  const auto x = randomIn<float>(n, -2, 2, 2);
  std::vector<float> want(n);
  Device<float> dx(x), out(n);
  for (int bias : {40, -3}) {
    if (bias != 40)
      HIP(hipMemcpyToSymbol(HIP_SYMBOL(uniformValue), &bias, sizeof bias));
    evaluate<<<4, 256>>>(dx, out, n);
    for (int i = 0; i < n; ++i) {
      const Polynomial &p = host[i % 16];
      float value = 0;
      for (int k = p.degree; k >= 0; --k) {
        value = value * x[i];
        value = value + p.coefficients[k];
      }
      want[i] = value + bias;
    }
    expectSame("polynomials", out.host(), want);
  }
}

static void managed() {
  const int n = 2000;
  int *list;
  HIP(hipMallocManaged(&list, n * sizeof(int)));
  int expected = 5;
  for (int i = 0; i < 32; ++i)
    managedTable[i] = i * 0.5f;
  for (int turn = 0; turn < 4; ++turn) {
    for (int i = 0; i < n; ++i) {
      list[i] = (i * 37 + turn * 11) % 101;
      expected += list[i] > 50;
    }
    count<<<(n + 255) / 256, 256>>>(list, n);
    HIP(hipDeviceSynchronize());
    EXPECT(managedCounter == expected);
    managedCounter += 1000; // the host's write is seen by the next launch
    expected += 1000;
  }
  for (int i = 0; i < 32; ++i)
    EXPECT(managedTable[i] == i * 0.5f * 16 + i * 15);

  // A list linked by the host, followed by the device: one address space.
  Node *nodes;
  HIP(hipMallocManaged(&nodes, 100 * sizeof(Node)));
  long long want = 1;
  for (int i = 0; i < 100; ++i) {
    const int at = i * 41 % 100, next = (i + 1) * 41 % 100;
    nodes[at] = {i * i, i < 99 ? &nodes[next] : nullptr};
    want = want * 31 + i * i;
  }
  long long *sum;
  HIP(hipHostMalloc(&sum, 8, hipHostMallocMapped | hipHostMallocWriteCombined));
  *sum = 1;
  follow<<<1, 1>>>(nodes, sum);
  HIP(hipDeviceSynchronize());
  EXPECT(*sum == want);
  HIP(hipHostFree(sum));
  HIP(hipFree(nodes));
  HIP(hipFree(list));
}

int main() {
  constants();
  managed();
  return verdict();
}
