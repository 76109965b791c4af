// The packets that reach the ring, with signals in plain memory.
#include "shim/adapt/packet_handler.h"

#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <hsa/amd_hsa_signal.h>
#include <thread>

namespace meld::adapt {
namespace {

struct Ring {
  std::vector<hsa_kernel_dispatch_packet_t> packets;
  unsigned calls = 0;
  bool wholesale = false; ///< the device completes at once what is written
  bool times = true;      ///< ... and says when it ran
};
Ring *gRing;

hsa_signal_value_t load(hsa_signal_t s) {
  auto *signal = reinterpret_cast<amd_signal_t *>(s.handle);
  return std::atomic_ref<int64_t>(const_cast<int64_t &>(signal->value)).load();
}
void store(hsa_signal_t s, hsa_signal_value_t value) {
  auto *signal = reinterpret_cast<amd_signal_t *>(s.handle);
  std::atomic_ref<int64_t>(const_cast<int64_t &>(signal->value)).store(value);
}
void complete(const hsa_kernel_dispatch_packet_t &packet) {
  if (!packet.completion_signal.handle)
    return;
  auto *signal = reinterpret_cast<amd_signal_t *>(packet.completion_signal.handle);
  if (gRing->times) {
    signal->start_ts = 1000;
    signal->end_ts = signal->start_ts + (packet.kernel_object == 0x2000 ? 50'000 : 100'000);
  }
  store(packet.completion_signal, 0);
}
void write(const void *packets, uint64_t count) {
  ++gRing->calls;
  for (uint64_t i = 0; i < count; ++i) {
    hsa_kernel_dispatch_packet_t packet;
    std::memcpy(&packet, static_cast<const char *>(packets) + 64 * i, 64);
    gRing->packets.push_back(packet);
    if (gRing->wholesale)
      complete(packet);
  }
}

constexpr uint16_t kBarrierBit = 1 << HSA_PACKET_HEADER_BARRIER;

class Handler : public testing::Test {
protected:
  void SetUp() override {
    gRing = &ring_;
    PacketHandler::Signals signals;
    signals.load = load;
    signals.store = store;
    auto make = [&](hsa_signal_t &s) {
      signals_.emplace_back();
      s.handle = reinterpret_cast<uint64_t>(&signals_.back());
    };
    for (auto &s : signals.fences)
      make(s);
    for (auto &s : signals.timers)
      make(s);
    handler_ = std::make_unique<PacketHandler>(signals);
    begin(1024);
  }
  void begin(uint32_t ring, bool wait = false) {
    PacketHandler::Queue queue;
    queue.table = &table_;
    queue.ring = ring;
    queue.waitForTimes = wait;
    handler_->begin(queue);
  }
  void addVariant() {
    KernelVersion original, variant;
    original.object = 0x1000;
    variant.object = 0x2000;
    ASSERT_EQ(table_.addVariant(original, variant), Added::yes);
  }
  static hsa_kernel_dispatch_packet_t dispatch(uint64_t object = 0x1000) {
    hsa_kernel_dispatch_packet_t p{};
    p.header = HSA_PACKET_TYPE_KERNEL_DISPATCH | kBarrierBit;
    p.workgroup_size_x = 64;
    p.workgroup_size_y = p.workgroup_size_z = 1;
    p.grid_size_x = 640;
    p.grid_size_y = p.grid_size_z = 1;
    p.kernel_object = object;
    p.kernarg_address = reinterpret_cast<void *>(0x1234);
    p.reserved2 = 77;
    return p;
  }
  void send(const hsa_kernel_dispatch_packet_t &packet) { handler_->handle(&packet, 1, write); }

  struct alignas(64) Raw : amd_signal_t {
    Raw() : amd_signal_t{} {}
  };
  std::deque<Raw> signals_;
  Ring ring_;
  KernelTable table_;
  std::unique_ptr<PacketHandler> handler_;
};

TEST_F(Handler, WithoutVariantsPacketsPassAsTheyAre) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.completion_signal.handle = 4711;
  send(packet);
  ASSERT_EQ(ring_.packets.size(), 1u);
  EXPECT_EQ(std::memcmp(&ring_.packets[0], &packet, 64), 0);
}

// Whoever switches a queue's profiling off: the times of other launches are still in the signals.
TEST_F(Handler, WithoutTimesNothingIsMeasured) {
  addVariant();
  ring_.wholesale = true;
  for (int i = 0; i < 12; ++i)
    send(dispatch());
  const auto pairs = [&] { return table_.report(0x1000).classes.at(0).trial.test().pairs(); };
  const unsigned before = pairs();
  EXPECT_GT(before, 2u);
  ring_.times = false;
  for (int i = 0; i < 300; ++i)
    send(dispatch());
  EXPECT_LE(pairs(), before + 1); // the last one with times may not have been read by then
  EXPECT_EQ(table_.report(0x1000).classes.at(0).trial.phase(), Trial::Phase::open);
}

TEST_F(Handler, WhatIsChosenChangesFourFieldsOfACopy) {
  addVariant();
  ring_.wholesale = true;
  const hsa_kernel_dispatch_packet_t packet = dispatch();
  hsa_kernel_dispatch_packet_t original = packet;
  for (int i = 0; i < 100; ++i)
    send(original);
  EXPECT_EQ(std::memcmp(&original, &packet, 64), 0) << "the application's packet is its own";
  hsa_kernel_dispatch_packet_t last = ring_.packets.back();
  EXPECT_EQ(last.kernel_object, 0x2000u) << "twice as fast";
  last.kernel_object = packet.kernel_object;
  last.completion_signal = packet.completion_signal;
  EXPECT_EQ(std::memcmp(&last, &packet, 64), 0);
  send(dispatch(0x9000));
  EXPECT_EQ(ring_.packets.back().kernel_object, 0x9000u);
}

TEST_F(Handler, ALaunchWithASignalOfItsOwnKeepsItAndIsNotTimed) {
  addVariant();
  for (int i = 0; i < 50; ++i) {
    hsa_kernel_dispatch_packet_t packet = dispatch();
    packet.completion_signal.handle = reinterpret_cast<uint64_t>(&signals_[0]) + 1;
    send(packet);
  }
  for (const auto &packet : ring_.packets)
    if ((packet.header & 0xff) == HSA_PACKET_TYPE_KERNEL_DISPATCH) {
      EXPECT_EQ(packet.kernel_object, 0x1000u);
      EXPECT_EQ(packet.completion_signal.handle, reinterpret_cast<uint64_t>(&signals_[0]) + 1);
    }
}

TEST_F(Handler, EverySixteenthOfTheRingHasAFenceAndTheOrderStays) {
  for (int i = 0; i < 512; ++i)
    send(dispatch(0x9000 + i));
  unsigned fences = 0, last = 0, expected = 0;
  for (unsigned i = 0; i < ring_.packets.size(); ++i) {
    EXPECT_EQ(ring_.packets[i].kernel_object, 0x9000 + expected++);
    if (ring_.packets[i].completion_signal.handle) {
      EXPECT_LE(i - last, 64u);
      last = i;
      ++fences;
    }
  }
  EXPECT_EQ(fences, 8u);
}

TEST_F(Handler, WherePacketsHaveSignalsAFenceIsABarrierBehindInTheSameCall) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.completion_signal.handle = 4711;
  for (int i = 0; i < 64; ++i)
    send(packet);
  ASSERT_EQ(ring_.packets.size(), 65u);
  EXPECT_EQ(ring_.calls, 64u);
  EXPECT_EQ(ring_.packets[63].completion_signal.handle, 4711u);
  EXPECT_EQ(ring_.packets[64].header & 0xff, HSA_PACKET_TYPE_BARRIER_AND);
  EXPECT_NE(ring_.packets[64].completion_signal.handle, 0u);
}

TEST_F(Handler, AFullRingIsWaitedFor) {
  // The device completes packets only while the handler waits.
  begin(256);
  std::atomic<bool> stop{false};
  std::atomic<size_t> most{0};
  std::atomic<size_t> written{0}, done{0};
  std::deque<hsa_kernel_dispatch_packet_t> log(20'000);
  static std::deque<hsa_kernel_dispatch_packet_t> *sink;
  static std::atomic<size_t> *count;
  sink = &log;
  count = &written;
  std::thread device([&] {
    while (!stop || done < written)
      if (done < written) {
        most = std::max<size_t>(most, written - done);
        complete(log[done++]);
      } else {
        std::this_thread::yield();
      }
  });
  for (int i = 0; i < 10'000; ++i) {
    const auto packet = dispatch(0x9000 + i);
    handler_->handle(&packet, 1, [](const void *packets, uint64_t n) {
      for (uint64_t k = 0; k < n; ++k, ++*count)
        std::memcpy(&(*sink)[*count], static_cast<const char *>(packets) + 64 * k, 64);
    });
    ASSERT_LE(written - done, 256u);
  }
  stop = true;
  device.join();
  EXPECT_LE(most, 256u * 3 / 4 + 8);
}

TEST_F(Handler, ManyPacketsAtOncePassTogether) {
  addVariant();
  std::vector<hsa_kernel_dispatch_packet_t> many(40, dispatch());
  handler_->handle(many.data(), many.size(), write);
  EXPECT_EQ(ring_.calls, 1u);
  EXPECT_EQ(ring_.packets.size(), 40u);
  many.resize(16);
  handler_->handle(many.data(), many.size(), write);
  EXPECT_EQ(ring_.calls, 2u);
}

// What says how far the device is goes with them: nothing else would, where all calls have so many.
TEST_F(Handler, ManyPacketsAtOnceHaveFences) {
  addVariant();
  ring_.wholesale = true;
  std::vector<hsa_kernel_dispatch_packet_t> many(200, dispatch());
  for (unsigned i = 0; i < many.size(); ++i)
    many[i].completion_signal.handle = i % 3 ? 0 : reinterpret_cast<uint64_t>(&signals_[0]) + 1;
  for (unsigned call = 1; call <= 50; ++call) {
    ring_.packets.clear();
    handler_->handle(many.data(), many.size(), [](const void *packets, uint64_t count) {
      for (uint64_t i = 0; i < count; ++i) {
        hsa_kernel_dispatch_packet_t packet;
        std::memcpy(&packet, static_cast<const char *>(packets) + 64 * i, 64);
        gRing->packets.push_back(packet);
        const uint64_t signal = packet.completion_signal.handle;
        if (signal && signal % 64 == 0) // not the program's own
          complete(packet);
      }
      ++gRing->calls;
    });
    ASSERT_EQ(ring_.calls, call);
    size_t fences = 0, at = 0;
    for (const auto &packet : ring_.packets) {
      fences += packet.completion_signal.handle && packet.completion_signal.handle % 64 == 0;
      if ((packet.header & 0xff) == HSA_PACKET_TYPE_BARRIER_AND)
        continue;
      ASSERT_EQ(packet.kernel_object, many[at].kernel_object);
      if (many[at].completion_signal.handle) {
        ASSERT_EQ(packet.completion_signal.handle, many[at].completion_signal.handle);
      }
      ++at;
    }
    ASSERT_EQ(at, many.size());
    ASSERT_GE(fences, 3u) << "a sixteenth of the ring apart";
  }
}

TEST_F(Handler, BeforeABarrierOfTheApplicationsVariantsAreFenced) {
  addVariant();
  ring_.wholesale = true;
  for (int i = 0; i < 100; ++i)
    send(dispatch());
  ASSERT_EQ(ring_.packets.back().kernel_object, 0x2000u);
  const uint64_t last = handler_->lastVariant();
  EXPECT_LT(handler_->complete(), last);
  ring_.wholesale = false;
  const size_t before = ring_.packets.size();
  hsa_kernel_dispatch_packet_t barrier{};
  barrier.header = HSA_PACKET_TYPE_BARRIER_AND | kBarrierBit;
  barrier.completion_signal.handle = 4711;
  send(barrier);
  ASSERT_EQ(ring_.packets.size(), before + 2);
  EXPECT_EQ(ring_.packets.back().completion_signal.handle, 4711u);
  EXPECT_LT(handler_->complete(), last);
  complete(ring_.packets[before]);
  EXPECT_GE(handler_->complete(), last);
  send(barrier); // nothing new to wait for
  EXPECT_EQ(ring_.packets.size(), before + 3);
}

TEST_F(Handler, WithModelledTimesTheSameIsDecidedInEachRun) {
  std::vector<uint64_t> first;
  for (int run = 0; run < 3; ++run) {
    ring_ = Ring();
    table_.removeKernels({0x1000});
    begin(1024, true);
    addVariant();
    std::thread device;
    std::vector<uint64_t> ran;
    for (int i = 0; i < 60; ++i) {
      // Whenever the device gets to it: the handler waits.
      if (!ring_.packets.empty()) {
        const auto packet = ring_.packets.back();
        device = std::thread([packet, i, run] {
          std::this_thread::sleep_for(std::chrono::microseconds((i * (run + 1)) % 7 * 100));
          complete(packet);
        });
      }
      send(dispatch());
      if (device.joinable())
        device.join();
      ran.push_back(ring_.packets.back().kernel_object);
    }
    if (run == 0)
      first = ran;
    EXPECT_EQ(ran, first);
    EXPECT_EQ(ran.back(), 0x2000u);
  }
}

} // namespace
} // namespace meld::adapt
