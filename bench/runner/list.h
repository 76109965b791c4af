// `meld-bench list`: every benchmark, the program that it is, and what that is run with.
#pragma once

#include "bench/runner/cases.h"

namespace meld::bench {

struct ListOptions {
  std::string only;          ///< as casesCalled has it
  std::string size = "full"; ///< small, large or full
  bool json = false; ///< [{"benchmark", "set", "program", "arguments": [...]}] instead of the table
};

/// 0, or 1 where no benchmark is called so.
int runList(const ListOptions &options);

} // namespace meld::bench
