// Collects the per-instruction profile of a dispatch (counters/profile.h).
//
// Cost: 20-60 ns per instruction; nothing when the profile is off. Thread rule: DispatchProfile is
// shared by the workers of a dispatch, each has its own watcher.
#pragma once

#include "runtime/softgpu/counters/profile.h"
#include "runtime/softgpu/execute/watch.h"

#include <mutex>

namespace meld::softgpu {

class DispatchProfile final : public WatchFactory {
public:
  explicit DispatchProfile(const Launch &launch) : launch_(launch) {}
  std::unique_ptr<Watcher> make() override;

  /// What was collected; call when all watchers have finished.
  KernelProfile take(uint64_t waves, isa::Target device);
  /// Adds an instruction of one worker.
  void add(const ExecInst *i, isa::Target target, const InstProfile &counts);
  /// Adds what the waves of one worker began with.
  void addStartLanes(uint64_t lanes);
  /// Bytes from the kernel's first instruction.
  int64_t offsetOf(const ExecInst *i) const;

private:
  const Launch &launch_;
  std::mutex mutex_;
  std::map<int64_t, InstProfile> instructions_;
  uint64_t startLanes_ = 0;
};

} // namespace meld::softgpu
