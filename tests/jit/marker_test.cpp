#include "jit/marker.h"
#include "tests/jit/test_objects.h"

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;

namespace {

TEST(Marker, addsASectionAndChangesNoOther) {
  auto file = codeObject("reduce-gfx90a");
  auto marked = appendMarker(*file, "{\"hello\":1}");
  ASSERT_TRUE(bool(marked)) << errorOf(marked);
  MemoryBufferRef made(*marked, "marked");
  auto text = sectionBytes(made, ".meld");
  ASSERT_TRUE(bool(text)) << errorOf(text);
  EXPECT_EQ(*text, "{\"hello\":1}");

  using namespace llvm::object;
  auto a = cantFail(ELFFile<ELF64LE>::create(file->getBuffer()));
  auto b = cantFail(ELFFile<ELF64LE>::create(*marked));
  auto sectionsA = cantFail(a.sections()), sectionsB = cantFail(b.sections());
  ASSERT_EQ(sectionsB.size(), sectionsA.size() + 1);
  EXPECT_EQ(sectionsB.back().sh_flags, 0u);
  for (size_t i = 1; i < sectionsA.size(); ++i) {
    auto name = cantFail(a.getSectionName(sectionsA[i]));
    EXPECT_EQ(cantFail(b.getSectionName(sectionsB[i])), name);
    if (name != ".shstrtab") {
      EXPECT_EQ(cantFail(a.getSectionContents(sectionsA[i])),
                cantFail(b.getSectionContents(sectionsB[i])))
          << name.str();
    }
  }
  // Program headers and everything a loader maps: the same bytes but for e_shoff (40..47) and
  // e_shnum (60, 61).
  for (size_t i = 0; i < file->getBufferSize(); ++i)
    if (!(i >= 40 && i < 48) && i != 60 && i != 61) {
      ASSERT_EQ((*marked)[i], file->getBufferStart()[i]) << i;
    }
}

TEST(Marker, refusesWhatIsNoElf) {
  auto marked = appendMarker(MemoryBufferRef("nonsense", "x"), "y");
  EXPECT_FALSE(errorOf(marked).empty());
}

} // namespace
