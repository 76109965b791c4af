// Numbers from the occupancy tables of the GCN/CDNA/RDNA documentation, not from the code under
// test.
#include "runtime/gpu/occupancy.h"

#include <array>
#include <gtest/gtest.h>
#include <iterator>
#include <tuple>
#include <vector>

using meld::wavesPerSimd;

TEST(Occupancy, Gfx90aUnifiedFile) {
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {0, 0, 0}), 8u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {64, 0, 16}), 8u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {65, 0, 16}), 7u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {128, 0, 16}), 4u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {512, 256, 16}), 1u);
}

TEST(Occupancy, Gfx9SeparateFile) {
  EXPECT_EQ(wavesPerSimd("gfx906", 64, {24, 0, 16}), 10u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, {25, 0, 16}), 9u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, {32, 0, 16}), 8u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, {256, 0, 16}), 1u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, {4, 0, 80}), 10u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, {4, 0, 102}), 7u);
  EXPECT_EQ(wavesPerSimd("gfx908", 64, {4, 128, 16}), 2u) << "AGPRs have a file of their own";
}

TEST(Occupancy, Rdna) {
  EXPECT_EQ(wavesPerSimd("gfx1030", 32, {64, 0, 106}), 16u);
  EXPECT_EQ(wavesPerSimd("gfx1030", 32, {65, 0, 106}), 12u);
  EXPECT_EQ(wavesPerSimd("gfx1010", 32, {48, 0, 106}), 20u);
  EXPECT_EQ(wavesPerSimd("gfx1010", 64, {128, 0, 106}), 4u);
}

// llc-15's "; Occupancy:" of kernels that use so many vector registers.
TEST(Occupancy, VectorRegistersAsLlvmCountsThem) {
  static constexpr unsigned registers[] = {24, 25, 32, 33, 40, 41,  48, 49,
                                           64, 65, 84, 85, 97, 129, 169};
  struct Row {
    const char *processor;
    unsigned wave;
    unsigned waves[std::size(registers)];
  };
  constexpr Row rows[] = {
      {"gfx700", 64, {10, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1}},
      {"gfx803", 64, {10, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1}},
      {"gfx906", 64, {10, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1}},
      {"gfx90a", 64, {8, 8, 8, 8, 8, 8, 8, 8, 8, 7, 5, 5, 4, 3, 2}},
      {"gfx940", 64, {8, 8, 8, 8, 8, 8, 8, 8, 8, 7, 5, 5, 4, 3, 2}},
      {"gfx1010", 32, {20, 20, 20, 20, 20, 20, 20, 18, 16, 14, 11, 11, 9, 7, 5}},
      {"gfx1010", 64, {20, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 5, 3, 2}},
      {"gfx1030", 32, {16, 16, 16, 16, 16, 16, 16, 16, 16, 12, 10, 10, 9, 7, 5}},
      {"gfx1030", 64, {16, 16, 16, 12, 12, 10, 10, 9, 8, 7, 5, 5, 4, 3, 2}},
      {"gfx1102", 32, {16, 16, 16, 16, 16, 16, 16, 16, 16, 12, 10, 10, 9, 7, 5}},
  };
  for (const Row &row : rows)
    for (size_t i = 0; i < std::size(registers); ++i)
      EXPECT_EQ(wavesPerSimd(row.processor, row.wave, {registers[i], 0, 16}), row.waves[i])
          << row.processor << " waves of " << row.wave << ", " << registers[i] << " VGPRs";
}

// The same of LLVM 21.1.8's llc, -mcpu=NAME -mattr=+wavefrontsizeN (from code object 6 on where generic).
TEST(Occupancy, VectorRegistersAsANewerLlvmCountsThem) {
  static constexpr unsigned registers[] = {24, 25, 32, 33, 40, 41,  48,  49,
                                           64, 65, 84, 85, 97, 121, 129, 169};
  using Waves = std::array<unsigned, std::size(registers)>;
  constexpr Waves gfx9 = {10, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 2, 1, 1};
  constexpr Waves cdna = {8, 8, 8, 8, 8, 8, 8, 8, 8, 7, 5, 5, 4, 4, 3, 2};
  constexpr Waves rdna1 = {20, 20, 20, 20, 20, 20, 20, 18, 16, 14, 11, 11, 9, 8, 7, 5};
  constexpr Waves rdna1of64 = {20, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 5, 4, 3, 2};
  constexpr Waves small = {16, 16, 16, 16, 16, 16, 16, 16, 16, 12, 10, 10, 9, 8, 7, 5};
  constexpr Waves smallOf64 = {16, 16, 16, 12, 12, 10, 10, 9, 8, 7, 5, 5, 4, 4, 3, 2};
  constexpr Waves large = {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 12, 10, 10, 8};
  constexpr Waves largeOf64 = {16, 16, 16, 16, 16, 16, 16, 12, 10, 10, 9, 8, 7, 5, 5, 4};
  const std::tuple<std::vector<const char *>, unsigned, Waves> rows[] = {
      {{"gfx900", "gfx9-generic"}, 64, gfx9},
      {{"gfx90a", "gfx942", "gfx950", "gfx9-4-generic"}, 64, cdna},
      {{"gfx1010", "gfx10-1-generic"}, 32, rdna1},
      {{"gfx1010", "gfx10-1-generic"}, 64, rdna1of64},
      {{"gfx1030", "gfx1102", "gfx1103", "gfx1150", "gfx1152", "gfx1153", "gfx10-3-generic",
        "gfx11-generic"},
       32,
       small},
      {{"gfx1030", "gfx1102", "gfx1103", "gfx1150", "gfx1152", "gfx1153", "gfx10-3-generic",
        "gfx11-generic"},
       64,
       smallOf64},
      {{"gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201", "gfx12-generic"}, 32, large},
      {{"gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201", "gfx12-generic"}, 64, largeOf64},
  };
  for (const auto &[names, wave, waves] : rows)
    for (const char *name : names)
      for (size_t i = 0; i < std::size(registers); ++i)
        EXPECT_EQ(wavesPerSimd(name, wave, {registers[i], 0, 16}), waves[i])
            << name << " waves of " << wave << ", " << registers[i] << " VGPRs";
}

// Scalar registers come in pieces: 16 of 800 from GFX8 on, 8 of 512 before (GCN3 and Vega ISA
// manuals; AMDGPUUsage, GRANULATED_WAVEFRONT_SGPR_COUNT). 800 / 112 is 7.
TEST(Occupancy, ScalarRegistersComeInPieces) {
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {16, 0, 96}), 8u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {16, 0, 97}), 7u);
  EXPECT_EQ(wavesPerSimd("gfx942", 64, {16, 0, 102}), 7u);
  EXPECT_EQ(wavesPerSimd("gfx900", 64, {16, 0, 81}), 8u);
  EXPECT_EQ(wavesPerSimd("gfx700", 64, {16, 0, 48}), 10u);
  EXPECT_EQ(wavesPerSimd("gfx700", 64, {16, 0, 49}), 9u);
  EXPECT_EQ(wavesPerSimd("gfx1030", 32, {16, 0, 106}), 16u);
}

// 1536 registers in pieces of 24 for waves of 32: RDNA 3 ISA manual, gfx1100 and 1101 ("1_5xVGPRs"
// in LLVM); gfx1102 has 1024.
TEST(Occupancy, LargeRegisterFiles) {
  EXPECT_EQ(wavesPerSimd("gfx1100", 32, {96, 0, 106}), 16u);
  EXPECT_EQ(wavesPerSimd("gfx1100", 32, {97, 0, 106}), 12u);
  EXPECT_EQ(wavesPerSimd("gfx1100", 64, {96, 0, 106}), 8u);
  EXPECT_EQ(wavesPerSimd("gfx1102", 32, {96, 0, 106}), 10u);
}

// The numbers come from an object that anyone may have written: rounding up must not come out at 0.
TEST(Occupancy, NumbersThatNoProcessorHas) {
  for (const char *processor : {"gfx90a", "gfx908", "gfx1030", "gfx1100"})
    for (uint64_t many : {uint64_t(1) << 31, UINT64_MAX - 6, UINT64_MAX}) {
      const unsigned wave = processor[3] == '9' ? 64 : 32;
      EXPECT_EQ(wavesPerSimd(processor, wave, {many, 0, 0}), 0u) << processor;
      if (processor[3] == '9') { // later ones: SGPRs do not limit
        EXPECT_EQ(wavesPerSimd(processor, wave, {1, 0, many}), 0u) << processor;
      }
      EXPECT_TRUE(wavesPerSimd(processor, wave, {1, many, 1})) << processor;
      EXPECT_TRUE(wavesPerSimd(processor, wave, {1, 1, 1}, {many, many})) << processor;
      EXPECT_TRUE(wavesPerSimd(processor, wave, {1, 1, 1}, {1, many})) << processor;
    }
}

// 64 or 160 KiB, as the device has it: what the registers allow is left.
TEST(Occupancy, LdsOfAGenericTargetThatHasNoOneSize) {
  EXPECT_EQ(wavesPerSimd("gfx9-4-generic", 64, {8, 0, 16}, {65536, 256}), 8u);
  EXPECT_EQ(wavesPerSimd("gfx9-generic", 64, {8, 0, 16}, {65536, 256}), 1u);
}

// What a workgroup is placed on: "RDNA" white paper, dual compute unit; LLVM, getMaxWorkGroupsPerCU. GFX9
// has no pairs.
TEST(Occupancy, UnitsAndPairs) {
  using enum meld::Placement;
  for (const char *name : {"gfx1030", "gfx1100", "gfx1201"})
    for (const unsigned wave : {32u, 64u}) {
      const auto one = meld::findUnit(name, wave, computeUnit),
                 two = meld::findUnit(name, wave, pair);
      ASSERT_TRUE(one && two) << name;
      EXPECT_EQ(one->simds, 2u);
      EXPECT_EQ(two->simds, 4u);
      EXPECT_EQ(one->ldsBytes, 65536u);
      EXPECT_EQ(two->ldsBytes, 131072u);
      EXPECT_EQ(one->ldsOfWorkgroup, 65536u);
      EXPECT_EQ(two->ldsOfWorkgroup, 65536u);
      EXPECT_EQ(one->workgroups, 16u);
      EXPECT_EQ(two->workgroups, 32u);
      EXPECT_EQ(two->wavesPerSimd, 16u);
      // AMDGPUUsage, GRANULATED_WORKITEM_VGPR_COUNT: other pieces than they are handed out in.
      EXPECT_EQ(two->vgprEncoding, wave == 32 ? 8u : 4u);
      const bool large = std::string_view(name) != "gfx1030"; // LLVM, the feature "1_5xVGPRs"
      EXPECT_EQ(two->vgprs * wave, large ? 1536 * 32u : 1024 * 32u);
      EXPECT_EQ(two->vgprGranule * wave, large ? 24 * 32u : 16 * 32u);
      EXPECT_EQ(two->ldsGranule, 1024u);
    }
  const auto one = meld::findUnit("gfx90a", 64, computeUnit),
             two = meld::findUnit("gfx90a", 64, pair);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->simds, 4u);
  EXPECT_EQ(two->simds, 4u);
  EXPECT_EQ(two->ldsBytes, 65536u);
  EXPECT_FALSE(meld::findUnit("gfx90a", 32, computeUnit));
  EXPECT_EQ(meld::findUnit("gfx1102", 32, computeUnit)->vgprs, 1024u);
  EXPECT_FALSE(meld::findUnit("gfx1010", 32, computeUnit)) << "not all facts are here";
  EXPECT_FALSE(meld::findUnit("gfx1200", 32, computeUnit)) << "not all facts are here";
}

TEST(Occupancy, UnknownProcessor) {
  EXPECT_FALSE(wavesPerSimd("gfx1250", 32, {1, 0, 1})) << "not to be guessed from gfx1200";
  EXPECT_FALSE(wavesPerSimd("gfx13-generic", 32, {1, 0, 1}));
  EXPECT_FALSE(wavesPerSimd("gfx90a", 32, {1, 0, 1})) << "has no waves of 32";
  EXPECT_FALSE(wavesPerSimd("gfx1100", 0, {1, 0, 1}));
  EXPECT_FALSE(wavesPerSimd("gfx9999", 64, {1, 0, 1}));
  EXPECT_FALSE(wavesPerSimd("", 64, {1, 0, 1}));
  EXPECT_FALSE(wavesPerSimd("sm_80", 64, {1, 0, 1}));
}

// 64 KiB of LDS on a compute unit of four SIMDs (Vega ISA manual, "LDS"; CDNA2 the same).
TEST(Occupancy, LdsBoundsTheResidentWorkgroups) {
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {42, 0, 16}, {65536, 256}), 1u) << "one workgroup, 4 waves";
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {94, 0, 16}, {65536, 256}), 1u) << "registers to spare";
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {94, 0, 16}, {65536, 1024}), 4u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {94, 0, 16}, {16384, 256}), 4u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {160, 0, 16}, {16384, 256}), 3u) << "registers decide";
  EXPECT_EQ(wavesPerSimd("gfx900", 64, {24, 0, 16}, {4096, 256}), 10u);
  EXPECT_EQ(wavesPerSimd("gfx900", 64, {24, 0, 16}, {8704, 64}), 2u)
      << "seven workgroups of a wave";
  EXPECT_EQ(wavesPerSimd("gfx1030", 32, {64, 0, 106}, {65536, 32}), 16u) << "not counted";
}

// Pieces of 512 bytes, of 1280 on gfx950, which has 160 KiB, of 256 on GFX6 (AMDGPUUsage,
// GRANULATED_LDS_SIZE). Workgroups of one wave, so that each counts.
TEST(Occupancy, LdsComesInPieces) {
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {8, 0, 16}, {6144, 64}), 3u) << "ten workgroups";
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, {8, 0, 16}, {8193, 64}), 2u) << "8704 bytes: seven";
  EXPECT_EQ(wavesPerSimd("gfx600", 64, {8, 0, 16}, {7281, 64}), 2u) << "7424 bytes: eight";
  EXPECT_EQ(wavesPerSimd("gfx950", 64, {8, 0, 16}, {65536, 256}), 2u) << "66560 bytes: two";
  EXPECT_EQ(wavesPerSimd("gfx950", 64, {8, 0, 16}, {13653, 64}), 3u) << "14080 bytes: eleven";
  EXPECT_EQ(wavesPerSimd("gfx950", 64, {65, 0, 16}), 7u) << "one file of 512 registers";
}
