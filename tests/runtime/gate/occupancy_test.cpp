// Numbers from the occupancy tables of the GCN/CDNA/RDNA documentation, not from the code under
// test.
#include "runtime/gate/occupancy.h"

#include <gtest/gtest.h>

using meld::wavesPerSimd;

TEST(Occupancy, Gfx90aUnifiedFile) {
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 0, 0, 0), 8u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 64, 0, 16), 8u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 65, 0, 16), 7u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 128, 0, 16), 4u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 512, 256, 16), 1u);
}

TEST(Occupancy, Gfx9SeparateFile) {
  EXPECT_EQ(wavesPerSimd("gfx906", 64, 24, 0, 16), 10u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, 25, 0, 16), 9u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, 32, 0, 16), 8u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, 256, 0, 16), 1u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, 4, 0, 80), 10u);
  EXPECT_EQ(wavesPerSimd("gfx906", 64, 4, 0, 102), 7u);
  EXPECT_EQ(wavesPerSimd("gfx908", 64, 4, 128, 16), 2u) << "AGPRs have a file of their own";
}

TEST(Occupancy, Rdna) {
  EXPECT_EQ(wavesPerSimd("gfx1030", 32, 64, 0, 106), 16u);
  EXPECT_EQ(wavesPerSimd("gfx1030", 32, 65, 0, 106), 12u);
  EXPECT_EQ(wavesPerSimd("gfx1010", 32, 48, 0, 106), 20u);
  EXPECT_EQ(wavesPerSimd("gfx1010", 64, 128, 0, 106), 4u);
}

// The numbers come from an object that anyone may have written: rounding up must not come out at 0.
TEST(Occupancy, NumbersThatNoProcessorHas) {
  for (const char *processor : {"gfx90a", "gfx908", "gfx1030", "gfx1100"})
    for (uint64_t many : {uint64_t(1) << 31, UINT64_MAX - 6, UINT64_MAX}) {
      EXPECT_EQ(wavesPerSimd(processor, 32, many, 0, 0), 0u) << processor;
      if (processor[3] == '9') { // later ones: SGPRs do not limit
        EXPECT_EQ(wavesPerSimd(processor, 64, 1, 0, many), 0u) << processor;
      }
      EXPECT_TRUE(wavesPerSimd(processor, 64, 1, many, 1)) << processor;
      EXPECT_TRUE(wavesPerSimd(processor, 64, 1, 1, 1, {many, many})) << processor;
      EXPECT_TRUE(wavesPerSimd(processor, 64, 1, 1, 1, {1, many})) << processor;
    }
}

TEST(Occupancy, UnknownProcessor) {
  EXPECT_FALSE(wavesPerSimd("gfx9999", 64, 1, 0, 1));
  EXPECT_FALSE(wavesPerSimd("", 64, 1, 0, 1));
  EXPECT_FALSE(wavesPerSimd("sm_80", 64, 1, 0, 1));
}

// 64 KiB of LDS on a compute unit of four SIMDs (Vega ISA manual, "LDS"; CDNA2 the same).
TEST(Occupancy, LdsBoundsTheResidentWorkgroups) {
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 42, 0, 16, {65536, 256}), 1u) << "one workgroup, 4 waves";
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 94, 0, 16, {65536, 256}), 1u) << "registers to spare";
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 94, 0, 16, {65536, 1024}), 4u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 94, 0, 16, {16384, 256}), 4u);
  EXPECT_EQ(wavesPerSimd("gfx90a", 64, 160, 0, 16, {16384, 256}), 3u) << "registers decide";
  EXPECT_EQ(wavesPerSimd("gfx900", 64, 24, 0, 16, {4096, 256}), 10u);
  EXPECT_EQ(wavesPerSimd("gfx900", 64, 24, 0, 16, {8704, 64}), 2u) << "seven workgroups of a wave";
  EXPECT_EQ(wavesPerSimd("gfx1030", 32, 64, 0, 106, {65536, 32}), 16u) << "not counted";
}
