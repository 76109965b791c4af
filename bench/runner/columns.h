// What is said about one run, column by column: the text table and the page print the same.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

/// Titles, in order. The first two are the benchmark and the run.
const std::vector<std::string> &columnTitles();

/// The cells of one run. Ratios, what was melded and compile time stay empty for the original code.
std::vector<std::string> cellsOf(const Row &row, const Run &run);

} // namespace meld::bench
