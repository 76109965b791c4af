// The AQL packet processor: reads 64-byte packets from a queue's ring and executes them in order.
//
//   ring:      slot = index % slots; header type 1 (INVALID) means "not written yet"
//   write/read index: amd_queue_t::write_dispatch_id / read_dispatch_id, monotonic
//   dispatch (2), barrier-AND (3), barrier-OR (5), vendor (0): PM4_IB (1) and BARRIER_VALUE (2)
// Source: HSA Platform System Architecture 1.2, section 2.9 (AQL), and ROCr's amd_hsa_queue.h for
// the layout.
//
// A packet is finished before its slot is given back, so everything is in order and the barrier bit
// is always satisfied. A barrier whose dependencies are not met leaves the queue `blocked`; it
// looks again on the next step. An error goes into queue_inactive_signal, as the hardware reports
// it, and halts the queue.
//
// Thread rule: step() runs on the queue's own thread.
#pragma once

#include "runtime/softgpu/kfd/services.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace meld::softgpu {

class AqlProcessor {
public:
  struct Ring {
    uint64_t base = 0;       ///< host address of the packets
    uint64_t bytes = 0;      ///< a multiple of 64
    uint64_t readIndex = 0;  ///< address of amd_queue_t::read_dispatch_id
    uint64_t writeIndex = 0; ///< address of amd_queue_t::write_dispatch_id
    unsigned queue = 0;      ///< its id
  };

  AqlProcessor(const Ring &ring, const Services &services, const std::atomic<bool> *cancel);

  Step step();
  bool hasWork() const;

private:
  Step dispatch(uint8_t *packet, uint64_t index);
  Step barrier(uint8_t *packet, bool any);
  void waited(const uint64_t (&dependency)[5], bool any);
  Step vendor(uint8_t *packet);
  Step finish(uint8_t *packet, uint64_t completion);
  Step finish(uint8_t *packet, uint64_t completion, QueueClock::Span span);
  Step halt(int64_t code, const std::string &message);
  uint64_t queueAddress() const { return ring_.readIndex - 128; }

  Ring ring_;
  Services services_;
  const std::atomic<bool> *cancel_;
  QueueClock clock_;
  uint64_t read_ = 0;
  uint64_t firstSeen_ =
      0;              ///< when the packet at read_ was first looked at (a barrier's start time)
  bool empty_ = true; ///< the ring, at the last look
  bool halted_ = false;
};

/// The value ROCr expects in queue_inactive_signal for a failed dispatch; 0 for ok, cancelled,
/// memory faults.
int64_t queueErrorCode(DispatchCode code);

} // namespace meld::softgpu
