#include "runtime/softgpu/kfd/svm.h"

#include <cerrno>
#include <vector>

namespace meld::softgpu {

namespace {
constexpr uint32_t kDefaultGranularity = 9; // 2 MiB, the kernel's default

bool isAccess(uint32_t type) {
  return type == KFD_IOCTL_SVM_ATTR_ACCESS || type == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE ||
         type == KFD_IOCTL_SVM_ATTR_NO_ACCESS;
}
} // namespace

void Svm::split(uint64_t address) {
  auto it = ranges_.upper_bound(address);
  if (it == ranges_.begin())
    return;
  --it;
  if (it->first == address || it->second.end <= address)
    return;
  Range tail = it->second;
  it->second.end = address;
  ranges_.emplace(address, std::move(tail));
}

bool Svm::accessible(uint64_t address, uint64_t size, uint32_t gpuId) const {
  const uint64_t end = address + size;
  if (end < address)
    return false;
  std::lock_guard lock(mutex_);
  for (uint64_t at = address; at < end;) {
    auto it = ranges_.upper_bound(at);
    if (it == ranges_.begin())
      return false;
    const Range &range = (--it)->second;
    const auto access = range.access.find(gpuId);
    if (range.end <= at || access == range.access.end() ||
        access->second == KFD_IOCTL_SVM_ATTR_NO_ACCESS)
      return false;
    at = range.end;
  }
  return true;
}

int Svm::run(kfd_ioctl_svm_args &args, kfd_ioctl_svm_attribute *attributes) {
  if (args.size == 0 || args.start_addr + args.size < args.start_addr ||
      (args.start_addr | args.size) & 4095)
    return -EINVAL;
  const uint64_t start = args.start_addr, end = start + args.size;
  for (uint32_t i = 0; i < args.nattr; ++i)
    if (attributes[i].type > KFD_IOCTL_SVM_ATTR_GRANULARITY)
      return -EINVAL;
  std::lock_guard lock(mutex_);

  if (args.op == KFD_IOCTL_SVM_OP_SET_ATTR) {
    split(start);
    split(end);
    for (uint64_t at = start; at < end;) { // fill the holes, so that every byte has a range
      auto it = ranges_.lower_bound(at);
      if (it != ranges_.end() && it->first == at) {
        at = it->second.end;
        continue;
      }
      const uint64_t until = it == ranges_.end() ? end : std::min(end, it->first);
      ranges_[at].end = until;
      at = until;
    }
    for (auto it = ranges_.lower_bound(start); it != ranges_.end() && it->first < end; ++it)
      for (uint32_t i = 0; i < args.nattr; ++i) {
        const auto [type, value] = attributes[i];
        uint32_t &flags = it->second.values[KFD_IOCTL_SVM_ATTR_SET_FLAGS];
        if (type == KFD_IOCTL_SVM_ATTR_SET_FLAGS)
          flags |= value;
        else if (type == KFD_IOCTL_SVM_ATTR_CLR_FLAGS)
          flags &= ~value;
        else if (isAccess(type))
          it->second.access[value] = type;
        else
          it->second.values[type] = value;
      }
    return 0;
  }
  if (args.op != KFD_IOCTL_SVM_OP_GET_ATTR)
    return -EINVAL;

  std::vector<const Range *> covered;
  uint64_t at = start;
  auto it = ranges_.upper_bound(start);
  if (it != ranges_.begin())
    --it;
  for (; it != ranges_.end() && it->first < end; ++it) {
    if (it->second.end <= start)
      continue;
    if (it->first > at)
      covered.push_back(nullptr); // a hole: defaults
    covered.push_back(&it->second);
    at = it->second.end;
  }
  if (at < end)
    covered.push_back(nullptr);

  for (uint32_t i = 0; i < args.nattr; ++i) {
    auto &[type, value] = attributes[i];
    if (isAccess(type)) { // in: gpu id in `value`; out: the access in `type`
      uint32_t access = covered.empty() ? uint32_t{KFD_IOCTL_SVM_ATTR_NO_ACCESS} : 0;
      for (size_t k = 0; k < covered.size(); ++k) {
        uint32_t here = KFD_IOCTL_SVM_ATTR_NO_ACCESS;
        if (covered[k])
          if (auto found = covered[k]->access.find(value); found != covered[k]->access.end())
            here = found->second;
        access = k == 0 || access == here ? here : uint32_t{KFD_IOCTL_SVM_ATTR_NO_ACCESS};
      }
      type = access;
      continue;
    }
    const bool set = type == KFD_IOCTL_SVM_ATTR_SET_FLAGS,
               clear = type == KFD_IOCTL_SVM_ATTR_CLR_FLAGS;
    if (set || clear) { // flags that all ranges have / that none has
      uint32_t all = ~0u, any = 0;
      for (const Range *range : covered) {
        uint32_t flags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
        if (range)
          if (auto found = range->values.find(KFD_IOCTL_SVM_ATTR_SET_FLAGS);
              found != range->values.end())
            flags = found->second;
        all &= flags;
        any |= flags;
      }
      value = set ? all : ~any;
      continue;
    }
    const bool location =
        type == KFD_IOCTL_SVM_ATTR_PREFERRED_LOC || type == KFD_IOCTL_SVM_ATTR_PREFETCH_LOC;
    const uint32_t fallback =
        location ? uint32_t{KFD_IOCTL_SVM_LOCATION_UNDEFINED} : kDefaultGranularity;
    uint32_t result = fallback;
    for (size_t k = 0; k < covered.size(); ++k) {
      uint32_t here = fallback;
      if (covered[k])
        if (auto found = covered[k]->values.find(type); found != covered[k]->values.end())
          here = found->second;
      result = k == 0 || result == here ? here : fallback;
    }
    value = result;
  }
  return 0;
}

} // namespace meld::softgpu
