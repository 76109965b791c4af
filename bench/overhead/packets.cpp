#include "bench/overhead/packets.h"

#include "shim/adapt/packet_handler.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <hsa/amd_hsa_signal.h>
#include <memory>

namespace meld::bench {

namespace {

using namespace meld::adapt;

constexpr uint64_t kOriginal = 0x1000, kFirst = 0x2000;
constexpr unsigned kBytes = 264, kVersions = 4;

alignas(64) uint8_t gBlock[kBytes];

/// A device that is done at once. The original takes twice as long as the versions.
void write(const void *packets, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    hsa_kernel_dispatch_packet_t packet;
    std::memcpy(&packet, static_cast<const char *>(packets) + 64 * i, 64);
    auto *signal = reinterpret_cast<amd_signal_t *>(packet.completion_signal.handle);
    if (!signal)
      continue;
    signal->start_ts = 1000;
    signal->end_ts = packet.kernel_object == kOriginal ? 101'000 : 51'000;
    signal->value = 0;
  }
}
hsa_signal_value_t load(hsa_signal_t s) {
  return reinterpret_cast<amd_signal_t *>(s.handle)->value;
}
void store(hsa_signal_t s, hsa_signal_value_t value) {
  reinterpret_cast<amd_signal_t *>(s.handle)->value = value;
}

class Device {
public:
  explicit Device(KernelTable &table) {
    PacketHandler::Signals signals;
    signals.load = load;
    signals.store = store;
    size_t next = 0;
    const auto make = [&](hsa_signal_t &s) {
      s.handle = reinterpret_cast<uint64_t>(&signals_[next++]);
    };
    std::for_each(signals.fences.begin(), signals.fences.end(), make);
    std::for_each(signals.timers.begin(), signals.timers.end(), make);
    handler_ = std::make_unique<PacketHandler>(signals);
    PacketHandler::Queue queue;
    queue.table = &table;
    queue.ring = 4096;
    queue.askForMemory = [](const void *, HostRange &range) {
      const auto at = reinterpret_cast<uintptr_t>(gBlock);
      range = {at, at + sizeof gBlock, true};
      return true;
    };
    handler_->begin(queue);
  }

  /// The fastest round; `change` is called before each packet, and its time is taken off.
  template <class Change> double nanoseconds(Change change) {
    hsa_kernel_dispatch_packet_t packet{};
    packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
    packet.workgroup_size_x = packet.grid_size_x = 64;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernel_object = kOriginal;
    packet.kernarg_address = gBlock;
    const auto round = [&](bool launch) {
      const auto begin = std::chrono::steady_clock::now();
      for (unsigned i = 0; i < kRound; ++i) {
        change(i);
        if (launch)
          handler_->handle(&packet, 1, write);
      }
      return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
                 .count() /
             kRound;
    };
    double with = 1e9, without = 1e9;
    for (unsigned i = 0; i < 15; ++i) {
      with = std::min(with, round(true));
      without = std::min(without, round(false));
    }
    return with - without;
  }

private:
  static constexpr unsigned kRound = 20000;
  std::array<amd_signal_t, PacketHandler::kFences + PacketHandler::kTimers> signals_{};
  std::unique_ptr<PacketHandler> handler_;
};

KernelVersion original() {
  KernelVersion version;
  version.object = kOriginal;
  return version;
}

void addVersions(KernelTable &table) {
  for (unsigned i = 0; i < kVersions; ++i) {
    KernelVersion version;
    version.object = kFirst + 0x100 * i;
    version.kind = static_cast<uint8_t>(kFirstSpecialised + i);
    Facts facts = {Fact::workgroup(64, 1, 1)};
    for (unsigned at = 8; at < kBytes; at += 16)
      facts.push_back(Fact::argument(static_cast<uint16_t>(at), 4, 0));
    version.guard = *Guard::compile(facts, kBytes);
    table.addVariant(original(), version);
  }
}

/// The last word that the guards compare.
void putLast(uint32_t value) { std::memcpy(gBlock + kBytes - 16, &value, sizeof value); }

} // namespace

std::vector<PacketCost> packetCosts() {
  std::vector<PacketCost> costs;
  std::fill(std::begin(gBlock), std::end(gBlock), uint8_t{0});
  const auto nothing = [](unsigned) {};
  {
    KernelTable table;
    costs.push_back({"packet, nothing to choose", Device(table).nanoseconds(nothing)});
  }
  {
    // Anew, as there is an end to collecting.
    double most = 0;
    for (const bool stays : {true, false}) {
      KernelTable table;
      const auto watch = [&] {
        table.removeKernels({kOriginal});
        table.watch(original(), {}, false,
                    std::make_unique<Candidates>(
                        std::vector<Candidates::Range>{{0, 8, true}, {8, 256, false}}, 3u,
                        std::vector<Facts>()));
      };
      const double cost = Device(table).nanoseconds([&](unsigned i) {
        if (i % 1000 == 0)
          watch();
        for (unsigned at = 8; at < kBytes && !stays; at += 4)
          std::memcpy(gBlock + at, &i, sizeof i);
      });
      most = std::max(most, cost);
    }
    costs.push_back({"packet, arguments collected", most});
  }
  std::fill(std::begin(gBlock), std::end(gBlock), uint8_t{0});
  KernelTable table;
  addVersions(table);
  Device device(table);
  costs.push_back({"packet, facts of four versions hold", device.nanoseconds(nothing)});
  putLast(1);
  costs.push_back({"packet, none of them holds", device.nanoseconds(nothing)});
  return costs;
}

} // namespace meld::bench
