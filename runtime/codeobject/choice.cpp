#include "runtime/codeobject/choice.h"

#include <algorithm>
#include <set>

namespace meld {
namespace {

/// Of a device whose features are all known.
std::optional<size_t> choose(const Isa &device, const std::vector<Isa> &codes) {
  std::optional<size_t> generic;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (!runsOn(codes[i], device))
      continue;
    if (codes[i].processor == device.processor)
      return i;
    if (!generic)
      generic = i;
  }
  return generic;
}

std::vector<IsaFeature> settingsOf(IsaFeature feature) {
  if (feature == IsaFeature::any)
    return {IsaFeature::off, IsaFeature::on};
  return {feature};
}

} // namespace

std::vector<size_t> chosenFor(const Isa &device, const std::vector<Isa> &codes) {
  std::set<size_t> chosen;
  Isa one = device;
  for (IsaFeature sramecc : settingsOf(device.sramecc))
    for (IsaFeature xnack : settingsOf(device.xnack)) {
      one.sramecc = sramecc;
      one.xnack = xnack;
      if (const auto place = choose(one, codes))
        chosen.insert(*place);
    }
  return {chosen.begin(), chosen.end()};
}

} // namespace meld
