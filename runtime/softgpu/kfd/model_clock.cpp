#include "runtime/softgpu/kfd/model_clock.h"

#include "runtime/softgpu/kfd/clock.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hsa/amd_hsa_signal.h>

namespace meld::softgpu {

namespace {

/// Where the modelled time of all queues begins.
uint64_t origin() {
  static const uint64_t first = systemClock();
  return first;
}

/// splitmix64's output function: a number that looks random for each counter.
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// The k-th number in (0, 1) of a sequence.
double uniform(uint64_t sequence, uint64_t k) {
  return (double(mixed(sequence ^ mixed(k)) >> 11) + 0.5) * 0x1p-53;
}

} // namespace

uint64_t &QueueClock::time() {
  if (!now_)
    now_ = origin();
  return now_;
}

uint64_t QueueClock::now() { return modelled() ? time() : gpuClock(); }

void QueueClock::arrived() {
  if (modelled() && model_.latest)
    waitedUntil(model_.latest->load(std::memory_order_acquire));
}

void QueueClock::completed() {
  if (!model_.latest)
    return;
  uint64_t known = model_.latest->load(std::memory_order_relaxed);
  while (known < now_ &&
         !model_.latest->compare_exchange_weak(known, now_, std::memory_order_acq_rel)) {
  }
}

void QueueClock::waitedUntil(uint64_t end) {
  if (modelled())
    now_ = std::max(time(), end);
}

void QueueClock::waitedForSignal(uint64_t handle) {
  if (handle && modelled())
    waitedUntil(reinterpret_cast<const amd_signal_t *>(handle)->end_ts);
}

void QueueClock::waitedForValue(uint64_t address) {
  // ROCr has its engines poll the two halves of a signal's value. A signal is 64 bytes on a
  // boundary of 64 and says at its beginning what it is.
  const uint64_t handle = address & ~63ull, offset = address - handle;
  constexpr uint64_t value = offsetof(amd_signal_t, value);
  if (!modelled() || (offset != value && offset != value + 4))
    return;
  if (reinterpret_cast<const amd_signal_t *>(handle)->kind == AMD_SIGNAL_KIND_USER)
    waitedForSignal(handle);
}

QueueClock::Span QueueClock::dispatch(uint64_t hostStart, uint64_t cycles,
                                      uint64_t overheadCycles) {
  if (!modelled())
    return {hostStart, gpuClock()};
  const auto nanoseconds = [&](uint64_t c) { return c * 1000 / model_.clockMhz; };
  Span span;
  span.start = time() + nanoseconds(overheadCycles);
  span.end = now_ = span.start + noisy(nanoseconds(cycles));
  completed();
  return span;
}

void QueueClock::moved(uint64_t bytes) {
  if (!modelled())
    return;
  time() += bytes * 1000 / kCopyBytesPerMicrosecond;
  completed();
}

uint64_t QueueClock::noisy(uint64_t nanoseconds) {
  const TimeNoise &noise = model_.noise;
  if (!noise.any())
    return nanoseconds;
  const uint64_t place = (uint64_t{model_.device} << 32) | queue_;
  const uint64_t sequence = mixed(mixed(noise.seed) ^ place);
  const uint64_t k = 4 * dispatches_++;
  // Box and Muller's transform gives a normally distributed number from two uniform ones.
  const double normal = std::sqrt(-2 * std::log(uniform(sequence, k))) *
                        std::cos(6.283185307179586 * uniform(sequence, k + 1));
  double factor = std::exp(noise.percent / 100 * normal);
  if (uniform(sequence, k + 2) * 100 < noise.outliers)
    factor *= 1.2 + 2.8 * uniform(sequence, k + 3);
  return std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(double(nanoseconds) * factor)));
}

} // namespace meld::softgpu
