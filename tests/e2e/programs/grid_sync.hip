// A cooperative launch whose workgroups meet at grid barriers: an in-place odd-even transposition
// sort across workgroups and a global reduction tree; each phase reads what other workgroups wrote.
// A grid that cannot be resident at once is refused.
#include "check.h"

#include <algorithm>
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void oddEven(int *data, int n, int phases) {
  const cg::grid_group grid = cg::this_grid();
  const int i = int(grid.thread_rank());
  for (int p = 0; p < phases; ++p) {
    const int at = 2 * i + (p & 1);
    if (at + 1 < n && data[at] > data[at + 1]) {
      const int t = data[at];
      data[at] = data[at + 1];
      data[at + 1] = t;
    }
    grid.sync();
  }
}
__global__ void treeSum(long long *data, int n) {
  const cg::grid_group grid = cg::this_grid();
  const int i = int(grid.thread_rank());
  for (int stride = n / 2; stride; stride /= 2) {
    if (i < stride)
      data[i] += data[i + stride];
    grid.sync();
  }
}

int main() {
  int supported = 0;
  HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
  EXPECT(supported == 1);

  int n = 300, phases = 300;
  auto values = randomBelow<int>(n, 10000, 1);
  Device<int> data(values);
  int *pointer = data;
  void *sortArguments[] = {&pointer, &n, &phases};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(oddEven), dim3(5), dim3(32),
                                 sortArguments, 0, nullptr));
  std::sort(values.begin(), values.end());
  expectSame("odd-even sort", data.host(), values);

  int size = 4096;
  std::vector<long long> numbers(size);
  long long sum = 0;
  for (int i = 0; i < size; ++i)
    sum += numbers[i] = 1ll * i * i * 1000003;
  Device<long long> tree(numbers);
  long long *treePointer = tree;
  void *treeArguments[] = {&treePointer, &size};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(treeSum), dim3(8), dim3(256),
                                 treeArguments, 0, nullptr));
  EXPECT(tree.host()[0] == sum);

  int most = 0, units = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&most, treeSum, 256, 0));
  HIP(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
  EXPECT(hipLaunchCooperativeKernel(reinterpret_cast<void *>(treeSum), dim3(most * units + 1),
                                    dim3(256), treeArguments, 0,
                                    nullptr) == hipErrorCooperativeLaunchTooLarge);
  return verdict();
}
