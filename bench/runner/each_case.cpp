#include "bench/runner/each_case.h"

#include <cstdio>
#include <unistd.h>

namespace meld::bench {

void tellProgress(const std::string &what) {
  if (isatty(2))
    std::fprintf(stderr, "\r\033[K%s%s", what.c_str(), what.empty() ? "" : " ...");
}

std::vector<Case> casesFor(const std::string &only, bool every) {
  std::vector<Case> cases = casesCalled(only);
  if (!every)
    std::erase_if(cases, [](const Case &which) { return !which.quick; });
  return cases;
}

bool forEachCase(const std::string &only, bool every,
                 const std::function<void(const Case &)> &run) {
  return forEachCase(casesFor(only, every), only, run);
}

bool forEachCase(const std::vector<Case> &cases, const std::string &only,
                 const std::function<void(const Case &)> &run) {
  for (const Case &which : cases) {
    tellProgress(which.label);
    run(which);
  }
  tellProgress("");
  if (cases.empty())
    std::fprintf(stderr, "meld-bench: %s\n", unknownName(only).c_str());
  return !cases.empty();
}

} // namespace meld::bench
