// VersionMaker's part that makes specialised versions, and takes them away again.
#include "runtime/log/log.h"
#include "shim/adapt/known_verdicts.h"
#include "shim/adapt/retired.h"
#include "shim/adapt/version_maker.h"

#include <algorithm>

namespace meld::adapt {

size_t VersionMaker::mostVersions() const {
  return std::clamp(engine_->options().settings.versions, 1u, kMaxVersions) - 1;
}

/// A version for launches that have `asked` in common.
void VersionMaker::makeSpecialised(Original &original, MadeKernel &kernel,
                                   const std::string &asked) {
  const Decision decision = engine_->decide(
      original.bytes, {kernel.name, std::string(kSpecialised), asked}, Patience::untilDone);
  if (decision.outcome == Outcome::late)
    return;
  std::lock_guard guard(loading_);
  if (original.gone || !active())
    return;
  if (decision.isTransient()) {
    kernel.failed = true; // it is asked for again in the next run
    return log::info("no version of " + kernel.name + " specialised for " + asked + ": " +
                     decision.reason);
  }
  const auto known = std::find_if(
      kernel.specialised.begin(), kernel.specialised.end(), [&](const SpecialisedVersion &one) {
        return decision.replacement && !decision.facts.empty() ? one.verdict.facts == decision.facts
                                                               : one.verdict.asked == asked;
      });
  const auto place = static_cast<size_t>(known - kernel.specialised.begin());
  const bool isNew = known == kernel.specialised.end();
  if (isNew)
    kernel.specialised.emplace_back();
  SpecialisedVersion &one = kernel.specialised[place];
  if (one.isLoaded())
    return;
  const SpecialisedVerdict before = one.verdict;
  one.verdict = {asked, decision.replacement ? decision.facts : std::string(), {}};
  const auto added = addSpecialised(original, kernel, place, decision);
  if (!added && added.error().code == ErrorCode::io) {
    kernel.failed = true;
    log::info("no version of " + kernel.name + " specialised for " + asked + ": " +
              added.error().message);
    one.verdict = before;
    if (isNew)
      kernel.specialised.pop_back();
    return;
  }
  if (!added) {
    one.verdict.facts.clear();
    one.verdict.refused = added.error().message;
  }
  log::info(added ? "version of " + kernel.name + " specialised for " + one.verdict.facts +
                        " is tried from now on"
                  : "no version of " + kernel.name + " specialised for " + asked + ": " +
                        one.verdict.refused);
}

/// With loading_ held.
Result<void> VersionMaker::addSpecialised(const Original &original, MadeKernel &kernel,
                                          size_t place, const Decision &decision) {
  if (!decision.replacement)
    return fail(ErrorCode::unsupported, decision.reason);
  if (place >= kMostSpecialised)
    return fail(ErrorCode::unsupported, "too many were asked for");
  const auto facts = parseFacts(decision.facts);
  if (!facts)
    return fail(ErrorCode::badInput, "facts that are none");
  const auto guard = MELD_TRY(Guard::compile(*facts, kernel.argumentBytes));
  auto made = MELD_TRY(load(original, kernel, decision, /*guarded=*/true));
  const KernelVersion version{made.object, made.sizes, kindOfSpecialised(place), guard};
  const bool room = makeRoom(kernel);
  if (!room || kernelTable().addVariant(kernel.version, version) != Added::yes) {
    unloadVersion(*table_, made);
    return fail(ErrorCode::unsupported,
                room ? "its sizes do not fit" : "there are as many as MELD_VERSIONS allows");
  }
  kernel.specialised[place].loaded = std::move(made);
  return {};
}

/// With loading_ held. One more version has a place: where there are as many as there may be, the
/// specialised one leaves that was used the longest ago.
bool VersionMaker::makeRoom(MadeKernel &kernel) {
  if (kernel.versions() < mostVersions())
    return true;
  const auto report = kernelTable().report(kernel.version.object);
  SpecialisedVersion *oldest = nullptr;
  uint64_t used = UINT64_MAX;
  for (size_t i = 0; i < kernel.specialised.size(); ++i)
    if (kernel.specialised[i].isLoaded() && report.specialised[i].lastUsed < used) {
      oldest = &kernel.specialised[i];
      used = report.specialised[i].lastUsed;
    }
  if (!oldest || !kernelTable().removeVariant(kernel.version.object, oldest->loaded.object))
    return false;
  log::info("version of " + kernel.name + " specialised for " + oldest->verdict.facts +
            " gives its place to another");
  std::vector<LoadedVersion> gone;
  gone.push_back(std::exchange(oldest->loaded, {}));
  try {
    retiredVersions().add(gone);
  } catch (...) { // ROCr points into the bytes: they stay
    new std::vector<LoadedVersion>(std::move(gone));
  }
  return true;
}

/// What has left, and of which no launch is under way.
void VersionMaker::unloadRetired() {
  std::lock_guard guard(loading_);
  if (!active())
    return;
  for (const LoadedVersion &version : retiredVersions().takeOver())
    unloadVersion(*table_, version);
}

} // namespace meld::adapt
