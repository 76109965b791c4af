// Source lines against llvm-symbolizer, for DWARF 3, 4 and 5; damaged sections.
#include "runtime/host/whole_file.h"
#include "runtime/softgpu/tools/line_table.h"
#include "runtime/softgpu/tools/object_file.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace meld::softgpu {
namespace {

std::string objectName(int version) {
  return std::string(MELD_TOOLS_TEST_OBJECTS) + "/lines-dwarf" + std::to_string(version) + ".co";
}

/// file:line of each address as LLVM sees it.
std::vector<std::string> oracle(const std::string &elf, const std::vector<uint64_t> &addresses) {
  const std::string list = testing::TempDir() + "meld-lines-addresses-" + std::to_string(getpid());
  {
    std::ofstream out(list);
    for (uint64_t a : addresses)
      out << hexOffset(a) << "\n";
  }
  const std::string command = std::string(MELD_LLVM_SYMBOLIZER) +
                              " --functions=none --no-inlines --obj=" + elf + " < " + list;
  std::FILE *pipe = popen(command.c_str(), "r");
  std::vector<std::string> lines;
  char buffer[4096];
  while (pipe && std::fgets(buffer, sizeof(buffer), pipe)) {
    std::string text = buffer;
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
    if (text.empty())
      continue;
    text.resize(text.rfind(':')); // the column
    lines.push_back(text);
  }
  if (pipe)
    pclose(pipe);
  std::remove(list.c_str());
  return lines;
}

class Lines : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dwarf, Lines, testing::Values(3, 4, 5));

TEST_P(Lines, AgreeWithLlvm) {
  auto file = ObjectFile::open(objectName(GetParam()));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->objects().size(), 1u);
  const CodeObject &object = *file->objects()[0];
  auto table = LineTable::read(object.elf);
  ASSERT_TRUE(table) << table.error().message;
  const ElfSection *text = object.elf.section(".text");
  ASSERT_TRUE(text);
  std::vector<uint64_t> addresses;
  for (uint64_t a = text->address; a < text->address + text->size; a += 4)
    addresses.push_back(a);

  const std::string elf = testing::TempDir() + "meld-lines-" + std::to_string(getpid());
  {
    std::ofstream out(elf, std::ios::binary);
    const ByteView bytes = object.elf.bytes();
    out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }
  const auto want = oracle(elf, addresses);
  std::remove(elf.c_str());
  ASSERT_EQ(want.size(), addresses.size());
  size_t known = 0;
  for (size_t k = 0; k < addresses.size(); ++k) {
    const SourceLine *got = table->at(addresses[k]);
    if (want[k].ends_with(":0") || want[k].starts_with("??")) {
      EXPECT_EQ(got, nullptr) << hexOffset(addresses[k]) << " " << want[k];
      continue;
    }
    ++known;
    ASSERT_TRUE(got) << hexOffset(addresses[k]) << " " << want[k];
    // The folder of the compilation, index 0 before version 5, is in .debug_info, which LLVM reads.
    const std::string ours = got->file + ":" + std::to_string(got->line);
    EXPECT_TRUE(want[k].ends_with(ours))
        << hexOffset(addresses[k]) << " " << want[k] << " " << ours;
  }
  EXPECT_GT(known, 200u);
}

// Whatever the bytes, an answer or an error: nothing is read outside (run under the sanitizers).
TEST_P(Lines, SurviveDamage) {
  auto bytes = readWholeFile(objectName(GetParam()));
  ASSERT_TRUE(bytes);
  auto file = ObjectFile::open(objectName(GetParam()));
  ASSERT_TRUE(file);
  const ByteView image = file->objects()[0]->elf.bytes();
  const ElfSection *section = file->objects()[0]->elf.section(".debug_line");
  ASSERT_TRUE(section && section->size > 100);
  std::mt19937 rng(5);
  int errors = 0;
  for (int n = 0; n < 400; ++n) {
    Bytes damaged(image.begin(), image.end());
    for (int k = 0; k < 3; ++k)
      damaged[section->offset + rng() % section->size] = uint8_t(rng());
    auto elf = Elf::parse(damaged);
    ASSERT_TRUE(elf);
    auto table = LineTable::read(*elf);
    errors += !table;
    if (table)
      continue;
    EXPECT_NE(table.error().message.find(".debug_line unit at 0x"), std::string::npos);
  }
  EXPECT_GT(errors, 0);
}

TEST(Lines, WithoutDebugInformation) {
  auto file = ObjectFile::open(std::string(MELD_TOOLS_TEST_OBJECTS) + "/lines-none.co");
  ASSERT_TRUE(file) << file.error().message;
  auto table = LineTable::read(file->objects()[0]->elf);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::notFound);
}

} // namespace
} // namespace meld::softgpu
