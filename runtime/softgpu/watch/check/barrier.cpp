// Divergent barriers: __syncthreads() that not all work-items of a workgroup reach together.
//
//   exec     a wave is at s_barrier with fewer lanes than it has work-items: the others left, or
//            wait in another branch
//   place    waves of a workgroup are at different s_barriers when it opens
//   ended    the barrier opens because a wave ended without it
//
// GFX9 counts waves, so all three run without an error here and on a device; the source language
// calls them undefined.
#include "runtime/softgpu/watch/check/check.h"

#include "runtime/softgpu/isa/decoder.h"

#include <bit>
#include <unordered_map>

namespace meld::softgpu::check {

namespace {

class BarrierChecker final : public Watcher {
public:
  explicit BarrierChecker(const Launch &launch) : reporter_("barrier", launch) {}

  void groupStarted(Workgroup &g) override {
    for (uint32_t k = 0; k < g.numWaves; ++k)
      waves_[&g.waves[k]] = {g.waves[k].exec(), nullptr};
  }

  void before(const ExecInst *i, Wave &w) override {
    if (i->category != uint8_t(isa::Category::barrier))
      return;
    State &s = waves_[&w];
    s.at = i;
    if (const uint64_t away = s.lanes & ~w.exec())
      reporter_.report(i, w, std::countr_zero(away), [&] {
        return std::to_string(std::popcount(away)) + " of " +
               std::to_string(std::popcount(s.lanes)) + " work-items of the wave are not here";
      });
  }

  void barrierOpened(Workgroup &g) override {
    const Wave *first = nullptr, *ended = nullptr;
    for (uint32_t k = 0; k < g.numWaves; ++k) {
      const Wave &w = g.waves[k];
      const State &s = waves_[&w];
      if (w.status == WaveStatus::ended) {
        ended = &w;
      } else if (!first) {
        first = &w;
      } else if (s.at != waves_[first].at) {
        const ExecInst *other = waves_[first].at;
        reporter_.report(s.at, w, -1, [&] {
          return "wave " + std::to_string(first->waveInGroup) + " is at the barrier at " +
                 reporter_.offset(pcOf(other));
        });
      }
    }
    if (first && ended)
      reporter_.report(waves_[first].at, *first, -1, [&] {
        return "wave " + std::to_string(ended->waveInGroup) + " has ended without it";
      });
  }

private:
  struct State {
    uint64_t lanes = 0; ///< work-items of the wave
    const ExecInst *at = nullptr;
  };
  Reporter reporter_;
  std::unordered_map<const Wave *, State> waves_;
};

} // namespace

std::unique_ptr<Watcher> makeBarrierChecker(const Launch &launch) {
  return std::make_unique<BarrierChecker>(launch);
}

} // namespace meld::softgpu::check
