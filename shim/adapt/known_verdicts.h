// What earlier runs have found out about a kernel, as this one uses it.
//
// A version's kind, in the table of kernels: 0 is the original, others are recipes by their place,
// and specialised versions by their place in what is known of the kernel.
//
// Thread rule: pure functions, but for the disk that a chooser asks.
#pragma once

#include "runtime/adapt/verdicts.h"
#include "shim/adapt/kernel_table.h"
#include "shim/adapt/serve.h"

#include <atomic>

namespace meld::adapt {

constexpr uint8_t kindOf(unsigned recipe) { return static_cast<uint8_t>(recipe + 1); }
/// 0 where there is no recipe of that name.
uint8_t kindOf(std::string_view name);
/// The recipe of specialised versions.
inline constexpr std::string_view kSpecialised = "specialized";
/// Empty for the original.
std::string nameOfKind(uint8_t kind);

/// The launch classes that are decided, or have a winner until now. `now`: seconds since 1970.
std::vector<KnownClass> knownClasses(const KernelVerdict &verdict, uint64_t now);
/// How far duels had come in launch classes in which not all was tried.
std::vector<KnownDuel> knownDuels(const KernelVerdict &verdict, uint64_t now);
/// In one of them, that is decided, another version than the original.
bool haveWinner(const std::vector<KnownClass> &known);

/// The recipe that runs in every launch class, empty: the original; nothing where they differ,
/// where it depends on facts that only a launch can tell, or where it has been seen that it depends
/// on more than the class. `now` 0: nothing is stale.
std::optional<std::string> servable(const KernelVerdict &verdict, uint64_t now);

/// The serve gear's choice: kernels that run the same version in all launch classes that were
/// measured. `open`: set when there is an object that nothing is known of, or a kernel whose
/// versions differ from class to class. All three live as long as the process.
ServedVersions::Chooser servedByVerdicts(const CoreApiTable &table, Engine &engine,
                                         std::atomic<bool> &open);

} // namespace meld::adapt
