// What the executor knows of translated code: where a wave may enter it, and whom to tell that a
// kernel becomes hot. Who translates is behind this interface (translate/tier.h implements it);
// without one, everything is interpreted.
//
// Thread rule: any thread.
#pragma once

#include "runtime/softgpu/counters/counters.h"
#include "runtime/softgpu/execute/wave.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace meld::softgpu {

class CodeCache;

/// As runWave(), through translated code where there is some.
void runWaveTranslated(Wave &w, WaveCounters &c);

namespace translate {

/// Runs a wave from instruction `entry` of a unit on; translate/abi.h says how it returns.
using UnitFn = const ExecInst *(*)(Wave *, WaveCounters *, uint32_t entry);

/// MODE bits a unit relies on, and their value: round to nearest, denormals kept, IEEE NaN rules,
/// no VGPR indexing.
inline constexpr uint32_t kModeMask = Mode::roundF32 | Mode::roundF64 | Mode::denormF32 |
                                      Mode::denormF64 | Mode::ieee | uint32_t(Mode::gprIdxEn);
inline constexpr uint32_t kUsualMode = Mode::denormF32 | Mode::denormF64 | Mode::ieee;
/// GFX12 has no IEEE mode, and no instruction that obeys one.
constexpr uint32_t usualMode(unsigned generation) {
  return generation >= 12 ? kUsualMode & ~uint32_t(Mode::ieee) : kUsualMode;
}

/// Where a wave enters translated code: what ExecInst::translated points to.
struct UnitEntry {
  UnitFn code;
  uint32_t index;
};

/// A kernel whose translation somebody decides about.
class ExecutedKernel {
public:
  virtual ~ExecutedKernel() = default;
  /// Its waves executed `n` more instructions. Called once a workgroup's turn.
  virtual void executed(uint64_t n, const std::shared_ptr<CodeCache> &code) = 0;
};

/// The entry a wave may use at `i`, or nullptr.
inline const UnitEntry *entryAt(const ExecInst *i) {
  return std::atomic_ref(const_cast<const UnitEntry *&>(i->translated))
      .load(std::memory_order_acquire);
}

} // namespace translate

} // namespace meld::softgpu
