// A dispatch is captured, its memory is given back, and the replay puts it where it was: the result
// is the recorded one, and every change of the record is noticed.
#include "runtime/softgpu/tools/replay.h"
#include "runtime/softgpu/watch/capture.h"
#include "tests/runtime/softgpu/execute/test_code.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace meld::softgpu {
namespace {

namespace fs = std::filesystem;
using test::Args;
using test::TestCode;

/// Two pages of data and the code, as a driver would list them.
struct Allocations final : AddressMapper {
  std::vector<MemoryRange> list;
  bool empty() const override { return true; }
  uint64_t toHost(uint64_t a) const override { return a; }
  bool mapped(uint64_t, uint64_t) const override { return true; }
  std::vector<MemoryRange> ranges() const override { return list; }
};

class Replay : public testing::TestWithParam<std::string> {
protected:
  static constexpr size_t kBytes = 8192;
  std::string folder = testing::TempDir() + "meld-replay-" + std::to_string(getpid());
  std::string file = folder + "/linear-2.mgc";
  ~Replay() override { fs::remove_all(folder); }

  /// Captures the second of three dispatches of `linear`: out[x] += x + 1.
  void capture() {
    const std::string target = GetParam();
    TestCode code(std::string(MELD_TEST_KERNELS) + "/kernels-" + target + ".hsaco");
    auto *data = static_cast<uint32_t *>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    Allocations memory;
    const uint64_t at = reinterpret_cast<uint64_t>(data);
    memory.list = {code.range(), {at, kBytes, at}};
    DeviceConfig c = test::testConfig(target, 1);
    c.capture = folder + ",^lin,2";
    auto gpu = Gpu::create(c, &memory);
    // The arguments must be captured, too: they are behind the first 256 words.
    std::memcpy(data + 1024, &data, 8);
    AqlPacket p = test::makePacket(code, "linear", {256}, {256}, data + 1024);
    DispatchRequest request;
    request.packet = &p;
    for (int k = 0; k < 3; ++k)
      ASSERT_EQ(gpu->run(request).code, DispatchCode::ok);
    for (uint32_t k = 0; k < 256; ++k)
      ASSERT_EQ(data[k], 3 * (k + 1));
    dataAddress = at;
    munmap(data, kBytes);
  }
  ReplayReport run() {
    ReplayOptions o;
    o.file = file;
    auto report = replay(o);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : ReplayReport{};
  }
  CapturedRange &dataOf(Capture &c) {
    for (CapturedRange &r : c.ranges)
      if (r.address == dataAddress)
        return r;
    ADD_FAILURE() << "the data's range is missing";
    return c.ranges[0];
  }
  uint64_t dataAddress = 0;
};
INSTANTIATE_TEST_SUITE_P(Targets, Replay, testing::Values("gfx900", "gfx90a"),
                         [](auto &i) { return i.param; });

TEST_P(Replay, SameMemory) {
  capture();
  auto c = Capture::read(file);
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->kernel, "linear");
  EXPECT_EQ(c->device, GetParam());
  EXPECT_EQ(c->waves, 4u);
  // Before: 1 * (k + 1); after: 2 * (k + 1); the second page is untouched and holds zeros.
  CapturedRange &r = dataOf(*c);
  ASSERT_EQ(r.before.size(), 2u); // the words, the arguments
  ASSERT_EQ(r.after.size(), 1u);
  uint32_t before, after;
  std::memcpy(&before, &r.before.at(0)[4 * 9], 4);
  std::memcpy(&after, &r.after.at(0)[4 * 9], 4);
  EXPECT_EQ(before, 10u);
  EXPECT_EQ(after, 20u);
  for (int again = 0; again < 2; ++again) {
    const ReplayReport report = run();
    EXPECT_TRUE(report.same) << report.text;
    EXPECT_NE(report.text.find("bit for bit"), std::string::npos);
  }
}

TEST_P(Replay, DifferencesAreCounted) {
  capture();
  auto c = Capture::read(file);
  ASSERT_TRUE(c);
  CapturedRange &r = dataOf(*c);
  r.after.at(0)[4 * 7] ^= 0x40;     // the recorded result of work-item 7
  r.before.at(0)[4 * 9 + 2] ^= 0x1; // the input of work-item 9
  ASSERT_TRUE(c->write(file));
  const ReplayReport report = run();
  EXPECT_FALSE(report.same);
  EXPECT_EQ(report.differences, 2u) << report.text;
  char address[96];
  std::snprintf(address, sizeof(address), "0x%llx: recorded 00000050, now 00000010",
                static_cast<unsigned long long>(dataAddress + 28));
  EXPECT_NE(report.text.find(address), std::string::npos) << report.text;
}

TEST_P(Replay, DamagedFiles) {
  capture();
  std::string bytes;
  {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  ReplayOptions o;
  o.file = folder + "/damaged.mgc";
  for (size_t size : {size_t(0), size_t(5), size_t(24), bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(o.file, std::ios::binary) << bytes.substr(0, size);
    auto report = replay(o);
    ASSERT_FALSE(report) << size;
    EXPECT_EQ(report.error().code, ErrorCode::badInput);
    EXPECT_NE(report.error().message.find("damaged.mgc"), std::string::npos);
  }
  o.file = folder + "/nothing";
  auto report = replay(o);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::io);
  o.file = file;
  o.checks = "everything";
  EXPECT_FALSE(replay(o));
}

} // namespace
} // namespace meld::softgpu
