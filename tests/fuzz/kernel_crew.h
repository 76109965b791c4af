// Worker processes for meld-fuzz-kernels: a crash of the compiler, or the time limit of a kernel,
// ends one of them.
#pragma once

#include "tests/fuzz/kernel_compare.h"

namespace meld::fuzz {

/// Runs the seeds from `first` on, `count` of them, in `jobs` processes; progress on a terminal. A
/// worker that dies is a finding, unless it is LLVM that does not finish the plain kernel.
Tally runSeeds(const Setup &setup, uint64_t first, uint64_t count, unsigned jobs);

} // namespace meld::fuzz
