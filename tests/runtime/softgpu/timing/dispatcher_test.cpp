// The dispatcher of the timing model, and the rate that compute units share: bounds that follow from
// the rules whatever the parameters' values are.
#include "tests/runtime/softgpu/timing/timing_fixture.h"

#include "runtime/softgpu/timing/shared_rate.h"

namespace meld::softgpu::test {
namespace {

using timing::SharedRate;

class DispatcherTest : public Timing {};
INSTANTIATE_TEST_SUITE_P(Targets, DispatcherTest, testing::Values("gfx900", "gfx90a"),
                         [](auto &i) { return i.param; });

constexpr uint32_t kGroups = 4096;
const std::string kDevice = "dispatchUnits=8,"; // testConfig's, all of the device

TEST_P(DispatcherTest, ManyEmptyWorkgroupsTakeWhatTheDispatcherTakes) {
  const auto empty = [&](const char *parameters, uint32_t group) {
    return double(
        cycles(*timed(1, (kDevice + parameters).c_str()), "empty", kGroups * group, group));
  };
  // A workgroup of one wave: four cycles. Of sixteen waves: sixteen.
  const char *waves = "dispatchWave=1,dispatchGroup=4,dispatchVgpr=0";
  EXPECT_NEAR(empty(waves, 64), 4.0 * kGroups, 200);
  EXPECT_NEAR(empty(waves, 1024), 16.0 * kGroups, 200);
  EXPECT_NEAR(empty("dispatchWave=1,dispatchGroup=1,dispatchVgpr=0", 64), 1.0 * kGroups, 200);
  // One initial register for each wave, in one engine and in four.
  EXPECT_NEAR(empty("dispatchWave=1,dispatchGroup=1,dispatchVgpr=8,shaderEngines=1", 64),
              8.0 * kGroups, 200);
  EXPECT_NEAR(empty("dispatchWave=1,dispatchGroup=1,dispatchVgpr=8,shaderEngines=4", 64),
              2.0 * kGroups, 200);
  EXPECT_LT(empty("dispatchWave=0", 64), 1.0 * kGroups) << "no dispatcher: bounded by the units";
}

TEST_P(DispatcherTest, APartOfADeviceHasItsShare) {
  const std::string rates = "dispatchWave=1,dispatchGroup=4,dispatchVgpr=0,dispatchUnits=";
  EXPECT_NEAR(double(cycles(*timed(1, (rates + "80").c_str()), "empty", kGroups * 64, 64)),
              4.0 * 10 * kGroups, 400);
  EXPECT_NEAR(double(cycles(*timed(1, (rates + "4").c_str()), "empty", kGroups * 64, 64)),
              4.0 * kGroups, 200)
      << "more than the device has";
}

TEST_P(DispatcherTest, AWorkgroupStartsWhereThereIsRoom) {
  // With all of the LDS a compute unit runs one workgroup at a time. Eight of 64 work long: by
  // number all of them meet on one of the eight units, by room hardly two do.
  const auto uneven = [&](const char *parameters) {
    return double(cycles(*timed(1, parameters), "uneven", 64 * 64, 64, 65536));
  };
  const double one = 200 * p.transcendental;
  EXPECT_GT(uneven("dispatchWave=0"), 8 * one);
  EXPECT_LT(uneven("dispatchWave=1,dispatchUnits=8"), 3 * one);
}

TEST_P(DispatcherTest, ADispatchTakesTheSameTimeAgain) {
  const auto once = [&](unsigned threads) {
    return cycles(*timed(threads, "dispatchWave=1,dispatchGroup=4"), "uneven", 500 * 256, 256);
  };
  const uint64_t first = once(1);
  EXPECT_EQ(once(1), first);
  EXPECT_EQ(once(4), first);
}

TEST(SharedRateTest, WorkIsDoneAtTheRate) {
  SharedRate rate;
  // All at once, a cycle each: one after the other.
  for (uint64_t k = 0; k < 1000; ++k)
    EXPECT_EQ(rate.pass(0, SharedRate::kUnit), k + 1);
  // Whoever comes later finds the first 1000 cycles taken.
  EXPECT_EQ(rate.pass(5, SharedRate::kUnit), 1001u);
  EXPECT_EQ(rate.pass(5, 0), 5u) << "no work";
  // More than a window can do.
  EXPECT_EQ(rate.pass(6400, 1000 * SharedRate::kUnit), 7400u);
}

TEST(SharedRateTest, WhoAsksLaterForAnEarlierTimeDoesNotWait) {
  SharedRate rate;
  EXPECT_EQ(rate.pass(640, 10 * SharedRate::kUnit), 650u);
  EXPECT_EQ(rate.pass(64, SharedRate::kUnit), 65u);
  EXPECT_EQ(rate.pass(640, SharedRate::kUnit), 651u);
}

TEST(SharedRateTest, ABacklogGrowsAndTimePasses) {
  SharedRate rate;
  uint64_t last = 0;
  // Twice as much work as the resource does, turn by turn: the backlog is half of the time.
  for (uint64_t turn = 0; turn < 10000; ++turn) {
    rate.begin(turn * 128);
    for (unsigned k = 0; k < 4; ++k)
      last = rate.pass(turn * 128 + 100 - 30 * k, 64 * SharedRate::kUnit);
  }
  EXPECT_NEAR(double(last), 2.0 * 128 * 10000, 200);
  rate.begin(last + 1000);
  EXPECT_EQ(rate.pass(last + 1000, SharedRate::kUnit / 2), last + 1000) << "idle by then";
}

} // namespace
} // namespace meld::softgpu::test
