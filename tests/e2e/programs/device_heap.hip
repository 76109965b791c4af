// malloc, free, new and delete in kernels: lists and trees built by one kernel and read by the
// next, blocks of many sizes that must not overlap, memory that is freed and used again.
#include "check.h"

struct Link {
  unsigned value;
  Link *next;
};
struct Base {
  unsigned kind;
  __device__ explicit Base(unsigned k) : kind(k) {}
};
struct Tree : Base {
  Tree *left = nullptr, *right = nullptr;
  unsigned key;
  __device__ explicit Tree(unsigned k) : Base(3), key(k) {}
};

__global__ void build(Link **heads, int length) {
  const unsigned t = threadIdx.x;
  Link *head = nullptr;
  for (int i = 0; i < length; ++i) {
    Link *link = new Link;
    link->value = t * 1000 + i;
    link->next = head;
    head = link;
  }
  heads[t] = head;
}
__global__ void consume(Link **heads, unsigned *sums) {
  const unsigned t = threadIdx.x;
  unsigned sum = 0;
  for (Link *l = heads[(t + 1) % blockDim.x]; l;) {
    sum = sum * 31 + l->value;
    Link *next = l->next;
    delete l;
    l = next;
  }
  sums[t] = sum;
}

/// Each thread owns some bytes of its own size, fills them, then checks that nobody wrote there.
__global__ void blocksOfManySizes(int *intact) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned size = 1 + t * 37 % 900;
  auto *p = static_cast<unsigned char *>(malloc(size));
  bool good = p && (reinterpret_cast<size_t>(p) & 7) == 0;
  for (unsigned i = 0; good && i < size; ++i)
    p[i] = static_cast<unsigned char>(t + i);
  __syncthreads();
  for (unsigned i = 0; good && i < size; ++i)
    good = p[i] == static_cast<unsigned char>(t + i);
  free(p);
  intact[t] = good;
}

__global__ void searchTrees(const unsigned *keys, int perThread, unsigned *out) {
  const unsigned t = threadIdx.x;
  Tree *root = nullptr;
  for (int i = 0; i < perThread; ++i) {
    const unsigned key = keys[t * perThread + i];
    Tree **at = &root;
    while (*at && (*at)->key != key)
      at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    if (!*at)
      *at = new Tree(key);
  }
  // smallest key by walking left, deleting the left spine on the way
  unsigned smallest = 0, kinds = 0;
  while (root) {
    smallest = root->key;
    kinds += root->kind;
    Tree *left = root->left;
    delete root;
    root = left;
  }
  out[t] = smallest * 1000 + kinds;
}

int main() {
  const int threads = 96, length = 20;
  Device<Link *> heads(threads);
  Device<unsigned> sums(threads);
  std::vector<unsigned> want(threads);
  for (int t = 0; t < threads; ++t)
    for (int i = length; i-- > 0;)
      want[t] = want[t] * 31 + (t + 1) % threads * 1000 + i;
  for (int round = 0; round < 2; ++round) {
    build<<<1, threads>>>(heads, length);
    consume<<<1, threads>>>(heads, sums);
    expectSame("lists", sums.host(), want);
  }

  Device<int> intact(512);
  for (int round = 0; round < 2; ++round) {
    blocksOfManySizes<<<4, 128>>>(intact);
    expectSame("blocks", intact.host(), std::vector<int>(512, 1));
  }

  const int perThread = 12;
  const auto keys = randomBelow<unsigned>(64 * perThread, 1000, 4);
  Device<unsigned> deviceKeys(keys), out(64);
  searchTrees<<<1, 64>>>(deviceKeys, perThread, out);
  std::vector<unsigned> smallest(64);
  for (int t = 0; t < 64; ++t) {
    // the left spine holds the running minima
    unsigned low = ~0u, spine = 0;
    for (int i = 0; i < perThread; ++i)
      if (keys[t * perThread + i] < low) {
        low = keys[t * perThread + i];
        ++spine;
      }
    smallest[t] = low * 1000 + 3 * spine;
  }
  expectSame("trees", out.host(), smallest);
  return verdict();
}
