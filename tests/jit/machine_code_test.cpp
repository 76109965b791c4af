// Oracle: LLVM's own assembler and disassembler, and graphs small enough to work out by hand.
#include "jit/estimate.h"
#include "jit/machine_code.h"
#include "tests/jit/test_objects.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;

namespace {

// GFX9 words (Vega ISA, 12.4 SOPP, 12.1 SOP1): opcode << 16 | simm16 under the encoding 0xbf8.
uint32_t sopp(unsigned op, int simm = 0) { return 0xbf800000u | op << 16 | uint16_t(simm); }
constexpr unsigned endpgm = 1, branch = 2, scc1 = 5, execz = 8;
constexpr uint32_t vmov = 0x7e000280; // v_mov_b32 v0, 0
constexpr uint32_t smov = 0xbe800080; // s_mov_b32 s0, 0

struct Code {
  std::vector<uint32_t> words;
  meld::passes::MachineFunction decode() {
    Kernel k;
    k.name = "k";
    k.address = 0x1000;
    k.code = ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4);
    auto d = Disassembler::create("gfx900");
    EXPECT_TRUE(bool(d)) << errorOf(d);
    return d->decode(k);
  }
};

TEST(MachineCode, divergentBranchRunsBothSides) {
  // execz over one block, then the end.
  auto f = Code{{sopp(execz, 1), vmov, sopp(endpgm)}}.decode();
  ASSERT_EQ(f.blocks.size(), 3u);
  EXPECT_EQ(f.blocks[0].successors, (std::vector<size_t>{1, 2}));
  for (auto &b : f.blocks)
    EXPECT_DOUBLE_EQ(b.frequency, 1.0);
}

TEST(MachineCode, uniformBranchTakesOneSide) {
  // if scc1 goto 3; A; branch 4; 3: B; 4: end
  auto f = Code{{sopp(scc1, 2), vmov, sopp(branch, 1), smov, sopp(endpgm)}}.decode();
  ASSERT_EQ(f.blocks.size(), 4u);
  EXPECT_DOUBLE_EQ(f.blocks[1].frequency, 0.5);
  EXPECT_DOUBLE_EQ(f.blocks[2].frequency, 0.5);
  EXPECT_DOUBLE_EQ(f.blocks[3].frequency, 1.0);
}

TEST(MachineCode, loopsMultiply) {
  // 0: s; 1: [ 2: [ v; scc1 2 ]; scc1 1 ]; end
  auto f = Code{{smov, smov, vmov, sopp(scc1, -2), sopp(scc1, -4), sopp(endpgm)}}.decode();
  ASSERT_EQ(f.blocks.size(), 5u);
  std::vector<unsigned> depths;
  for (auto &b : f.blocks)
    depths.push_back(b.loopDepth);
  EXPECT_EQ(depths, (std::vector<unsigned>{0, 1, 2, 1, 0}));
  EXPECT_DOUBLE_EQ(f.blocks[2].frequency, loopTrips * loopTrips);
  EXPECT_DOUBLE_EQ(f.blocks[4].frequency, 1.0);
}

TEST(MachineCode, junkIsCountedNotFollowed) {
  auto f = Code{{0xffffffff, 0xffffffff, sopp(branch, 1000), sopp(endpgm)}}.decode();
  EXPECT_EQ(f.instructions.back().flow, Flow::end);
  EXPECT_TRUE(f.instructions.front().name.empty());
}

TEST(MachineCode, everyInstructionOfARealKernelDecodes) {
  for (const char *name : {"bitonic-gfx90a", "reduce-gfx900", "diamond-gfx90a"}) {
    auto file = codeObject(name);
    auto kernels = readKernels(*file);
    ASSERT_TRUE(bool(kernels)) << errorOf(kernels);
    auto d = Disassembler::create(StringRef(name).split('-').second);
    ASSERT_TRUE(bool(d));
    for (auto &k : *kernels) {
      auto f = d->decode(k);
      uint64_t at = k.address;
      for (auto &i : f.instructions) {
        EXPECT_FALSE(i.name.empty()) << name << " at " << i.address - k.address;
        EXPECT_EQ(i.address, at);
        at += i.size;
      }
      EXPECT_EQ(at, k.address + k.code.size());
    }
  }
}

TEST(Estimate, occupancyStepsOfTheManuals) {
  KernelResources r;
  r.sgprs = 16;
  auto at = [&](const char *cpu, unsigned vgprs) {
    r.vgprs = vgprs;
    return occupancy(r, cpu);
  };
  // 256 VGPRs per lane in granules of 4, at most 10 waves; 24 fit ten times, 28 nine times.
  EXPECT_EQ(at("gfx900", 24), 10u);
  EXPECT_EQ(at("gfx900", 25), 9u);
  EXPECT_EQ(at("gfx900", 64), 4u);
  EXPECT_EQ(at("gfx900", 65), 3u);
  // MI200: 512 unified, granules of 8, at most 8.
  EXPECT_EQ(at("gfx90a", 64), 8u);
  EXPECT_EQ(at("gfx90a", 65), 7u);
  r.sgprs = 102;
  EXPECT_EQ(at("gfx900", 4), 7u); // 800 SGPRs in granules of 16
  // LDS that fills a compute unit: one workgroup of 4 waves on 4 SIMDs, whatever the registers.
  r.sgprs = 16;
  r.ldsBytes = 65536;
  r.maxWorkgroup = 256;
  EXPECT_EQ(at("gfx90a", 42), 1u);
  EXPECT_EQ(at("gfx90a", 94), 1u);
  r.ldsBytes = 16384;
  EXPECT_EQ(at("gfx90a", 94), 4u);
}

TEST(Estimate, judgeRefusesWhatCostsResources) {
  Estimate before, after;
  before.cycles = 100;
  after.cycles = 50;
  before.wavesPerSimd = after.wavesPerSimd = 8;
  KernelResources a, b;
  EXPECT_TRUE(judge(before, a, after, b, 0).better);
  EXPECT_TRUE(judge(before, a, after, b, 50).better);
  EXPECT_FALSE(judge(before, a, after, b, 51).better);
  EXPECT_FALSE(judge(before, a, before, b, 0).better);
  b.scratchBytes = 4;
  EXPECT_NE(judge(before, a, after, b, 0).reason.find("scratch bytes 0 -> 4"), std::string::npos);
  b = a;
  after.wavesPerSimd = 7;
  EXPECT_NE(judge(before, a, after, b, 0).reason.find("occupancy 8 -> 7"), std::string::npos);
}

} // namespace
