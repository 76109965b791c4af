// Kernels whose code touches many instruction families; never run, only disassembled.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

template <class T> __global__ void arithmetic(T *out, const T *a, const T *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] * b[i] + a[i] / (b[i] + T(1)) - T(3);
}
template __global__ void arithmetic(float *, const float *, const float *, int);
template __global__ void arithmetic(double *, const double *, const double *, int);
template __global__ void arithmetic(long *, const long *, const long *, int);
template __global__ void arithmetic(unsigned short *, const unsigned short *,
                                    const unsigned short *, int);
template __global__ void arithmetic(signed char *, const signed char *, const signed char *, int);
template __global__ void arithmetic(_Float16 *, const _Float16 *, const _Float16 *, int);

template <class T> __global__ void functions(T *x) {
  T v = x[threadIdx.x];
  x[threadIdx.x] = sqrt(v) + sin(v) * exp(v) + log(fabs(v)) + pow(v, T(1.5)) + floor(v) +
                   fmod(v, T(2)) + ldexp(v, 3);
}
template __global__ void functions(float *);
template __global__ void functions(double *);

__global__ void halves(__half2 *x, const __half2 *y) {
  __half2 v = x[threadIdx.x];
  x[threadIdx.x] = __hfma2(v, y[threadIdx.x], __hadd2(v, y[1]));
}

__global__ void sharedSort(int *data) {
  __shared__ int tile[512];
  unsigned t = threadIdx.x;
  tile[t] = data[t];
  tile[t + 256] = data[t + 256];
  for (unsigned k = 2; k <= 512; k <<= 1)
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      unsigned i = 2 * t - (t & (j - 1)), l = i | j;
      if ((tile[i] > tile[l]) == ((i & k) == 0)) {
        int x = tile[i];
        tile[i] = tile[l];
        tile[l] = x;
      }
    }
  __syncthreads();
  data[t] = tile[t];
  data[t + 256] = tile[t + 256];
}

__global__ void atomics(int *i, unsigned long long *l, float *f, double *d) {
  __shared__ int s;
  atomicAdd(&s, 1);
  atomicMax(i, atomicCAS(i + 1, 3, 4));
  atomicExch(i + 2, atomicXor(i + 3, 7));
  atomicAdd(l, atomicMin(l + 1, 5ull));
  atomicAdd(f, 1.0f);
  atomicAdd(d, 2.0);
  i[4] = s;
}

__global__ void crossLane(int *x) {
  int v = x[threadIdx.x];
  v += __shfl_xor(v, 1) + __shfl_down(v, 16) + __shfl(v, 3);
  unsigned long long m = __ballot(v > 3);
  x[threadIdx.x] = v + __popcll(m) + __ffsll(m) + __clz(v) + __builtin_amdgcn_readfirstlane(v) +
                   __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, true) +
                   __builtin_amdgcn_ds_swizzle(v, 0x041f);
}

__global__ void scratch(int *x, int n) {
  volatile int local[64];
  for (int i = 0; i < n; ++i)
    local[(i * 7) & 63] = x[i];
  char bytes[32];
  for (int i = 0; i < 32; ++i)
    bytes[(i + n) & 31] = char(x[i]);
  x[threadIdx.x] = local[n & 63] + bytes[n & 31];
}

__device__ __attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void calls(int *x, int (*f)(int)) { x[threadIdx.x] = fib(x[threadIdx.x]) + f(3); }
__global__ void aborts(int x) {
  if (x)
    __builtin_trap();
}
