// What was measured, in the disk cache: one entry for each code object and device.
//
// The key holds all that a time depends on and that does not change from launch to launch: the code
// object (comgr's names left out), how versions are made of it (libmeld, compilers, options), the
// device (name, compute units), ROCr, the kernel's driver. Modelled times have the model's settings
// in their key, too, and so never speak for a real device.
//
// Several processes may end at the same time: an entry is read again, changed and written under its
// lock, where it can be had, so that what one has found out about a kernel stays when another comes
// with another kernel; of one kernel the last word counts.
//
// Thread rule: any thread. No lock of ours is held; the disk is.
#pragma once

#include "runtime/adapt/verdicts.h"
#include "runtime/engine/engine.h"
#include "shim/hsa.h"

#include <map>
#include <mutex>

namespace meld::adapt {

class VerdictStore {
public:
  /// Both outlive it; of devices is remembered what they said once.
  VerdictStore(const CoreApiTable &table, Engine &engine) : table_(table), engine_(engine) {}

  /// Nothing where the device cannot be asked what it is.
  std::optional<CacheKey> keyOf(hsa_agent_t agent, ByteView original, const std::string &isa) const;
  /// Nothing where there is no entry, or none that can be read.
  std::optional<ObjectVerdicts> load(const CacheKey &key) const;
  /// Kernels that `verdicts` says something of are replaced in the entry.
  void save(const CacheKey &key, const ObjectVerdicts &verdicts) const;

private:
  std::string deviceOf(hsa_agent_t agent) const;

  const CoreApiTable &table_;
  Engine &engine_;
  mutable std::mutex lock_;                         ///< guards what follows
  mutable std::map<uint64_t, std::string> devices_; ///< by agent
};

} // namespace meld::adapt
