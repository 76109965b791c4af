// The two plots and the tables of the results page, as SVG and HTML text. Colours are CSS variables
// of the page.
#pragma once

#include "bench/runner/band.h"
#include "runtime/html.h"

#include <string>
#include <vector>

namespace meld::bench {

using html::escaped;

/// The first line is the header.
std::string htmlTable(const std::vector<std::vector<std::string>> &cells, const std::string &kind);

struct Bar {
  std::string label;
  double value = 0; ///< original / run
  std::string hint; ///< shown when the pointer rests on it
  Band band = {};   ///< a whisker, where there is one
};

/// Horizontal bars that start at 1: to the right what became better, to the left what became worse.
/// With whiskers, a bar is in colour only where its whisker does not reach the other side.
std::string ratioBars(const std::string &title, const std::vector<Bar> &bars);

struct Step {
  std::string label;
  double before = 0, after = 0;
  std::string hint;
};

/// One line per label from `before` (ring) to `after` (dot) on an axis from 0 to `most`.
std::string steps(const std::string &title, const std::vector<Step> &all, double most,
                  const std::string &unit);

} // namespace meld::bench
