#include "runtime/gpu/target.h"

#include <algorithm>

namespace meld {
namespace {

constexpr Target kTargets[] = {
#define MELD_TARGET(machine, name, sramecc, xnack, generic)                                        \
  {machine, name, sramecc, xnack, generic},
#include "runtime/gpu/targets.def"
#undef MELD_TARGET
};

template <class Key, class Field> const Target *find(const Key &key, Field field) {
  const auto found = std::ranges::find(kTargets, key, field);
  return found == std::end(kTargets) ? nullptr : found;
}

} // namespace

std::span<const Target> targets() { return kTargets; }

const Target *findTarget(std::string_view name) { return find(name, &Target::name); }
const Target *findTarget(uint32_t machine) { return find(machine, &Target::machine); }

bool isGenericTarget(std::string_view name) { return name.ends_with("-generic"); }

std::vector<std::string_view> processorsOf(std::string_view name) {
  std::vector<std::string_view> processors;
  if (isGenericTarget(name))
    for (const Target &target : kTargets)
      if (target.generic == name)
        processors.push_back(target.name);
  if (processors.empty())
    processors.push_back(name);
  return processors;
}

std::string_view processorOf(std::string_view name) { return processorsOf(name).front(); }

} // namespace meld
