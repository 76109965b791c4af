// From the software GPU's counts of instructions: executions of markers are those of blocks.
#include "shim/cli/kernel_runs.h"

#include "runtime/profile/marks.h"
#include "runtime/softgpu/isa/decoder.h"

namespace meld::cli {
namespace {

class CountedRuns : public KernelRuns {
public:
  explicit CountedRuns(std::vector<softgpu::KernelProfile> recorded)
      : recorded_(std::move(recorded)) {}

  profile::Kernel launchesOf(const std::string &name, const std::string &processor) const override {
    profile::Kernel kernel{name, 0, 0, 0, {}};
    constexpr unsigned simds = 4; // of a compute unit, in all that there is software for
    double perSimd = 0;           // summed over launches
    for (const softgpu::KernelProfile &one : recorded_)
      if (is(one, name, processor)) {
        kernel.launches += one.dispatches;
        kernel.waves += one.waves;
        if (one.computeUnits)
          perSimd += double(one.waves) / (simds * one.computeUnits);
      }
    if (kernel.launches)
      kernel.wavesPerSimd = perSimd / double(kernel.launches);
    return kernel;
  }

  void addBlocks(profile::Kernel &kernel, const std::string &processor,
                 const MarkedKernel &marked) const override {
    profile::MarkCounts counts; // executions without any lane are none
    for (const softgpu::KernelProfile &one : recorded_)
      if (is(one, kernel.name, processor))
        for (const auto &[offset, instruction] : one.instructions)
          if (const auto mark = profile::markOf(instruction.text))
            counts[*mark].add({instruction.executions - instruction.execZero, instruction.lanes});
    kernel.functions = profile::functionsOf(marked.marks, counts, kernel.name, kernel.waves);
  }

private:
  static bool is(const softgpu::KernelProfile &one, const std::string &name,
                 const std::string &processor) {
    return one.kernel == name && softgpu::isa::targetName(one.device) == processor;
  }

  std::vector<softgpu::KernelProfile> recorded_;
};

} // namespace

std::unique_ptr<KernelRuns> countedRuns(std::vector<softgpu::KernelProfile> recorded) {
  return std::make_unique<CountedRuns>(std::move(recorded));
}

} // namespace meld::cli
