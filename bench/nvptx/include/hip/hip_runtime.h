// Enough of HIP for clang to compile the device code of bench/kernels for NVPTX, without any SDK:
// `clang -x cuda -nocudainc -nocudalib`, and their host half, too: what that calls is in runtime.cpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
      : x(a), y(b), z(c) {}
};
struct uint4 {
  unsigned x, y, z, w;
};
struct float4 {
  float x, y, z, w;
};
__host__ __device__ inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
__host__ __device__ inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
#include <__clang_cuda_builtin_vars.h>

// What <<<>>> becomes on the host.
typedef struct MeldStream *cudaStream_t;
enum cudaError_t { cudaSuccess };
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
extern "C" cudaError_t cudaLaunch(const void *);
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);

typedef int hipError_t;
typedef void *hipStream_t;
constexpr hipError_t hipSuccess = 0;
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice };
extern "C" {
hipError_t hipMalloc(void **, size_t);
hipError_t hipFree(void *);
hipError_t hipMemcpy(void *, const void *, size_t, hipMemcpyKind);
hipError_t hipMemset(void *, int, size_t);
hipError_t hipGetLastError();
hipError_t hipDeviceSynchronize();
const char *hipGetErrorString(hipError_t);
}

// Arithmetic that needs no library.
__device__ inline float __fmul_rn(float a, float b) { return a * b; } // no product and sum in one:
__device__ inline float __fadd_rn(float a, float b) { return a + b; } // those are within one expression
__device__ inline float __fsub_rn(float a, float b) { return a - b; }
__device__ inline float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
__device__ inline float fabsf(float x) { return __nvvm_fabs_f(x); }
__device__ inline int min(int a, int b) { return a < b ? a : b; }
__device__ inline int max(int a, int b) { return a > b ? a : b; }
__device__ inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
__device__ inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
__device__ inline int atomicAdd(int *at, int value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
__device__ inline unsigned atomicAdd(unsigned *at, unsigned value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
__device__ inline int atomicMin(int *at, int value) {
  return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
__device__ inline int atomicMax(int *at, int value) {
  return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
