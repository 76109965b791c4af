// One random kernel, two ways to make its code, one comparison: what meld-fuzz-kernels does with each seed.
#pragma once

#include "runtime/softgpu/device/gpu.h"
#include "tests/fuzz/kernel_generator.h"
#include "tests/fuzz/kernel_run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace meld::fuzz {

struct Setup {
  FuzzTarget target;
  std::string keep;
  unsigned generator = defaultGenerator;
  bool noEarly = false, noLate = false; ///< narrow a finding down
  std::string flat; ///< the pass that makes rounds of loops; steps and lanes by seed
  bool why = false; ///< print what became of each nest
  std::string passes;
  unsigned meldings = ~0u; ///< only so many of them, to find the one to blame
  unsigned limit = 60;     ///< seconds for one kernel
  bool tiers = false;      ///< interpreted against translated, instead of plain against melded
  FuzzTarget other{""};    ///< of another target against this one's
};

struct Tally {
  uint64_t kernels = 0, melded = 0, regions = 0, findings = 0, skipped = 0, refused = 0;
  uint64_t plainInstructions = 0, meldedInstructions = 0; ///< executed, of the kernels compared
  uint64_t plainVector = 0, meldedVector = 0;             ///< of those on the vector ALU
  uint64_t plainLanes = 0, meldedLanes = 0;               ///< active in these, summed
  uint64_t flat = 0, left = 0;                            ///< loops, with --flatten
  uint64_t moreActive = 0, fewerActive = 0;               ///< kernels whose share of lanes changed
  Tally &operator+=(const Tally &t) {
    kernels += t.kernels, melded += t.melded, regions += t.regions, findings += t.findings;
    skipped += t.skipped, refused += t.refused;
    plainInstructions += t.plainInstructions, meldedInstructions += t.meldedInstructions;
    plainVector += t.plainVector, meldedVector += t.meldedVector;
    plainLanes += t.plainLanes, meldedLanes += t.meldedLanes;
    flat += t.flat, left += t.left;
    moreActive += t.moreActive, fewerActive += t.fewerActive;
    return *this;
  }
};

/// Compares the kernel of `seed` as `setup` says, on `gpu` where that is plain against melded, and
/// adds what came of it. A finding is printed, and written to the folder `keep`.
void runSeed(softgpu::Gpu &gpu, const Setup &setup, uint64_t seed, Tally &tally);

/// Prints a finding and counts it.
void report(const Setup &setup, uint64_t seed, const std::string &what, Tally &tally);

/// Both versions of the kernel of `seed`, IR, code and decisions, into the folder `keep`; for a
/// caller who limits the time.
void keepSeed(const Setup &setup, uint64_t seed);

/// LLVM with the kernel of `seed` as it is, without any pass of ours; for a caller who limits the time.
void compilePlain(const Setup &setup, uint64_t seed);

/// Code objects of the same kernel on the inputs of `seed`: to see which of several compilations is
/// wrong. An exit status: 1 when one faults or leaves other memory than the first, 2 when one
/// cannot be read.
int compareObjects(const Setup &setup, uint64_t seed, const std::vector<std::string> &files);

} // namespace meld::fuzz
