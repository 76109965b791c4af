#include "runtime/softgpu/tools/flow_graph.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace meld::softgpu {

namespace {

bool startsWith(const InstProfile &i, std::string_view word) { return i.text.starts_with(word); }

bool isConditional(const InstProfile &i) { return startsWith(i, "s_cbranch"); }

/// Nothing runs behind it but what somebody else jumps to.
bool endsFlow(const InstProfile &i) {
  return startsWith(i, "s_branch") || startsWith(i, "s_endpgm") || startsWith(i, "s_setpc");
}

/// For each node its immediate dominator. `in` and `out` are neighbours; node 0 is the root.
std::vector<size_t> dominators(const std::vector<std::vector<size_t>> &in,
                               const std::vector<std::vector<size_t>> &out,
                               std::vector<size_t> &number) {
  const size_t none = ~size_t(0), count = in.size();
  std::vector<size_t> order; // postorder
  number.assign(count, none);
  std::vector<bool> seen(count);
  std::vector<std::pair<size_t, size_t>> stack{{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next < out[node].size()) {
      const size_t to = out[node][next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
      continue;
    }
    number[node] = order.size();
    order.push_back(node);
    stack.pop_back();
  }
  std::vector<size_t> above(count, none);
  above[0] = 0;
  const auto meet = [&](size_t a, size_t b) {
    while (a != b)
      (number[a] < number[b] ? a : b) = above[number[a] < number[b] ? a : b];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      if (*node == 0)
        continue;
      size_t best = none;
      for (size_t from : in[*node])
        if (above[from] != none)
          best = best == none ? from : meet(best, from);
      if (above[*node] != best) {
        above[*node] = best;
        changed = true;
      }
    }
  }
  return above;
}

} // namespace

std::optional<int64_t> branchTarget(int64_t offset, const InstProfile &i) {
  if (!isConditional(i) && !startsWith(i, "s_branch"))
    return std::nullopt;
  const size_t space = i.text.rfind(' ');
  int distance = 0;
  if (space == i.text.npos)
    return std::nullopt;
  const char *end = i.text.data() + i.text.size();
  const auto read = std::from_chars(i.text.data() + space + 1, end, distance);
  if (read.ec != std::errc() || read.ptr != end)
    return std::nullopt;
  return offset + 4 + 4 * int64_t(int16_t(uint16_t(distance))); // in dwords from the next one
}

bool FlowLoop::contains(size_t block) const { return std::ranges::binary_search(blocks, block); }

FlowGraph::FlowGraph(const KernelProfile &kernel) {
  cutBlocks(kernel);
  connect(kernel);
  findLoops(kernel);
}

size_t FlowGraph::blockAt(int64_t offset) const {
  const auto after = std::ranges::upper_bound(blocks_, offset, {},
                                              [](const FlowBlock &b) { return b.offsets.front(); });
  if (after == blocks_.begin() || !std::ranges::binary_search((after - 1)->offsets, offset))
    return blocks_.size();
  return size_t(after - blocks_.begin()) - 1;
}

void FlowGraph::cutBlocks(const KernelProfile &kernel) {
  std::set<int64_t> starts;
  for (const auto &[offset, i] : kernel.instructions)
    if (const auto target = branchTarget(offset, i); target && i.taken)
      starts.insert(*target);
  bool fresh = true;
  for (const auto &[offset, i] : kernel.instructions) {
    if (fresh || offset == 0 || starts.contains(offset))
      blocks_.emplace_back();
    blocks_.back().offsets.push_back(offset);
    fresh = isConditional(i) || endsFlow(i);
  }
}

void FlowGraph::addEdge(size_t from, size_t to, uint64_t waves, uint64_t lanes) {
  blocks_[from].out.push_back(edges_.size());
  blocks_[to].in.push_back(edges_.size());
  edges_.push_back({from, to, waves, lanes});
}

void FlowGraph::connect(const KernelProfile &kernel) {
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const int64_t offset = blocks_[b].offsets.back();
    const InstProfile &last = kernel.instructions.at(offset);
    if (const auto target = branchTarget(offset, last); target && last.taken)
      if (const size_t to = blockAt(*target); to < blocks_.size())
        addEdge(b, to, last.taken, last.takenLanes);
    if (isConditional(last) && b + 1 < blocks_.size() && last.executions > last.taken)
      addEdge(b, b + 1, last.executions - last.taken, last.lanes - last.takenLanes);
  }
  // What runs on into the next block without a branch may change EXEC with its last instruction:
  // its lanes are those that no other edge brings.
  for (size_t b = 0; b + 1 < blocks_.size(); ++b) {
    const InstProfile &last = kernel.instructions.at(blocks_[b].offsets.back());
    if (isConditional(last) || endsFlow(last))
      continue;
    uint64_t lanes = kernel.instructions.at(blocks_[b + 1].offsets.front()).lanes;
    for (size_t e : blocks_[b + 1].in)
      lanes -= std::min(lanes, edges_[e].lanes);
    addEdge(b, b + 1, last.executions, lanes);
  }
}

void FlowGraph::findLoops(const KernelProfile &kernel) {
  // Node 0 stands before all blocks that nobody in the profile jumps to: the kernel's entry, and
  // functions that it calls.
  std::vector<std::vector<size_t>> in(blocks_.size() + 1), out(blocks_.size() + 1);
  for (size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].in.empty() || blocks_[b].offsets.front() == 0) {
      out[0].push_back(b + 1);
      in[b + 1].push_back(0);
    }
    for (size_t e : blocks_[b].in)
      in[b + 1].push_back(edges_[e].from + 1);
    for (size_t e : blocks_[b].out)
      out[b + 1].push_back(edges_[e].to + 1);
  }
  std::vector<size_t> number;
  const std::vector<size_t> above = dominators(in, out, number);
  const auto dominates = [&](size_t a, size_t b) {
    while (b && b != a)
      b = above[b];
    return b == a;
  };
  std::map<size_t, std::set<size_t>> found; // header, blocks
  for (const FlowEdge &e : edges_) {
    if (number[e.from + 1] == ~size_t(0) || !dominates(e.to + 1, e.from + 1))
      continue;
    std::set<size_t> &body = found[e.to];
    body.insert(e.to);
    std::vector<size_t> work;
    if (body.insert(e.from).second)
      work.push_back(e.from);
    while (!work.empty()) {
      const size_t block = work.back();
      work.pop_back();
      for (size_t edge : blocks_[block].in)
        if (body.insert(edges_[edge].from).second)
          work.push_back(edges_[edge].from);
    }
  }
  for (auto &[header, body] : found)
    loops_.push_back({header, {body.begin(), body.end()}});
  std::ranges::stable_sort(loops_, [](const FlowLoop &a, const FlowLoop &b) {
    return a.blocks.size() > b.blocks.size();
  });
  for (size_t l = 0; l < loops_.size(); ++l) { // larger ones come first, so the last is innermost
    for (size_t outer = 0; outer < l; ++outer)
      if (loops_[outer].contains(loops_[l].header))
        loops_[l].parent = outer;
    if (loops_[l].parent != kNoLoop)
      loops_[l].depth = loops_[loops_[l].parent].depth + 1;
    for (size_t block : loops_[l].blocks)
      blocks_[block].loop = l;
    measure(loops_[l], kernel);
  }
}

void FlowGraph::measure(FlowLoop &loop, const KernelProfile &kernel) {
  const FlowBlock &header = blocks_[loop.header];
  loop.rounds = kernel.instructions.at(header.offsets.front()).executions;
  // Lanes may come back in the header itself.
  for (int64_t offset : header.offsets)
    loop.laneRounds = std::max(loop.laneRounds, kernel.instructions.at(offset).lanes);
  uint64_t backWaves = 0, backLanes = 0;
  for (size_t e : header.in)
    if (loop.contains(edges_[e].from)) {
      backWaves += edges_[e].waves;
      backLanes += edges_[e].lanes;
    }
  loop.entries = loop.rounds - std::min(loop.rounds, backWaves);
  const uint64_t first = kernel.instructions.at(header.offsets.front()).lanes;
  loop.laneEntries = first - std::min(first, backLanes);
}

} // namespace meld::softgpu
