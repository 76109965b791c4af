// The tables of meld-gpu: a profile with its lines, coverage, disassembly.
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/tools/coverage.h"
#include "runtime/softgpu/tools/disassembly.h"
#include "runtime/softgpu/tools/line_table.h"
#include "runtime/softgpu/tools/object_file.h"
#include "runtime/softgpu/tools/profile_table.h"
#include "runtime/softgpu/tools/source_lines.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace meld::softgpu {
namespace {

const std::string kObject = std::string(MELD_TOOLS_TEST_OBJECTS) + "/lines-dwarf5.co";

class ProfileTable : public testing::Test {
protected:
  std::string file = testing::TempDir() + "meld-profile-table-" + std::to_string(getpid());
  ~ProfileTable() override { std::remove(file.c_str()); }

  /// A profile of the first instructions of `second`, as they are in the object, up to the first
  /// that has a line, and of another execution of that one.
  nlohmann::json profile() {
    auto object = ObjectFile::open(kObject);
    auto place = object->find("_Z6secondPfi", "gfx90a").at(0);
    nlohmann::json instructions = nlohmann::json::array();
    const auto lines = LineTable::read(place.object->elf);
    const SourceLine *line = nullptr;
    uint64_t offset = 0, last = 0;
    for (total = 0; !line; total += 1000) {
      isa::Inst inst;
      auto bytes = place.object->elf.atAddress(place.entry + offset, 12);
      isa::decode(bytes->data(), 12, isa::Target::gfx90a, inst);
      std::string text = isa::disassemble(inst, isa::Target::gfx90a, offset);
      std::ranges::replace(text, '\t', ' ');
      instructions.push_back(
          {{"offset", offset}, {"text", text}, {"kind", "x"}, {"executions", 1000}});
      line = lines->at(place.entry + offset);
      last = offset;
      offset += inst.size;
    }
    firstLine = line->file.substr(line->file.rfind('/') + 1) + ":" + std::to_string(line->line);
    total += 10;
    instructions.push_back({{"offset", last},
                            {"text", instructions.back()["text"]},
                            {"kind", "valu"},
                            {"executions", 10},
                            {"lanes", 320},
                            {"execZero", 2},
                            {"uniformSources", 4},
                            {"uniformResult", 6}});
    return {{"program", kObject},
            {"kernels",
             {{{"kernel", "_Z6secondPfi"},
               {"replaced", false},
               {"device", "gfx90a"},
               {"entry", "0x1000"},
               {"dispatches", 3},
               {"waves", 12},
               {"instructions", instructions}}}}};
  }
  std::string print(const nlohmann::json &p, ProfileTableOptions o = {}) {
    std::ofstream(file) << p.dump();
    o.file = file;
    auto text = profileTable(o);
    return text ? *text : "error: " + text.error().message;
  }
  std::string firstLine; ///< "lines.hip:21", or of a header
  uint64_t total = 0;    ///< executions
};

TEST_F(ProfileTable, NumbersAndLines) {
  const std::string text = print(profile());
  EXPECT_NE(text.find("second(float*, int)  gfx90a  3 dispatches  12 waves  " +
                      std::to_string(total / 1000) + "," + "010 executed"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("10 executed, 32.0 of 64 lanes active, 50.0 % with uniform sources"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(firstLine), std::string::npos) << text;
  EXPECT_NE(text.find("            10     32.0     50.0     75.0"), std::string::npos) << text;
  ProfileTableOptions byLine;
  byLine.byLine = true;
  EXPECT_NE(print(profile(), byLine).find(firstLine), std::string::npos);
  ProfileTableOptions other;
  other.kernel = "first";
  EXPECT_EQ(print(profile(), other), "");
}

TEST_F(ProfileTable, OtherCodeHasNoLines) {
  auto p = profile();
  p["kernels"][0]["instructions"][0]["text"] = "s_nop 0";
  const std::string text = print(p);
  EXPECT_NE(text.find("the code that ran is not that of the file"), std::string::npos) << text;
  EXPECT_EQ(text.find("lines.hip"), std::string::npos) << text;
}

TEST_F(ProfileTable, BadInput) {
  EXPECT_NE(print({{"kernels", {{{"kernel", 3}}}}}).find("is not a profile"), std::string::npos);
  EXPECT_NE(print(nlohmann::json::array()).find("is not a profile"), std::string::npos);
  ProfileTableOptions o;
  o.file = "/nowhere/profile.json";
  auto text = profileTable(o);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::io);
}

TEST(Coverage, EveryComputeOpcodeExecutes) {
  for (const char *target : {"gfx900", "gfx906", "gfx908", "gfx90a"}) {
    auto text = coverageTable(target, true);
    ASSERT_TRUE(text);
    unsigned executes = 0, defined = 0;
    ASSERT_EQ(std::sscanf(text->c_str() + std::strlen(target), ": %u of %u", &executes, &defined),
              2);
    // The goals: 831 opcodes for gfx900, 916 for gfx90a.
    EXPECT_GE(executes, 916u) << *text;
    EXPECT_LT(executes, defined);
    EXPECT_NE(text->find("image_load"), std::string::npos);
    for (const char *no :
         {"v_add_f32\n", "ds_read_b32\n", "s_add_u32\n", "v_mfma_f32_32x32x1f32\n"})
      EXPECT_EQ(text->find(std::string("    ") + no), std::string::npos) << no << *text;
  }
  EXPECT_FALSE(coverageTable("gfx1234", false));
}

TEST(Disassembly, KernelsAndLines) {
  auto text = disassembly(kObject, "second", "");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("second(float*, int)  gfx90a at 0x"), std::string::npos) << *text;
  EXPECT_NE(text->find("s_barrier"), std::string::npos);
  EXPECT_NE(text->find("s_endpgm"), std::string::npos);
  EXPECT_NE(text->find("lines.hip:"), std::string::npos);
  EXPECT_EQ(text->find("first("), std::string::npos);
  EXPECT_EQ(text->find(".long"), std::string::npos) << *text;
  EXPECT_FALSE(disassembly("/nowhere", "", ""));
}

TEST(Disassembly, MasksAreAsWideAsTheWave) {
  for (unsigned lanes : {32u, 64u}) {
    const std::string file =
        std::string(MELD_TOOLS_TEST_OBJECTS) + "/lines-wave" + std::to_string(lanes) + ".co";
    auto text = disassembly(file, "first", "gfx1030");
    ASSERT_TRUE(text) << text.error().message;
    const bool narrow = lanes == 32;
    EXPECT_EQ(text->find("vcc_lo") != std::string::npos, narrow) << *text;
    EXPECT_EQ(text->find(", vcc,") != std::string::npos, !narrow) << *text;
  }
}

TEST(SourceLinesTest, CodeOfEachWaveSizeIsThatOfTheFile) {
  const std::pair<unsigned, isa::Target> sizes[] = {{32, isa::Target::gfx1030},
                                                    {64, isa::Target::gfx1030w64}};
  for (const auto &[lanes, target] : sizes) {
    const std::string file =
        std::string(MELD_TOOLS_TEST_OBJECTS) + "/lines-wave" + std::to_string(lanes) + ".co";
    auto object = ObjectFile::open(file);
    ASSERT_TRUE(object);
    const KernelPlace place = object->find("_Z5firstPfi", "gfx1030").at(0);
    std::vector<RanCode> ran;
    bool mask = false;
    for (uint64_t offset = 0; offset < place.size;) {
      isa::Inst inst;
      const auto bytes = place.object->elf.atAddress(place.entry + offset, 12);
      ASSERT_TRUE(bytes);
      ASSERT_EQ(isa::decode(bytes->data(), 12, target, inst), isa::DecodeStatus::ok);
      std::string text = isa::disassemble(inst, target, offset);
      std::ranges::replace(text, '\t', ' ');
      mask |= text.find("vcc") != std::string::npos;
      ran.push_back({int64_t(offset), text});
      offset += inst.size;
    }
    EXPECT_TRUE(mask);
    SourceLines lines;
    lines.open(file);
    std::string note;
    EXPECT_TRUE(lines.of("_Z5firstPfi", "gfx1030", ran, false, note)) << note;
  }
}

} // namespace
} // namespace meld::softgpu
