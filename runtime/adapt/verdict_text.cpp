#include "runtime/adapt/verdict_text.h"

#include <cstdio>

namespace meld::adapt {

namespace {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

} // namespace

std::string timeText(double nanoseconds) {
  if (nanoseconds >= 1e9)
    return fixed(nanoseconds / 1e9, 2) + " s";
  if (nanoseconds >= 1e6)
    return fixed(nanoseconds / 1e6, 2) + " ms";
  return fixed(nanoseconds / 1e3, 2) + " us";
}

std::string percentText(double share) { return fixed(100 * share, 1) + " %"; }

std::string describeVerdict(const ClassVerdict &verdict) {
  std::string text = describeLaunchClass(verdict.launchClass);
  for (const std::string &facts : verdict.guards)
    text += ", with " + facts;
  text += ": ";
  const std::string duel = std::to_string(verdict.pairs) + " pairs, " +
                           std::to_string(verdict.wins) + " won, " +
                           std::to_string(verdict.losses) + " lost, half of the ratios between " +
                           fixed(verdict.low, 3) + " and " + fixed(verdict.high, 3);
  if (verdict.open && verdict.winner.empty() && verdict.faster.empty()) {
    text += "not decided yet";
    for (const CutDuel &one : verdict.duels)
      text += "; " + one.version +
              (one.past.lost ? " has lost against the original"
                             : ": " + std::to_string(one.past.pairs) + " pairs, " +
                                   std::to_string(one.past.wins) + " won, " +
                                   std::to_string(one.past.losses) + " lost");
    return text;
  }
  if (!verdict.faster.empty())
    text += "the original (" + timeText(verdict.original) + "); " + verdict.faster +
            " is faster, by less than a look at each launch may cost: " + duel;
  else if (verdict.winner.empty())
    text +=
        "the original (" + timeText(verdict.original) + "); the last that challenged it: " + duel;
  else
    text += verdict.winner + (verdict.facts.empty() ? "" : " for " + verdict.facts) + ", " +
            fixed(verdict.ratio, 3) + " of the original's time (" + timeText(verdict.time) +
            " for " + timeText(verdict.original) + "): " + duel;
  if (verdict.open)
    text += "; other versions are still to be tried";
  if (verdict.changes)
    text += "; decided anew " + std::to_string(verdict.changes) +
            (verdict.changes == 1 ? " time" : " times") + ", as the times had changed";
  return text;
}

std::string describeKernel(const std::string &name, const KernelVerdict &verdict) {
  std::string text = "  " + name + ": versions: " + joined(verdict.versions) + "\n";
  for (const auto &[recipe, why] : verdict.refused)
    text += "    not " + recipe + ": " + why + "\n";
  for (const SpecialisedVerdict &one : verdict.specialised)
    text += one.facts.empty()
                ? "    not specialised for " + one.asked + ": " + one.refused + "\n"
                : "    specialised for " + one.facts + ": so were " + std::to_string(one.launches) +
                      " launches, " + std::to_string(one.other) + " were not\n";
  for (const ClassVerdict &one : verdict.classes)
    text += "    " + describeVerdict(one) + "\n";
  if (verdict.classes.empty() && !(verdict.versions.empty() && verdict.specialised.empty()))
    text += "    nothing decided: too few launches\n";
  return text;
}

} // namespace meld::adapt
