// Recursion turned into stacks: quicksort of a segment per thread with a stack in private memory,
// search trees walked in order, N queens by backtracking. Lanes
// follow different paths for different times.
#include "check.h"

#include <algorithm>

__global__ void quicksort(int *data, const int *starts, int segments) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments)
    return;
  short stack[64];
  int top = 0;
  stack[top++] = 0;
  stack[top++] = short(starts[s + 1] - starts[s] - 1);
  int *a = data + starts[s];
  while (top) {
    int high = stack[--top], low = stack[--top];
    while (low < high) {
      const int pivot = a[(low + high) / 2];
      int i = low, j = high;
      while (i <= j) {
        while (a[i] < pivot)
          ++i;
        while (a[j] > pivot)
          --j;
        if (i <= j) {
          const int t = a[i];
          a[i++] = a[j];
          a[j--] = t;
        }
      }
      if (j - low < high - i) { // the larger part waits: the stack stays logarithmic
        stack[top++] = short(i), stack[top++] = short(high);
        high = j;
      } else {
        stack[top++] = short(low), stack[top++] = short(j);
        low = i;
      }
    }
  }
}

/// Solutions with the first two queens given by the thread.
__global__ void queens(int n, unsigned *count) {
  const int t = threadIdx.x, first = t / n, second = t % n;
  if (first >= n || abs(first - second) <= 1)
    return;
  const unsigned all = (1u << n) - 1;
  unsigned columns[16], left[16], right[16], free[16], found = 0;
  int row = 2;
  columns[2] = 1u << first | 1u << second;
  left[2] = (1u << first << 2) | 1u << second << 1;
  right[2] = (1u << first >> 2) | 1u << second >> 1;
  free[2] = all & ~(columns[2] | left[2] | right[2]);
  while (row >= 2) {
    if (!free[row]) {
      --row;
      continue;
    }
    const unsigned bit = free[row] & -free[row];
    free[row] ^= bit;
    if (row == n - 1) {
      ++found;
      continue;
    }
    columns[row + 1] = columns[row] | bit;
    left[row + 1] = (left[row] | bit) << 1;
    right[row + 1] = (right[row] | bit) >> 1;
    ++row;
    free[row] = all & ~(columns[row] | left[row] | right[row]);
  }
  atomicAdd(count, found);
}

struct Node {
  int key, left, right;
};
__global__ void inOrder(const Node *nodes, const int *roots, int *out, const int *starts,
                        int trees) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= trees)
    return;
  int stack[48], top = 0, at = roots[t], to = starts[t];
  while (at >= 0 || top) {
    while (at >= 0) {
      stack[top++] = at;
      at = nodes[at].left;
    }
    at = stack[--top];
    out[to++] = nodes[at].key;
    at = nodes[at].right;
  }
}

int main() {
  Random random(1);
  std::vector<int> starts = {0}, data;
  for (int s = 0; s < 150; ++s) {
    const int size = s % 9 == 0 ? s % 3 : 1 + int(random.below(90));
    for (int i = 0; i < size; ++i) // sorted, reversed, equal and random segments
      data.push_back(s % 7 == 0 ? i : s % 7 == 1 ? -i : s % 7 == 2 ? 5 : int(random.below(1000)));
    starts.push_back(int(data.size()));
  }
  Device<int> dData(data), dStarts(starts);
  quicksort<<<3, 64>>>(dData, dStarts, 150);
  for (int s = 0; s < 150; ++s)
    std::sort(data.begin() + starts[s], data.begin() + starts[s + 1]);
  expectSame("quicksort", dData.host(), data);

  const unsigned solutions[] = {0, 0, 0, 0, 2, 10, 4, 40, 92}; // OEIS A000170
  for (int n = 4; n <= 8; ++n) {
    Device<unsigned> count(std::vector<unsigned>{0});
    queens<<<1, 128>>>(n, count);
    EXPECT(count.host()[0] == solutions[n]);
  }

  std::vector<Node> nodes;
  std::vector<int> roots, treeStarts = {0}, sorted;
  for (int t = 0; t < 80; ++t) {
    const int size = 1 + int(random.below(30)), root = int(nodes.size());
    roots.push_back(root);
    std::vector<int> keys;
    for (int i = 0; i < size; ++i) {
      const int key = t == 5 ? i : int(random.below(1000)); // tree 5 is a list
      keys.push_back(key);
      nodes.push_back({key, -1, -1});
      if (i == 0)
        continue;
      for (int at = root;;) {
        int &child = key < nodes[at].key ? nodes[at].left : nodes[at].right;
        if (child < 0) {
          child = int(nodes.size()) - 1;
          break;
        }
        at = child;
      }
    }
    std::sort(keys.begin(), keys.end());
    sorted.insert(sorted.end(), keys.begin(), keys.end());
    treeStarts.push_back(int(sorted.size()));
  }
  Device<Node> dNodes(nodes);
  Device<int> dRoots(roots), dTreeStarts(treeStarts), out(sorted.size());
  inOrder<<<2, 64>>>(dNodes, dRoots, out, dTreeStarts, 80);
  expectSame("in order", out.host(), sorted);
  return verdict();
}
