// Our numbers beside those of the papers. Theirs are from other hardware and other baselines, so
// the tables are for orientation: they say where the gain should be, not how large it has to be.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

struct PublishedTable {
  std::string title, note;
  std::vector<std::vector<std::string>> cells; ///< the first line is the header
};

/// Speedups, active lanes and memory instructions (control-flow melding), reductions; without those
/// of which nothing was measured.
std::vector<PublishedTable> publishedTables(const std::vector<Row> &rows);

/// As text; as a section of the page. Empty with nothing to compare.
std::string publishedText(const std::vector<Row> &rows);
std::string publishedSection(const std::vector<Row> &rows);

} // namespace meld::bench
