// Text equality with LLVM over whole code objects: the kernels of kernels.hip and, where Debian's
// librocrand is installed, everything in it.
#include "tests/runtime/softgpu/isa/oracle.h"

#include "passes/compat.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <optional>
#include <vector>

namespace meld::softgpu::isa::test {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

std::optional<Target> elfTarget(uint32_t flags) {
  switch (flags & llvm::ELF::EF_AMDGPU_MACH) {
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX900:
    return Target::gfx900;
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX906:
    return Target::gfx906;
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX908:
    return Target::gfx908;
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A:
    return Target::gfx90a;
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1030:
    return Target::gfx1030;
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1100:
    return Target::gfx1100;
  default:
    return std::nullopt;
  }
}

struct Tally {
  size_t objects = 0, instructions = 0, unsupported = 0, differences = 0;
};

/// Compares the functions of one AMDGPU ELF image. Padding between functions is not looked at.
void compareObject(llvm::StringRef image, Tally &tally, size_t limit) {
  auto elf = llvm::object::ELFFile<llvm::object::ELF64LE>::create(image);
  ASSERT_TRUE(bool(elf)) << llvm::toString(elf.takeError());
  auto target = elfTarget(elf->getHeader().e_flags);
  if (!target)
    return;
  ++tally.objects;
  Oracle oracle(*target);
  auto sections = elf->sections();
  ASSERT_TRUE(bool(sections));
  for (const auto &table : *sections) {
    if (table.sh_type != llvm::ELF::SHT_SYMTAB && table.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    auto symbols = elf->symbols(&table);
    ASSERT_TRUE(bool(symbols));
    for (const auto &symbol : *symbols) {
      if (symbol.getType() != llvm::ELF::STT_FUNC || symbol.st_size == 0)
        continue;
      auto section = elf->getSection(symbol.st_shndx);
      ASSERT_TRUE(bool(section));
      auto code = elf->getSectionContents(**section);
      ASSERT_TRUE(bool(code));
      size_t at = symbol.st_value - (*section)->sh_addr, end = at + symbol.st_size;
      while (at < end && tally.instructions < limit) {
        auto rest = std::span(code->data() + at, std::min<size_t>(end - at, 12));
        std::string difference = compare(oracle, *target, rest);
        if (!difference.empty() && ++tally.differences <= 10)
          ADD_FAILURE() << "at +" << at << ": " << difference;
        Inst inst;
        DecodeStatus status = decode(rest.data(), rest.size(), *target, inst);
        ASSERT_TRUE(status == DecodeStatus::ok || status == DecodeStatus::unsupported)
            << "at +" << at;
        tally.unsupported += status == DecodeStatus::unsupported;
        at += inst.size;
        ++tally.instructions;
      }
    }
    break; // the first symbol table has all functions
  }
}

/// Images in a file: the file itself, or those in offload bundles anywhere in it.
void compareFile(const std::string &path, Tally &tally, size_t limit = SIZE_MAX) {
  Bytes file = readFile(path);
  ASSERT_GT(file.size(), 64u) << path;
  llvm::StringRef all(reinterpret_cast<const char *>(file.data()), file.size());
  if (all.size() > 20 && uint8_t(all[18]) == llvm::ELF::EM_AMDGPU) {
    compareObject(all, tally, limit);
    return;
  }
  constexpr llvm::StringLiteral kMagic = "__CLANG_OFFLOAD_BUNDLE__";
  for (size_t at = all.find(kMagic); at != llvm::StringRef::npos; at = all.find(kMagic, at + 1)) {
    auto word = [&](size_t offset) {
      uint64_t x = 0;
      if (offset + 8 <= all.size())
        std::memcpy(&x, all.data() + offset, 8);
      return x;
    };
    uint64_t count = word(at + 24);
    size_t entry = at + 32;
    for (uint64_t i = 0; i < count && i < 64; ++i) {
      uint64_t offset = word(entry), size = word(entry + 8), nameLength = word(entry + 16);
      llvm::StringRef name = all.substr(entry + 24, nameLength);
      entry += 24 + nameLength;
      if (size != 0 && passes::compat::startsWith(name, "hip"))
        compareObject(all.substr(at + offset, size), tally, limit);
    }
  }
}

TEST(Objects, OwnKernels) {
  for (const char *arch : {"gfx900", "gfx90a", "gfx1030", "gfx1100"}) {
    Tally tally;
    for (const char *level : {"O0", "O3"})
      compareFile(std::string(MELD_ISA_OBJECTS "/kernels-") + arch + "-" + level + ".co", tally);
    std::printf("%s: %zu instructions\n", arch, tally.instructions);
    EXPECT_GT(tally.objects, 0u);
    EXPECT_GT(tally.instructions, 1000u);
    EXPECT_EQ(tally.unsupported, 0u);
    EXPECT_EQ(tally.differences, 0u);
  }
}

TEST(Objects, Rocrand) {
  const std::string path = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";
  if (!std::ifstream(path))
    GTEST_SKIP() << "librocrand1 is not installed";
  Tally tally;
  const char *all = std::getenv("MELD_ISA_ALL");
  compareFile(path, tally, all ? SIZE_MAX : 400000);
  std::printf("librocrand: %zu objects, %zu instructions\n", tally.objects, tally.instructions);
  EXPECT_GT(tally.instructions, 10000u);
  EXPECT_EQ(tally.unsupported, 0u);
  EXPECT_EQ(tally.differences, 0u);
}

} // namespace
} // namespace meld::softgpu::isa::test
