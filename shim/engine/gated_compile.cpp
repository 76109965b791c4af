#include "shim/engine/gated_compile.h"

#include "runtime/gate/gate.h"
#include "runtime/gate/version_gate.h"

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
