#include "shim/adapt/retired.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace meld::adapt {

void RetiredVersions::add(std::vector<LoadedVersion> &versions) {
  if (versions.empty())
    return;
  std::vector<UnderWay> launches = underWay();
  std::lock_guard lock(lock_);
  groups_.emplace_back(); // what follows takes no memory: ROCr points into the versions' bytes
  groups_.back().versions = std::exchange(versions, {});
  groups_.back().launches = std::move(launches);
}

std::vector<LoadedVersion> RetiredVersions::takeOver() {
  std::vector<LoadedVersion> over;
  std::lock_guard lock(lock_);
  size_t count = 0;
  for (const Group &group : groups_)
    count += group.versions.size();
  over.reserve(count);
  std::erase_if(groups_, [&](Group &group) {
    if (!isOver(group.launches))
      return false;
    std::move(group.versions.begin(), group.versions.end(), std::back_inserter(over));
    return true;
  });
  return over;
}

void RetiredVersions::forget() noexcept {
  std::lock_guard lock(lock_);
  groups_.clear();
}

RetiredVersions &retiredVersions() noexcept {
  static RetiredVersions &retired = *new RetiredVersions;
  return retired;
}

} // namespace meld::adapt
