#include "runtime/engine/gated_compile.h"

#include "passes/specialize/facts.h"
#include "runtime/gate/gate.h"
#include "runtime/gate/version_gate.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace meld {

std::vector<GateFinding> gateFindings(const CodeObject &original, ByteView made,
                                      const Settings &settings, const VersionWanted &version) {
  if (version.empty())
    return gate(original, made, lowerOccupancy(settings));
  const auto after = CodeObject::parse(made);
  if (!after)
    return {{GateReason::malformed, version.kernel, after.error().message}};
  return compareForVersion(original, *after, version.kernel, Gear::launch);
}

std::string factsOf(const std::string &metadata, const VersionWanted &version) {
  const auto asked = parseFacts(version.facts);
  if (!asked || asked->empty())
    return {};
  const auto json = nlohmann::json::parse(metadata, nullptr, false);
  if (!json.is_object() || !json.contains("facts") || !json["facts"].is_string())
    return {};
  const auto kept = parseFacts(json["facts"].get<std::string>());
  const bool all = kept && std::all_of(kept->begin(), kept->end(), [&](const Fact &fact) {
                     return std::binary_search(asked->begin(), asked->end(), fact);
                   });
  return all ? toText(*kept) : std::string();
}

GatedCompile compileAndGate(const Compiler &compiler, const CodeObject &original,
                            const Settings &settings, const VersionWanted &version,
                            const PlainTakes &plainTakes) {
  GatedCompile result;
  result.compiled = compiler.compile(original.elf.bytes(), original.isa.targetId(), settings,
                                     version, plainTakes);
  result.reason = result.compiled.reason;
  switch (result.compiled.status) {
  case MELD_JIT_REPLACED:
    result.refused = gateFindings(original, result.compiled.codeObject, settings, version);
    result.outcome = result.refused.empty() ? Outcome::replaced : Outcome::unchanged;
    result.reason = result.refused.empty() ? "" : "gate: " + result.refused.front().describe();
    result.facts = factsOf(result.compiled.metadata, version);
    if (!version.facts.empty() && result.facts.empty()) { // it would run where it must not
      result.outcome = Outcome::failed;
      result.reason = "a specialised version that does not say what it depends on";
    }
    break;
  case MELD_JIT_UNCHANGED:
    result.outcome = Outcome::unchanged;
    break;
  case MELD_JIT_FAILED:
    break;
  }
  return result;
}

} // namespace meld
