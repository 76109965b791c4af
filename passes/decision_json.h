// Decisions as JSON, in the one form that compile reports, `.meld` sections, reports of static builds
// and `meld explain` share.
#pragma once

#include "passes/decision_log.h"

#include <nlohmann/json.hpp>

namespace meld::passes {

/// {"location", "pass", "point", "melded", "reason", "profit", "alignment"}
inline nlohmann::ordered_json toJson(const Decision &d) {
  return {{"location", d.location},  {"pass", d.pass},     {"point", nameOf(d.point)},
          {"melded", d.melded},      {"reason", d.reason}, {"profit", d.profit},
          {"alignment", d.alignment}};
}

/// {"rows": [["both","fmul float","fmul float"],...], "leftOut": N}
inline nlohmann::ordered_json sidesJson(const Decision &d) {
  auto rows = nlohmann::ordered_json::array();
  for (const AlignedRow &row : d.sides)
    rows.push_back({row.whose, row.left, row.right});
  return {{"rows", std::move(rows)}, {"leftOut", d.sidesLeftOut}};
}

} // namespace meld::passes
