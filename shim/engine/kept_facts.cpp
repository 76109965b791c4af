#include "shim/engine/kept_facts.h"

#include <nlohmann/json.hpp>

namespace meld {

std::string keptFacts(const std::string &metadata) {
  const auto json = nlohmann::json::parse(metadata, nullptr, false);
  if (!json.is_object())
    return {};
  const auto facts = json.find("facts");
  return facts != json.end() && facts->is_string() ? facts->get<std::string>() : std::string();
}

} // namespace meld
