// Rings, signals and services in plain memory, for the tests of the packet processors.
#pragma once

#include "runtime/softgpu/kfd/services.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <vector>

namespace meld::softgpu::test {

struct Recorder {
  std::vector<uint32_t> events;
  std::vector<uint64_t> dispatched; ///< dispatch ids, in order
  unsigned codeDrops = 0;
  uint64_t faultAddress = 0;
  DispatchResult answer;
  ModelTime time;
  unsigned generation = 9;
  uint64_t refuse = 0; ///< an address that is not accessible
  uint64_t remapFrom = 0, remapTo = 0, remapSize = 0;

  Services services() {
    Services s;
    s.time = time;
    s.generation = generation;
    s.run = [this](const DispatchRequest &r) {
      dispatched.push_back(r.dispatchId);
      return answer;
    };
    s.invalidateCode = [this] { ++codeDrops; };
    s.setEvent = s.interrupt = [this](uint32_t id) { events.push_back(id); };
    s.memoryFault = [this](uint64_t address, bool, bool) { faultAddress = address; };
    s.toHost = [this](uint64_t address, uint64_t &contiguous) {
      if (address - remapFrom < remapSize) {
        contiguous = remapSize - (address - remapFrom);
        return remapTo + (address - remapFrom);
      }
      contiguous = ~0ull;
      return address;
    };
    s.accessible = [this](uint64_t address, uint64_t size) {
      return !refuse || refuse - address >= size;
    };
    return s;
  }
};

struct Signal {
  alignas(64) amd_signal_t raw{};
  uint64_t mailbox = 0;
  explicit Signal(int64_t value = 1, uint32_t event = 0) {
    raw.kind = AMD_SIGNAL_KIND_USER;
    raw.value = value;
    if (event) {
      raw.event_id = event;
      raw.event_mailbox_ptr = reinterpret_cast<uint64_t>(&mailbox);
    }
  }
  Signal(const Signal &) = delete;
  uint64_t handle() { return reinterpret_cast<uint64_t>(&raw); }
};

template <unsigned Slots> struct AqlRing {
  alignas(64) std::array<std::array<uint8_t, 64>, Slots> packets;
  alignas(64) amd_queue_t queue{};

  AqlRing() {
    for (auto &p : packets) {
      p.fill(0xcc);
      p[0] = HSA_PACKET_TYPE_INVALID;
      p[1] = 0;
    }
  }
  /// Writes a packet of `type` with 56 bytes of body and rings.
  void push(uint8_t type, const void *body = nullptr, uint64_t completion = 0) {
    const uint64_t index = queue.write_dispatch_id;
    auto &p = packets[index % Slots];
    if (body)
      std::memcpy(p.data() + 2, static_cast<const uint8_t *>(body) + 2, 54);
    else
      std::fill(p.begin() + 2, p.end(), 0);
    std::memcpy(p.data() + 56, &completion, 8);
    // The header makes it valid; a queue's thread may be looking.
    std::atomic_ref<uint16_t>(*reinterpret_cast<uint16_t *>(p.data()))
        .store(type, std::memory_order_release);
    std::atomic_ref<uint64_t>(*const_cast<uint64_t *>(&queue.write_dispatch_id))
        .store(index + 1, std::memory_order_release);
  }
  void barrier(bool any, std::initializer_list<uint64_t> dependencies, uint64_t completion = 0) {
    std::array<uint8_t, 64> body{};
    unsigned i = 0;
    for (uint64_t handle : dependencies)
      std::memcpy(body.data() + 8 + 8 * i++, &handle, 8);
    push(any ? HSA_PACKET_TYPE_BARRIER_OR : HSA_PACKET_TYPE_BARRIER_AND, body.data(), completion);
  }
};

} // namespace meld::softgpu::test
