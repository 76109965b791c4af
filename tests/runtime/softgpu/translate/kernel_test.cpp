// Whole kernels in both tiers: memory and counters equal; the tier changing while kernels run;
// fork and exit.
#include "runtime/softgpu/translate/tier.h"
#include "tests/runtime/softgpu/execute/test_code.h"

#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#define MELD_EXIT_NOW "exit-now"

namespace meld::softgpu::test {
namespace {

using translate::tierStatistics;

/// What the kernels read and write.
struct Memory {
  std::vector<uint32_t> big = std::vector<uint32_t>(1 << 16), index = big, out = big;
  std::vector<float> x = std::vector<float>(1 << 16), y = x, a = std::vector<float>(64 * 64), b = a,
                     c = a;
  std::vector<double> d = std::vector<double>(1 << 12);
  explicit Memory(uint32_t seed) { refill(seed); }
  /// At the same addresses: cache lines are counted by address.
  void refill(uint32_t seed) {
    std::fill(c.begin(), c.end(), 0.0f);
    std::fill(d.begin(), d.end(), 0.0);
    auto next = [&] { return seed = seed * 1664525 + 1013904223; };
    for (auto *v : {&big, &index, &out})
      for (auto &u : *v)
        u = next();
    for (auto &u : index)
      u >>= 16;
    // Not only ordinary numbers: NaNs, infinities and denormals come from the bits.
    for (auto *v : {&x, &y, &a, &b})
      for (auto &f : *v) {
        const uint32_t u = next();
        if (u >> 28 == 0)
          std::memcpy(&f, &u, 4);
        else
          f = float(int32_t(next())) * 1e-6f;
      }
  }
};

bool sameBytes(const void *a, const void *b, size_t n) { return std::memcmp(a, b, n) == 0; }
template <class T> bool same(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && sameBytes(a.data(), b.data(), a.size() * sizeof(T));
}
bool same(const Memory &p, const Memory &q) {
  return same(p.big, q.big) && same(p.out, q.out) && same(p.y, q.y) && same(p.c, q.c) &&
         same(p.d, q.d);
}
bool same(const WaveCounters &p, const WaveCounters &q) { return sameBytes(&p, &q, sizeof(p)); }

struct Kernel {
  const char *name;
  std::function<DispatchResult(Gpu &, const TestCode &, Memory &)> run;
};

const Kernel kKernels[] = {
    {"aluMix",
     [](Gpu &g, const TestCode &o, Memory &m) {
       return launch(g, o, "aluMix", {5000}, {256}, Args(m.out.data(), 50u, 0.37f));
     }},
    {"doubles",
     [](Gpu &g, const TestCode &o, Memory &m) {
       return launch(g, o, "doubles", {4096}, {256}, Args(m.d.data(), 50u));
     }},
    {"saxpy",
     [](Gpu &g, const TestCode &o, Memory &m) {
       return launch(g, o, "saxpy", {4096}, {256},
                     Args(m.x.data(), m.y.data(), 0.5f, 60001u, 4096u));
     }},
    {"gather",
     [](Gpu &g, const TestCode &o, Memory &m) {
       return launch(g, o, "gather", {4096}, {256},
                     Args(m.index.data(), m.big.data(), m.out.data(), 8u));
     }},
    {"bitonic",
     [](Gpu &g, const TestCode &o, Memory &m) {
       return launch(g, o, "bitonic", {1 << 14}, {256}, Args(m.big.data()));
     }},
    {"gemm",
     [](Gpu &g, const TestCode &o, Memory &m) {
       return launch(g, o, "gemm", {64 * 64}, {256}, Args(m.a.data(), m.b.data(), m.c.data(), 64u));
     }},
    {"collatz",
     [](Gpu &g, const TestCode &o, Memory &m) {
       return launch(g, o, "collatz", {4000}, {256}, Args(m.out.data()));
     }},
};

/// Where the kernels compiled for `target` run: in waves of either size, as their descriptors say.
std::string processor(const std::string &target) { return target.substr(0, target.find('w')); }

/// gfx950 runs code of gfx942, which more compilers know.
std::string speedKernels(const std::string &target) {
  return std::string(MELD_TRANSLATE_KERNELS) + "/speed-" +
         (target == "gfx950" ? "gfx942" : target) + ".hsaco";
}

class Translated : public testing::TestWithParam<std::string> {
protected:
  TestCode code{speedKernels(GetParam())};
  std::unique_ptr<Gpu> gpu(const char *when, unsigned threads = 1) {
    DeviceConfig config = testConfig(processor(GetParam()), threads);
    config.translate = when;
    return Gpu::create(config);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Translated,
                         testing::ValuesIn(withCode({"gfx900", "gfx90a", "gfx942", "gfx950",
                                                     "gfx1030", "gfx1030w64", "gfx1100",
                                                     "gfx1100w64", "gfx1201", "gfx1201w64"})),
                         [](auto &i) { return i.param; });

TEST_P(Translated, SameMemoryAndCounters) {
  auto interpreted = gpu("off");
  for (unsigned threads : {1u, 2u}) {
    auto translated = gpu("always", threads);
    for (const Kernel &k : kKernels) {
      SCOPED_TRACE(k.name);
      Memory memory(7);
      const auto before = tierStatistics();
      const DispatchResult a = k.run(*interpreted, code, memory);
      const Memory expected = memory;
      memory.refill(7);
      const DispatchResult b = k.run(*translated, code, memory);
      EXPECT_GT(tierStatistics().units, before.units);
      EXPECT_EQ(a.code, DispatchCode::ok) << a.message;
      EXPECT_EQ(b.code, DispatchCode::ok) << b.message;
      EXPECT_TRUE(same(expected, memory));
      EXPECT_TRUE(same(a.counters, b.counters));
    }
  }
}

/// A wild store: the same message and the same counters from both tiers.
TEST_P(Translated, SameFault) {
  auto interpreted = gpu("off"), translated = gpu("always");
  const DispatchResult a =
      launch(*interpreted, code, "collatz", {64}, {64}, Args(uint64_t(0x10000)));
  const DispatchResult b =
      launch(*translated, code, "collatz", {64}, {64}, Args(uint64_t(0x10000)));
  EXPECT_EQ(a.code, DispatchCode::memoryFault);
  EXPECT_EQ(a.code, b.code);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.address, b.address);
  EXPECT_TRUE(same(a.counters, b.counters));
}

/// Translation in the background, while the kernel runs again and again.
TEST_P(Translated, ChangesTierWhileRunning) {
  setenv("MELD_GPU_TRANSLATE_THRESHOLD", "100", 1);
  auto interpreted = gpu("off"), translated = gpu("auto", 2);
  unsetenv("MELD_GPU_TRANSLATE_THRESHOLD");
  const auto before = tierStatistics();
  for (const Kernel &k : kKernels) {
    SCOPED_TRACE(k.name);
    Memory memory(3);
    const DispatchResult a = k.run(*interpreted, code, memory);
    const Memory expected = memory;
    for (unsigned n = 0; n < 4; ++n) {
      memory.refill(3);
      const DispatchResult b = k.run(*translated, code, memory);
      ASSERT_TRUE(same(expected, memory)) << "run " << n;
      ASSERT_TRUE(same(a.counters, b.counters)) << "run " << n;
      if (n == 2)
        translate::finishTranslations();
    }
  }
  EXPECT_GE(tierStatistics().units, before.units + std::size(kKernels));
}

/// New code at the same addresses must not meet the old translation.
TEST_P(Translated, ForgetsInvalidatedCode) {
  auto g = gpu("always");
  Memory m(1), n(1);
  ASSERT_EQ(kKernels[0].run(*g, code, m).code, DispatchCode::ok);
  for (unsigned k = 0; k < 3; ++k) {
    g->invalidateCode();
    Memory again(1);
    ASSERT_EQ(kKernels[0].run(*g, code, again).code, DispatchCode::ok);
    EXPECT_TRUE(same(m, again));
  }
}

/// A child of fork() goes on with what is translated, and interprets the rest.
TEST_P(Translated, SurvivesFork) {
  setenv("MELD_GPU_TRANSLATE_THRESHOLD", "10", 1);
  auto g = gpu("auto", 2);
  unsetenv("MELD_GPU_TRANSLATE_THRESHOLD");
  Memory m(1);
  ASSERT_EQ(kKernels[0].run(*g, code, m).code, DispatchCode::ok);
  const pid_t child = fork();
  if (child == 0) {
    Memory q(1);
    const bool ok = kKernels[0].run(*g, code, q).code == DispatchCode::ok &&
                    kKernels[4].run(*g, code, q).code == DispatchCode::ok;
    _exit(ok && same(m.d, q.d) && same(m.out, q.out) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

/// exit() as soon as a kernel that just got hot has ended: the translator has work left.
TEST_P(Translated, ExitsWhileTranslating) {
  for (unsigned n = 0; n < 2 * std::size(kKernels); ++n) {
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", "exit", MELD_EXIT_NOW, GetParam().c_str(),
            std::to_string(n % std::size(kKernels)).c_str(), nullptr);
      _exit(99);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << " at " << n;
  }
}

} // namespace

/// The child of the test above.
int exitNow(const std::string &target, unsigned kernel) {
  setenv("MELD_GPU_TRANSLATE_THRESHOLD", "10", 1);
  TestCode code(speedKernels(target));
  DeviceConfig config = testConfig(processor(target), 2);
  config.translate = "auto";
  static auto gpu = Gpu::create(config); // lives into exit()
  Memory m(1);
  std::exit(kKernels[kernel].run(*gpu, code, m).code == DispatchCode::ok ? 0 : 1);
}

} // namespace meld::softgpu::test

int main(int argc, char **argv) {
  if (argc == 4 && std::string(argv[1]) == MELD_EXIT_NOW)
    return meld::softgpu::test::exitNow(argv[2], unsigned(std::atoi(argv[3])));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
