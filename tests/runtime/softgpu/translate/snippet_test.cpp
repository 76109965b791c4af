// Random code in both tiers: registers, LDS, status and counters must be equal, whatever the code
// computes.
#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/translate/tier.h"
#include "tests/runtime/softgpu/translate/snippets.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace meld::softgpu::test {
namespace {

using translate::KernelTier;

std::string listing(const std::vector<uint32_t> &words, isa::Target target) {
  std::string text;
  for (size_t at = 0; at < words.size();) {
    isa::Inst in;
    isa::decode(&words[at], (words.size() - at) * 4, target, in);
    text += "  " + isa::disassemble(in, target, at * 4) + "\n";
    at += in.size ? in.size / 4 : 1;
  }
  return text;
}

std::string counterDifference(const WaveCounters &a, const WaveCounters &b) {
  for (unsigned k = 0; k < WaveCounters::kCategories; ++k)
    if (a.insts[k] != b.insts[k])
      return "instructions of category " + std::to_string(k) + ": " + std::to_string(a.insts[k]) +
             " interpreted, " + std::to_string(b.insts[k]) + " translated";
  if (a.activeLanesValu != b.activeLanesValu)
    return "active lanes";
  if (a.cacheLines != b.cacheLines)
    return "cache lines";
  if (a.ldsBankConflicts != b.ldsBankConflicts)
    return "bank conflicts: " + std::to_string(a.ldsBankConflicts) + " interpreted, " +
           std::to_string(b.ldsBankConflicts) + " translated";
  return "";
}

struct Case {
  isa::Target target;
  Mix mix;
  const char *name;
};

class Snippets : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Mixes, Snippets,
    testing::Values(Case{isa::Target::gfx900, Mix::alu, "gfx900_alu"},
                    Case{isa::Target::gfx90a, Mix::alu, "gfx90a_alu"},
                    Case{isa::Target::gfx900, Mix::lds, "gfx900_lds"},
                    Case{isa::Target::gfx90a, Mix::lds, "gfx90a_lds"},
                    Case{isa::Target::gfx900, Mix::global, "gfx900_global"},
                    Case{isa::Target::gfx90a, Mix::global, "gfx90a_global"},
                    Case{isa::Target::gfx90a, Mix::everything, "gfx90a_everything"},
                    Case{isa::Target::gfx942, Mix::everything, "gfx942_everything"},
                    Case{isa::Target::gfx942, Mix::global, "gfx942_global"},
                    Case{isa::Target::gfx950, Mix::everything, "gfx950_everything"},
                    Case{isa::Target::gfx1030, Mix::alu, "gfx1030_alu"},
                    Case{isa::Target::gfx1030w64, Mix::alu, "gfx1030w64_alu"},
                    Case{isa::Target::gfx1030, Mix::lds, "gfx1030_lds"},
                    Case{isa::Target::gfx1030w64, Mix::lds, "gfx1030w64_lds"},
                    Case{isa::Target::gfx1030, Mix::global, "gfx1030_global"},
                    Case{isa::Target::gfx1030w64, Mix::global, "gfx1030w64_global"},
                    Case{isa::Target::gfx1030, Mix::everything, "gfx1030_everything"},
                    Case{isa::Target::gfx1030w64, Mix::everything, "gfx1030w64_everything"},
                    Case{isa::Target::gfx1100, Mix::alu, "gfx1100_alu"},
                    Case{isa::Target::gfx1100w64, Mix::alu, "gfx1100w64_alu"},
                    Case{isa::Target::gfx1100, Mix::lds, "gfx1100_lds"},
                    Case{isa::Target::gfx1100, Mix::global, "gfx1100_global"},
                    Case{isa::Target::gfx1100w64, Mix::global, "gfx1100w64_global"},
                    Case{isa::Target::gfx1100w64, Mix::everything, "gfx1100w64_everything"},
                    Case{isa::Target::gfx1201, Mix::alu, "gfx1201_alu"},
                    Case{isa::Target::gfx1201w64, Mix::alu, "gfx1201w64_alu"},
                    Case{isa::Target::gfx1201, Mix::lds, "gfx1201_lds"},
                    Case{isa::Target::gfx1201, Mix::global, "gfx1201_global"},
                    Case{isa::Target::gfx1201w64, Mix::global, "gfx1201w64_global"},
                    Case{isa::Target::gfx1201w64, Mix::everything, "gfx1201w64_everything"}),
    [](auto &i) { return i.param.name; });

uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 0) : otherwise;
}

using Run = void (*)(Wave &, WaveCounters &);

/// Random snippets, as the interpreter executes them and as `other` does, which `prepares` their code.
template <class Prepare> void compare(const Case &c, Run other, Prepare prepare) {
  const uint64_t seed = fromEnvironment("MELD_TEST_SEED", 1);
  const unsigned count = unsigned(fromEnvironment("MELD_TEST_COUNT", 100));
  BareWave start, interpreted, otherwise;
  // Each way finds what it left, at the same address.
  static GlobalMemory global, ofInterpreted, ofOther;
  for (unsigned n = 0; n < count; ++n) {
    Random random(seed * 1000003 + n);
    const unsigned length = 4 + random.below(17);
    const std::vector<uint32_t> words = makeSnippet(random, c.target, length, c.mix);
    auto code = std::make_shared<CodeCache>(c.target);
    const ExecInst *entry = code->lookup(reinterpret_cast<uint64_t>(words.data()));
    ASSERT_TRUE(prepare(code, entry)) << "not translated:\n" << listing(words, c.target);
    // Several starts per snippet: translating is what takes the time.
    for (unsigned round = 0; round < 3; ++round) {
      start.fill(random, c.target, *code, entry, global);
      for (uint8_t &b : ofInterpreted.bytes)
        b = uint8_t(random.next());
      for (uint8_t &b : ofInterpreted.scratch)
        b = uint8_t(random.next());
      ofOther = ofInterpreted;
      interpreted.copyFrom(start);
      otherwise.copyFrom(start);
      WaveCounters a, b;
      for (unsigned turn = 0; turn < 6; ++turn) {
        global = ofInterpreted;
        runWave(interpreted.wave, a);
        ofInterpreted = global;
        global = ofOther;
        other(otherwise.wave, b);
        ofOther = global;
        std::string d = interpreted.difference(otherwise);
        if (d.empty() && std::memcmp(&ofInterpreted, &ofOther, sizeof(global)) != 0)
          d = "global memory";
        if (d.empty())
          d = counterDifference(a, b);
        ASSERT_EQ(d, "") << "snippet " << n << " of seed " << seed << ", start " << round
                         << ", exec " << std::hex << start.wave.exec() << ":\n"
                         << listing(words, c.target);
        const WaveStatus s = interpreted.wave.status;
        if (s == WaveStatus::ended || s == WaveStatus::faulted)
          break;
        interpreted.wave.status = otherwise.wave.status = WaveStatus::ready;
        interpreted.wave.quantum = otherwise.wave.quantum = 20;
      }
    }
  }
}

TEST_P(Snippets, SameAsInterpreted) {
  const Case &c = GetParam();
  const auto before = translate::tierStatistics();
  compare(c, runWaveTranslated, [](std::shared_ptr<CodeCache> &code, const ExecInst *entry) {
    auto tier = translate::kernelTier(*code, entry, {translate::When::always, 0});
    if (!tier)
      return false;
    tier->translateNow(code);
    return translate::entryAt(entry) != nullptr;
  });
  const auto after = translate::tierStatistics();
  const double covered =
      double(after.covered - before.covered) / double(after.instructions - before.instructions);
  // Without AVX-512 memory instructions go through their handlers.
  EXPECT_GT(covered, c.mix == Mix::lds || c.mix == Mix::global ? 0.05 : 0.4)
      << "most went through their handlers";
  EXPECT_EQ(after.failures, before.failures);
}

/// Instructions that go on behind themselves (chain.h).
TEST_P(Snippets, SameOneInstructionAtATime) {
  const auto stepped = [](Wave &w, WaveCounters &c) {
    while (stepWave(w, c)) {
    }
  };
  compare(GetParam(), stepped, [](auto &, const ExecInst *) { return true; });
}

} // namespace
} // namespace meld::softgpu::test
