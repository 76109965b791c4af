// Rays through a tree of bounding boxes, several rays a thread: in each node down, or past all below
// it (Smits, "Efficiency issues for ray tracing", JGT 1998). Rays go along x, coordinates are
// integers, so that hits are exact. "skewed" rays start anywhere, "balanced" ones are all alike.
#include "nests.h"

struct Box {
  int low[3], high[3];
};
struct Node {
  Box box;
  int past, leaf; ///< the next node if the box is missed; the box of the scene, or -1
};

__global__ void bvhNest(const Node *nodes, int count, const int *rays, int *hits, int n) {
  for (int r = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); r < n;
       r += static_cast<int>(gridDim.x * blockDim.x)) {
    const int x = rays[3 * r], y = rays[3 * r + 1], z = rays[3 * r + 2];
    int nearest = 1 << 30, node = 0;
    while (node < count) { // divergent: loop
      const Node &at = nodes[node];
      const bool meets = at.box.low[1] <= y && y <= at.box.high[1] && at.box.low[2] <= z &&
                         z <= at.box.high[2] && at.box.high[0] >= x && at.box.low[0] < nearest;
      if (meets && at.leaf >= 0)
        nearest = at.box.low[0] > x ? at.box.low[0] : x;
      node = meets ? node + 1 : at.past;
    }
    hits[r] = nearest;
  }
}

/// In depth-first order, split in the middle of the longest side.
static void build(std::vector<Node> &nodes, const std::vector<Box> &boxes, std::vector<int> ids,
                  int axis) {
  const size_t own = nodes.size();
  Node node{boxes[static_cast<size_t>(ids[0])], 0, ids.size() == 1 ? ids[0] : -1};
  for (const int id : ids)
    for (int k = 0; k < 3; ++k) {
      const Box &box = boxes[static_cast<size_t>(id)];
      node.box.low[k] = std::min(node.box.low[k], box.low[k]);
      node.box.high[k] = std::max(node.box.high[k], box.high[k]);
    }
  nodes.push_back(node);
  if (ids.size() > 1) {
    std::sort(ids.begin(), ids.end(), [&](int a, int b) {
      return boxes[static_cast<size_t>(a)].low[axis] < boxes[static_cast<size_t>(b)].low[axis];
    });
    const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
    build(nodes, boxes, {ids.begin(), middle}, (axis + 1) % 3);
    build(nodes, boxes, {middle, ids.end()}, (axis + 1) % 3);
  }
  nodes[own].past = static_cast<int>(nodes.size());
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {16384, 131072, "rays"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("bvh_nest");
  const unsigned block = o.block ? o.block : 128;
  const int n = static_cast<int>(o.size), side = 1024;
  bench::Random random(o.seed);
  std::vector<Box> boxes(512);
  std::vector<int> ids, rays, want;
  for (Box &box : boxes) {
    ids.push_back(static_cast<int>(ids.size()));
    for (int k = 0; k < 3; ++k) { // many near the middle
      const unsigned spread = random.below(2) ? side : side / 4;
      box.low[k] = static_cast<int>((side - spread) / 2 + random.below(spread));
      box.high[k] = box.low[k] + static_cast<int>(random.below(40));
    }
  }
  std::vector<Node> nodes;
  build(nodes, boxes, ids, 0);
  for (int r = 0; r < n; ++r) {
    for (int k = 0; k < 3; ++k)
      rays.push_back(o.pattern == "balanced" ? (k ? side / 2 : 0)
                                             : static_cast<int>(random.below(side)));
    int nearest = 1 << 30; // of all boxes
    for (const Box &box : boxes) {
      const int x = std::max(box.low[0], rays[size_t(r) * 3]);
      if (box.high[0] >= x && x < nearest && rays[size_t(r) * 3 + 1] >= box.low[1] &&
          rays[size_t(r) * 3 + 1] <= box.high[1] && rays[size_t(r) * 3 + 2] >= box.low[2] &&
          rays[size_t(r) * 3 + 2] <= box.high[2])
        nearest = x;
    }
    want.push_back(nearest);
  }
  bench::DeviceBuffer<Node> dNodes(nodes);
  bench::DeviceBuffer<int> dRays(rays), hits(want.size());
  bvhNest<<<dim3(bench::groupsFor(o.size, block, 16)), dim3(block)>>>(
      dNodes.get(), static_cast<int>(nodes.size()), dRays.get(), hits.get(), n);
  bench::finish();
  verdicts.expectEqual("rays=" + std::to_string(n) + " pattern=" + o.pattern, hits.download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
