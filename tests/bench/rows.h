// Rows with numbers that are easy to check by hand.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

inline Run runOf(const std::string &configuration, uint64_t cycles, uint64_t instructions,
                 double utilization) {
  Run run{configuration, {}, {}};
  run.measured.pass = true;
  run.measured.replaced = configuration != "original";
  run.measured.cycles = cycles;
  run.measured.valuUtilization = utilization;
  run.measured.counters = {{"SQ_WAVES", 2},
                           {"SQ_INSTS", instructions},
                           {"SQ_INSTS_VALU", instructions / 2},
                           {"SQ_INSTS_LDS", 8}};
  return run;
}

/// A number at the end of the label is a block size.
inline Row rowOf(const std::string &label, Set set, uint64_t before, uint64_t after) {
  const std::string last = label.substr(label.find_last_of(' ') + 1);
  std::vector<std::string> arguments;
  if (last != label && last.find_first_not_of("0123456789") == std::string::npos)
    arguments = {"--block", last};
  return {{"program", arguments, label, set, true},
          {runOf("original", before, 100, 50), runOf("libmeld", after, 80, 75)}};
}

} // namespace meld::bench
