#include "bench/runner/scalar_gap.h"

#include <numeric>

namespace meld::bench {

Cause causeNamed(const std::string &name) {
  return name == "ids"       ? Cause::ids
         : name == "control" ? Cause::control
         : name == "data"    ? Cause::data
                             : Cause::none;
}

const char *name(GapKind kind) {
  constexpr const char *names[gapKinds] = {"one lane", "launch", "backend", "condition",
                                           "half",     "data",   "control", "ids"};
  return names[static_cast<unsigned>(kind)];
}

double Gap::sum() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }

void Gap::add(const Gap &other) {
  for (unsigned i = 0; i < gapKinds; ++i)
    parts[i] += other.parts[i];
  floating += other.floating;
}

} // namespace meld::bench
