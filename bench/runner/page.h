// The results as one self-contained HTML page: bars, dots and tables from the same rows as the
// text tables. No script, no outside resource; follows the reader's light or dark setting.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

std::string resultsPage(const std::vector<Row> &rows);

} // namespace meld::bench
