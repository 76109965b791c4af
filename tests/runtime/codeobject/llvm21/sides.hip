#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
__global__ void k(unsigned *p, unsigned n) {
  unsigned x = p[n];
  if (x & 1)
    for (unsigned i = 0; i < 4; ++i)
      x = (x * 2654435761u ^ (x >> 13)) + 0x9e3779b9u;
  else
    for (unsigned i = 0; i < 4; ++i)
      x = (x * 2246822519u ^ (x >> 13)) + 0x85ebca6bu;
  p[n] = x;
}
