// Unmelded bitcode must come back as the code hipcc made of it, byte for byte.
#include "jit/code_object.h"
#include "tests/jit/recompile.h"

#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;

namespace {

struct Case {
  const char *name;
  bool inComgr;
};

void PrintTo(const Case &c, std::ostream *os) {
  *os << c.name << (c.inComgr ? " comgr" : " own pipeline");
}

uint32_t eFlags(StringRef elf) { return support::endian::read32le(elf.data() + 48); }

size_t commonBytes(StringRef a, StringRef b) {
  return size_t(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

class ByteIdentity : public testing::TestWithParam<Case> {};

TEST_P(ByteIdentity, textRodataNoteAndFlags) {
  auto file = codeObject(GetParam().name);
  auto made = recompile(*file, GetParam().inComgr);
  ASSERT_TRUE(bool(made)) << errorOf(made);
  for (const char *section : {".text", ".rodata", ".note"}) {
    auto want = sectionBytes(*file, section);
    auto got = sectionBytes(*made->bytes, section);
    ASSERT_TRUE(want && got) << section;
    EXPECT_FALSE(want->empty()) << section;
    EXPECT_TRUE(*want == *got) << section << ": " << want->size() << " and " << got->size()
                               << " bytes, the first " << commonBytes(*want, *got) << " equal";
  }
  EXPECT_EQ(eFlags(made->bytes->getBuffer()), eFlags(file->getBuffer()));
  auto kernels = readKernels(*file);
  ASSERT_TRUE(bool(kernels)) << errorOf(kernels);
  ASSERT_EQ(kernels->size(), made->kernels.size());
  for (size_t i = 0; i < kernels->size(); ++i) {
    EXPECT_EQ(made->kernels[i].name, (*kernels)[i].name);
    EXPECT_TRUE(made->kernels[i].code == (*kernels)[i].code) << (*kernels)[i].name;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (bool inComgr : {false, true})
    for (const char *name :
         {"diamond-gfx90a", "reduce-gfx90a", "bitonic-gfx90a", "diamond-gfx900", "reduce-gfx900",
          "bitonic-gfx900", "reduce-O0", "reduce-O1", "reduce-O2", "reduce-fast", "reduce-contract",
          "reduce-debug", "reduce-v5", "reduce-xnack", "reduce-nocmd", "mixed"})
      if (!inComgr ||
          StringRef(name) != "reduce-contract") // comgr has no way to say -ffp-contract=fast
        all.push_back({name, inComgr});
  return all;
}

std::string caseName(const testing::TestParamInfo<Case> &info) {
  std::string s = info.param.name;
  for (char &c : s)
    if (c == '-')
      c = '_';
  return s + (info.param.inComgr ? "_comgr" : "_own");
}

INSTANTIATE_TEST_SUITE_P(Hipcc, ByteIdentity, testing::ValuesIn(cases()), caseName);

} // namespace
