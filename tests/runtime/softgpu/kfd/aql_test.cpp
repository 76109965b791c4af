#include "runtime/softgpu/kfd/aql.h"
#include "tests/runtime/softgpu/kfd/rings.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace meld::softgpu {
namespace {
using test::AqlRing;
using test::Recorder;
using test::Signal;

struct AqlTest : ::testing::Test {
  AqlRing<8> ring;
  Recorder recorder;
  std::atomic<bool> cancel{false};
  AqlProcessor make() {
    return AqlProcessor({reinterpret_cast<uint64_t>(ring.packets.data()), sizeof ring.packets,
                         reinterpret_cast<uint64_t>(&ring.queue.read_dispatch_id),
                         reinterpret_cast<uint64_t>(&ring.queue.write_dispatch_id)},
                        recorder.services(), &cancel);
  }
  unsigned type(unsigned slot) { return ring.packets[slot][0]; }
};

TEST_F(AqlTest, EmptyRingIsIdle) {
  auto p = make();
  EXPECT_EQ(p.step(), Step::idle);
}

TEST_F(AqlTest, DispatchRunsThenGivesTheSlotBackThenCompletes) {
  Signal done(1, 77);
  auto p = make();
  ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH, nullptr, done.handle());
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(recorder.dispatched, std::vector<uint64_t>{0});
  EXPECT_EQ(type(0), unsigned{HSA_PACKET_TYPE_INVALID});
  EXPECT_EQ(ring.queue.read_dispatch_id, 1u);
  EXPECT_EQ(done.raw.value, 0);
  EXPECT_LE(done.raw.start_ts, done.raw.end_ts);
  EXPECT_NE(done.raw.start_ts, 0u);
  EXPECT_EQ(done.mailbox, 77u);
  EXPECT_EQ(recorder.events, std::vector<uint32_t>{77});
  EXPECT_EQ(p.step(), Step::idle);
}

TEST_F(AqlTest, ASlotThatIsReservedButNotWrittenStopsTheQueueAndKeepsTheOrder) {
  auto p = make();
  ring.queue.write_dispatch_id = 2; // two producers reserved; the second was faster
  ring.packets[1].fill(0);
  ring.packets[1][0] = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  EXPECT_EQ(p.step(), Step::idle);
  ring.packets[0].fill(0);
  ring.packets[0][0] = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(recorder.dispatched, (std::vector<uint64_t>{0, 1}));
}

TEST_F(AqlTest, IndicesWrapAroundTheRing) {
  auto p = make();
  for (int round = 0; round < 29; ++round) {
    ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH);
    ASSERT_EQ(p.step(), Step::progress);
  }
  EXPECT_EQ(ring.queue.read_dispatch_id, 29u);
  EXPECT_EQ(recorder.dispatched.back(), 28u);
}

TEST_F(AqlTest, BarrierAndWaitsForAllOfItsSignals) {
  Signal a(1), b(2), done(1);
  auto p = make();
  ring.barrier(false, {a.handle(), 0, b.handle()}, done.handle());
  ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(p.step(), Step::blocked);
  a.raw.value = 0;
  EXPECT_EQ(p.step(), Step::blocked);
  EXPECT_EQ(done.raw.value, 1);
  EXPECT_TRUE(recorder.dispatched.empty());
  b.raw.value = 0;
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(done.raw.value, 0);
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(recorder.dispatched.size(), 1u);
}

TEST_F(AqlTest, BarrierWithoutSignalsIsMet) {
  auto p = make();
  ring.barrier(false, {});
  ring.barrier(true, {});
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(p.step(), Step::progress);
}

TEST_F(AqlTest, BarrierOrNeedsOne) {
  Signal a(1), b(1);
  auto p = make();
  ring.barrier(true, {a.handle(), b.handle()});
  EXPECT_EQ(p.step(), Step::blocked);
  b.raw.value = 0;
  EXPECT_EQ(p.step(), Step::progress);
}

TEST_F(AqlTest, VendorIcacheFlushDropsCode) {
  std::array<uint8_t, 64> body{};
  body[2] = 1;
  Signal done(1);
  auto p = make();
  ring.push(HSA_PACKET_TYPE_VENDOR_SPECIFIC, body.data(), done.handle());
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(recorder.codeDrops, 1u);
  EXPECT_EQ(done.raw.value, 0);
}

TEST_F(AqlTest, BarrierValueComparesUnderItsMask) {
  struct Case {
    uint32_t condition;
    int64_t value, reference;
    uint64_t mask;
    bool met;
  };
  const Case cases[] = {
      {HSA_SIGNAL_CONDITION_EQ, 0x105, 5, 0xff, true},
      {HSA_SIGNAL_CONDITION_EQ, 0x105, 5, ~0ull, false},
      {HSA_SIGNAL_CONDITION_NE, 4, 5, ~0ull, true},
      {HSA_SIGNAL_CONDITION_NE, 5, 5, ~0ull, false},
      {HSA_SIGNAL_CONDITION_LT, -3, 0, ~0ull, true},
      {HSA_SIGNAL_CONDITION_LT, 3, 3, ~0ull, false},
      {HSA_SIGNAL_CONDITION_GTE, 3, 3, ~0ull, true},
      {HSA_SIGNAL_CONDITION_GTE, -1, 0, ~0ull, false},
  };
  for (const Case &c : cases) {
    AqlRing<8> own;
    Signal signal(c.value);
    hsa_amd_barrier_value_packet_t packet{};
    packet.header.AmdFormat = 2;
    packet.signal.handle = signal.handle();
    packet.value = c.reference;
    packet.mask = static_cast<hsa_signal_value_t>(c.mask);
    packet.cond = c.condition;
    AqlProcessor p({reinterpret_cast<uint64_t>(own.packets.data()), sizeof own.packets,
                    reinterpret_cast<uint64_t>(&own.queue.read_dispatch_id),
                    reinterpret_cast<uint64_t>(&own.queue.write_dispatch_id)},
                   recorder.services(), &cancel);
    own.push(HSA_PACKET_TYPE_VENDOR_SPECIFIC, &packet);
    EXPECT_EQ(p.step(), c.met ? Step::progress : Step::blocked) << c.condition << " " << c.value;
  }
}

// ---- modelled time

TEST_F(AqlTest, ModelledDispatchesTakeTheirCyclesAtTheDevicesClock) {
  recorder.time.clockMhz = 1700;
  recorder.answer.cycles = 3400;
  recorder.answer.launchOverhead = 850;
  Signal first(1), second(1), barrier(1);
  auto p = make();
  ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH, nullptr, first.handle());
  ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH, nullptr, second.handle());
  ring.barrier(false, {}, barrier.handle());
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(p.step(), Step::progress);
  EXPECT_EQ(first.raw.end_ts - first.raw.start_ts, 2000u);
  EXPECT_EQ(second.raw.start_ts - first.raw.end_ts, 500u);
  EXPECT_EQ(second.raw.end_ts - second.raw.start_ts, 2000u);
  EXPECT_EQ(barrier.raw.start_ts, second.raw.end_ts);
  EXPECT_EQ(barrier.raw.end_ts, second.raw.end_ts);
}

TEST_F(AqlTest, ModelledTimeGoesOnToWhatABarrierWaitedFor) {
  recorder.time.clockMhz = 1000;
  Signal now(1), all(1), some(1), value(1), early(0), late(0), open(1);
  auto p = make();
  ring.barrier(false, {}, now.handle());
  ASSERT_EQ(p.step(), Step::progress);
  const uint64_t t = now.raw.end_ts;
  early.raw.end_ts = t + 100;
  late.raw.end_ts = t + 300;
  ring.barrier(true, {late.handle(), early.handle(), open.handle()}, some.handle());
  ring.barrier(false, {early.handle(), late.handle()}, all.handle());
  early.raw.end_ts = t + 100;
  hsa_amd_barrier_value_packet_t packet{};
  packet.header.AmdFormat = 2;
  Signal stamped(7);
  stamped.raw.end_ts = t + 450;
  packet.signal.handle = stamped.handle();
  packet.value = 7;
  packet.mask = -1;
  packet.cond = HSA_SIGNAL_CONDITION_EQ;
  ring.push(HSA_PACKET_TYPE_VENDOR_SPECIFIC, &packet, value.handle());
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(p.step(), Step::progress);
  EXPECT_EQ(some.raw.end_ts, t + 100); // one was enough
  EXPECT_EQ(all.raw.end_ts, t + 300);
  EXPECT_EQ(value.raw.end_ts, t + 450);
  // What was completed before is no step back.
  ring.barrier(false, {early.handle()}, now.handle());
  ASSERT_EQ(p.step(), Step::progress);
  EXPECT_EQ(now.raw.end_ts, t + 450);
}

TEST_F(AqlTest, ModelledTimeGoesOnFromTheDevicesLatestAfterTheRingWasEmpty) {
  std::atomic<uint64_t> latest{0};
  recorder.time = {1000, 0, {}, &latest};
  recorder.answer.cycles = 100;
  Signal first(1), second(1), third(1);
  auto p = make();
  ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH, nullptr, first.handle());
  ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH, nullptr, second.handle());
  ASSERT_EQ(p.step(), Step::progress);
  EXPECT_EQ(latest, first.raw.end_ts);
  latest += 5000; // another queue's
  ASSERT_EQ(p.step(), Step::progress);
  EXPECT_EQ(second.raw.start_ts, first.raw.end_ts) << "it was waiting in the ring by then";
  ASSERT_EQ(p.step(), Step::idle);
  ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH, nullptr, third.handle());
  ASSERT_EQ(p.step(), Step::progress);
  EXPECT_EQ(third.raw.start_ts, first.raw.end_ts + 5000);
  EXPECT_EQ(latest, third.raw.end_ts);
}

TEST(ModelNoise, IsSeededAndAsWideAsAsked) {
  auto durations = [](const TimeNoise &noise, unsigned queue) {
    QueueClock clock({1000, 0, noise}, queue);
    std::vector<double> logs;
    for (int i = 0; i < 4000; ++i) {
      const auto span = clock.dispatch(0, 1'000'000, 5000);
      logs.push_back(std::log(double(span.end - span.start) / 1e6));
    }
    return logs;
  };
  auto deviation = [](const std::vector<double> &logs) {
    double mean = 0, square = 0;
    for (const double x : logs)
      mean += x / double(logs.size());
    for (const double x : logs)
      square += (x - mean) * (x - mean) / double(logs.size());
    return std::sqrt(square);
  };
  for (const double percent : {1., 5., 20.}) {
    const auto logs = durations({percent, 0, 7}, 1);
    EXPECT_EQ(logs, durations({percent, 0, 7}, 1));
    EXPECT_NE(logs, durations({percent, 0, 8}, 1));
    EXPECT_NE(logs, durations({percent, 0, 7}, 2));
    EXPECT_NEAR(deviation(logs), percent / 100, percent / 1000);
  }
  const auto outliers = durations({0, 5, 7}, 1);
  const auto late = std::count_if(outliers.begin(), outliers.end(), [](double x) { return x > 0; });
  EXPECT_NEAR(double(late), 200, 60);
  for (const double x : outliers)
    EXPECT_LE(x, std::log(4.001));
}

// Seed 3 on queue 4 had the noise of seed 4 on queue 3, and each seed the same on the queue of its number.
TEST(ModelNoise, EachSeedDeviceAndQueueHasItsOwn) {
  std::set<std::vector<uint64_t>> sequences;
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (unsigned device = 0; device < 3; ++device)
      for (unsigned queue = 0; queue < 20; ++queue) {
        QueueClock clock({1000, device, {5, 0, seed}}, queue);
        std::vector<uint64_t> durations;
        for (int i = 0; i < 4; ++i) {
          const auto span = clock.dispatch(0, 1'000'000'000, 0);
          durations.push_back(span.end - span.start);
        }
        sequences.insert(durations);
      }
  EXPECT_EQ(sequences.size(), 20u * 3 * 20);
}

TEST_F(AqlTest, ErrorsGoToTheInactiveSignalAndStopTheQueue) {
  const std::pair<DispatchCode, int64_t> codes[] = {
      {DispatchCode::illegalInstruction, 0x40000000},
      {DispatchCode::apertureViolation, 0x20000000},
      {DispatchCode::trap, 0x80000000ll},
      {DispatchCode::badDimensions, 2},
      {DispatchCode::ldsTooLarge, 4},
      {DispatchCode::badCodeObject, 8},
      {DispatchCode::groupTooLarge, 64},
      {DispatchCode::tooManyVgprs, 128},
  };
  for (const auto &[code, expected] : codes) {
    AqlRing<8> own;
    Signal inactive(0, 5), done(1);
    own.queue.queue_inactive_signal.handle = inactive.handle();
    Recorder r;
    r.answer.code = code;
    r.answer.message = "expected by a test";
    AqlProcessor p({reinterpret_cast<uint64_t>(own.packets.data()), sizeof own.packets,
                    reinterpret_cast<uint64_t>(&own.queue.read_dispatch_id),
                    reinterpret_cast<uint64_t>(&own.queue.write_dispatch_id)},
                   r.services(), &cancel);
    own.push(HSA_PACKET_TYPE_KERNEL_DISPATCH, nullptr, done.handle());
    own.push(HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_EQ(p.step(), Step::halted);
    EXPECT_EQ(inactive.raw.value, expected);
    EXPECT_EQ(r.events, std::vector<uint32_t>{5});
    EXPECT_EQ(done.raw.value, 1);
    EXPECT_EQ(p.step(), Step::halted);
    EXPECT_EQ(r.dispatched.size(), 1u);
  }
}

TEST_F(AqlTest, AMemoryFaultRaisesTheFaultEvent) {
  recorder.answer.code = DispatchCode::memoryFault;
  recorder.answer.address = 0x123456789000;
  auto p = make();
  ring.push(HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(p.step(), Step::halted);
  EXPECT_EQ(recorder.faultAddress, 0x123456789000u);
}

TEST_F(AqlTest, UnknownPacketsAreFormatErrors) {
  for (uint8_t type : {uint8_t{4}, uint8_t{9}, uint8_t{0}}) {
    AqlRing<8> own;
    Signal inactive(0);
    own.queue.queue_inactive_signal.handle = inactive.handle();
    AqlProcessor p({reinterpret_cast<uint64_t>(own.packets.data()), sizeof own.packets,
                    reinterpret_cast<uint64_t>(&own.queue.read_dispatch_id),
                    reinterpret_cast<uint64_t>(&own.queue.write_dispatch_id)},
                   recorder.services(), &cancel);
    own.push(type); // type 0 without a vendor format
    EXPECT_EQ(p.step(), Step::halted);
    EXPECT_TRUE(inactive.raw.value & (32 | 256)) << inactive.raw.value;
  }
}

} // namespace
} // namespace meld::softgpu
