// A second opinion: the disassembler of a later LLVM than the one the tests are linked with, as the
// program llvm-mc, where one is installed. LLVM 15 knows gfx942 by its predecessor and gfx1100 as it was
// planned; what it has wrong, a later one may have right.
//
// Words that we decode must be one instruction there, with the same mnemonic and registers, but for what
// is listed in later_text.cpp. The rest of the text is LLVM 15's (random_test.cpp).
#include "tests/runtime/softgpu/isa/later_llvm.h"
#include "tests/runtime/softgpu/isa/later_text.h"
#include "tests/runtime/softgpu/isa/oracle.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace meld::softgpu::isa::test {
namespace {

struct Setting {
  const char *name;
  Target target;
  const char *arguments;
  int oldest = 16; ///< LLVM that knows it
};

class LaterLlvm : public testing::TestWithParam<Setting> {};

TEST_P(LaterLlvm, Agrees) {
  const Setting &setting = GetParam();
  const std::string mc = laterLlvmMc(setting.oldest);
  if (mc.empty())
    GTEST_SKIP() << "no llvm-mc of LLVM " << setting.oldest << " to 22 in /usr/lib/llvm-*/bin";
  std::mt19937_64 rng(11);
  std::vector<Sample> samples;
  for (int n = 0; n < 40000; ++n) {
    const auto words = randomWords(rng, setting.target);
    Sample s{{words[0], words[1], words[2]}, setting.target, 0, ""};
    Inst inst;
    if (decode(s.words.data(), sizeof s.words, setting.target, inst) != DecodeStatus::ok)
      continue;
    s.size = inst.size;
    s.ours = disassemble(inst, setting.target);
    samples.push_back(s);
  }
  const std::vector<std::string> theirs = disassembleLater(mc, setting.arguments, samples);
  std::map<std::string, std::string> wrong; // one of each mnemonic
  size_t compared = 0;
  for (size_t n = 0; n < samples.size(); ++n) {
    compared += !theirs[n].empty();
    if (sameAsLater(samples[n].target, samples[n].words[1], samples[n].ours, theirs[n]))
      continue;
    char words[64];
    const auto &w = samples[n].words;
    std::snprintf(words, sizeof words, "%08x %08x %08x", w[0], w[1], w[2]);
    wrong.try_emplace(samples[n].ours.substr(0, samples[n].ours.find(' ')),
                      std::string(words) + "\n  LLVM: " + theirs[n] +
                          "\n  ours: " + samples[n].ours);
  }
  for (const auto &[name, text] : wrong)
    ADD_FAILURE() << text;
  std::printf("%s: %zu instructions, %zu of them known to %s\n", setting.name, samples.size(),
              compared, mc.c_str());
  EXPECT_GT(compared, samples.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(
    Targets, LaterLlvm,
    testing::Values(Setting{"gfx942", Target::gfx942, "-mcpu=gfx942"},
                    Setting{"gfx950", Target::gfx950, "-mcpu=gfx950", 21},
                    Setting{"gfx1030", Target::gfx1030, "-mcpu=gfx1030 -mattr=+wavefrontsize32"},
                    Setting{"gfx1100", Target::gfx1100, "-mcpu=gfx1100 -mattr=+wavefrontsize32"},
                    Setting{"gfx1100w64", Target::gfx1100w64,
                            "-mcpu=gfx1100 -mattr=-wavefrontsize32,+wavefrontsize64"}),
    [](const auto &p) { return std::string(p.param.name); });

} // namespace
} // namespace meld::softgpu::isa::test
