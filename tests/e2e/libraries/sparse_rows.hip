// A small application on rocPRIM: a list of edges with repetitions becomes a CSR matrix (sort,
// reduce by key, searches), its rows are summed by a segmented reduction.
#include "check.h"
#include <map>
#include <rocprim/rocprim.hpp>

struct RowStart {
  unsigned columns;
  __host__ __device__ unsigned operator()(unsigned row) const { return row * columns; }
};

int main() {
  const unsigned rows = 300, columns = 512, edges = 12000;
  const auto row = randomIntegers<unsigned>(edges, 0, rows - 1, 1);
  const auto column = randomIntegers<unsigned>(edges, 0, 40, 2);
  const auto weight = randomIntegers<int>(edges, -5, 9, 3);
  std::map<unsigned, int> matrix;
  std::vector<unsigned> keys(edges);
  std::vector<long long> wantSums(rows);
  for (unsigned i = 0; i < edges; ++i) {
    keys[i] = row[i] * columns + column[i];
    matrix[keys[i]] += weight[i];
    wantSums[row[i]] += weight[i];
  }

  Device<unsigned> key(keys), sortedKey(edges), entryKey(edges), entries(1), starts(rows + 1);
  Device<int> value(weight), sortedValue(edges), entryValue(edges);
  Device<long long> sums(rows);
  withStorage([&](void *s, size_t &b) {
    return rocprim::radix_sort_pairs(s, b, key.get(), sortedKey.get(), value.get(),
                                     sortedValue.get(), edges);
  });
  withStorage([&](void *s, size_t &b) {
    return rocprim::reduce_by_key(s, b, sortedKey.get(), sortedValue.get(), edges, entryKey.get(),
                                  entryValue.get(), entries.get());
  });
  const unsigned count = entries.first();
  EXPECT(count == matrix.size());
  const auto firsts =
      rocprim::make_transform_iterator(rocprim::counting_iterator<unsigned>(0), RowStart{columns});
  withStorage([&](void *s, size_t &b) {
    return rocprim::lower_bound(s, b, entryKey.get(), firsts, starts.get(), count, rows + 1,
                                rocprim::less<unsigned>());
  });
  withStorage([&](void *s, size_t &b) {
    return rocprim::segmented_reduce(s, b, entryValue.get(), sums.get(), rows, starts.get(),
                                     starts.get() + 1, rocprim::plus<long long>(), 0LL);
  });
  std::vector<unsigned> wantKeys;
  std::vector<int> wantValues;
  for (const auto &[k, v] : matrix) {
    wantKeys.push_back(k);
    wantValues.push_back(v);
  }
  expectSame("entries", entryKey.host(count), wantKeys);
  expectSame("values", entryValue.host(count), wantValues);
  expectSame("row sums", sums.host(), wantSums);
  return verdict();
}
