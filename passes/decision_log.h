// What the passes found and decided, branch by branch: one record each, for `meld explain`, the report
// and the tests. decisions.h fills them in.
//
// Thread rule: one DecisionLog per compilation; the log is guarded.
#pragma once

#include "passes/point.h"
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace meld::passes {

/// One line of two melded sides next to each other.
struct AlignedRow {
  std::string whose;       ///< "both", "left", "right", "left, run by all", "right, run by all";
                           ///< "blocks": what follows is from these
  std::string left, right; ///< the instruction, with file:line when debug information is there
};

/// What was found at one divergent branch, switch or run of code and what became of it.
struct Decision {
  std::string kernel;
  std::string location; ///< block name, and file:line when debug information is there
  std::string pass;     ///< "meld-cfm", ...
  Point point = Point::byName;
  bool melded = false;   ///< melded | rejected
  std::string reason;    ///< why rejected, or which case was melded
  double profit = 0.0;   ///< estimated percent of the two sides' cycles
  std::string alignment; ///< e.g. "blocks 3 paired, 12 paired, 2 guarded, 1 speculated, 4 selects"
  std::vector<AlignedRow> sides; ///< melded ones, with MeldOptions::recordSides
  size_t sidesLeftOut = 0;       ///< rows beyond the first (melder/side_by_side.h)
};

class DecisionLog {
public:
  /// A pass looks at a function many times: a rejection that is already recorded is not added
  /// again.
  void add(Decision decision);
  std::vector<Decision> entries() const;
  /// Melded decisions only, in the order they were taken.
  size_t meldedCount() const;
  void clear();

private:
  mutable std::mutex mutex_;
  std::vector<Decision> entries_;
  std::set<std::string> rejected_; ///< what is recorded of the rejections
};

} // namespace meld::passes
