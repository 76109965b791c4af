// What gfx906 and gfx908 add to gfx900: dot products, and on gfx908 matrix products with
// accumulation registers; and ordinary work, so that code objects for them load and run at all.
//
//   other_targets gfx906|gfx908     fails when the device is another one
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if (hipError_t e_ = (call); e_ != hipSuccess) {                                                \
      std::printf("FAIL: %s: %s\n", #call, hipGetErrorString(e_));                                 \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
#define HAS_MATRIX 1
#endif
#if defined(__gfx906__) || HAS_MATRIX
#define HAS_DOT 1
#endif

using Half2 = _Float16 __attribute__((ext_vector_type(2)));
using Float4 = float __attribute__((ext_vector_type(4)));

__global__ void dots(const int *a, const int *b, int *sums, float *halves, float y0, float y1) {
  const int t = threadIdx.x;
#ifdef HAS_DOT
  sums[t] = __builtin_amdgcn_sdot4(a[t], b[t], 1000 + t, false);
  Half2 x, y;
  x[0] = _Float16(t), x[1] = _Float16(t + 1), y[0] = _Float16(y0), y[1] = _Float16(y1);
  halves[t] = __builtin_amdgcn_fdot2(x, y, 0.25f, false);
#else
  sums[t] = 0, halves[t] = 0;
#endif
}

// D = A * B + C with A 16x4, B 4x16: one wave.
__global__ void matrix(const float *a, const float *b, const float *c, float *d) {
  const int l = threadIdx.x, column = l % 16, block = l / 16;
  Float4 sum;
  for (int r = 0; r < 4; ++r)
    sum[r] = c[(4 * block + r) * 16 + column];
#ifdef HAS_MATRIX
  sum = __builtin_amdgcn_mfma_f32_16x16x4f32(a[column * 4 + block], b[block * 16 + column], sum, 0,
                                             0, 0);
#else
  for (int r = 0; r < 4; ++r)
    for (int k = 0; k < 4; ++k)
      sum[r] += a[(4 * block + r) * 4 + k] * b[k * 16 + column];
#endif
  for (int r = 0; r < 4; ++r)
    d[(4 * block + r) * 16 + column] = sum[r];
}

// To 8-bit floats and back, a product of matrices of them (A 16x32 of ones), and a spilled array: what
// gfx942 does in its own way.
__global__ void small(const float *in, float *out, float *products, const int *order) {
  const int t = threadIdx.x;
  int kept[16];
  for (int k = 0; k < 16; ++k)
    kept[k] = order[(t + k) % 16];
  float a = in[2 * t], b = in[2 * t + 1], product = 0;
#ifdef __gfx942__
  const int pair = __builtin_amdgcn_cvt_pk_fp8_f32(a, b, 0, false);
  a = __builtin_amdgcn_cvt_f32_fp8(pair, 0);
  b = __builtin_amdgcn_cvt_f32_fp8(pair, 1);
  const int ones =
      __builtin_amdgcn_cvt_pk_fp8_f32(1, 1, __builtin_amdgcn_cvt_pk_fp8_f32(1, 1, 0, false), true);
  const long eightOnes = (unsigned)ones | (long)ones << 32, x = pair; // x: two numbers, six zeros
  const Float4 zero = {0, 0, 0, 0};
  product = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(eightOnes, x, zero, 0, 0, 0)[0];
#else
  for (int k = 0; k < 4; ++k)
    product += in[2 * (t % 16 + 16 * k)] + in[2 * (t % 16 + 16 * k) + 1];
#endif
  out[2 * t] = a + 0 * kept[order[t % 16]];
  out[2 * t + 1] = b;
  products[t] = product + kept[order[t % 16]];
}

// LDS, barriers, atomics, doubles.
__global__ void sums(const double *in, double *out, unsigned *count, int n) {
  __shared__ double tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  for (int s = 128; s; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s)
      tile[threadIdx.x] += tile[threadIdx.x + s];
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = tile[0];
  if (i < n && in[i] > 0.5)
    atomicAdd(count, 1u);
}

template <class T> T *device(const std::vector<T> &host) {
  T *p = nullptr;
  if (hipMalloc(reinterpret_cast<void **>(&p), host.size() * sizeof(T)) != hipSuccess ||
      hipMemcpy(p, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice) != hipSuccess)
    return nullptr;
  return p;
}
template <class T> std::vector<T> back(const T *p, size_t n) {
  std::vector<T> host(n);
  (void)hipMemcpy(host.data(), p, n * sizeof(T), hipMemcpyDeviceToHost);
  return host;
}

int main(int argc, char **argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  if (std::string(properties.gcnArchName).rfind(wanted, 0) != 0) {
    std::printf("FAIL: the device is %s\n", properties.gcnArchName);
    return 1;
  }

  std::vector<int> a(256), b(256), dot(256, -1);
  std::vector<float> halves(256, -1);
  for (int t = 0; t < 256; ++t)
    for (int k = 0; k < 4; ++k) {
      a[t] |= ((t * 37 + k * 11) & 255) << (8 * k);
      b[t] |= ((t * 91 + k * 53) & 255) << (8 * k);
    }
  int *da = device(a), *db = device(b), *dd = device(dot);
  float *dh = device(halves);
  dots<<<1, 256>>>(da, db, dd, dh, 2.0f, 0.5f);
  CHECK(hipDeviceSynchronize());
  dot = back(dd, 256);
  halves = back(dh, 256);
  for (int t = 0; t < 256; ++t) {
    int want = 1000 + t;
    for (int k = 0; k < 4; ++k)
      want += int(int8_t(a[t] >> (8 * k))) * int(int8_t(b[t] >> (8 * k)));
    if (dot[t] != want || halves[t] != 2.0f * t + 0.5f * (t + 1) + 0.25f) {
      std::printf("FAIL: dot %d: %d, not %d; %g\n", t, dot[t], want, halves[t]);
      return 1;
    }
  }

  std::vector<float> ma(64), mb(64), mc(256), md(256);
  for (int k = 0; k < 64; ++k)
    ma[k] = float(k % 7 - 3), mb[k] = float(k % 5) * 0.5f;
  for (int k = 0; k < 256; ++k)
    mc[k] = float(k % 11);
  float *dma = device(ma), *dmb = device(mb), *dmc = device(mc), *dmd = device(md);
  matrix<<<1, 64>>>(dma, dmb, dmc, dmd);
  CHECK(hipDeviceSynchronize());
  md = back(dmd, 256);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float want = mc[i * 16 + j]; // exact: small numbers
      for (int k = 0; k < 4; ++k)
        want += ma[i * 4 + k] * mb[k * 16 + j];
      if (md[i * 16 + j] != want) {
        std::printf("FAIL: matrix %d,%d: %g, not %g\n", i, j, md[i * 16 + j], want);
        return 1;
      }
    }

  std::vector<float> numbers(128), again(128), products(64);
  std::vector<int> order(16);
  for (int k = 0; k < 128; ++k)
    numbers[k] = float(k * 5 % 13 - 6) * 0.25f; // all are numbers of fp8
  for (int k = 0; k < 16; ++k)
    order[k] = k * 7 % 16;
  float *dn = device(numbers), *dagain = device(again), *dproducts = device(products);
  int *dorder = device(order);
  small<<<1, 64>>>(dn, dagain, dproducts, dorder);
  CHECK(hipDeviceSynchronize());
  again = back(dagain, 128);
  products = back(dproducts, 64);
  for (int t = 0; t < 64; ++t) {
    float want = float(order[(t + order[t % 16]) % 16]);
    for (int k = 0; k < 4; ++k)
      want += numbers[2 * (t % 16 + 16 * k)] + numbers[2 * (t % 16 + 16 * k) + 1];
    if (again[2 * t] != numbers[2 * t] || again[2 * t + 1] != numbers[2 * t + 1] ||
        products[t] != want) {
      std::printf("FAIL: small %d: %g, %g, %g, not %g\n", t, again[2 * t], again[2 * t + 1],
                  products[t], want);
      return 1;
    }
  }

  const int n = 10000, blocks = (n + 255) / 256;
  std::vector<double> in(n), out(blocks);
  std::vector<unsigned> count(1);
  unsigned above = 0;
  for (int k = 0; k < n; ++k) {
    in[k] = double(k * 7919 % 1024) / 1024; // sums are exact
    above += in[k] > 0.5;
  }
  double *din = device(in), *dout = device(out);
  unsigned *dcount = device(count);
  sums<<<blocks, 256>>>(din, dout, dcount, n);
  CHECK(hipDeviceSynchronize());
  out = back(dout, blocks);
  for (int g = 0; g < blocks; ++g) {
    double want = 0;
    for (int k = g * 256; k < n && k < (g + 1) * 256; ++k)
      want += in[k];
    if (out[g] != want) {
      std::printf("FAIL: sum %d: %g, not %g\n", g, out[g], want);
      return 1;
    }
  }
  if (back(dcount, 1)[0] != above) {
    std::printf("FAIL: count\n");
    return 1;
  }
  std::printf("PASS on %s\n", properties.gcnArchName);
  return 0;
}
