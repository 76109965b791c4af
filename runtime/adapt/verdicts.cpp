#include "runtime/adapt/verdicts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace meld::adapt {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostClasses = 1000; ///< of a kernel; a process has sixteen

/// Times and ratios come back into decisions: no infinity, nothing negative.
double positive(const Json &object, const char *key, double otherwise) {
  const double value = object.value(key, otherwise);
  return std::isfinite(value) && value >= 0 ? value : otherwise;
}

/// No version is really so much faster or slower: what a record says beyond that must not keep others
/// from being tried.
constexpr double kMostRatio = 64;

/// 0 where it is missing, negative, or more than can be counted.
uint32_t countOf(const Json &object, const char *key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number_unsigned())
    return 0;
  const auto count = it->get<uint64_t>();
  return count <= UINT32_MAX ? static_cast<uint32_t>(count) : 0;
}

constexpr size_t kMostSpecialised = 16; ///< of a kernel

Json toJson(const CutDuel &duel) {
  const PastDuel &past = duel.past;
  return {{"version", duel.version}, {"pairs", past.pairs}, {"wins", past.wins},
          {"losses", past.losses},   {"lost", past.lost},   {"ratio", past.ratio}};
}

CutDuel duelFromJson(const Json &object) {
  CutDuel duel;
  duel.version = object.at("version").get<std::string>();
  const uint32_t pairs = countOf(object, "pairs"), wins = countOf(object, "wins"),
                 losses = countOf(object, "losses");
  const double ratio = positive(object, "ratio", 1);
  // What no duel can have come to is none.
  if (pairs >= kMostPairs || uint64_t{wins} + losses > pairs || ratio > kMostRatio ||
      ratio < 1 / kMostRatio)
    return duel;
  duel.past = {static_cast<uint16_t>(pairs), static_cast<uint16_t>(wins),
               static_cast<uint16_t>(losses), object.value("lost", false), ratio};
  return duel;
}

Json toJson(const ClassVerdict &verdict);
Json toJson(const SpecialisedVerdict &verdict);

template <class T> Json listOf(const std::vector<T> &all) {
  Json list = Json::array();
  for (const T &one : all)
    list.push_back(toJson(one));
  return list;
}

Json toJson(const ClassVerdict &verdict) {
  return {{"class", verdict.launchClass},
          {"launches_of", describeLaunchClass(verdict.launchClass)},
          {"guards", verdict.guards},
          {"winner", verdict.winner},
          {"facts", verdict.facts},
          {"faster", verdict.faster},
          {"open", verdict.open},
          {"duels", listOf(verdict.duels)},
          {"ratio", verdict.ratio},
          {"quartiles", {verdict.low, verdict.high}},
          {"original_ns", verdict.original},
          {"winner_ns", verdict.time},
          {"pairs", verdict.pairs},
          {"wins", verdict.wins},
          {"losses", verdict.losses},
          {"changes", verdict.changes},
          {"launches", verdict.launches},
          {"when", verdict.when}};
}

ClassVerdict classFromJson(const Json &object) {
  ClassVerdict verdict;
  verdict.launchClass = object.at("class").get<uint32_t>();
  verdict.winner = object.at("winner").get<std::string>();
  verdict.when = object.at("when").get<uint64_t>();
  verdict.guards = object.value("guards", std::vector<std::string>());
  verdict.facts = object.value("facts", std::string());
  verdict.faster = object.value("faster", std::string());
  verdict.open = object.value("open", false);
  if (const auto it = object.find("duels"); it != object.end())
    for (const Json &one : *it)
      if (verdict.duels.size() < kMaxVersions)
        verdict.duels.push_back(duelFromJson(one));
  verdict.ratio = std::clamp(positive(object, "ratio", 1), 1 / kMostRatio, kMostRatio);
  if (const auto it = object.find("quartiles"); it != object.end() && it->size() == 2) {
    verdict.low = it->at(0).get<double>();
    verdict.high = it->at(1).get<double>();
  }
  verdict.original = positive(object, "original_ns", 0);
  verdict.time = positive(object, "winner_ns", 0);
  verdict.pairs = countOf(object, "pairs");
  verdict.wins = countOf(object, "wins");
  verdict.losses = countOf(object, "losses");
  verdict.changes = countOf(object, "changes");
  verdict.launches = object.value("launches", uint64_t(0));
  return verdict;
}

Json toJson(const SpecialisedVerdict &verdict) {
  return {{"asked", verdict.asked},
          {"facts", verdict.facts},
          {"refused", verdict.refused},
          {"launches", verdict.launches},
          {"other_launches", verdict.other}};
}

SpecialisedVerdict specialisedFromJson(const Json &object) {
  SpecialisedVerdict verdict;
  verdict.asked = object.at("asked").get<std::string>();
  verdict.facts = object.value("facts", std::string());
  verdict.refused = object.value("refused", std::string());
  verdict.launches = object.value("launches", uint64_t(0));
  verdict.other = object.value("other_launches", uint64_t(0));
  return verdict;
}

KernelVerdict kernelFromJson(const Json &object) {
  KernelVerdict kernel;
  kernel.versions = object.at("versions").get<std::vector<std::string>>();
  kernel.refused = object.at("refused").get<std::map<std::string, std::string>>();
  for (const Json &one : object.at("classes")) {
    if (kernel.classes.size() == kMostClasses)
      break;
    kernel.classes.push_back(classFromJson(one));
  }
  if (const auto it = object.find("specialised"); it != object.end())
    for (const Json &one : *it) {
      if (kernel.specialised.size() == kMostSpecialised)
        break;
      kernel.specialised.push_back(specialisedFromJson(one));
    }
  return kernel;
}

} // namespace

std::string ObjectVerdicts::text() const {
  Json out = {{"kernels", Json::object()}};
  for (const auto &[name, kernel] : kernels) {
    out["kernels"][name] = {{"versions", kernel.versions},
                            {"refused", kernel.refused},
                            {"classes", listOf(kernel.classes)},
                            {"specialised", listOf(kernel.specialised)}};
  }
  // Names come from code objects, which may hold any bytes.
  return out.dump(1, ' ', false, Json::error_handler_t::replace);
}

Result<ObjectVerdicts> ObjectVerdicts::parse(std::string_view json) {
  try {
    ObjectVerdicts verdicts;
    const Json whole = Json::parse(json);
    for (const auto &[name, kernel] : whole.at("kernels").items())
      verdicts.kernels[name] = kernelFromJson(kernel);
    return verdicts;
  } catch (const Json::exception &error) {
    return fail(ErrorCode::badInput, std::string("verdicts: ") + error.what());
  }
}

std::string describeLaunchClass(uint32_t launchClass) {
  // See launchClass(): bit widths, so that w stands for 2^(w-1) to 2^w - 1.
  auto range = [](uint32_t width) {
    if (width <= 1)
      return std::to_string(width);
    if (width > 63)
      return std::string("very many");
    return std::to_string(uint64_t(1) << (width - 1)) + " to " +
           std::to_string((uint64_t(1) << width) - 1);
  };
  const uint32_t lds = launchClass & 0xff;
  return range(launchClass >> 16 & 0xff) + " work-items a group, " +
         range(launchClass >> 8 & 0xff) + " groups, " +
         (lds ? range(lds) + " bytes of dynamic LDS" : "no dynamic LDS");
}

} // namespace meld::adapt
