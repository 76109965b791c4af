// `meld-bench static`: what melding makes of each kernel, without running it. Instructions of the
// machine code, cycles weighted by static block frequencies (passes/cost/estimate.h), VGPRs and
// waves per SIMD, before and after, for the programs of the control-flow melding paper in each
// block size that has code of its own.
//
// Every program is compiled from source for each processor and then by `meld compile`; the numbers
// are libmeld's own report on the two code objects. No GPU, real or modelled, takes part.
#pragma once

#include "bench/runner/cases.h"
#include "bench/runner/measure.h"

#include <optional>
#include <string>
#include <vector>

namespace meld::bench {

struct StaticOptions {
  std::string only; ///< as casesCalled has it
  std::vector<std::string> processors = {"gfx90a", "gfx900"};
  bool json = false;  ///< one JSON array instead of the table
  bool every = false; ///< also the programs outside the paper's set
};

/// A kernel's code, as libmeld reports it.
struct StaticCode {
  unsigned instructions = 0, vgprs = 0, waves = 0;
  double cycles = 0; ///< of one wave, weighted
};

/// One kernel for one processor.
struct StaticRow {
  std::string benchmark, blocks, processor, kernel;
  StaticCode before, after;
  bool melded = false;
  std::optional<unsigned> target; ///< the most instructions that are good enough

  /// What is wrong with `after`, empty for nothing: above its target, more weighted cycles than
  /// before, or fewer waves.
  std::string problem() const;
};

/// A kernel's name, demangled where it is mangled, without return type and parameters.
std::string shortKernelName(const std::string &name);

/// The kernel that `which` launches, as it is demangled, without return type and parameters:
/// "bitonicSort<64u>". Empty for programs outside the paper's set.
std::string kernelOf(const Case &which);

/// What a hand edit of bitonic sort's source reaches at this block size: sides swapped instead of
/// branched over.
std::optional<unsigned> bitonicTarget(unsigned block);

/// 0 when everything could be compiled and no row has a problem.
int runStatic(const Paths &paths, const StaticOptions &options);

} // namespace meld::bench
