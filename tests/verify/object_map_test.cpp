// What two code objects have in common, by the files that hipcc makes.
#include "runtime/codeobject/hostfile.h"
#include "shim/verify/object_map.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

using namespace meld;

namespace {

/// The gfx90a image of a program.
Bytes codeOf(const std::string &name) {
  std::ifstream file(MELD_BIN_DIR "/hip/" + name, std::ios::binary);
  const Bytes program{std::istreambuf_iterator<char>(file), {}};
  if (const auto images = findDeviceImages(program))
    for (const DeviceImage &image : *images)
      if (image.id.find("gfx90a") != std::string::npos)
        return {image.bytes.begin(), image.bytes.end()};
  return {};
}

const MappedSymbol *named(const std::vector<MappedSymbol> &list, const std::string &name) {
  const auto it = std::ranges::find(list, name, &MappedSymbol::name);
  return it == list.end() ? nullptr : &*it;
}

/// Without its table of all symbols, as after `strip`.
Bytes stripped(Bytes bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (unsigned k = 0; k < header.e_shnum; ++k) {
    uint8_t *at = bytes.data() + header.e_shoff + k * header.e_shentsize;
    Elf64_Shdr section;
    std::memcpy(&section, at, sizeof(section));
    if (section.sh_type == SHT_SYMTAB)
      section.sh_type = SHT_NULL;
    std::memcpy(at, &section, sizeof(section));
  }
  return bytes;
}

TEST(ObjectMap, PairsKernelsAndVariablesThatLieElsewhere) {
  const Bytes original = codeOf("verify_target"), replacement = codeOf("verify_planted");
  const auto map = mapObjects(original, replacement);
  ASSERT_TRUE(map.has_value()) << map.error().message;
  EXPECT_EQ(map->refused, "");
  EXPECT_NE(named(map->kernels, "_Z4stepPii"), nullptr);
  EXPECT_EQ(named(map->symbols, "_Z4stepPii.kd"), nullptr);
  const MappedSymbol *total = named(map->symbols, "total"), *spare = named(map->symbols, "spare");
  ASSERT_TRUE(total && spare);
  EXPECT_TRUE(total->variable);
  EXPECT_EQ(total->size, 256u);
  // The builds have the two in opposite order.
  EXPECT_NE(total->original < spare->original, total->replacement < spare->replacement);
  const MappedSymbol *hidden = named(map->symbols, "_ZL6hidden");
  ASSERT_TRUE(hidden); // local to its unit
  EXPECT_TRUE(hidden->variable);
  const MappedSymbol *factor = named(map->symbols, "factor");
  ASSERT_TRUE(factor); // constant for kernels, not for the program
  EXPECT_TRUE(factor->variable);
  EXPECT_LE(map->originalStart, total->original);
  EXPECT_GE(map->originalEnd, total->original + 256);
}

TEST(ObjectMap, RefusesAVariableOfTheReplacementAlone) {
  const Bytes original = codeOf("codeobject_sample"), replacement = codeOf("verify_target");
  ASSERT_FALSE(original.empty());
  const auto map = mapObjects(original, replacement);
  ASSERT_TRUE(map.has_value());
  EXPECT_NE(map->refused.find("only the replacement has the variable"), std::string::npos)
      << map->refused;
}

TEST(ObjectMap, RefusesVariablesWithoutNames) {
  const Bytes original = codeOf("verify_target");
  const auto map = mapObjects(stripped(original), original);
  ASSERT_TRUE(map.has_value()) << map.error().message;
  EXPECT_NE(map->refused.find("have no names"), std::string::npos) << map->refused;
}

/// With `change` done to each entry of both symbol tables, or of the one of all symbols only.
template <class Change> Bytes withSymbols(Bytes bytes, bool all, Change change) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_SYMTAB && (!all || section.sh_type != SHT_DYNSYM))
      continue;
    const char *names =
        reinterpret_cast<const char *>(bytes.data() + sections[section.sh_link].sh_offset);
    std::vector<Elf64_Sym> symbols(section.sh_size / sizeof(Elf64_Sym));
    uint8_t *at = bytes.data() + section.sh_offset;
    std::memcpy(symbols.data(), at, section.sh_size);
    change(symbols, names);
    std::memcpy(at, symbols.data(), section.sh_size);
  }
  return bytes;
}

Elf64_Sym *find(std::vector<Elf64_Sym> &symbols, const char *names, const std::string &name) {
  const auto it = std::ranges::find_if(
      symbols, [&](const Elf64_Sym &symbol) { return names + symbol.st_name == name; });
  return it == symbols.end() ? nullptr : &*it;
}

TEST(ObjectMap, RefusesAVariableOfAnotherSize) {
  const Bytes original = codeOf("verify_target");
  const Bytes replacement = withSymbols(original, true, [](auto &symbols, const char *names) {
    if (Elf64_Sym *total = find(symbols, names, "total"))
      total->st_size += 4;
  });
  const auto map = mapObjects(original, replacement);
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->refused, "its variable total has another size");
}

TEST(ObjectMap, RefusesTwoVariablesOfOneName) {
  const Bytes original = codeOf("verify_target");
  const Bytes replacement = withSymbols(original, false, [](auto &symbols, const char *names) {
    Elf64_Sym *total = find(symbols, names, "total"), *spare = find(symbols, names, "spare");
    if (total && spare)
      spare->st_name = total->st_name;
  });
  const auto map = mapObjects(original, replacement);
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->refused, "it has several variables total");
}

TEST(ObjectMap, SaysWhatIsNoCodeObject) {
  const Bytes original = codeOf("verify_target"), nonsense(100, 'x');
  EXPECT_FALSE(mapObjects(original, nonsense).has_value());
  EXPECT_FALSE(mapObjects(nonsense, original).has_value());
}

} // namespace
