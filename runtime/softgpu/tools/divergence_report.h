// What `meld divergence` says, as text and as JSON: kernels with what parts their lanes, worst first,
// and what libmeld does about it where somebody has asked it. docs/divergence.md has the format.
//
// Thread rule: none.
#pragma once

#include "runtime/softgpu/tools/divergence.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace meld::softgpu {

/// What libmeld does about a place, or why it does nothing.
struct PlannedStep {
  enum class Kind { changes, version, keeps };
  Kind kind = Kind::keeps; ///< in what is loaded; in a version to be measured; not at all
  std::string pass;        ///< "meld-cfm"; "" where it is not one pass's doing
  std::string text;
};

struct ReportedKernel {
  KernelDivergence divergence;
  std::string plan;                            ///< for the kernel as a whole, "": not asked
  std::vector<std::vector<PlannedStep>> steps; ///< for each point; may be empty
  /// Those for point `k`.
  const std::vector<PlannedStep> &of(size_t k) const;
};

struct DivergenceReport {
  std::vector<std::string> programs;
  std::vector<ReportedKernel> kernels; ///< by lost cycles
  std::vector<std::string> notes;
};

/// Kernels and branches that lose a smaller share of lanes are not told one by one: no digit would be
/// left of it.
inline constexpr double kWorthTelling = 0.0005;

struct ReportLimits {
  size_t kernels = 10; ///< 0: all
  size_t points = 5;   ///< of a kernel
};

/// Puts the kernels into their order.
void sortReport(DivergenceReport &report);

std::string divergenceText(const DivergenceReport &report, const ReportLimits &limits);
nlohmann::ordered_json divergenceJson(const DivergenceReport &report);

/// "1 dispatch", "2 dispatches".
std::string countOf(uint64_t n, std::string_view what);
/// "file.hip:12", or "+0x3c" where the line is unknown.
std::string placeText(const SourceLine &where, int64_t offset);
/// What a point is, for people: "loop: a wave goes round 40.0 times, a lane 12.8".
std::string pointText(const PartingPoint &point);

} // namespace meld::softgpu
