#include "runtime/softgpu/timing/dispatcher.h"

namespace meld::softgpu::timing {

Dispatcher::Dispatcher(const TimingParameters &p, const Launch &launch, unsigned units,
                       unsigned unitsUsed)
    : launch_(launch), modelled_(p.dispatchWave != 0), units_(unitsUsed) {
  if (!modelled_) {
    for (unsigned k = 0; k < units_; ++k)
      nextOf_.push_back(k);
    return;
  }
  // Fewer compute units stand for a part of a device, which has its share of the dispatcher: of one
  // of two engines with a unit each, when the device has thirteen on each, a thirteenth.
  const uint64_t all = std::max(p.dispatchUnits, units), engines = std::max(p.shaderEngines, 1u);
  const uint64_t used = std::min<uint64_t>(engines, units);
  const uint64_t waves = std::max(launch.wavesPerGroup, 1u);
  groupWork_ =
      std::max<uint64_t>(p.dispatchGroup, waves * p.dispatchWave) * SharedRate::kUnit * all / units;
  const unsigned registers = launch.packedIds ? 1 : launch.idDimensions();
  registerWork_ =
      waves * registers * p.dispatchVgpr * SharedRate::kUnit * (all * used) / (engines * units);
  engines_.resize(used);
}

void Dispatcher::begin(uint64_t now) {
  rate_.begin(now);
  for (SharedRate &engine : engines_)
    engine.begin(now);
}

std::optional<Dispatcher::Start> Dispatcher::take(unsigned unit, uint64_t now, uint64_t end) {
  if (!left(unit))
    return std::nullopt;
  if (!modelled_) {
    const Start start{nextOf_[unit], now};
    nextOf_[unit] += units_;
    return start;
  }
  // The workgroup that waits for a unit has passed the dispatcher already.
  if (!ready_)
    ready_ = rate_.pass(now, groupWork_);
  if (*ready_ >= end)
    return std::nullopt;
  const uint64_t at = engines_[unit % engines_.size()].pass(std::max(*ready_, now), registerWork_);
  ready_.reset();
  return Start{next_++, at};
}

} // namespace meld::softgpu::timing
