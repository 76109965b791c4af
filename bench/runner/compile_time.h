// `meld-bench compile-time`: what the passes cost where code is compiled, as shares and growth.
//
// Two tables. Every benchmark program: processor time in our passes beside that of comgr's code
// generation for the same code (unmelded, so that what melding saves there is not counted). Two
// sides of a branch of 100 to 2,000 instructions each: the same, and the exponent of the growth.
// The passes' time is that of one run of the pipeline, the first, which is over everything. Where
// machine code is judged and some of it compiled again (rounds), the whole compile takes longer: it
// is told beside the same without our passes, which is what comgr alone does.
// Least of several runs, each in a process of its own; processor time, so that a busy machine
// disturbs little.
#pragma once

#include "bench/runner/measure.h"

#include <string>
#include <utility>
#include <vector>

namespace meld::bench {

/// The most that the passes may take of code generation.
inline constexpr double mostPassShare = 0.30;
/// The steepest growth with the length of the sides.
inline constexpr double mostExponent = 1.3;

struct CompileTimeOptions {
  std::string only;   ///< programs of these cases, as casesCalled has it
  bool json = false;  ///< one JSON object instead of the tables
  bool quick = false; ///< two programs, two lengths, one run each: for tests of the command
};

/// A HIP kernel with a divergent branch; each side is a chain of `instructions` operations.
std::string armsSource(unsigned instructions);

/// Least squares of log y over log x: y grows as x to this power. At least two points with
/// different x, all positive; NaN otherwise.
double growthExponent(const std::vector<std::pair<double, double>> &points);

/// One program's whole compile, with our passes and without, in any unit.
struct Ratio {
  std::string program;
  double ours, plain;
};

struct Ratios {
  double mean = 0, worst = 0; ///< geometric; 0 where there are none
  std::string worstProgram;
  double ofAll = 0; ///< of the sums, in which the large ones count
};
Ratios summaryOf(const std::vector<Ratio> &ratios);

/// 0 when everything could be compiled and both limits hold: mostPassShare for every program (the
/// two-sided kernels show growth; their shares are told, not judged), mostExponent for the growth.
/// 1 otherwise. A quick run is no measurement and judges nothing.
int runCompileTime(const Paths &paths, const CompileTimeOptions &options);

} // namespace meld::bench
