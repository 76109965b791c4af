// What is said about one run, column by column: the text table and the page print the same.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

/// Titles, in order. The first two are the benchmark and the run. With `bands` there is a column for
/// what may be claimed.
std::vector<std::string> columnTitles(bool bands);

/// What the columns and their ratios mean, for readers of the table.
std::string legend(bool bands);

/// One line per set and configuration: geometric means of the cycle ratio, the worst case and where
/// it is. The first line is the header.
std::vector<std::vector<std::string>> meansCells(const std::vector<Row> &rows);

/// The cells of one run, as many as titles. Ratios, what was melded and compile time stay empty for
/// the original code.
std::vector<std::string> cellsOf(const Row &row, const Run &run, bool bands);

} // namespace meld::bench
