// `meld-bench demo`: bitonic sort on the software GPU, plain and under libmeld, as a table.
#pragma once

#include "bench/runner/measure.h"

namespace meld::bench {

/// 0 when every run passed and the kernel was melded; 1 otherwise, with the reason on stderr.
int runDemo(const Paths &paths);

} // namespace meld::bench
