// Floating point in divergent branches as public programs have it: a tridiagonal solver by parallel
// cyclic reduction, elimination in LDS, a cut-off molecular force, a particle's walk through
// layers. Prints a number for the bits of each result; what they are is for the caller to compare.
#include "tests/e2e/programs/check.h"

constexpr unsigned block = 64, blocks = 4, threads = block * blocks;

/// One system of `block` equations to a workgroup; the ends have one neighbour.
__global__ void cyclicReduction(const float *in, float *out) {
  __shared__ float a[block], b[block], c[block], d[block];
  const int t = threadIdx.x;
  const float *row = in + 4 * (blockIdx.x * block + t);
  a[t] = t ? row[0] : 0, b[t] = 4 + row[1] * row[1], c[t] = t + 1 < int(block) ? row[2] : 0;
  d[t] = row[3];
  __syncthreads();
  for (int step = 1; step < int(block); step *= 2) {
    float na, nb, nc, nd;
    const int left = t - step, right = t + step;
    if (left < 0 && right >= int(block)) {
      na = nc = 0, nb = b[t], nd = d[t];
    } else if (left < 0) {
      const float k = c[t] / b[right];
      nb = b[t] - a[right] * k, nd = d[t] - d[right] * k, na = 0, nc = -c[right] * k;
    } else if (right >= int(block)) {
      const float k = a[t] / b[left];
      nb = b[t] - c[left] * k, nd = d[t] - d[left] * k, na = -a[left] * k, nc = 0;
    } else {
      const float k = a[t] / b[left], l = c[t] / b[right];
      nb = b[t] - c[left] * k - a[right] * l, nd = d[t] - d[left] * k - d[right] * l;
      na = -a[left] * k, nc = -c[right] * l;
    }
    __syncthreads();
    a[t] = na, b[t] = nb, c[t] = nc, d[t] = nd;
    __syncthreads();
  }
  out[blockIdx.x * block + t] = d[t] / b[t];
}

/// The first half of the workgroup works on a row, the second on a column.
__global__ void elimination(const float *in, float *out) {
  constexpr int n = 16;
  __shared__ float pivot[n][n], row[n][n], column[n][n];
  const int t = threadIdx.x;
  for (int i = t; i < n * n; i += block) {
    const float v = in[(blockIdx.x * 7 + i) % (4 * threads)];
    pivot[i / n][i % n] = i / n == i % n ? 8 + v : v;
    row[i / n][i % n] = v * v, column[i / n][i % n] = v + 1;
  }
  __syncthreads();
  if (t < n) {
    for (int i = 1; i < n; ++i)
      for (int j = 0; j < i; ++j)
        row[i][t] -= pivot[i][j] * row[j][t];
  } else if (t < 2 * n) {
    const int k = t - n;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j)
        column[k][i] -= column[k][j] * pivot[j][i];
      column[k][i] /= pivot[i][i];
    }
  }
  __syncthreads();
  out[blockIdx.x * block + t] = row[t % n][t / n] + column[t / n][t % n];
}

__global__ void cutOffForce(const float *in, float *out) {
  const int i = blockIdx.x * block + threadIdx.x;
  const float x = in[4 * i], y = in[4 * i + 1], z = in[4 * i + 2];
  float fx = 0, fy = 0, energy = 0;
  for (int j = 0; j < 48; ++j) {
    const float dx = x - in[4 * j], dy = y - in[4 * j + 1], dz = z - in[4 * j + 2];
    const float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    if (r2 < 0.75f) {
      const float s = 0.25f / r2, s3 = s * s * s;
      const float f = (48 * s3 * s3 - 24 * s3) * s;
      fx += f * dx, fy += f * dy, energy += 4 * (s3 * s3 - s3);
    } else if (r2 < 2) {
      const float s = 0.5f / r2, w = (2 - r2) * s;
      fx += w * dx - s * dy, fy += w * dy + s * dx, energy -= w * s;
    }
  }
  out[i] = fx + fy * energy;
}

__global__ void walk(const float *in, float *out) {
  const int i = blockIdx.x * block + threadIdx.x;
  unsigned state = i * 2654435761u + 12345;
  auto random = [&] { return (state = state * 1664525u + 1013904223u) * 2.3283064e-10f; };
  float x = in[4 * i], mu = 0.5f, weight = 1, tally = 0;
  for (int step = 0; step < 24 && weight > 0.01f; ++step) {
    const float length = 0.1f + random() * 0.4f;
    if (x < 0) {
      x += length * mu, tally += weight * length * 0.7f + x * 0.125f;
      weight *= 0.9f;
    } else if (x < 1) {
      x += length * mu * 0.5f, tally += weight * length * 0.3f - x * 0.25f;
      weight *= 0.95f;
    } else {
      x -= length, mu = 1 - 2 * random(), tally -= weight * mu;
    }
    mu = mu * 0.75f + random() * 0.25f;
  }
  out[i] = tally + x * weight;
}

int main() {
  Random random(19);
  std::vector<float> in(4 * threads);
  for (float &v : in)
    v = float(random.next() >> 40) / float(1 << 23) - 1;
  float *from, *to;
  HIP(hipMalloc(&from, in.size() * sizeof(float)));
  HIP(hipMalloc(&to, threads * sizeof(float)));
  HIP(hipMemcpy(from, in.data(), in.size() * sizeof(float), hipMemcpyHostToDevice));
  using Kernel = void (*)(const float *, float *);
  const std::pair<const char *, Kernel> kernels[] = {{"cyclicReduction", cyclicReduction},
                                                     {"elimination", elimination},
                                                     {"cutOffForce", cutOffForce},
                                                     {"walk", walk}};
  for (const auto &[name, kernel] : kernels) {
    std::vector<uint32_t> out(threads);
    kernel<<<blocks, block>>>(from, to);
    HIP(hipMemcpy(out.data(), to, threads * sizeof(float), hipMemcpyDeviceToHost));
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint32_t word : out)
      hash = (hash ^ word) * 0x100000001b3ull;
    std::printf("%s %016llx\n", name, static_cast<unsigned long long>(hash));
  }
}
