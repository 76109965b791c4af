// Oracle: LLVM's own constants (llvm/BinaryFormat/ELF.h) and the objects that it makes.
#include "runtime/codeobject/codeobject.h"
#include "runtime/gpu/target.h"
#include "tests/runtime/codeobject/builder.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <stdlib.h>

using namespace meld;
using namespace meld::test;

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

// e_flags of LLVM 15's objects, clang -mcode-object-version=3. A clear bit is "off" where the processor
// has the feature (AMDGPUUsage, "AMDGPU Target Features"; so does ROCr read it).
TEST(Isa, FeatureBitsOfVersion3) {
  EXPECT_EQ(readIsa(header(0x12c, 1))->targetId(), "amdgcn-amd-amdhsa--gfx900:xnack+");
  EXPECT_EQ(readIsa(header(0x02c, 1))->targetId(), "amdgcn-amd-amdhsa--gfx900:xnack-");
  EXPECT_EQ(readIsa(header(0x330, 1))->targetId(), "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack+");
  EXPECT_EQ(readIsa(header(0x230, 1))->targetId(), "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-");
  EXPECT_EQ(readIsa(header(0x036, 1))->targetId(), "amdgcn-amd-amdhsa--gfx1030");
  EXPECT_EQ(readIsa(header(0x133, 1))->targetId(), "amdgcn-amd-amdhsa--gfx1010:xnack+");
}

TEST(Isa, WrongMachineOrProcessorIsAnError) {
  Elf64_Ehdr x86 = header(0x53f, 2);
  x86.e_machine = 62;
  ASSERT_FALSE(readIsa(x86));
  EXPECT_NE(readIsa(x86).error().message.find("0x12"), std::string::npos);
  Elf64_Ehdr mesa = header(0x53f, 2);
  mesa.e_ident[EI_OSABI] = 66;
  EXPECT_FALSE(readIsa(mesa));
}

// Also of a processor that our table lacks: its name is in the metadata.
TEST(Isa, AProcessorThatTheTableLacksIsNamedByTheMetadata) {
  ASSERT_EQ(findTarget(0x7eu), nullptr);
  BuildObject build;
  build.flags = 0x77e; // xnack on, sramecc any
  build.abi = 4;
  build.target = "amdgcn-amd-amdhsa--gfx1999:xnack+";
  const Bytes bytes = test::build(build);
  auto object = CodeObject::parse(bytes);
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(object->isa.processor, "gfx1999");
  EXPECT_EQ(object->isa.targetId(), "amdgcn-amd-amdhsa--gfx1999:xnack+");

  for (const char *none : {"", "amdgcn-amd-amdhsa--", "gfx 7\n"}) {
    build.target = none;
    const Bytes nameless = test::build(build);
    auto failed = CodeObject::parse(nameless);
    ASSERT_FALSE(failed) << none;
    EXPECT_NE(failed.error().message.find("EF_AMDGPU_MACH 0x7e"), std::string::npos)
        << failed.error().message;
  }
}

namespace {
/// -mcode-object-version=6 (4 for gfx940 and gfx941), what llvm-readelf -h prints as Flags.
struct MadeByLlvm {
  const char *processor;
  uint32_t flags;
};
constexpr MadeByLlvm kLlvm21[] = {
    // clang 21.1.8
    {"gfx10-1-generic", 0x1000152},
    {"gfx10-3-generic", 0x1000053},
    {"gfx1010", 0x133},
    {"gfx1011", 0x134},
    {"gfx1012", 0x135},
    {"gfx1013", 0x142},
    {"gfx1030", 0x36},
    {"gfx1031", 0x37},
    {"gfx1032", 0x38},
    {"gfx1033", 0x39},
    {"gfx1034", 0x3e},
    {"gfx1035", 0x3d},
    {"gfx1036", 0x45},
    {"gfx11-generic", 0x1000054},
    {"gfx1100", 0x41},
    {"gfx1101", 0x46},
    {"gfx1102", 0x47},
    {"gfx1103", 0x44},
    {"gfx1150", 0x43},
    {"gfx1151", 0x4a},
    {"gfx1152", 0x55},
    {"gfx1153", 0x58},
    {"gfx12-generic", 0x1000059},
    {"gfx1200", 0x48},
    {"gfx1201", 0x4e},
    {"gfx1250", 0x449},
    {"gfx600", 0x20},
    {"gfx601", 0x21},
    {"gfx602", 0x3a},
    {"gfx700", 0x22},
    {"gfx701", 0x23},
    {"gfx702", 0x24},
    {"gfx703", 0x25},
    {"gfx704", 0x26},
    {"gfx705", 0x3b},
    {"gfx801", 0x128},
    {"gfx802", 0x29},
    {"gfx803", 0x2a},
    {"gfx805", 0x3c},
    {"gfx810", 0x12b},
    {"gfx9-4-generic", 0x100055f},
    {"gfx9-generic", 0x1000151},
    {"gfx900", 0x12c},
    {"gfx902", 0x12d},
    {"gfx904", 0x12e},
    {"gfx906", 0x52f},
    {"gfx908", 0x530},
    {"gfx909", 0x131},
    {"gfx90a", 0x53f},
    {"gfx90c", 0x132},
    {"gfx942", 0x54c},
    {"gfx950", 0x54f},
    // clang 17.0.6; it has no features for these yet, LLVM's documentation has
    {"gfx940", 0x540},
    {"gfx941", 0x54b}};
} // namespace

TEST(Isa, EveryProcessorAsLlvmWritesIt) {
  EXPECT_EQ(std::size(kLlvm21), targets().size());
  for (const auto &[processor, flags] : kLlvm21) {
    auto isa = readIsa(header(flags, 4));
    ASSERT_TRUE(isa) << processor;
    EXPECT_EQ(isa->processor, processor);
    EXPECT_EQ(isa->genericVersion, isGenericTarget(processor) ? 1u : 0u) << processor;
    EXPECT_EQ(isa->codeObjectVersion, 6u);
    // No features asked for: "any" where the processor has it. The table says the same.
    const auto named = parseTargetId(processor);
    ASSERT_TRUE(named) << processor;
    EXPECT_EQ(isa->xnack, named->xnack) << processor;
    EXPECT_EQ(isa->sramecc, named->sramecc) << processor;
    EXPECT_EQ(isa->targetId(), std::string("amdgcn-amd-amdhsa--") + processor);
  }
}

// The same of the LLVM that this is built with, live.
TEST(Isa, EveryProcessorAsThisLlvmWritesIt) {
  const std::string clang = MELD_LLVM_BIN "/clang";
  char folder[] = "/tmp/meld-isa-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  const std::string file = std::string(folder) + "/object.o";
  unsigned seen = 0;
  for (const Target &target : targets()) {
    const std::string version = isGenericTarget(target.name) ? "6" : "4";
    const std::string command =
        "echo | " + clang +
        " -x assembler -target amdgcn-amd-amdhsa -mcode-object-version=" + version +
        " -mcpu=" + std::string(target.name) + " -c -o " + file + " - 2>/dev/null";
    if (system(command.c_str()))
      continue; // not known to this LLVM
    std::ifstream in(file, std::ios::binary);
    Elf64_Ehdr made{};
    ASSERT_TRUE(in.read(reinterpret_cast<char *>(&made), sizeof(made))) << target.name;
    auto isa = readIsa(made);
    ASSERT_TRUE(isa) << target.name;
    EXPECT_EQ(isa->processor, target.name);
    EXPECT_EQ(isa->xnack, target.xnack ? IsaFeature::any : IsaFeature::unsupported) << target.name;
    EXPECT_EQ(isa->sramecc, target.sramecc ? IsaFeature::any : IsaFeature::unsupported)
        << target.name;
    ++seen;
  }
  EXPECT_GE(seen, 35u);
  (void)!system(("rm -rf " + std::string(folder)).c_str());
}

TEST(Isa, EveryProcessorAsLlvmNumbersIt) {
  // Lines such as "EF_AMDGPU_MACH_AMDGCN_GFX90A        = 0x03f," of LLVM's header.
  std::ifstream in(MELD_LLVM_ELF_HEADER);
  std::regex line("EF_AMDGPU_MACH_AMDGCN_(GFX[0-9A-F_]+(?:GENERIC)?)\\s*=\\s*(0x[0-9a-f]+),");
  unsigned seen = 0;
  for (std::string text; std::getline(in, text);) {
    std::smatch match;
    if (!std::regex_search(text, match, line))
      continue;
    std::string name = match[1];
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c == '_' ? '-' : char(::tolower(c)); });
    auto isa = readIsa(header(std::stoul(match[2], nullptr, 16), 2));
    ASSERT_TRUE(isa) << text;
    EXPECT_EQ(isa->processor, name);
    ++seen;
  }
  EXPECT_GE(seen, 35u);
}

TEST(Isa, TargetIdsAreRead) {
  struct Case {
    const char *text, *target;
    IsaFeature sramecc, xnack;
  };
  using enum IsaFeature;
  for (const auto &[text, target, sramecc, xnack] : {
           Case{"gfx90a", "gfx90a", any, any},
           Case{"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", on, off},
           Case{"gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-", on, off},
           Case{"gfx906:sramecc-", "gfx906:sramecc-", off, any},
           Case{"gfx900:xnack+", "gfx900:xnack+", unsupported, on},
           Case{"gfx1030", "gfx1030", unsupported, unsupported},
           Case{"gfx9-4-generic:sramecc-:xnack+", "gfx9-4-generic:sramecc-:xnack+", off, on},
           Case{"gfx9-generic:xnack-", "gfx9-generic:xnack-", unsupported, off},
           Case{"gfx1999:xnack+", "gfx1999:xnack+", any, on}, // not in the table
           Case{"amdgcn-amd-amdhsa--gfx90a:xnack+", "gfx90a:xnack+", any, on},
           Case{"amdgcn-amd-amdhsa-unknown-gfx90a", "gfx90a", any, any},
           Case{"hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic", any, any},
       }) {
    auto isa = parseTargetId(text);
    ASSERT_TRUE(isa) << text << ": " << isa.error().message;
    EXPECT_EQ(isa->targetId(), std::string("amdgcn-amd-amdhsa--") + target) << text;
    EXPECT_EQ(isa->sramecc, sramecc) << text;
    EXPECT_EQ(isa->xnack, xnack) << text;
  }
  for (const char *text :
       {"", ":xnack+", "gfx90a:", "gfx90a:xnack", "gfx90a:+", "gfx90a:xnack+:xnack-",
        "gfx90a:xnack+:xnack+", "gfx90a:tgsplit+", "gfx90a:xnack+:", "amdgcn-amd-amdhsa--",
        "amdgcn-amd-amdhsa-", "gfx90a xnack+", "GFX90A", "gfx1030:xnack-", "gfx900:sramecc+",
        "gfx9-generic:sramecc-"}) {
    auto isa = parseTargetId(text);
    ASSERT_FALSE(isa) << text;
    EXPECT_NE(isa.error().message.find("'" + std::string(text) + "'"), std::string::npos);
  }
}
