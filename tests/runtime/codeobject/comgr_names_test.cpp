#include "runtime/codeobject/comgr_names.h"
#include "tests/runtime/codeobject/builder.h"

#include <gtest/gtest.h>

using namespace meld;
using namespace meld::test;

namespace {

void appendBits(Bytes &bytes, size_t &bits, const std::string &text, unsigned width) {
  for (char c : text)
    for (unsigned b = 0; b < width; ++b, ++bits) {
      if (bits % 8 == 0)
        bytes.push_back(0);
      bytes.back() |= (c >> b & 1) << (bits % 8);
    }
}

/// Bitcode with the source file's name `lead` bits in, and once more in its string table.
Bytes bitcodeNamed(const std::string &name, unsigned width, unsigned lead, char code = 'x') {
  Bytes bytes = {'B', 'C', 0xC0, 0xDE};
  size_t bits = 32;
  for (unsigned i = 0; i < lead; ++i)
    appendBits(bytes, bits, std::string(1, char(i * 5 % 2)), 1);
  appendBits(bytes, bits, "/tmp/" + name + "/input/CompileSource", width);
  for (char c : std::string("__ocml_sin_f32/tmp/" + name + "/input/CompileSource"))
    bytes.push_back(c);
  bytes.insert(bytes.end(), 20, code);
  return bytes;
}

Bytes object(const Bytes &bitcode, const std::string &commands) {
  BuildObject description;
  description.bitcode = bitcode;
  description.extraSections = {{".llvmcmd", Bytes(commands.begin(), commands.end())}};
  return build(description);
}

std::string commandsNamed(const std::string &name, const std::string &unit) {
  return std::string("-cc1\0-I\0/tmp/", 14) + name + std::string("/include\0-O3\0-cuid=", 19) +
         unit + std::string(1, '\0');
}

} // namespace

TEST(ComgrNames, TwoCompilesOfOneSourceLookTheSame) {
  for (unsigned width : {7, 8})
    for (unsigned lead = 0; lead < 16; ++lead) {
      Bytes a = object(bitcodeNamed("comgr-17eb4a", width, lead),
                       commandsNamed("comgr-17eb4a", "18fe041bab778c4c"));
      Bytes b = object(bitcodeNamed("comgr-000fff", width, lead),
                       commandsNamed("comgr-000fff", "0123456789abcdef"));
      ASSERT_NE(a, b);
      Bytes left = withoutComgrNames(a);
      ASSERT_GT(left.size(), a.size() / 2);
      EXPECT_EQ(left, withoutComgrNames(b)) << width << " bits, " << lead << " bits in";
    }
}

// Seen from hiprtc: about one hash in sixteen has a digit less, and all that lies behind it moves.
TEST(ComgrNames, AHashOfAnotherLengthMovesNothing) {
  const Bytes bitcode = bitcodeNamed("comgr-17eb4a", 7, 3);
  const Bytes usual =
      withoutComgrNames(object(bitcode, commandsNamed("comgr-17eb4a", "18fe041bab778c4c")));
  for (const char *unit : {"8fe041bab778c4c", "ab778c4c00112", "00000000"}) {
    const Bytes object =
        ::object(bitcodeNamed("comgr-0a1b2c", 7, 3), commandsNamed("comgr-0a1b2c", unit));
    EXPECT_EQ(withoutComgrNames(object), usual) << unit;
  }
  // Two units of one link, each with its own.
  auto two = [&](const std::string &first, const std::string &second) {
    return withoutComgrNames(object(bitcode, commandsNamed("comgr-17eb4a", first) +
                                                 commandsNamed("comgr-17eb4a", second)));
  };
  EXPECT_EQ(two("18fe041bab778c4c", "18fe041bab778c4"), two("8fe041bab778c4c", "0123456789abcdef"));
  EXPECT_NE(two("18fe041bab778c4c", "18fe041bab778c4"), usual);
}

// Whatever else is changed by a byte is a difference in the form, too: in what is loaded, in
// bitcode, in other arguments, in the sections behind.
TEST(ComgrNames, EveryOtherByteCounts) {
  BuildObject description;
  description.bitcode = bitcodeNamed("comgr-17eb4a", 7, 3);
  const std::string commands = commandsNamed("comgr-17eb4a", "18fe041bab778c4c");
  description.extraSections = {{".llvmcmd", Bytes(commands.begin(), commands.end())},
                               {".comment", {'a', 'b', 'c', 'd'}}};
  const Bytes whole = build(description), form = withoutComgrNames(whole);
  auto elf = Elf::parse(whole);
  ASSERT_TRUE(elf);
  size_t changed = 0;
  for (const ElfSection &section : elf->sections())
    for (size_t i = 0; i < section.bytes.size(); ++i) {
      const size_t at = section.bytes.data() - whole.data() + i;
      Bytes other = whole;
      other[at] ^= 0x80; // makes no hex digit of another one
      const std::string_view text(reinterpret_cast<const char *>(whole.data()), whole.size());
      if (withoutComgrNames(other) == form)
        ADD_FAILURE() << "a byte of " << section.name << " at " << i
                      << " does not count: " << text.substr(at, 16);
      ++changed;
    }
  EXPECT_GT(changed, 500u);
}

TEST(ComgrNames, EveryOtherDifferenceStays) {
  const std::string commands = commandsNamed("comgr-17eb4a", "18fe041bab778c4c");
  Bytes a = object(bitcodeNamed("comgr-17eb4a", 7, 3, 'x'), commands);
  Bytes b = object(bitcodeNamed("comgr-17eb4a", 7, 3, 'y'), commands);
  EXPECT_NE(withoutComgrNames(a), withoutComgrNames(b));
  // A name that the command line does not show is no temporary folder.
  Bytes c = object(bitcodeNamed("comgr-aaaaaa", 7, 3, 'x'), commands);
  EXPECT_NE(withoutComgrNames(a), withoutComgrNames(c));
}

TEST(ComgrNames, HipccsObjectsAreNotCopied) {
  const Bytes bitcode = bitcodeNamed("comgr-17eb4a", 7, 0);
  EXPECT_TRUE(withoutComgrNames(build({})).empty()) << "no commands";
  EXPECT_TRUE(
      withoutComgrNames(object(bitcode, std::string("-cc1\0-O3\0-cuid=18fe041bab778c4c\0", 32)))
          .empty());
  EXPECT_TRUE(withoutComgrNames(object(bitcode, "-I/home/u/comgr-source/include")).empty());
}

// The offset of a section without contents may be anything; found by the fuzzer with UBSan.
TEST(ComgrNames, SectionsWithoutContentsLieNowhere) {
  BuildObject description;
  const std::string commands = commandsNamed("comgr-17eb4a", "18fe041bab778c4c");
  description.bitcode = bitcodeNamed("comgr-17eb4a", 8, 0);
  description.extraSections = {{".llvmcmd", Bytes(commands.begin(), commands.end())},
                               {".nothing", Bytes{1, 2, 3}}};
  Bytes bytes = build(description);
  auto elf = Elf::parse(bytes);
  ASSERT_TRUE(elf);
  Elf64_Shdr header;
  const ElfSection *nothing = elf->section(".nothing");
  ASSERT_NE(nothing, nullptr);
  const size_t at =
      elf->header().e_shoff + size_t(nothing - elf->sections().data()) * sizeof(header);
  std::memcpy(&header, &bytes[at], sizeof(header));
  header.sh_type = SHT_NOBITS;
  Bytes made[2];
  for (int i = 0; i < 2; ++i) {
    header.sh_offset = i ? UINT64_MAX - 4096 : bytes.size();
    std::memcpy(&bytes[at], &header, sizeof(header));
    made[i] = withoutComgrNames(bytes);
    ASSERT_FALSE(made[i].empty());
  }
  EXPECT_EQ(made[0], made[1]);
}

TEST(ComgrNames, NothingMalformedHurts) {
  Bytes whole =
      object(bitcodeNamed("comgr-17eb4a", 7, 5), commandsNamed("comgr-17eb4a", "18fe041b"));
  for (size_t size = 0; size < whole.size(); size += 13)
    (void)withoutComgrNames(ByteView(whole).first(size));
  EXPECT_FALSE(withoutComgrNames(object({}, "comgr-17eb4a")).empty());
  EXPECT_TRUE(withoutComgrNames(object({1, 2}, "comgr-17eb4")).empty());
}
