// A second opinion: the disassembler of a later LLVM than the one the tests are linked with, as the
// program llvm-mc, where one is installed. LLVM 15 knows gfx942 by its predecessor and gfx1100 as it was
// planned; what it has wrong, a later one may have right.
//
// Words that we decode must be one instruction there, with the same mnemonic and registers, but for what
// is listed in `sameAsLater`. The rest of the text is LLVM 15's (random_test.cpp).
#include "tests/runtime/softgpu/isa/oracle.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <unistd.h>
#include <vector>

namespace meld::softgpu::isa::test {
namespace {

/// The newest llvm-mc from LLVM 16 on, or nothing.
std::string laterLlvmMc() {
  for (int version = 22; version >= 16; --version) {
    std::string path = "/usr/lib/llvm-" + std::to_string(version) + "/bin/llvm-mc";
    if (std::filesystem::exists(path))
      return path;
  }
  return "";
}

struct Sample {
  std::array<uint32_t, 3> words;
  Target target;
  unsigned size;
  std::string ours;
};

/// llvm-mc's lines for each sample: `s_nop n` stands before those of sample n.
std::vector<std::string> disassembleLater(const std::string &mc, const std::string &arguments,
                                          const std::vector<Sample> &samples) {
  const std::string base = testing::TempDir() + "/later_llvm_" + std::to_string(::getpid());
  {
    std::ofstream in(base + ".in");
    char text[16];
    const auto bytes = [&](uint32_t word) {
      for (unsigned k = 0; k < 4; ++k) {
        std::snprintf(text, sizeof text, "0x%02x ", word >> (8 * k) & 0xff);
        in << text;
      }
    };
    for (size_t n = 0; n < samples.size(); ++n) {
      bytes(0xbf800000 | (n & 0xffff));
      in << "\n";
      for (unsigned k = 0; k < samples[n].size / 4; ++k)
        bytes(samples[n].words[k]);
      in << "\n";
    }
  }
  const std::string command = mc + " -disassemble -triple=amdgcn-amd-amdhsa " + arguments + " " +
                              base + ".in > " + base + ".out 2> " + base + ".err";
  EXPECT_NE(std::system(command.c_str()), -1);
  std::vector<std::string> result(samples.size());
  std::ifstream out(base + ".out");
  size_t next = 0;
  for (std::string line; std::getline(out, line);) {
    while (!line.empty() && (line[0] == '\t' || line[0] == ' '))
      line.erase(0, 1);
    if (const size_t comment = line.find("//"); comment != line.npos)
      line.resize(comment);
    if (const size_t comment = line.find(';'); comment != line.npos)
      line.resize(comment);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t'))
      line.pop_back();
    if (line.empty() || line[0] == '.')
      continue;
    if (next < samples.size() &&
        (line == "s_nop " + std::to_string(next & 0xffff) ||
         (line.starts_with("s_nop 0x") &&
          std::strtoul(line.c_str() + 6, nullptr, 16) == (next & 0xffff)))) {
      ++next;
    } else if (next > 0) {
      std::string &text = result[next - 1];
      text += (text.empty() ? "" : " ; ") + line;
    }
  }
  if (next != samples.size())
    result.assign(samples.size(), "");
  for (const char *suffix : {".in", ".out", ".err"})
    std::filesystem::remove(base + suffix);
  return result;
}

/// Mnemonic and registers of an instruction's text.
std::string essence(const std::string &text) {
  static const std::regex registers("\\b(v|s|a|ttmp)(\\[[0-9:]+\\]|[0-9]+)\\b|\\b(vcc|exec|flat_"
                                    "scratch|xnack_mask)(_lo|_hi)?\\b|\\bm0\\b");
  const size_t name = text.find(' ');
  std::string result = text.substr(0, name);
  for (std::string suffix : {"_dpp", "_e32", "_e64"}) // LLVM 15 has none here and there
    if (result.ends_with(suffix))
      result.resize(result.size() - suffix.size());
  if (name != text.npos)
    for (std::sregex_iterator it(text.begin() + long(name), text.end(), registers), end; it != end;
         ++it)
      result += " " + it->str();
  return result;
}

/// The same instruction, but for what later LLVMs have changed their minds about.
bool sameAsLater(const Sample &s, const std::string &theirs) {
  // No longer taken, or with a remark: operands outside their class, bits that nobody sets.
  if (theirs.empty() || theirs.find("/*Invalid ") != theirs.npos)
    return true;
  // An atomic or a cache's invalidation has no tfe, and few loads can go to LDS: no longer instructions.
  const unsigned tfe = traitsOf(s.target).generation >= 11 ? 21 : 23;
  const bool noTfe = s.ours.starts_with("buffer_atomic_") || s.ours.starts_with("buffer_gl");
  if ((noTfe && (s.words[1] >> tfe & 1)) || s.ours.ends_with(" lds"))
    return true;
  // With tfe the data are a dword longer. 16-bit halves have names in some instructions only.
  for (const char *part : {" tfe", ".h", ".l"})
    if (s.ours.find(part) != s.ours.npos || theirs.find(part) != theirs.npos)
      return true;
  // A renamed one, and GFX6's that LLVM 15 takes everywhere.
  if (s.ours.starts_with("v_cvt_pknorm_") || s.ours == "buffer_wbinvl1")
    return true;
  return essence(s.ours) == essence(theirs);
}

struct Setting {
  const char *name;
  Target target;
  const char *arguments;
};

class LaterLlvm : public testing::TestWithParam<Setting> {};

TEST_P(LaterLlvm, Agrees) {
  const std::string mc = laterLlvmMc();
  if (mc.empty())
    GTEST_SKIP() << "no llvm-mc of LLVM 16 to 22 in /usr/lib/llvm-*/bin";
  const Setting &setting = GetParam();
  std::mt19937_64 rng(11);
  std::vector<Sample> samples;
  for (int n = 0; n < 40000; ++n) {
    Sample s{randomWords(rng, setting.target), setting.target, 0, ""};
    Inst inst;
    if (decode(s.words.data(), sizeof s.words, setting.target, inst) != DecodeStatus::ok)
      continue;
    s.size = inst.size;
    s.ours = disassemble(inst, setting.target);
    samples.push_back(s);
  }
  // In pieces: a word that ends the program (LLVM's printer has its traps) costs one of them.
  std::vector<std::string> theirs;
  constexpr size_t kPiece = 400;
  for (size_t at = 0; at < samples.size(); at += kPiece) {
    const std::vector<Sample> piece(samples.begin() + long(at),
                                    samples.begin() + long(std::min(samples.size(), at + kPiece)));
    for (std::string &text : disassembleLater(mc, setting.arguments, piece))
      theirs.push_back(std::move(text));
  }
  std::map<std::string, std::string> wrong; // one of each mnemonic
  size_t compared = 0;
  for (size_t n = 0; n < samples.size(); ++n) {
    compared += !theirs[n].empty();
    if (sameAsLater(samples[n], theirs[n]))
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
                    Setting{"gfx1030", Target::gfx1030, "-mcpu=gfx1030 -mattr=+wavefrontsize32"},
                    Setting{"gfx1100", Target::gfx1100, "-mcpu=gfx1100 -mattr=+wavefrontsize32"},
                    Setting{"gfx1100w64", Target::gfx1100w64,
                            "-mcpu=gfx1100 -mattr=-wavefrontsize32,+wavefrontsize64"}),
    [](const auto &p) { return std::string(p.param.name); });

} // namespace
} // namespace meld::softgpu::isa::test
