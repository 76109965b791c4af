// Basic blocks and loops of a kernel as it ran, from its profile: what was never executed is not in
// it, and every edge knows how often it was gone, by waves and by lanes.
//
// Loops are natural loops (Aho, Lam, Sethi, Ullman, "Compilers", 2nd edition, section 9.6); those
// with one header are one loop. Cycles without a single entry are none. Dominators after Cooper,
// Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
//
// Thread rule: immutable once made.
#pragma once

#include "runtime/softgpu/counters/profile.h"

#include <optional>
#include <vector>

namespace meld::softgpu {

inline constexpr size_t kNoLoop = ~size_t(0);

struct FlowEdge {
  size_t from = 0, to = 0; ///< blocks
  uint64_t waves = 0, lanes = 0;
};

struct FlowBlock {
  std::vector<int64_t> offsets; ///< of its instructions, in order
  std::vector<size_t> in, out;  ///< edges
  size_t loop = kNoLoop;        ///< the innermost
};

struct FlowLoop {
  size_t header = 0;          ///< block
  std::vector<size_t> blocks; ///< in order
  size_t parent = kNoLoop;
  unsigned depth = 1;               ///< 1: in no other
  uint64_t entries = 0, rounds = 0; ///< waves that came in; executions of the header by waves
  uint64_t laneEntries = 0, laneRounds = 0;
  bool contains(size_t block) const;
};

class FlowGraph {
public:
  explicit FlowGraph(const KernelProfile &kernel);

  const std::vector<FlowBlock> &blocks() const { return blocks_; }
  const std::vector<FlowEdge> &edges() const { return edges_; }
  const std::vector<FlowLoop> &loops() const { return loops_; }
  /// The block of an instruction; blocks().size() when it did not run.
  size_t blockAt(int64_t offset) const;

private:
  void cutBlocks(const KernelProfile &kernel);
  void connect(const KernelProfile &kernel);
  void addEdge(size_t from, size_t to, uint64_t waves, uint64_t lanes);
  void findLoops(const KernelProfile &kernel);
  void measure(FlowLoop &loop, const KernelProfile &kernel);

  std::vector<FlowBlock> blocks_; ///< by offset
  std::vector<FlowEdge> edges_;
  std::vector<FlowLoop> loops_; ///< by header; the outer one first where two begin alike
};

/// Where a direct branch goes when it is taken; nullopt: it is none.
std::optional<int64_t> branchTarget(int64_t offset, const InstProfile &instruction);

} // namespace meld::softgpu
