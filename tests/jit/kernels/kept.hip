// What stays as it is beside a kernel that is melded: kernels that are left out, variables.
#include <hip/hip_runtime.h>

// Too small for clang to align them better than their types ask for.
__device__ short shorts[7] = {1, 2, 3};
__device__ __attribute__((aligned(64))) int strict = 5;
__constant__ float floats[3] = {1.5f};

extern "C" __global__ void sides(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int v = in[i], r;
  if (v > 2) {
    r = v * 31 + shorts[v & 3];
    r ^= r >> 7;
    r = r * 5 + v;
    r ^= r << 3;
    r = r * 9 + (r >> 5) + 17;
  } else {
    r = v * 37 + shorts[v & 7 ? 5 : 6];
    r ^= r >> 6;
    r = r * 7 + v;
    r ^= r << 4;
    r = r * 3 + (r >> 2) + 23;
  }
  out[i] = r + strict;
}

// Nothing to meld, as one side stores and the other has nothing like it; what the loops have found last is needed behind them, by lanes that left at different times.
extern "C" __global__ void longestMatch(int *out, const unsigned char *text) {
  __shared__ unsigned char near[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  near[threadIdx.x] = text[i];
  __syncthreads();
  int length = 1, longest = 1, from = 0, at = 0, offset = 0;
  bool matching = false;
  for (int j = 0; j < 128; ++j) {
    if (near[(j + threadIdx.x) & 255] == near[at]) {
      matching = true;
      ++at;
      ++length;
    } else {
      if (matching && length > longest) {
        longest = length;
        offset = from;
      }
      matching = false;
      length = 1;
      from = j;
      at = 0;
      near[threadIdx.x] = j;
    }
    if (at >= 16) {
      offset = from;
      break;
    }
  }
  out[i] = matching ? offset * 256 + longest : longest;
}

extern "C" __global__ void window(unsigned short *out, const unsigned char *text) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int longest = 0, offset = 0;
  for (int back = 1; back <= 64; ++back) {
    int length = 0;
    while (length < 16 && text[i + length] == text[i + length - back])
      ++length;
    if (length > longest) {
      longest = length;
      offset = back;
    }
    if (longest >= 16)
      break;
  }
  out[i] = (unsigned short)(longest * 256 + offset + (int)floats[longest % 3]);
}
