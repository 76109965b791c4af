// Workgroups that have ended: their memory is what the next ones run in. A dispatch of few waves to a unit
// would else spend a good part of its time on pages that the host makes anew for each.
#pragma once

#include "runtime/softgpu/execute/workgroup.h"

#include <memory>
#include <vector>

namespace meld::softgpu::timing {

/// Of one thread, from one dispatch to the next. Those with scratch memory are not kept: what a
/// kernel reads there and has not written would be another kernel's.
class SpareGroups {
public:
  static SpareGroups &ofThisThread() {
    static thread_local SpareGroups groups;
    return groups;
  }

  std::unique_ptr<Workgroup> take() {
    if (groups_.empty())
      return std::make_unique<Workgroup>();
    std::unique_ptr<Workgroup> group = std::move(groups_.back());
    groups_.pop_back();
    bytes_ -= bytesOf(*group);
    return group;
  }
  void keep(std::unique_ptr<Workgroup> group) {
    if (group->scratch.size() || bytes_ + bytesOf(*group) > kMostBytes)
      return;
    bytes_ += bytesOf(*group);
    groups_.push_back(std::move(group));
  }

private:
  static constexpr size_t kMostBytes = size_t(64) << 20;
  static size_t bytesOf(const Workgroup &group) {
    return group.registers.size() + group.lds.size() + group.waveCapacity * sizeof(Wave);
  }

  std::vector<std::unique_ptr<Workgroup>> groups_;
  size_t bytes_ = 0;
};

} // namespace meld::softgpu::timing
