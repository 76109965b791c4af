// Under which parameters of the timing model a program is run again, for the band of a ratio.
//
// The parameters stand in seven groups of what errs together (the costs of issuing, say, or what a
// cache takes). A run sets each group to one of its ends, all fast or all slow: every parameter to
// the end of its range (runtime/softgpu/timing/parameter_table.def) at which the device is faster,
// or slower. The eight runs are Plackett and Burman's design for seven factors ("The Design of
// Optimum Multifactorial Experiments", Biometrika 33, 1946, table for N = 8):
//
//   run      issue  control  LDS  cache  memory  bandwidth  dispatch
//   1        slow   slow     slow fast   slow    fast       fast
//   2..7     the row before, moved on by one
//   8        fast everywhere
//
// Each group is slow in four runs and fast in four, and each two groups meet in all four ways, twice
// each. All 128 combinations would cost sixteen times as much; one group at a time costs as much as
// this and never moves two at once. What is missed: an extreme that needs three groups and more at
// ends of their own choice, and one that lies between the ends.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace meld::bench {

/// In the order of the design's columns.
inline constexpr std::array<const char *, 7> parameterGroups = {
    "issue", "control", "LDS", "cache", "memory", "bandwidth", "dispatch"};

/// The group's place in parameterGroups; -1: in none.
int groupOf(std::string_view parameter);

/// Whether the device is faster with more of it: bytes, ways, entries, rates.
bool moreIsFaster(std::string_view parameter);

/// For each group whether it is slow.
using DesignRun = std::array<bool, parameterGroups.size()>;

const std::vector<DesignRun> &designRuns();

/// The device that `meld-bench` models: the first of MELD_GPU, gfx90a where it says nothing.
softgpu::isa::Target modelledTarget();

/// The run as a value of MELD_GPU_TIMING_VARIED, without what is known exactly: "salu=4,...". In the
/// order of the table.
std::string parametersOf(const DesignRun &run, softgpu::isa::Target target);

/// Both settings, either of which may be empty; where both name a parameter, the second holds.
std::string joinedParameters(const std::string &first, const std::string &second);

/// Puts the run's parameters into the environment of a run (MELD_GPU_TIMING_VARIED). Those that are set
/// by MELD_GPU_TIMING_PARAMS hold: what somebody sets is no question.
void addParameters(std::map<std::string, std::string> &environment, const DesignRun &run);

} // namespace meld::bench
