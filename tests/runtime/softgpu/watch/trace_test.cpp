// MELD_TRACE: which lines there are, and the values in them, for the kernel of profile.s.
#include "tests/runtime/softgpu/execute/test_code.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>

namespace meld::softgpu::test {
namespace {

class Trace : public testing::TestWithParam<std::string> {
protected:
  std::string name = testing::TempDir() + "meld-trace-test-" + std::to_string(getpid());
  ~Trace() override { std::remove(name.c_str()); }

  /// Lines of the file after one dispatch of 2 workgroups of 2 waves.
  std::vector<std::string> run(const std::string &setting, bool timing = false) {
    TestCode code(std::string(MELD_TEST_KERNELS) + "/profile-" + GetParam() + ".hsaco");
    DeviceConfig c = testConfig(GetParam(), 1);
    c.trace = setting;
    c.timing = timing;
    std::vector<uint32_t> out(128, 3);
    {
      auto g = Gpu::create(c);
      auto r = launch(*g, code, "profiled", {256}, {128}, Args(out.data()));
      EXPECT_EQ(r.code, DispatchCode::ok) << r.message;
      executed = r.counters.total();
    }
    return linesOf(name);
  }
  static std::vector<std::string> linesOf(const std::string &file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
      lines.push_back(line);
    return lines;
  }
  static size_t with(const std::vector<std::string> &lines, const std::string &words) {
    return size_t(std::count_if(lines.begin(), lines.end(),
                                [&](auto &l) { return l.find(words) != l.npos; }));
  }
  uint64_t executed = 0;
};
INSTANTIATE_TEST_SUITE_P(Targets, Trace, testing::Values("gfx900", "gfx90a"),
                         [](auto &i) { return i.param; });

TEST_P(Trace, KernelsAndInstructions) {
  for (bool timing : {false, true}) {
    const auto lines = run("kernel,insts," + name, timing);
    ASSERT_EQ(lines.size(), executed + 1);
    EXPECT_EQ(lines[0].rfind("kernel profiled " + GetParam() +
                                 " grid 256x1x1 workgroup 128x1x1 vgprs 16 sgprs ",
                             0),
              0u)
        << lines[0];
    EXPECT_EQ(with(lines, "profiled g1 w1 +0x"), executed / 4);
    // Work-items 64..127: sources before, results after.
    EXPECT_EQ(with(lines, " w1 +0x10 exec=ffffffffffffffff scc=0  v_lshlrev_b32_e32 v2, 2, v0  ; "
                          "v0[0]=0x40 -> v2[0]=0x100"),
              2u);
    EXPECT_EQ(with(lines, "v_mov_b32_e32 v1, 7  ; -> v1[0]=0x7"), 4u);
    EXPECT_EQ(with(lines, "v_cmp_gt_u32_e32 vcc, 16, v0  ; v0[0]=0x0 -> vcc_lo=0xffff vcc_hi=0x0"),
              2u);
    EXPECT_EQ(with(lines, "s_and_saveexec_b64 s[4:5], vcc  ; vcc_lo=0xffff vcc_hi=0x0 "
                          "exec_lo=0xffffffff exec_hi=0xffffffff -> s4=0xffffffff s5=0xffffffff "
                          "exec_lo=0xffff exec_hi=0x0"),
              2u);
    EXPECT_EQ(with(lines, "s_sub_u32 s9, s9, 1  ; s9=0x3 -> s9=0x2"), 4u);
    // Through the index: v5 is v12.
    EXPECT_EQ(with(lines, "v_mov_b32_e32 v5, 5  ; -> v12[0]=0x5"), 4u);
  }
}

TEST_P(Trace, Words) {
  EXPECT_EQ(run("kernel," + name).size(), 1u);
  EXPECT_EQ(run("insts," + name).size(), executed);
  EXPECT_EQ(run(name).size(), executed);
  std::remove(name.c_str());
  testing::internal::CaptureStderr();
  run("kernel");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.rfind("kernel profiled ", 0), 0u) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

// A write past the limit on a file's size raises a signal that ends the process; not for a trace.
TEST_P(Trace, EndsAtTheLimitOfAFilesSize) {
  constexpr rlim_t bytes = 1000;
  const std::string said = name + ".stderr";
  const pid_t child = fork();
  if (!child) {
    (void)!std::freopen(said.c_str(), "w", stderr);
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    run("insts," + name);
    sigset_t pending;
    sigpending(&pending);
    _exit(sigismember(&pending, SIGXFSZ) || !executed);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status)) << status;
  EXPECT_EQ(std::filesystem::file_size(name), bytes);
  EXPECT_EQ(with(linesOf(said), "meld: the trace ends here: " + name + ": File too large"), 1u);
  std::remove(said.c_str());
}

} // namespace
} // namespace meld::softgpu::test
