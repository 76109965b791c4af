// ROCr's entries as they were before ours, and what more than one part of libmeld does with them.
//
// Thread rule: any thread.
#pragma once

#include "shim/hsa.h"

#include <functional>
#include <string>

namespace meld {

struct RocrEntries {
  decltype(CoreApiTable::hsa_code_object_reader_create_from_memory_fn) createFromMemory;
  decltype(CoreApiTable::hsa_code_object_reader_destroy_fn) destroyReader;
  decltype(CoreApiTable::hsa_executable_load_agent_code_object_fn) load;
  decltype(CoreApiTable::hsa_executable_freeze_fn) freeze;
  decltype(CoreApiTable::hsa_executable_destroy_fn) destroyExecutable;
  const CoreApiTable *table; ///< as it is now: entries that are not ours, and for versions
};

/// Loads what `reader` reads into an executable of its own and freezes that. The caller destroys
/// `executable`, also after an error; its handle is 0 where there is none.
hsa_status_t loadAlone(const RocrEntries &rocr, hsa_agent_t agent, hsa_code_object_reader_t reader,
                       hsa_executable_t &executable);

/// Calls `visit` with each kernel of an executable: its name without ".kd" as metadata and people
/// have it, the agent, and the address of its descriptor. What it throws is lost.
void forEachKernel(
    const CoreApiTable &table, hsa_executable_t executable,
    const std::function<void(const std::string &name, hsa_agent_t agent, uint64_t object)> &visit);

} // namespace meld
