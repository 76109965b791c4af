#include "bench/runner/band.h"

#include "bench/runner/table.h"

#include <algorithm>
#include <cmath>

namespace meld::bench {

namespace {

double quotient(uint64_t before, uint64_t after) {
  return before && after ? static_cast<double>(before) / static_cast<double>(after) : 0;
}

bool complete(const std::vector<uint64_t> &before, const std::vector<uint64_t> &after) {
  const auto some = [](uint64_t cycles) { return cycles > 0; };
  return !before.empty() && before.size() == after.size() &&
         std::all_of(before.begin(), before.end(), some) &&
         std::all_of(after.begin(), after.end(), some);
}

} // namespace

void Band::add(double ratio) {
  low = known() ? std::min(low, ratio) : ratio;
  high = std::max(high, ratio);
}

Band bandOf(uint64_t before, uint64_t after, const std::vector<uint64_t> &beforeUnder,
            const std::vector<uint64_t> &afterUnder) {
  MeanBand one;
  one.add(before, after, beforeUnder, afterUnder);
  return one.band();
}

void MeanBand::add(uint64_t before, uint64_t after, const std::vector<uint64_t> &beforeUnder,
                   const std::vector<uint64_t> &afterUnder) {
  all_ = all_ && before && after && complete(beforeUnder, afterUnder) &&
         (under_.empty() || under_.size() == beforeUnder.size());
  if (!all_)
    return;
  under_.resize(beforeUnder.size());
  modelled_.add(quotient(before, after));
  for (size_t i = 0; i < under_.size(); ++i)
    under_[i].add(quotient(beforeUnder[i], afterUnder[i]));
}

Band MeanBand::band() const {
  Band band;
  if (!all_ || under_.empty())
    return band;
  band.add(modelled_.value());
  for (const Geomean &mean : under_)
    band.add(mean.value());
  return band;
}

std::string MeanBand::text(int decimals) const {
  const Band all = band();
  return all.known() ? withBand(modelled_.value(), all, decimals) : "";
}

std::string claimOf(const Band &band) {
  if (!band.known())
    return "";
  const auto printed = [](double ratio) { return std::lround(ratio * 100); };
  const long low = printed(band.low), high = printed(band.high);
  if (low > 100)
    return "gain";
  if (high < 100)
    return "loss";
  return low == 100 && high == 100 ? "same" : "open";
}

std::string withBand(double ratio, const Band &band, int decimals) {
  if (!band.known())
    return decimal(ratio, decimals);
  return decimal(ratio, decimals) + " (" + decimal(band.low, decimals) + "-" +
         decimal(band.high, decimals) + ")";
}

} // namespace meld::bench
