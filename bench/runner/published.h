// Our numbers beside those of the papers. Theirs are from other hardware and other baselines, so
// the table is for orientation: it says where the gain should be, not how large it has to be.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

/// Cells, the first row the header; empty where no measured program is in a paper.
std::vector<std::vector<std::string>> publishedCells(const std::vector<Row> &rows);

/// As text with its footnote; as a section of the page. Empty with nothing to compare.
std::string publishedTable(const std::vector<Row> &rows);
std::string publishedSection(const std::vector<Row> &rows);

} // namespace meld::bench
