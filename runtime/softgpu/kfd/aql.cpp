#include "runtime/softgpu/kfd/aql.h"

#include "runtime/softgpu/kfd/settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

namespace meld::softgpu {

static_assert(offsetof(amd_queue_t, read_dispatch_id) == 128);
static_assert(offsetof(amd_queue_t, write_dispatch_id) == 56);
static_assert(offsetof(amd_queue_t, queue_inactive_signal) == 192);

namespace {

template <class T> std::atomic_ref<T> at(uint64_t address) {
  return std::atomic_ref<T>(*reinterpret_cast<T *>(address));
}

int64_t signalValue(uint64_t handle) {
  auto *signal = reinterpret_cast<amd_signal_t *>(handle);
  return std::atomic_ref<int64_t>(const_cast<int64_t &>(signal->value))
      .load(std::memory_order_acquire);
}

constexpr int64_t kInvalidPacket = 32, kInvalidVendorPacket = 256;
constexpr unsigned kPm4Ib = 1, kBarrierValue = 2;

} // namespace

int64_t queueErrorCode(DispatchCode code) {
  switch (code) {
  case DispatchCode::ok:
  case DispatchCode::cancelled:
  case DispatchCode::memoryFault:
    return 0;
  case DispatchCode::illegalInstruction:
    return 0x40000000;
  case DispatchCode::apertureViolation:
    return 0x20000000;
  case DispatchCode::trap:
    return 0x80000000ll;
  case DispatchCode::badDimensions:
    return 2;
  case DispatchCode::ldsTooLarge:
    return 4;
  case DispatchCode::badCodeObject:
    return 8;
  case DispatchCode::groupTooLarge:
    return 64;
  case DispatchCode::tooManyVgprs:
    return 128;
  case DispatchCode::scratchTooLarge:
    return 4;
  }
  return 8;
}

AqlProcessor::AqlProcessor(const Ring &ring, const Services &services,
                           const std::atomic<bool> *cancel)
    : ring_(ring), services_(services), cancel_(cancel), clock_(services.time, ring.queue) {
  read_ = at<uint64_t>(ring_.readIndex).load(std::memory_order_acquire);
}

bool AqlProcessor::hasWork() const {
  if (halted_ || read_ >= at<uint64_t>(ring_.writeIndex).load(std::memory_order_acquire))
    return false;
  const uint64_t slot = ring_.base + (read_ % (ring_.bytes / 64)) * 64;
  return (at<uint16_t>(slot).load(std::memory_order_acquire) & 0xff) != HSA_PACKET_TYPE_INVALID;
}

Step AqlProcessor::step() {
  if (halted_)
    return Step::halted;
  if (!hasWork()) {
    empty_ = true;
    return Step::idle;
  }
  if (empty_)
    clock_.arrived();
  empty_ = false;
  auto *packet = reinterpret_cast<uint8_t *>(ring_.base + (read_ % (ring_.bytes / 64)) * 64);
  if (!firstSeen_)
    firstSeen_ = gpuClock();
  const uint16_t header =
      at<uint16_t>(reinterpret_cast<uint64_t>(packet)).load(std::memory_order_acquire);
  switch (header & 0xff) {
  case HSA_PACKET_TYPE_KERNEL_DISPATCH:
    return dispatch(packet, read_);
  case HSA_PACKET_TYPE_BARRIER_AND:
    return barrier(packet, false);
  case HSA_PACKET_TYPE_BARRIER_OR:
    return barrier(packet, true);
  case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
    return vendor(packet);
  default:
    return halt(kInvalidPacket, "AQL packet " + std::to_string(read_) + " has the unknown type " +
                                    std::to_string(header & 0xff));
  }
}

Step AqlProcessor::dispatch(uint8_t *packet, uint64_t index) {
  DispatchRequest request;
  request.packet = packet;
  request.queueAddress = queueAddress();
  request.dispatchPacketAddress = reinterpret_cast<uint64_t>(packet);
  request.dispatchId = index;
  request.interrupt = services_.interrupt;
  request.cancel = cancel_;
  const uint64_t start = gpuClock();
  const DispatchResult result = services_.run(request);
  switch (result.code) {
  case DispatchCode::ok: {
    uint64_t completion;
    std::memcpy(&completion, packet + 56, 8);
    return finish(packet, completion, clock_.dispatch(start, result.cycles, result.launchOverhead));
  }
  case DispatchCode::cancelled:
    halted_ = true;
    return Step::halted;
  case DispatchCode::memoryFault:
    halted_ = true;
    say(result.message);
    services_.memoryFault(result.address, true, false);
    return Step::halted;
  default:
    return halt(queueErrorCode(result.code), result.message);
  }
}

Step AqlProcessor::barrier(uint8_t *packet, bool any) {
  uint64_t dependency[5], completion;
  std::memcpy(dependency, packet + 8, sizeof dependency);
  std::memcpy(&completion, packet + 56, 8);
  unsigned given = 0, met = 0;
  for (uint64_t handle : dependency)
    if (handle) {
      ++given;
      met += signalValue(handle) == 0;
    }
  if (any ? (given && !met) : met < given)
    return Step::blocked;
  waited(dependency, any);
  return finish(packet, completion);
}

Step AqlProcessor::vendor(uint8_t *packet) {
  uint64_t completion;
  std::memcpy(&completion, packet + 56, 8);
  const unsigned format = packet[2];
  if (format == kPm4Ib) {
    // ROCr sends these after loading code (ACQUIRE_MEM with an instruction cache invalidate).
    if (services_.invalidateCode)
      services_.invalidateCode();
    return finish(packet, completion);
  }
  if (format == kBarrierValue) {
    hsa_amd_barrier_value_packet_t p;
    static_assert(sizeof p == 64);
    std::memcpy(&p, packet, sizeof p);
    if (p.signal.handle) {
      const int64_t value = signalValue(p.signal.handle) & static_cast<int64_t>(p.mask);
      const int64_t reference = static_cast<int64_t>(p.value);
      bool met = true;
      switch (p.cond) {
      case HSA_SIGNAL_CONDITION_EQ:
        met = value == reference;
        break;
      case HSA_SIGNAL_CONDITION_NE:
        met = value != reference;
        break;
      case HSA_SIGNAL_CONDITION_LT:
        met = value < reference;
        break;
      case HSA_SIGNAL_CONDITION_GTE:
        met = value >= reference;
        break;
      default:
        return halt(kInvalidVendorPacket, "barrier-value packet " + std::to_string(read_) +
                                              " has the unknown condition " +
                                              std::to_string(p.cond));
      }
      if (!met)
        return Step::blocked;
      clock_.waitedForSignal(p.signal.handle);
    }
    return finish(packet, completion);
  }
  return halt(kInvalidVendorPacket, "vendor AQL packet " + std::to_string(read_) +
                                        " has the unknown format " + std::to_string(format));
}

/// The modelled time goes on to when a barrier's condition was met.
void AqlProcessor::waited(const uint64_t (&dependency)[5], bool any) {
  if (!clock_.modelled())
    return;
  uint64_t first = UINT64_MAX, last = 0;
  for (uint64_t handle : dependency)
    if (handle && signalValue(handle) == 0) {
      const uint64_t end = reinterpret_cast<const amd_signal_t *>(handle)->end_ts;
      first = std::min(first, end);
      last = std::max(last, end);
    }
  if (last)
    clock_.waitedUntil(any ? first : last);
}

Step AqlProcessor::finish(uint8_t *packet, uint64_t completion) {
  const uint64_t now = clock_.now();
  return finish(packet, completion, {clock_.modelled() ? now : firstSeen_, now});
}

Step AqlProcessor::finish(uint8_t *packet, uint64_t completion, QueueClock::Span span) {
  at<uint16_t>(reinterpret_cast<uint64_t>(packet))
      .store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
  ++read_;
  firstSeen_ = 0;
  at<uint64_t>(ring_.readIndex).store(read_, std::memory_order_release);
  completeSignal(completion, span.start, span.end, services_);
  return Step::progress;
}

Step AqlProcessor::halt(int64_t code, const std::string &message) {
  halted_ = true;
  say(message);
  auto *queue = reinterpret_cast<amd_queue_t *>(queueAddress());
  storeSignal(queue->queue_inactive_signal.handle, code, services_);
  return Step::halted;
}

} // namespace meld::softgpu
