// The memory of the timing model: kernels that are bounded by bandwidth, by write-back and by address
// translation, as the rules say whatever the parameters' values are.
#include "tests/runtime/softgpu/timing/timing_fixture.h"

namespace meld::softgpu::test {
namespace {

using std::vector;

class MemoryTest : public Timing {
protected:
  static constexpr uint32_t kItems = 1 << 20; ///< a word each: 4 MiB
  vector<uint32_t> buffer = vector<uint32_t>(kItems + 1024);

  double stream(const std::string &kernel, const std::string &parameters) {
    auto g = timed(1, ("sharedMemory=1,dispatchWave=0,tlbEntries=0," + parameters).c_str());
    // A wave's words fill whole lines.
    Args args(
        reinterpret_cast<uint32_t *>((reinterpret_cast<uintptr_t>(buffer.data()) + 63) / 64 * 64));
    AqlPacket packet = makePacket(micro, kernel, {kItems}, {256}, args.data());
    DispatchRequest r;
    r.packet = &packet;
    const DispatchResult result = g->run(r);
    EXPECT_EQ(result.code, DispatchCode::ok) << result.message;
    return double(result.cycles);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, MemoryTest, testing::Values("gfx900", "gfx90a"),
                         [](auto &i) { return i.param; });

constexpr double kBytes = 4 << 20, kUnits = 8; // testConfig's

TEST_P(MemoryTest, ReadingIsBoundByTheMemory) {
  const std::string memory = "hbmMilliBytesPerCycle=2000,l2MilliBytesPerCycle=32000,hbmPercent=";
  EXPECT_NEAR(stream("stream_load", memory + "100") / (kBytes / (2 * kUnits)), 1, 0.02);
  EXPECT_NEAR(stream("stream_load", memory + "80") / (kBytes / (1.6 * kUnits)), 1, 0.02);
  // The L2 in front of it, when it is the slower one.
  EXPECT_NEAR(stream("stream_load", "hbmMilliBytesPerCycle=9000,l2MilliBytesPerCycle=1000") /
                  (kBytes / (1 * kUnits)),
              1, 0.02);
}

// A kilobyte for each workgroup of 256: as much as the vector loads of the others.
TEST_P(MemoryTest, ScalarLoadsShareTheBandwidth) {
  const std::string memory = "hbmMilliBytesPerCycle=500,l2MilliBytesPerCycle=32000,hbmPercent=100";
  EXPECT_NEAR(stream("scalar_stream", memory) / (kBytes / (0.5 * kUnits)), 1, 0.05);
  EXPECT_NEAR(stream("scalar_stream", "hbmMilliBytesPerCycle=9000,l2MilliBytesPerCycle=500") /
                  (kBytes / (0.5 * kUnits)),
              1, 0.05);
}

TEST_P(MemoryTest, WritingIsBoundByTheL2OrByWriteBack) {
  const std::string rates =
      "writeBack=1,hbmMilliBytesPerCycle=1000,hbmPercent=100,l2StoreMilliBytesPerCycle=4000";
  // What fits the L2 stays there.
  EXPECT_NEAR(stream("stream_store", rates + ",l2Bytes=16777216") / (kBytes / (4 * kUnits)), 1,
              0.05);
  // Of an L2 of 64 KiB nearly every line goes back to make room.
  EXPECT_NEAR(stream("stream_store", rates + ",l2Bytes=65536") / (kBytes / (1 * kUnits)), 1, 0.05);
  // What was only read makes room for nothing.
  EXPECT_NEAR(stream("stream_load", rates + ",l2Bytes=65536") / (kBytes / (1 * kUnits)), 1, 0.05);
}

TEST_P(MemoryTest, ANewPagePaysTheWalk) {
  // A page for each load. With a share of the memory for each unit: no windows in which requests fall.
  const std::string share = "sharedMemory=0,",
                    walk = "tlbMiss=100,tlbWalk=500,tlbEntries=32,tlbPage=";
  const auto miss = [&](const std::string &tlb) {
    return each("load_miss", 1, (share + tlb).c_str());
  };
  const double without = miss("tlbEntries=0");
  EXPECT_NEAR(miss(walk + "4096") - without, 600, 4);
  EXPECT_NEAR(miss(walk + "65536") - without, 600 / 16.0, 8) << "16 loads in a page";
  EXPECT_EQ(each("load_hit", 1, (walk + "4096").c_str()), each("load_hit", 1, "tlbEntries=0"));
}

} // namespace
} // namespace meld::softgpu::test
