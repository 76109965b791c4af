// The results as one self-contained HTML page: bars, dots and tables from the same rows as the
// text tables. No script, no outside resource; follows the reader's light or dark setting.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

/// `size`: of the programs' problems, "small" or "large".
std::string resultsPage(const std::vector<Row> &rows);

} // namespace meld::bench
