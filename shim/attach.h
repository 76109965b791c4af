// How ROCr finds libmeld.so.
//
// ROCr 5.2 loads the libraries that HSA_TOOLS_LIB names; ROCr 5.3 and later also scans the loaded
// libraries for the symbol HSA_AMD_TOOL_PRIORITY. The constructor adds this library to
// HSA_TOOLS_LIB, keeping what the user had there; both ways end in OnLoad, and only the first call
// attaches.
#pragma once

#include <cstddef>

namespace meld {

/// Writes `existing` plus `path` (spaces, quotes and backslashes escaped as ROCr's parser wants
/// them) into `out`. False when `existing` names it already or it does not fit: leave the variable
/// alone. No allocation, no locale: it runs in every process that inherits LD_PRELOAD.
bool appendToolsLib(const char *existing, const char *path, char *out, size_t size) noexcept;

/// The program has more rights than who runs it (setuid, file capabilities): we do nothing there.
/// Not told by the environment: the dynamic linker takes LD_PRELOAD away.
bool secureMode() noexcept;

/// 1, on, true, yes in any case.
bool isTrue(const char *text) noexcept;

} // namespace meld
