// The source line of the condition that an instruction on EXEC stands for.
//
//   v_cmp_ge_u32 vcc, v4, v5           nest.hip:12      <- this
//   s_or_b64 s[6:7], vcc, s[6:7]       nest.hip:12
//   v_fmac_f32 v10, v11, v2            nest.hip:13
//   s_andn2_b64 exec, exec, s[6:7]     nest.hip:13      the line of what stands before it
//
// What the compiler makes of control flow late has no line of its own, and a line table repeats the
// last one there. So the mask is followed back to the comparisons that it was made of, which do have
// theirs. A loop's exits may have several (the condition of the statement, `break`s): the first in
// the file stands for it, which is the statement's in all but loops that are written with the
// condition at their end. Where a mask is collected from EXEC itself, as for loops with several exits,
// what parted the lanes in the loop before counts, too; and for a branch the one that the place where
// they were collected stands in.
//
// Cost: limited, in instructions looked at. Thread rule: none.
#pragma once

#include "runtime/softgpu/tools/flow_graph.h"
#include "runtime/softgpu/tools/line_table.h"

#include <functional>

namespace meld::softgpu {

/// The line of the instruction at an offset of the kernel; nullptr: unknown.
using LineOf = std::function<const SourceLine *(int64_t)>;

class ConditionLines {
public:
  ConditionLines(const KernelProfile &kernel, const FlowGraph &graph, const LineOf &lineOf)
      : kernel_(kernel), graph_(graph), lineOf_(lineOf) {}

  /// For the instruction at `offset`; of exits of `loop` (kNoLoop: it is a branch) the first line of
  /// several. Where no comparison has a line: that of the nearest instruction of the block that has
  /// one, before it or else behind it; nullptr: none has.
  const SourceLine *of(int64_t offset, size_t loop) const;

private:
  /// `fromExec` is set when lanes were put into the mask because they were active.
  std::vector<const SourceLine *> comparisons(int64_t offset, size_t loop, bool &fromExec,
                                              unsigned deep) const;
  /// The branch on whose side `offset` stands: what took lanes out of EXEC last and has not let them
  /// back in before it. nullopt: none.
  std::optional<int64_t> branchAround(int64_t offset) const;
  void addBranchesIn(size_t loop, std::vector<const SourceLine *> &lines) const;
  const SourceLine *nearest(int64_t offset) const;

  const KernelProfile &kernel_;
  const FlowGraph &graph_;
  const LineOf &lineOf_;
};

} // namespace meld::softgpu
