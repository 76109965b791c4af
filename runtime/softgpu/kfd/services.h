// What the packet processors need from the driver around them; unit tests pass their own.
#pragma once

#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/kfd/clock.h"
#include "runtime/softgpu/kfd/model_clock.h"

#include <cstdint>
#include <functional>

namespace meld::softgpu {

struct Services {
  /// Runs a kernel.
  std::function<DispatchResult(const DispatchRequest &)> run;
  std::function<void()> invalidateCode;
  /// SET_EVENT.
  std::function<void(uint32_t)> setEvent;
  /// s_sendmsg(MSG_INTERRUPT): an event id, or only its low 8 bits (device libraries before ROCm
  /// 6).
  std::function<void(uint32_t)> interrupt;
  /// Raises the memory fault event.
  std::function<void(uint64_t address, bool notPresent, bool readOnly)> memoryFault;
  /// Device to host address; `contiguous` gets the number of bytes the translation holds for.
  std::function<uint64_t(uint64_t address, uint64_t &contiguous)> toHost;
  /// True when the range may be touched.
  std::function<bool(uint64_t address, uint64_t size)> accessible;
  /// The device's: 9 to 12. From 12 on SDMA packets of sub-windows have other fields.
  unsigned generation = 9;
  /// What the queue's time stamps are made of.
  ModelTime time;
};

/// What one step of a processor did.
enum class Step : uint8_t {
  idle,     ///< nothing to do
  progress, ///< a packet was finished
  blocked,  ///< the next packet waits for a signal or for memory
  halted,   ///< an error was reported: nothing more until the queue is destroyed
};

/// Completes an HSA signal as the command processor does: times, value -= 1 (release), mailbox,
/// event. `handle` 0 is no signal.
void completeSignal(uint64_t handle, uint64_t start, uint64_t end, const Services &services);

/// Writes `value` into a signal and fires its event (queue errors).
void storeSignal(uint64_t handle, int64_t value, const Services &services);

} // namespace meld::softgpu
