// Compile, then gate: the one way from a code object to what may stand in its place, for the engine
// and for the command line, so that `meld explain` and `meld compile` say what a run would do.
//
// Thread rule: any thread. Throws for memory only.
#pragma once

#include "runtime/codeobject/codeobject.h"
#include "runtime/engine/compiler.h"
#include "runtime/gate/finding.h"
#include "runtime/report/report.h"

#include <vector>

namespace meld {

/// What the gate is to say of a lower occupancy.
inline LowerOccupancy lowerOccupancy(const Settings &settings) {
  return settings.force ? LowerOccupancy::allowed : LowerOccupancy::refused;
}

/// Why `made` may not be used beside or instead of the original, as the wanted version or as a
/// replacement; empty: it may.
std::vector<GateFinding> gateFindings(const CodeObject &original, ByteView made,
                                      const Settings &settings, const VersionWanted &version = {});

/// What the metadata says that a specialised version depends on: facts of passes/specialize/facts.h,
/// some of those that it was asked for. Empty where it says nothing of the kind.
std::string factsOf(const std::string &metadata, const VersionWanted &version);

struct GatedCompile {
  JitOutcome compiled;
  std::vector<GateFinding> refused; ///< by the gate, of a code object that was made
  /// replaced, unchanged or failed.
  Outcome outcome = Outcome::failed;
  std::string reason; ///< empty where it is replaced
  std::string facts;  ///< factsOf()
};

/// As Compiler::compile(), for the original's own target.
GatedCompile compileAndGate(const Compiler &compiler, const CodeObject &original,
                            const Settings &settings, const VersionWanted &version = {},
                            const PlainTakes &plainTakes = {});

} // namespace meld
