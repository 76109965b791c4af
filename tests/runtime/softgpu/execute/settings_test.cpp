// The settings that the software GPU reads by itself, with nonsense of any length in them: there is
// a GPU, it runs a kernel right, and what is said about it is short and fit for a terminal. Those
// that the driver reads are in tests/runtime/softgpu/kfd/settings_test.cpp.
#include "runtime/softgpu/counters/output_file.h"
#include "tests/runtime/softgpu/execute/test_code.h"

#include <filesystem>

namespace meld::softgpu::test {
namespace {

class Nonsense : public testing::TestWithParam<const char *> {
protected:
  // Where a text is a file's or a folder's name, that is made here.
  Nonsense() {
    std::filesystem::create_directory(folder_);
    std::filesystem::current_path(folder_);
  }
  ~Nonsense() override {
    unsetenv(GetParam());
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  void expectARightRun(const std::string &what) {
    TestCode code(std::string(MELD_TEST_KERNELS) + "/profile-gfx90a.hsaco");
    std::vector<uint32_t> out(128, 3);
    testing::internal::CaptureStderr();
    {
      std::string problem;
      auto gpu = Gpu::create(testConfig("gfx90a", 1), nullptr, &problem);
      ASSERT_NE(gpu, nullptr) << what << ": " << problem;
      const auto r = launch(*gpu, code, "profiled", {256}, {128}, Args(out.data()));
      EXPECT_EQ(r.code, DispatchCode::ok) << what << ": " << r.message;
    }
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_LT(said.size(), 1000u) << what;
    for (const unsigned char c : said)
      ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << what;
    if (usual_.empty())
      usual_ = out;
    EXPECT_EQ(out, usual_) << what;
  }

  std::vector<uint32_t> usual_; ///< what the kernel leaves, without the setting

private:
  const std::filesystem::path before_ = std::filesystem::current_path(),
                              folder_ =
                                  testing::TempDir() + "meld-nonsense-" + std::to_string(getpid());
};

TEST_P(Nonsense, OfAnyLengthIsAMessageAtMost) {
  expectARightRun("nothing set");
  for (const std::string pattern :
       {"a", "(", "9", "%p", "\x01\xff", ",", "/a", "d,(a{1,200}){1,200},"})
    for (const size_t size : {size_t(1), size_t(1) << 10, size_t(1) << 20}) {
      std::string text;
      while (text.size() < size)
        text += pattern;
      text.resize(size);
      setenv(GetParam(), text.c_str(), 1);
      expectARightRun(GetParam() + (" " + std::to_string(size)) + " of " + pattern);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Nonsense,
                         testing::Values("MELD_GPU_CAPTURE", "MELD_TRACE", "MELD_TRACE_KERNEL",
                                         "MELD_GPU_TRANSLATE", "MELD_GPU_TRANSLATE_THRESHOLD",
                                         "MELD_GPU_TIMING_PARAMS", "MELD_GPU_TIMING_VARIED"),
                         [](const auto &one) { return std::string(one.param); });

// Counters and profiles are written at the end of the process, under the name that was given.
TEST(OutputFile, ANameOfAnyLengthIsAFileOrAMessage) {
  const std::string pid = std::to_string(getpid());
  EXPECT_EQ(expandPid("%p"), pid);
  EXPECT_EQ(expandPid("a%pb%%pc%"), "a" + pid + "b%" + pid + "c%");
  for (const char *pattern : {"%p", "/", "(", "\x01\xff"}) {
    std::string name = "/nowhere/";
    while (name.size() < size_t(1) << 20)
      name += pattern;
    testing::internal::CaptureStderr();
    EXPECT_FALSE(writeWholeFile(name, "text", "counters"));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_FALSE(said.empty());
    EXPECT_LT(said.size(), 1500u); // 300 characters, of which some are shown by four
    for (const unsigned char c : said)
      ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f));
  }
}

} // namespace
} // namespace meld::softgpu::test
