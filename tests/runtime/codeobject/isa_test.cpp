// Oracle: LLVM's own constants (llvm/BinaryFormat/ELF.h).
#include "runtime/codeobject/isa.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>

using namespace meld;

namespace {

Elf64_Ehdr header(uint32_t flags, uint8_t abi) {
  Elf64_Ehdr h{};
  h.e_machine = 224;
  h.e_ident[EI_OSABI] = 64;
  h.e_ident[EI_ABIVERSION] = abi;
  h.e_flags = flags;
  return h;
}

} // namespace

TEST(Isa, FeatureBitsOfVersion4) {
  EXPECT_EQ(readIsa(header(0x53f, 2))->targetId(), "amdgcn-amd-amdhsa--gfx90a");
  EXPECT_EQ(readIsa(header(0x03f | 0x300 | 0x800, 2))->targetId(),
            "amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack+");
  EXPECT_EQ(readIsa(header(0x02f | 0x200 | 0xc00, 2))->targetId(),
            "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-");
  EXPECT_EQ(readIsa(header(0x02c | 0x100, 3))->codeObjectVersion, 5u);
}

TEST(Isa, FeatureBitsOfVersion3) {
  EXPECT_EQ(readIsa(header(0x02c | 0x100, 1))->targetId(), "amdgcn-amd-amdhsa--gfx900:xnack+");
  EXPECT_EQ(readIsa(header(0x030 | 0x200, 1))->targetId(), "amdgcn-amd-amdhsa--gfx908:sramecc+");
}

TEST(Isa, WrongMachineOrProcessorIsAnError) {
  Elf64_Ehdr x86 = header(0x53f, 2);
  x86.e_machine = 62;
  ASSERT_FALSE(readIsa(x86));
  EXPECT_NE(readIsa(x86).error().message.find("0x12"), std::string::npos);
  EXPECT_FALSE(readIsa(header(0x01, 2)));
  Elf64_Ehdr mesa = header(0x53f, 2);
  mesa.e_ident[EI_OSABI] = 66;
  EXPECT_FALSE(readIsa(mesa));
}

TEST(Isa, EveryProcessorAsLlvmNumbersIt) {
  // Lines such as "EF_AMDGPU_MACH_AMDGCN_GFX90A        = 0x03f," of LLVM's header.
  std::ifstream in(MELD_LLVM_ELF_HEADER);
  std::regex line("EF_AMDGPU_MACH_AMDGCN_(GFX[0-9A-F]+)\\s*=\\s*(0x[0-9a-f]+),");
  unsigned seen = 0;
  for (std::string text; std::getline(in, text);) {
    std::smatch match;
    if (!std::regex_search(text, match, line))
      continue;
    std::string name = match[1];
    std::transform(name.begin(), name.end(), name.begin(), ::tolower);
    auto isa = readIsa(header(std::stoul(match[2], nullptr, 16), 2));
    ASSERT_TRUE(isa) << text;
    EXPECT_EQ(isa->processor, name);
    ++seen;
  }
  EXPECT_GE(seen, 35u);
}
