// Cellular automata: Conway's Life, one cell per thread with LDS and halo and 64 cells per word
// with bit-parallel adders; Wolfram's rule 110 by shuffles across a wave. Reference: the plain
// loops.
#include "check.h"

#include <algorithm>

__global__ void life(const uint8_t *in, uint8_t *out, int w, int h) { // a torus
  __shared__ uint8_t tile[10][34];
  const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256)
    tile[i / 34][i % 34] = in[(y0 + i / 34 + h) % h * w + (x0 + i % 34 + w) % w];
  __syncthreads();
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  int alive = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      alive += tile[y + j][x + i];
  if (x0 + x < w && y0 + y < h)
    out[(y0 + y) * w + x0 + x] = alive == 3 || (alive == 4 && tile[y][x]);
}

/// Row y of a field 64 wide in one word.
__global__ void lifeBits(const unsigned long long *in, unsigned long long *out, int h) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h)
    return;
  unsigned long long ones = 0, twos = 0, fours = 0; // a count per column, in three bit planes
  auto add = [&](unsigned long long v) {
    const unsigned long long c = ones & v, d = twos & c;
    ones ^= v, twos ^= c, fours |= d; // four and more need no difference
  };
  for (int j = -1; j <= 1; ++j) {
    const unsigned long long row = in[(y + j + h) % h];
    if (j)
      add(row);
    add(row << 1 | row >> 63);
    add(row >> 1 | row << 63);
  }
  out[y] = ~fours & twos & (ones | in[y]);
}

__global__ void rule(int *cells, int steps, unsigned number) {
  const int lanes = warpSize, lane = threadIdx.x;
  int v = cells[blockIdx.x * lanes + lane];
  for (int s = 0; s < steps; ++s) {
    const int left = __shfl(v, (lane + lanes - 1) % lanes), right = __shfl(v, (lane + 1) % lanes);
    v = number >> (left * 4 + v * 2 + right) & 1;
  }
  cells[blockIdx.x * lanes + lane] = v;
}

static std::vector<uint8_t> lifeHost(const std::vector<uint8_t> &in, int w, int h) {
  auto out = in;
  for (int y = 0; y < h; ++y)
#pragma clang loop vectorize(disable) // clang 21 vectorises it wrongly for x86-64
    for (int x = 0; x < w; ++x) {
      int neighbours = -in[y * w + x];
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
          neighbours += in[(y + j + h) % h * w + (x + i + w) % w];
      out[y * w + x] = neighbours == 3 || (neighbours == 2 && in[y * w + x]);
    }
  return out;
}

int main() {
  const int w = 64, h = 45, generations = 12;
  auto cells = randomBelow<uint8_t>(w * h, 2, 1);
  std::vector<unsigned long long> rows(h, 0);
  for (int i = 0; i < w * h; ++i)
    rows[i / w] |= (unsigned long long)cells[i] << i % w;
  Device<uint8_t> a(cells), b(w * h);
  Device<unsigned long long> c(rows), d(h);
  for (int g = 0; g < generations; ++g) {
    life<<<dim3(2, 6), dim3(32, 8)>>>(g % 2 ? b : a, g % 2 ? a : b, w, h);
    lifeBits<<<1, 64>>>(g % 2 ? d : c, g % 2 ? c : d, h);
    cells = lifeHost(cells, w, h);
  }
  std::fill(rows.begin(), rows.end(), 0);
  for (int i = 0; i < w * h; ++i)
    rows[i / w] |= (unsigned long long)cells[i] << i % w;
  expectSame("Life", a.host(), cells);
  expectSame("Life in words", c.host(), rows);

  const int lanes = int(waveSize()), blocks = 320 / lanes; // a ring of cells for each wave
  auto line = randomBelow<int>(blocks * lanes, 2, 2);
  Device<int> automaton(line);
  rule<<<blocks, lanes>>>(automaton, 200, 110);
  for (int s = 0; s < 200; ++s)
    for (int k = 0; k < blocks; ++k) {
      int next[64];
      for (int i = 0; i < lanes; ++i)
        next[i] = 110 >> (line[k * lanes + (i + lanes - 1) % lanes] * 4 + line[k * lanes + i] * 2 +
                          line[k * lanes + (i + 1) % lanes]) &
                  1;
      std::copy(next, next + lanes, line.begin() + k * lanes);
    }
  expectSame("rule 110", automaton.host(), line);
  return verdict();
}
