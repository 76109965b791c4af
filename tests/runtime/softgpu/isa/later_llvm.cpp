#include "tests/runtime/softgpu/isa/later_llvm.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace meld::softgpu::isa::test {

std::string laterLlvmMc(int oldest, int newest) {
  for (int version = newest; version >= oldest; --version) {
    std::string path = "/usr/lib/llvm-" + std::to_string(version) + "/bin/llvm-mc";
    if (std::filesystem::exists(path))
      return path;
  }
  return "";
}

namespace {

/// llvm-mc's lines for each sample: `s_nop n` stands before those of sample n.
std::vector<std::string> disassemblePiece(const std::string &mc, const std::string &arguments,
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
    // What decodes longer than it is swallows what follows, which is therefore more than the number.
    constexpr uint32_t kPad = 0xbf800000 | 0xffff; // s_nop
    for (size_t n = 0; n < samples.size(); ++n) {
      for (unsigned k = 0; k < 3; ++k)
        bytes(kPad);
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
    if (line.empty() || line[0] == '.' || line == "s_nop 0xffff")
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
  // What is no instruction is named on the error output, and skipped dword by dword: its text is of
  // something else. Sample n is on the line after its s_nop.
  std::ifstream errors(base + ".err");
  for (std::string line; std::getline(errors, line);)
    if (const size_t at = line.find(".in:");
        at != line.npos && line.find("invalid instruction encoding") != line.npos)
      if (const size_t n = std::strtoul(line.c_str() + at + 4, nullptr, 10) / 2;
          n >= 1 && n <= result.size())
        result[n - 1].clear();
  for (const char *suffix : {".in", ".out", ".err"})
    std::filesystem::remove(base + suffix);
  return result;
}

} // namespace

std::vector<std::string> disassembleLater(const std::string &mc, const std::string &arguments,
                                          const std::vector<Sample> &samples) {
  std::vector<std::string> all;
  constexpr size_t kPiece = 400;
  for (size_t at = 0; at < samples.size(); at += kPiece) {
    const std::vector<Sample> piece(samples.begin() + long(at),
                                    samples.begin() + long(std::min(samples.size(), at + kPiece)));
    for (std::string &text : disassemblePiece(mc, arguments, piece))
      all.push_back(std::move(text));
  }
  return all;
}

namespace {
std::string withoutRemarks(std::string text) {
  for (size_t at; (at = text.find("/*Invalid ")) != text.npos;)
    text.erase(at, text.find("*/", at) + 2 - at);
  return text;
}
} // namespace

size_t compareLater(const std::string &mc, const std::string &arguments,
                    const std::vector<Sample> &samples,
                    bool (*differs)(const Sample &, const std::string &theirs)) {
  const std::vector<std::string> theirs = disassembleLater(mc, arguments, samples);
  std::map<std::string, std::string> wrong; // one of each mnemonic
  size_t known = 0;
  for (size_t n = 0; n < samples.size(); ++n) {
    const Sample &s = samples[n];
    known += !theirs[n].empty();
    if (s.ours == withoutRemarks(theirs[n]) || differs(s, theirs[n]))
      continue;
    char words[64];
    std::snprintf(words, sizeof words, "%08x %08x %08x %08x", s.words[0], s.words[1], s.words[2],
                  s.words[3]);
    wrong.try_emplace(s.ours.substr(0, s.ours.find(' ')),
                      std::string(words) + "\n  LLVM: " + theirs[n] + "\n  ours: " + s.ours);
  }
  for (const auto &[name, text] : wrong)
    ADD_FAILURE() << text;
  return known;
}

} // namespace meld::softgpu::isa::test
