// The one state of libmeld in a process. Made when ROCr attaches us, leaked on purpose: hooks may
// run while the process ends.
#pragma once

#include "runtime/engine/engine.h"
#include "shim/adapt/serve.h"
#include "shim/adapt/version_maker.h"
#include "shim/objects.h"
#include "shim/verify/side_loads.h"

namespace meld {

struct Process {
  Settings settings;
  std::unique_ptr<Engine> engine;
  Objects objects;
  SideLoads sides;
  ServedVersions served;
  adapt::VersionMaker maker;
  /// Without queues that we see: code was loaded that only launches could tell about.
  std::atomic<bool> openQuestion{false};
  Report report;
  /// Set in the child of a fork: ROCr's own state is not usable there, neither is ours.
  std::atomic<bool> passThrough{false};
};

/// Reads the settings, prints their warnings, registers the fork and exit handlers. Null when it
/// failed or MELD_DISABLE is set. Called once, by OnLoad.
Process *startProcess() noexcept;

/// Null before startProcess().
Process *process() noexcept;

/// Background compiles, report, cache clean-up: at exit. Once; more calls do nothing.
void finishProcess() noexcept;

} // namespace meld
