// A replacement in the place of the application's code object.
//
// Thread rule: any thread; no lock is held while ROCr works.
#pragma once

#include "shim/process.h"
#include "shim/rocr.h"

namespace meld {

/// Loads the decision's replacement; on failure the application's executable has none of it, and
/// `decision` says why. Whatever can throw comes before ROCr has it: the caller would load the
/// original, too.
hsa_status_t tryReplacement(const RocrEntries &rocr, Process &process, hsa_executable_t executable,
                            hsa_agent_t agent, Decision &decision, const char *options,
                            hsa_loaded_code_object_t *loaded);

} // namespace meld
