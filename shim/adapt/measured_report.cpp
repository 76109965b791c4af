#include "shim/adapt/measured_report.h"

#include "runtime/adapt/verdict_text.h"

#include <algorithm>

namespace meld::adapt {

std::string measuredLine(const std::vector<MeasuredKernel> &kernels) {
  if (kernels.empty())
    return "";
  size_t faster = 0;
  Budget sum;
  for (const MeasuredKernel &kernel : kernels) {
    faster += std::any_of(kernel.verdict.classes.begin(), kernel.verdict.classes.end(),
                          [](const ClassVerdict &one) { return !one.winner.empty(); });
    sum.own += kernel.budget.own;
    sum.lost += kernel.budget.lost;
    sum.saved += kernel.budget.saved;
  }
  const double whole = sum.own + sum.saved; // with the originals alone
  return "libmeld: " + std::to_string(faster) + " of " + std::to_string(kernels.size()) +
         (kernels.size() == 1 ? " kernel runs" : " kernels run") + " a faster version, " +
         percentText(whole > 0 ? sum.saved / whole : 0) + " of their time saved (" +
         timeText(sum.saved) + "), " + percentText(whole > 0 ? sum.lost / whole : 0) +
         " spent on trials (" + timeText(sum.lost) + ")";
}

namespace {

std::string describe(const LoadedTotals::Count &count) {
  return std::to_string(count.versions) + (count.versions == 1 ? " version, " : " versions, ") +
         std::to_string((count.deviceBytes + 1023) / 1024) + " KB on devices, " +
         std::to_string((count.objectBytes + 1023) / 1024) + " KB of code objects";
}

} // namespace

std::string measuredText(const std::vector<MeasuredKernel> &kernels, const LoadedTotals &loaded) {
  if (kernels.empty())
    return "";
  std::string text = "libmeld, versions that were measured:\n";
  for (const MeasuredKernel &kernel : kernels)
    text += describeKernel(kernel.name, kernel.verdict);
  text += "  loaded beside the originals: " + describe(loaded.now) + "\n" +
          "    at most at one time: " + describe(loaded.most) + "\n" +
          "    in all: " + std::to_string(loaded.loaded) + " loaded, " +
          std::to_string(loaded.unloaded) + " unloaded\n";
  return text + "  " + measuredLine(kernels).substr(std::string("libmeld: ").size()) + "\n";
}

} // namespace meld::adapt
