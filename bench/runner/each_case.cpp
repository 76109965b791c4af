#include "bench/runner/each_case.h"

#include <cstdio>
#include <unistd.h>

namespace meld::bench {

void tellProgress(const std::string &what) {
  if (isatty(2))
    std::fprintf(stderr, "\r\033[K%s%s", what.c_str(), what.empty() ? "" : " ...");
}

bool forEachCase(const std::string &only, bool every,
                 const std::function<void(const Case &)> &run) {
  bool any = false;
  for (const Case &which : casesCalled(only)) {
    if (!which.quick && !every)
      continue;
    any = true;
    tellProgress(which.label);
    run(which);
  }
  tellProgress("");
  if (!any)
    std::fprintf(stderr, "meld-bench: %s\n", unknownName(only).c_str());
  return any;
}

} // namespace meld::bench
