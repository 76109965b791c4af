// What meld doctor has to say: one line for each check.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace meld::doctor {

enum class Health : uint8_t {
  ok,
  warn,    ///< libmeld works, but less well than it could, or not everywhere
  problem, ///< libmeld does not work here, or not on this program
};

inline const char *healthName(Health health) {
  return health == Health::ok ? "ok" : health == Health::warn ? "warn" : "problem";
}

struct Finding {
  Health health = Health::ok;
  std::string check;                        ///< one word or two: what was looked at
  std::string text;                         ///< what is there
  std::string advice;                       ///< what to do; empty where nothing is to be done
  nlohmann::ordered_json details = nullptr; ///< for --format json
};

using Findings = std::vector<Finding>;

} // namespace meld::doctor
