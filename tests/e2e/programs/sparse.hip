// Sparse matrices in CSR form: product with a vector by one thread per row and one wave per row
// (with shuffles), and the transpose by counting, scanning and scattering with atomics.
#include "check.h"

#include <algorithm>
#include <numeric>

__global__ void byThread(const int *offsets, const int *columns, const double *values,
                         const double *x, double *y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  double sum = 0;
  for (int e = offsets[r]; e < offsets[r + 1]; ++e)
    sum = fma(values[e], x[columns[e]], sum);
  y[r] = sum;
}
__global__ void byWave(const int *offsets, const int *columns, const double *values,
                       const double *x, double *y, int rows) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  const int lane = threadIdx.x % warpSize;
  if (r >= rows)
    return;
  double sum = 0;
  for (int e = offsets[r] + lane; e < offsets[r + 1]; e += warpSize)
    sum = fma(values[e], x[columns[e]], sum);
  for (int d = warpSize / 2; d; d /= 2)
    sum += __shfl_down(sum, d);
  if (lane == 0)
    y[r] = sum;
}
__global__ void countColumns(const int *columns, int *counts, int entries) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < entries)
    atomicAdd(&counts[columns[e] + 1], 1);
}
__global__ void scanInPlace(int *a, int n) { // one wave, inclusive
  int carry = 0;
  for (int base = 0; base < n; base += warpSize) {
    const int i = base + threadIdx.x;
    int v = i < n ? a[i] : 0;
    for (int d = 1; d < warpSize; d *= 2) {
      const int from = __shfl_up(v, d);
      v += int(threadIdx.x) >= d ? from : 0;
    }
    v += carry;
    if (i < n)
      a[i] = v;
    carry = __shfl(v, warpSize - 1);
  }
}
__global__ void scatter(const int *offsets, const int *columns, const double *values, int *cursor,
                        int *rowsOut, double *valuesOut, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows)
    for (int e = offsets[r]; e < offsets[r + 1]; ++e) {
      const int at = atomicAdd(&cursor[columns[e]], 1);
      rowsOut[at] = r;
      valuesOut[at] = values[e];
    }
}

int main() {
  const int rows = 333, width = 401;
  Random random(1);
  std::vector<int> offsets = {0}, columns;
  std::vector<double> values;
  for (int r = 0; r < rows; ++r) { // from empty rows to nearly full ones
    const int count = r % 10 == 0 ? 0 : r % 50 == 7 ? 300 : int(random.below(20));
    std::vector<int> all(width);
    std::iota(all.begin(), all.end(), 0);
    for (int k = 0; k < count; ++k)
      std::swap(all[k], all[k + random.below(width - k)]);
    std::sort(all.begin(), all.begin() + count);
    columns.insert(columns.end(), all.begin(), all.begin() + count);
    offsets.push_back(int(columns.size()));
  }
  const int entries = int(columns.size());
  values = randomIn<double>(entries, -1, 1, 2);
  const auto x = randomIn<double>(width, -1, 1, 3);
  Device<int> dOffsets(offsets), dColumns(columns);
  Device<double> dValues(values), dx(x), y(rows);

  const int wave = int(waveSize());
  std::vector<double> scalar(rows, 0), vector(rows, 0);
  for (int r = 0; r < rows; ++r) {
    double lanes[64] = {};
    for (int e = offsets[r]; e < offsets[r + 1]; ++e) {
      scalar[r] = std::fma(values[e], x[columns[e]], scalar[r]);
      double &lane = lanes[(e - offsets[r]) % wave];
      lane = std::fma(values[e], x[columns[e]], lane);
    }
    for (int d = wave / 2; d; d /= 2)
      for (int l = 0; l < d; ++l)
        lanes[l] += lanes[l + d];
    vector[r] = lanes[0];
  }
  byThread<<<(rows + 127) / 128, 128>>>(dOffsets, dColumns, dValues, dx, y, rows);
  expectSame("row by thread", y.host(), scalar);
  byWave<<<(rows * wave + 255) / 256, 256>>>(dOffsets, dColumns, dValues, dx, y, rows);
  expectSame("row by wave", y.host(), vector);

  Device<int> counts(std::vector<int>(width + 1, 0)), outRows(entries);
  Device<double> outValues(entries);
  countColumns<<<(entries + 127) / 128, 128>>>(dColumns, counts, entries);
  scanInPlace<<<1, wave>>>(counts, width + 1);
  const auto starts = counts.host();
  std::vector<int> want(width + 1, 0);
  for (int c : columns)
    ++want[c + 1];
  std::partial_sum(want.begin(), want.end(), want.begin());
  expectSame("column starts", starts, want);
  scatter<<<(rows + 127) / 128, 128>>>(dOffsets, dColumns, dValues, counts, outRows, outValues,
                                       rows);
  // within a column the order is free: compare sorted by row
  const auto gotRows = outRows.host();
  const auto gotValues = outValues.host();
  std::vector<std::vector<std::pair<int, double>>> got(width), expected(width);
  for (int c = 0; c < width; ++c)
    for (int e = starts[c]; e < starts[c + 1]; ++e)
      got[c].push_back({gotRows[e], gotValues[e]});
  for (int r = 0; r < rows; ++r)
    for (int e = offsets[r]; e < offsets[r + 1]; ++e)
      expected[columns[e]].push_back({r, values[e]});
  for (auto &column : got)
    std::sort(column.begin(), column.end());
  EXPECT(got == expected);
  return verdict();
}
