// What is said about one run, column by column: the text table and the page print the same.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

/// Titles, in order. The first two are the benchmark and the run.
const std::vector<std::string> &columnTitles();

/// What the columns and their ratios mean, for readers of the table.
const char *legend();

/// One line per set and configuration: geometric means of the cycle ratio, the worst case and where
/// it is. The first line is the header.
std::vector<std::vector<std::string>> meansCells(const std::vector<Row> &rows);

/// The cells of one run. Ratios, what was melded and compile time stay empty for the original code.
std::vector<std::string> cellsOf(const Row &row, const Run &run);

} // namespace meld::bench
