// What libmeld does about the places where lanes are lost: the decisions of a compile of the code that
// ran, as `meld explain` makes it, joined with the report by source line.
#pragma once

#include "runtime/softgpu/tools/divergence_report.h"
#include "shim/cli/cli.h"

namespace meld::cli {

/// Fills in `plan` and `steps` of the report's kernels that lose lanes from the device code in
/// `files`. Nothing is an error: what cannot be compiled is said in the report. Takes seconds.
void planReport(softgpu::DivergenceReport &report, const std::vector<std::string> &files);

/// The steps for one point out of a kernel's metadata, as the compiler writes it. `versions`: the
/// decisions of the kernel's versions that are made for loops, in the same form. Separate for tests.
std::vector<softgpu::PlannedStep> stepsFor(const softgpu::PartingPoint &point, const Json &kernel,
                                           const Json &versions);

} // namespace meld::cli
