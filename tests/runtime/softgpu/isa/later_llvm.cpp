#include "tests/runtime/softgpu/isa/later_llvm.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace meld::softgpu::isa::test {

std::string laterLlvmMc(int oldest) {
  for (int version = 22; version >= oldest; --version) {
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

} // namespace meld::softgpu::isa::test
