#include "tests/fuzz/source/tally_json.h"

namespace meld::fuzz::source {

using nlohmann::json;

static json countJson(const Count &c) {
  return {{"kernels", c.kernels}, {"melded", c.melded}, {"findings", c.findings}};
}

static Count countOf(const json &j) { return {j.at("kernels"), j.at("melded"), j.at("findings")}; }

static json workJson(const Work &w) { return {w.instructions, w.vector, w.lanes}; }
static Work workOf(const json &j) { return {j.at(0), j.at(1), j.at(2)}; }

json toJson(const Tally &tally) {
  json j{{"all", countJson(tally.all)}, {"meldings", tally.meldings}};
  if (tally.flat)
    j["flattened"] = {{"nests", tally.flat},
                      {"nested", workJson(tally.nestedWork)},
                      {"flat", workJson(tally.flatWork)}};
  for (const auto &[seed, what] : tally.ambiguous)
    j["ambiguous"].push_back({{"seed", seed}, {"what", what}});
  for (const Finding &f : tally.findings)
    j["findings"].push_back({{"seed", f.seed}, {"cpu", f.cpu}, {"mode", f.mode}, {"what", f.what}});
  for (size_t i = 0; i < featureCount; ++i)
    if (tally.features[i].kernels)
      j["features"][featureName(i)] = countJson(tally.features[i]);
  j["seconds"] = tally.seconds;
  return j;
}

Tally tallyOf(const json &j) {
  Tally tally;
  tally.all = countOf(j.at("all"));
  tally.meldings = j.at("meldings");
  if (const auto flat = j.find("flattened"); flat != j.end()) {
    tally.flat = flat->at("nests");
    tally.nestedWork = workOf(flat->at("nested")), tally.flatWork = workOf(flat->at("flat"));
  }
  if (j.contains("ambiguous"))
    for (const json &a : j["ambiguous"])
      tally.ambiguous.emplace(a.at("seed"), a.at("what"));
  if (j.contains("findings"))
    for (const json &f : j["findings"])
      tally.findings.push_back({f.at("seed"), f.at("cpu"), f.at("mode"), f.at("what")});
  if (j.contains("features"))
    for (size_t i = 0; i < featureCount; ++i)
      if (const auto found = j["features"].find(featureName(i)); found != j["features"].end())
        tally.features[i] = countOf(*found);
  tally.seconds = j.at("seconds").get<std::map<std::string, double>>();
  return tally;
}

} // namespace meld::fuzz::source
