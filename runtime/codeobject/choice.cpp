#include "runtime/codeobject/choice.h"

#include <set>

namespace meld {
namespace {

/// Of a device whose features are all known: the first that it runs, and the first of those that are
/// for its processor.
void choose(const Isa &device, const std::vector<Isa> &codes, std::set<size_t> &chosen) {
  bool any = false;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (!runsOn(codes[i], device))
      continue;
    const bool own = codes[i].processor == device.processor;
    if (own || !any)
      chosen.insert(i);
    if (own)
      return;
    any = true;
  }
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
      choose(one, codes, chosen);
    }
  return {chosen.begin(), chosen.end()};
}

} // namespace meld
