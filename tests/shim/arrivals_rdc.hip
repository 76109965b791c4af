// Relocatable device code (-fgpu-rdc): kernels here call functions and use variables of the other unit, so that the
// device link joins both; and it is built for two processors. Prints "PASS rdc ARCH".
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime.h>

extern __device__ int scaled(int v);
extern __device__ int shared;
__global__ void otherUnit(int *x);

__global__ void thisUnit(int *x) {
  int v = x[threadIdx.x];
  x[threadIdx.x] = v & 1 ? scaled(v) + v * 7 : scaled(v + 3) - v * 9;
  atomicAdd(&shared, 1);
}

static int scaledHost(int v) { return v * 11 + 1; }

int main() {
  constexpr int n = 256;
  int host[n], *device;
  for (int i = 0; i < n; ++i)
    host[i] = i;
  if (hipMalloc(&device, sizeof(host)) ||
      hipMemcpy(device, host, sizeof(host), hipMemcpyHostToDevice))
    return 1;
  thisUnit<<<1, n>>>(device);
  otherUnit<<<1, n>>>(device);
  if (hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost))
    return 1;
  bool ok = true;
  for (int i = 0; i < n; ++i)
    ok &= host[i] == (i & 1 ? scaledHost(i) + i * 7 : scaledHost(i + 3) - i * 9) + 100 + n;
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, 0))
    return 1;
  const int name = int(std::strcspn(properties.gcnArchName, ":")); // without the features
  std::printf("%s rdc %.*s\n", ok ? "PASS" : "FAIL", name, properties.gcnArchName);
  return !ok;
}
