// Tallies as JSON: between processes, in state files and in reports.
#pragma once

#include "tests/fuzz/source/oracle.h"

#include <nlohmann/json.hpp>

namespace meld::fuzz::source {

nlohmann::json toJson(const Tally &tally);
/// Of what toJson made.
Tally tallyOf(const nlohmann::json &json);

} // namespace meld::fuzz::source
