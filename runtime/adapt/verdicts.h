// What was measured of a code object's kernels on one device, as it is kept from run to run.
//
//   {"kernels": {"_Z6kernelPf": {
//      "versions": ["melded"], "refused": {"scalarized": "nothing to scalarize"},
//      "classes": [{"class": 17236992, "winner": "melded", "ratio": 0.71, ...}]}}}
//
// Where it is kept, and under which key, is the caller's business (shim/adapt/verdict_store.h).
//
// Thread rule: pure functions.
#pragma once

#include "runtime/adapt/trial.h"
#include "runtime/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace meld::adapt {

/// How far a trial had come, that the end of the program cut short.
struct CutDuel {
  std::string version; ///< a recipe; it challenged the original
  PastDuel past;
};

/// The decision in one launch class (launch_class.h), for the launches that have the same of the
/// facts for which there were specialised versions.
struct ClassVerdict {
  uint32_t launchClass = 0;
  std::vector<std::string> guards; ///< of specialised versions, that hold: their facts
  std::string winner;              ///< a recipe of jit/variant/recipes.h; empty: the original
  std::string facts;               ///< of the winner, where it is a specialised version
  /// Faster than the original, by less than a look at each launch may cost: for the serve gear.
  std::string faster;
  bool open = false; ///< has won, or was kept, until now; other versions were still to be tried
  std::vector<CutDuel> duels;    ///< where it is open; with a winner: only who has lost
  double ratio = 1;              ///< winner / original, middle of pairs
  double low = 1, high = 1;      ///< quartiles of challenger / incumbent in the deciding duel
  double original = 0, time = 0; ///< usual times of the original and of what runs, nanoseconds
  uint32_t pairs = 0, wins = 0, losses = 0; ///< of that duel
  uint32_t changes = 0;                     ///< so often the times have changed on the way
  uint64_t launches = 0;                    ///< of the run that decided
  uint64_t when = 0;                        ///< seconds since 1970
};

/// A version that was asked for because launches had something in common.
struct SpecialisedVerdict {
  std::string asked;   ///< facts (passes/specialize/facts.h) that launches had in common
  std::string facts;   ///< those of them that it depends on; empty: there is none
  std::string refused; ///< why there is none
  uint64_t launches = 0, other = 0; ///< of the last run: with these facts, and without
};

struct KernelVerdict {
  std::vector<std::string> versions;          ///< recipes that versions were made by
  std::map<std::string, std::string> refused; ///< recipes that gave none, and why
  std::vector<ClassVerdict> classes;
  std::vector<SpecialisedVerdict> specialised = {};
};

struct ObjectVerdicts {
  std::map<std::string, KernelVerdict> kernels;

  /// As JSON, the same text for the same content.
  std::string text() const;
  /// Errors: badInput, naming what is wrong. Unknown keys are ignored.
  static Result<ObjectVerdicts> parse(std::string_view json);
};

/// How long a winner counts without being measured anew: drivers and clocks change.
inline constexpr uint64_t kVerdictDays = 90;
inline bool isStale(const ClassVerdict &verdict, uint64_t now) {
  return now < verdict.when || now - verdict.when > kVerdictDays * 24 * 3600;
}

/// For people: "256 to 511 work-items a group, 1024 to 2047 groups, no dynamic LDS".
std::string describeLaunchClass(uint32_t launchClass);

} // namespace meld::adapt
