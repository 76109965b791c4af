// From rocprofv3's traces: launches are counted there, and blocks come from samples of the program
// counter (docs/profile.md, "On hardware").
#include "shim/cli/kernel_runs.h"

namespace meld::cli {
namespace {

class SampledRuns : public KernelRuns {
public:
  explicit SampledRuns(std::vector<profile::Trace> traces) : traces_(std::move(traces)) {
    for (const profile::Trace &trace : traces_)
      totals_.add(trace.totals);
  }

  profile::Kernel launchesOf(const std::string &name, const std::string &processor) const override {
    profile::Kernel kernel{name, 0, 0, 0, {}};
    double perSimd = 0; // summed over launches
    for (const profile::TracedKernel *one : launched(name, processor)) {
      kernel.launches += one->launches;
      kernel.waves += one->waves;
      perSimd += one->wavesPerSimd;
    }
    if (kernel.launches)
      kernel.wavesPerSimd = perSimd / double(kernel.launches);
    return kernel;
  }

  void addBlocks(profile::Kernel &kernel, const std::string &processor,
                 const MarkedKernel &marked) const override {
    profile::SampledKernel sampled;
    const bool issued = totals_.stochastic != 0;
    sampled.method = issued ? profile::SampleMethod::stochastic : profile::SampleMethod::hostTrap;
    profile::SamplesByOffset samples;
    for (const profile::TracedKernel *one : launched(kernel.name, processor)) {
      // The original and the marked version have the same name, and may well begin at the same
      // address of their files.
      if (one->objectSize != marked.objectSize)
        return;
      for (const auto &[offset, some] : issued ? one->issued : one->hostTrap) {
        samples[offset].add(some);
        sampled.samples += some.samples;
      }
    }
    sampled.functions = profile::sampledFunctionsOf(marked.marks, samples, issued, kernel.name);
    if (!sampled.functions.empty())
      kernel.sampled = std::move(sampled);
  }

  std::string remarks() const override {
    std::string text = std::to_string(totals_.all()) + " samples by " +
                       (totals_.stochastic ? "stochastic" : "host_trap");
    const auto add = [&](uint64_t samples, const char *what) {
      if (samples)
        text += ", " + std::to_string(samples) + " " + what;
    };
    add(totals_.waiting, "without an issued instruction");
    add(totals_.noLanes, "without an active lane");
    add(totals_.elsewhere, "outside of known kernels");
    return text + "\n";
  }

private:
  std::vector<const profile::TracedKernel *> launched(const std::string &name,
                                                      const std::string &processor) const {
    std::vector<const profile::TracedKernel *> found;
    for (const profile::Trace &trace : traces_)
      for (const profile::TracedKernel &one : trace.kernels)
        if (one.launches && one.name == name && one.processor == processor)
          found.push_back(&one);
    return found;
  }

  std::vector<profile::Trace> traces_;
  profile::SampleTotals totals_;
};

} // namespace

std::unique_ptr<KernelRuns> sampledRuns(std::vector<profile::Trace> traces) {
  return std::make_unique<SampledRuns>(std::move(traces));
}

} // namespace meld::cli
