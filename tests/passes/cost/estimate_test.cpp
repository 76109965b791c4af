// The estimator on code assembled here by hand (Vega ISA: 12.1 SOP1, 12.4 SOPP, 12.6 VOP1, 12.7
// VOP2, 12.11 DS, 12.15 FLAT); the expected cycles are sums over the table of docs/timing-model.md,
// worked out by hand from which block runs how often.
#include "passes/cost/estimate.h"
#include "passes/cost/rates.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace meld::passes;

namespace {

uint32_t sopp(unsigned op, int simm = 0) { return 0xbf800000u | op << 16 | uint16_t(simm); }
constexpr unsigned endpgm = 1, jump = 2, scc1 = 5, execz = 8, execnz = 9, barrierOp = 10;
constexpr uint32_t vmov = 0x7e000280;                     // v_mov_b32 v0, 0
constexpr uint32_t smov = 0xbe800080;                     // s_mov_b32 s0, 0
constexpr uint32_t vrcp = 0x7e004500;                     // v_rcp_f32 v0, v0: VOP1 opcode 34
constexpr uint32_t dsRead[2] = {0xd86c0000, 0x00000000};  // ds_read_b32 v0, v0: opcode 54
constexpr uint32_t dsWrite[2] = {0xd81a0000, 0x00000000}; // ds_write_b32 v0, v0: opcode 13
constexpr uint32_t load[2] = {0xdc508000, 0x007f0000};    // global_load_dword v0, v[0:1], off

Estimate run(std::vector<uint32_t> words, KernelResources resources = {},
             const RunFacts &known = {}, const char *processor = "gfx900") {
  auto decoder = Disassembler::create(processor);
  EXPECT_TRUE(bool(decoder)) << toString(decoder.takeError());
  MachineKernel kernel;
  kernel.address = 0x1000;
  kernel.code =
      ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4);
  meld::passes::MachineFunction function = decoder->decode(kernel, known);
  for (const MachineInstruction &instruction : function.instructions)
    EXPECT_FALSE(instruction.name.empty()) << "at " << instruction.address;
  return estimate(function, resources, processor, known.wavesPerSimd);
}

TEST(EstimateCycles, classesAddUp) {
  Estimate e = run({smov, vmov, vrcp, dsRead[0], dsRead[1], dsWrite[0], dsWrite[1], load[0],
                    load[1], sopp(barrierOp), sopp(endpgm)});
  EXPECT_DOUBLE_EQ(e.wave.alone, 4 + 4 + 16 + 4 + 8 + 4 + 8 + 4); // nothing is waited for
  EXPECT_DOUBLE_EQ(e.wave.vectorAlu, 4 + 16);
  EXPECT_DOUBLE_EQ(e.wave.scalar, 4);
  EXPECT_DOUBLE_EQ(e.wave.branch, 4);
  EXPECT_DOUBLE_EQ(e.wave.lds, 2 * (4 + 8)) << "a port for two SIMDs";
  EXPECT_DOUBLE_EQ(e.wave.vectorMemory, 4 * 4) << "a unit for four SIMDs";
  EXPECT_NEAR(e.wave.memory, 256 / 4.892 * 4, 1e-9) << "64 words at the bandwidth of a gfx900";
  EXPECT_EQ(e.instructions, 8u);
  EXPECT_EQ(e.salu, 1u);
  EXPECT_EQ(e.valu, 2u);
  EXPECT_EQ(e.lds, 2u);
  EXPECT_EQ(e.vectorMemory, 1u);
}

// A generic target's are those of a processor that runs its code.
TEST(EstimateCycles, ratesOfGenericTargets) {
  for (const auto &[generic, processor] :
       {std::pair{"gfx9-generic", "gfx900"}, std::pair{"gfx9-4-generic", "gfx942"}}) {
    EXPECT_EQ(ratesOf(generic).f64, ratesOf(processor).f64) << generic;
    EXPECT_EQ(ratesOf(generic).memoryBytesPerCycle, ratesOf(processor).memoryBytesPerCycle);
  }
  EXPECT_NE(ratesOf("gfx9-generic").f64, ratesOf("gfx9-4-generic").f64);
}

// Rates of docs/timing-model.md, which has their sources.
TEST(EstimateCycles, vectorInstructionsHaveTheirRates) {
  constexpr uint32_t mulLo[2] = {0xd2850000, 0x00020000};   // v_mul_lo_u32 v0, v0, s0... VOP3 645
  constexpr uint32_t fma64[2] = {0xd1cc0000, 0x04020100};   // v_fma_f64: VOP3 460
  constexpr uint32_t shift64[2] = {0xd28f0000, 0x00020101}; // v_lshlrev_b64: VOP3 655
  EXPECT_DOUBLE_EQ(run({mulLo[0], mulLo[1], sopp(endpgm)}).wave.vectorAlu, 16);
  EXPECT_DOUBLE_EQ(run({shift64[0], shift64[1], sopp(endpgm)}).wave.vectorAlu, 8);
  EXPECT_DOUBLE_EQ(run({fma64[0], fma64[1], sopp(endpgm)}).wave.vectorAlu, 64) << "gfx900";
}

TEST(EstimateCycles, uniformSidesCountHalfDivergentSidesCountWhole) {
  // if (scc) { mov } else { rcp; jump }: each side half of the time.
  Estimate uniform = run({sopp(scc1, 2), vrcp, sopp(jump, 1), vmov, sopp(endpgm)});
  EXPECT_DOUBLE_EQ(uniform.wave.alone, 12 + 0.5 * (16 + 12) + 0.5 * 4 + 4);
  // Lanes decide: what the branch skips runs all the same.
  Estimate divergent = run({sopp(execz, 1), vrcp, sopp(endpgm)});
  EXPECT_DOUBLE_EQ(divergent.wave.alone, 12 + 16 + 4);
}

TEST(EstimateCycles, loopsWeighTheirBodies) {
  // s; v: [ rcp; again ]; end
  Estimate once = run({smov, vrcp, sopp(scc1, -2), sopp(endpgm)});
  EXPECT_DOUBLE_EQ(once.wave.alone, 4 + loopTrips * (16 + 12) + 4);
}

// s_waitcnt lgkmcnt(0) is simm 0xc07f: vmcnt 63, expcnt 7, lgkmcnt 0 ("Vega" ISA, 12.4).
constexpr unsigned waitcnt = 12;
constexpr int lgkm0 = 0xc07f, lgkm1 = 0xc17f, vm0 = 0x0f70;

TEST(EstimateWaits, aWaitLastsUntilTheOperationIsDone) {
  // 4 to issue, 32 until it is done, 4 for the wait itself, 4 for the end.
  EXPECT_DOUBLE_EQ(run({dsRead[0], dsRead[1], sopp(waitcnt, lgkm0), sopp(endpgm)}).wave.alone,
                   4 + 32 + 4 + 4);
  // Of two reads the first is done at 36.
  const std::vector<uint32_t> two = {dsRead[0], dsRead[1], dsRead[0], dsRead[1]};
  auto with = [&](int simm) {
    auto words = two;
    words.insert(words.end(), {sopp(waitcnt, simm), sopp(endpgm)});
    return run(words).wave.alone;
  };
  EXPECT_DOUBLE_EQ(with(lgkm1), 36 + 4 + 4);
  EXPECT_DOUBLE_EQ(with(lgkm0), 40 + 4 + 4);
  EXPECT_DOUBLE_EQ(with(vm0), 8 + 4 + 4) << "of another kind";
  // What is done meanwhile is not waited for.
  EXPECT_DOUBLE_EQ(
      run({dsRead[0], dsRead[1], vrcp, vrcp, vrcp, sopp(waitcnt, lgkm0), sopp(endpgm)}).wave.alone,
      4 + 48 + 4 + 4);
}

// GFX10 and later, as llvm-mc assembles them. Sums over the tables of gfx1030: 1 for a pass of the vector
// ALU of 32 lanes, and half of the 4 until its result is there.
Estimate onRdna(std::vector<uint32_t> words, unsigned waveSize, const char *processor = "gfx1030") {
  KernelResources resources;
  resources.waveSize = waveSize;
  return run(std::move(words), resources, {}, processor);
}
/// As llvm-mc assembles them for gfx1030.
struct EstimateGfx10 : testing::Test {
  static constexpr uint32_t smov = 0xbe800380, vrcp = 0x7e005500, end = 0xbf810000;
  static constexpr uint32_t load[2] = {0xdc308000, 0x007d0000}, store[2] = {0xdc708000, 0x007d0000};
  static constexpr uint32_t add[2] = {0xdcc88000, 0x007d0000},
                            addReturning[2] = {0xdcc98000, 0x007d0000};
  static constexpr uint32_t read[2] = {0xd8d80000, 0};
  static constexpr uint32_t vm0 = 0xbf8c3f70, lgkm0 = 0xbf8cc07f, vs0 = 0xbbfd0000,
                            vs1 = 0xbbfd0001;
};

TEST_F(EstimateGfx10, wavesOf64PassTheUnitsTwice) {
  const std::vector<uint32_t> code = {smov, vmov, vrcp, read[0], read[1], load[0], load[1], end};
  const Estimate half = onRdna(code, 32), whole = onRdna(code, 64);
  EXPECT_DOUBLE_EQ(half.wave.alone, 1 + (1 + 2) + (4 + 2) + 1 + 1 + 1);
  EXPECT_DOUBLE_EQ(whole.wave.alone, 1 + (2 + 2) + (8 + 2) + 2 + 2 + 1);
  EXPECT_DOUBLE_EQ(half.wave.vectorAlu, 1 + 4);
  EXPECT_DOUBLE_EQ(whole.wave.vectorAlu, 2 + 8);
  EXPECT_DOUBLE_EQ(half.wave.scalar, 1);
  EXPECT_DOUBLE_EQ(whole.wave.scalar, 1);
  EXPECT_DOUBLE_EQ(half.wave.lds, 2);
  EXPECT_DOUBLE_EQ(half.wave.vectorMemory, 2) << "a unit for two SIMDs";
  EXPECT_NEAR(half.wave.memory, 32 * 4 / 2.844 * 2, 1e-9);
  EXPECT_NEAR(whole.wave.memory, 2 * half.wave.memory, 1e-9);
}

TEST_F(EstimateGfx10, storesCountApart) {
  // 1 to issue, 130 until it is there, 1 for the wait and 1 for the end.
  EXPECT_DOUBLE_EQ(onRdna({load[0], load[1], vm0, end}, 32).wave.alone, 1 + 130 + 1 + 1);
  EXPECT_DOUBLE_EQ(onRdna({load[0], load[1], vs0, end}, 32).wave.alone, 1 + 1 + 1);
  for (const auto &[low, high] : {std::pair{store[0], store[1]}, std::pair{add[0], add[1]}}) {
    EXPECT_DOUBLE_EQ(onRdna({low, high, vm0, end}, 32).wave.alone, 1 + 1 + 1);
    EXPECT_DOUBLE_EQ(onRdna({low, high, vs1, end}, 32).wave.alone, 1 + 1 + 1);
    EXPECT_DOUBLE_EQ(onRdna({low, high, vs0, end}, 32).wave.alone, 1 + 130 + 1 + 1);
  }
  EXPECT_DOUBLE_EQ(onRdna({addReturning[0], addReturning[1], vm0, end}, 32).wave.alone,
                   1 + 130 + 1 + 1);
  EXPECT_DOUBLE_EQ(onRdna({read[0], read[1], lgkm0, end}, 32).wave.alone, 1 + 23 + 1 + 1);
}

// The fields of GFX11 ("RDNA3" ISA, S_WAITCNT) are elsewhere.
TEST(EstimateRdna, waitsOfGfx11) {
  constexpr uint32_t load[2] = {0xdc520000, 0x007c0000}, store[2] = {0xdc6a0000, 0x007c0000};
  constexpr uint32_t read[2] = {0xd8d80000, 0}, end = 0xbfb00000;
  constexpr uint32_t vm0 = 0xbf8903f7, lgkm0 = 0xbf89fc07, vs0 = 0xbc7c0000;
  const auto alone = [](std::vector<uint32_t> words) {
    return onRdna(std::move(words), 32, "gfx1100").wave.alone;
  };
  EXPECT_DOUBLE_EQ(alone({load[0], load[1], vm0, end}), 1 + 100 + 1 + 1);
  EXPECT_DOUBLE_EQ(alone({load[0], load[1], lgkm0, end}), 1 + 1 + 1);
  EXPECT_DOUBLE_EQ(alone({store[0], store[1], vm0, end}), 1 + 1 + 1);
  EXPECT_DOUBLE_EQ(alone({store[0], store[1], vs0, end}), 1 + 100 + 1 + 1);
  EXPECT_DOUBLE_EQ(alone({read[0], read[1], lgkm0, end}), 1 + 23 + 1 + 1);
}

// What LLVM 15 calls them. VOPD takes an issue for both of its halves; WMMA's 8192 operations take 32 cycles
// at 256 a cycle and SIMD, those on 4 bits half of them (AMD's matrix instruction calculator).
TEST(EstimateRdna, namesOfGfx11) {
  const Rates rates = ratesOf("gfx1100", 32);
  const auto cost = [&](const char *name) {
    MachineInstruction inst;
    inst.name = name;
    return costOf(inst, rates);
  };
  for (const auto &[name, words] : std::initializer_list<std::pair<const char *, double>>{
           {"DS_LOAD_B32_gfx11", 1},
           {"DS_LOAD_2ADDR_B32_gfx11", 2},
           {"DS_STORE_2ADDR_STRIDE64_B64_gfx11", 4},
           {"DS_STORE_B128_gfx11", 4},
           {"GLOBAL_LOAD_B96_gfx11", 3},
           {"GLOBAL_LOAD_B64_SADDR_gfx11", 2},
           {"GLOBAL_LOAD_D16_U8_gfx11", 0.25},
           {"GLOBAL_LOAD_D16_HI_B16_gfx11", 0.5},
           {"GLOBAL_STORE_B8_gfx11", 0.25}})
    EXPECT_DOUBLE_EQ(cost(name).words, words) << name;
  EXPECT_TRUE(cost("GLOBAL_STORE_B32_gfx11").stores);
  EXPECT_FALSE(cost("GLOBAL_LOAD_B32_gfx11").stores);
  EXPECT_TRUE(cost("GLOBAL_ATOMIC_ADD_U32_gfx11").stores);
  EXPECT_FALSE(cost("GLOBAL_ATOMIC_ADD_U32_RTN_gfx11").stores);
  EXPECT_DOUBLE_EQ(cost("V_DUAL_FMAC_F32_X_MUL_F32_gfx11").issue, 1);
  EXPECT_DOUBLE_EQ(cost("V_WMMA_F32_16X16X16_F16_twoaddr_w32_gfx11").issue, 32);
  EXPECT_DOUBLE_EQ(cost("V_WMMA_I32_16X16X16_IU4_twoaddr_w32_gfx11").issue, 16);
  EXPECT_DOUBLE_EQ(cost("S_DELAY_ALU_gfx11").issue, 0);
  EXPECT_EQ(cost("S_DELAY_ALU_gfx11").kind, InstructionKind::other);
}

// GFX12 has a wait for each counter ("RDNA4" ISA, 4.5).
TEST(EstimateRdna, waitsOfGfx12) {
  constexpr size_t any = WaitCounts::any;
  const auto counts = [](const char *name, unsigned immediate) {
    MachineInstruction i;
    i.name = name;
    i.immediate = uint16_t(immediate);
    const WaitCounts w = waitCountsOf(i);
    return std::array{w.vector, w.local, w.stores};
  };
  using Counts = std::array<size_t, 3>;
  EXPECT_EQ(counts("S_WAIT_LOADCNT_gfx12", 3), (Counts{3, any, any}));
  EXPECT_EQ(counts("S_WAIT_DSCNT_gfx12", 2), (Counts{any, 2, any}));
  EXPECT_EQ(counts("S_WAIT_KMCNT_gfx12", 0), (Counts{any, 0, any}));
  EXPECT_EQ(counts("S_WAIT_STORECNT_gfx12", 1), (Counts{any, any, 1}));
  EXPECT_EQ(counts("S_WAIT_LOADCNT_DSCNT_gfx12", 0x0503), (Counts{5, 3, any}));
  EXPECT_EQ(counts("S_WAIT_STORECNT_DSCNT_gfx12", 0x0204), (Counts{any, 4, 2}));
  EXPECT_EQ(counts("S_WAIT_EXPCNT_gfx12", 0), (Counts{any, any, any}));
}

TEST(EstimateWaits, aWaitBehindABranchIsForTheSlowerWay) {
  // execz over a read; wait. The read is 20 cycles old, or was none.
  const double alone =
      run({sopp(execz, 2), dsRead[0], dsRead[1], sopp(waitcnt, lgkm0), sopp(endpgm)}).wave.alone;
  EXPECT_DOUBLE_EQ(alone, 12 + 4 + 32 + 4 + 4);
}

// Worked out from the formula of the header: 1000 alone, 300 on the vector unit.
TEST(EstimateAmong, theBusiestUnitCountsAmongMany) {
  WaveTime w;
  w.alone = 1000;
  w.vectorAlu = 300;
  EXPECT_NEAR(w.among(1), 1000 * std::pow(1 + 0.0081, 0.25), 1e-9);
  EXPECT_NEAR(w.among(0.1), w.among(1), 1e-9) << "no wave is faster than by itself";
  EXPECT_NEAR(w.among(1e6), 300, 1e-6);
  w.scalar = 300;
  EXPECT_NEAR(w.among(1e6), 300 * std::pow(2, 0.25), 1e-6);
  EXPECT_EQ(WaveTime().among(4), 0);
}

// Melding saves a mask and a branch, and adds selects: less for a wave alone, more where the scalar
// unit and the branches of one wave work beside the vector instructions of another.
TEST(EstimateAmong, scalarWorkHidesBehindOtherWaves) {
  std::vector<uint32_t> branches, selects;
  for (int i = 0; i < 10; ++i) {
    branches.insert(branches.end(), {smov, sopp(execz, 0), vmov, vmov}); // 24; 8 on the vector unit
    selects.insert(selects.end(), {vmov, vmov, vmov, vmov});             // 16; 16
  }
  branches.push_back(sopp(endpgm));
  selects.push_back(sopp(endpgm));
  KernelResources few; // ten waves on a SIMD
  few.vgprs = 8;
  few.sgprs = 16;
  const Estimate before = run(branches, few), after = run(selects, few);
  EXPECT_LT(after.among(1), 0.8 * before.among(1));
  EXPECT_GT(after.among(10), 1.5 * before.among(10));
  EXPECT_NEAR(after.cycles, std::sqrt(after.among(1) * after.among(10)), 1e-9);
}

TEST(EstimateKnown, aProfileTellsTripsAndLaunches) {
  const std::vector<uint32_t> loop = {smov, vrcp, sopp(scc1, -2), sopp(endpgm)};
  const Estimate three = run(loop, {}, {{3}, 0});
  EXPECT_DOUBLE_EQ(three.wave.alone, 4 + 3 * (16 + 12) + 4);
  EXPECT_DOUBLE_EQ(run(loop, {}, {{}, 0}).wave.alone, run(loop).wave.alone);
  KernelResources few; // ten waves on a SIMD
  few.vgprs = 8;
  few.sgprs = 16;
  for (double waves : {1.0, 3.0, 10.0}) {
    const Estimate launched = run(loop, few, {{}, waves});
    EXPECT_DOUBLE_EQ(launched.cycles, launched.among(waves));
  }
}

// A chain of else-ifs, each arm skipped when no lane is left.
TEST(EstimateCycles, laterArmsOfAChainRunLess) {
  auto decoder = Disassembler::create("gfx900");
  ASSERT_TRUE(bool(decoder));
  std::vector<uint32_t> words; // nested: execz to the end, seven times
  for (int i = 0; i < 7; ++i)
    words.insert(words.end(), {sopp(execz, 2 * (7 - i) - 1), vmov});
  words.push_back(sopp(endpgm));
  MachineKernel kernel;
  kernel.address = 0x1000;
  kernel.code =
      ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4);
  const meld::passes::MachineFunction f = decoder->decode(kernel);
  ASSERT_EQ(f.blocks.size(), 9u);
  EXPECT_DOUBLE_EQ(f.blocks[1].frequency, 1);
  EXPECT_DOUBLE_EQ(f.blocks[1].lanes, 0.5);
  EXPECT_NEAR(f.blocks[5].frequency, 1 - std::pow(31.0 / 32, 64), 1e-12);
  EXPECT_NEAR(f.blocks[7].frequency, 1 - std::pow(127.0 / 128, 64), 1e-12);
  EXPECT_DOUBLE_EQ(f.blocks[8].frequency, 1);
  EXPECT_DOUBLE_EQ(f.blocks[8].lanes, 1);
}

// A call writes registers that LLVM takes for untouched when it makes a swap of three moves; the
// swap is where the first was, or the second.
TEST(EstimateVerdict, swapsBesideCallsRefuse) {
  constexpr uint32_t call = 0xbe9e1e04; // s_swappc_b64 s[30:31], s[4:5]: SOP1 opcode 30
  constexpr uint32_t swap = 0x7e12a304; // v_swap_b32 v9, v4: VOP1 opcode 81
  EXPECT_EQ(run({call, vmov, swap, sopp(endpgm)}).swapsBesideCalls, 1u);
  EXPECT_EQ(run({swap, call, vmov, sopp(endpgm)}).swapsBesideCalls, 1u);
  EXPECT_EQ(run({call, sopp(execz, 0), swap, sopp(endpgm)}).swapsBesideCalls, 0u); // another block
  Estimate before, after;
  before.cycles = 100;
  after.cycles = 10;
  EXPECT_TRUE(judge(before, {}, after, {}, 0).better);
  after.swapsBesideCalls = 1;
  EXPECT_FALSE(judge(before, {}, after, {}, 0).better);
  EXPECT_NE(judge(before, {}, after, {}, 0).reason.find("swaps beside calls"), std::string::npos);
  before.swapsBesideCalls = 1; // the program's own
  EXPECT_TRUE(judge(before, {}, after, {}, 0).better);
}

// With LLVM 17 and 18 what we compile has no combined atomics (jit/options.cpp); the original has.
TEST(EstimateVerdict, LostCombinedAtomicsRefuse) {
  constexpr uint32_t count[2] = {0xd28c0001, 0x000000c1}; // v_mbcnt_lo_u32_b32 v1, -1, s0: VOP3 652
  constexpr uint32_t add[2] = {0xdd088000, 0x007f0200};   // global_atomic_add v[0:1], v2, off: 66
  constexpr uint32_t ldsAdd[2] = {0xd8000000, 0x00000100}; // ds_add_u32 v0, v1: opcode 0
  const Estimate combined = run({count[0], count[1], add[0], add[1], sopp(endpgm)});
  EXPECT_EQ(combined.atomics, 1u);
  EXPECT_EQ(combined.combinedAtomics, 1u);
  EXPECT_EQ(run({count[0], count[1], ldsAdd[0], ldsAdd[1], sopp(endpgm)}).combinedAtomics, 1u);
  EXPECT_EQ(run({ldsAdd[0], ldsAdd[1], add[0], add[1], sopp(endpgm)}).atomics, 2u);
  EXPECT_EQ(run({count[0], count[1], load[0], load[1], sopp(endpgm)}).combinedAtomics, 0u);
  Estimate before, after;
  before.cycles = 100;
  after.cycles = 10;
  before.atomics = before.combinedAtomics = 2;
  after.atomics = after.combinedAtomics = 1; // two sides have become one
  EXPECT_TRUE(judge(before, {}, after, {}, 0).better);
  after.atomics = 0; // none of it is left
  after.combinedAtomics = 0;
  EXPECT_TRUE(judge(before, {}, after, {}, 0).better);
  after.atomics = 1;
  EXPECT_FALSE(judge(before, {}, after, {}, 0).better);
  EXPECT_EQ(judge(before, {}, after, {}, 0).reason, "atomics that a wave does as one 2 -> 0");
  EXPECT_TRUE(judge(before, {}, after, {}, 0, /*force=*/true).better);
}

// From LLVM 18 on scalar registers that are spilled are lanes of virtual registers, of which its
// allocator may lose some. What a function saves of the lanes that are off is its caller's.
TEST(EstimateVerdict, movedLanesOfScalarsRefuse) {
  constexpr uint32_t write[2] = {0xd28a0001, 0x00010600}; // v_writelane_b32 v1, s0, 3: VOP3 650
  constexpr uint32_t read[2] = {0xd2890001, 0x00010701};  // v_readlane_b32 s1, v1, 3: VOP3 649
  constexpr uint32_t move = 0x7e040301;                   // v_mov_b32 v2, v1
  constexpr uint32_t other = 0x7e040303;                  // v_mov_b32 v2, v3
  constexpr uint32_t wide[2] = {0xdc5c8000, 0x007f0004};  // global_load_dwordx4 v[0:3], v[4:5], off
  constexpr uint32_t wholeWave = 0xbe8421c1;              // s_or_saveexec_b64 s[4:5], -1: SOP1 33
  constexpr uint32_t offLanes = 0xbe8422c1;               // s_xor_saveexec_b64 s[4:5], -1: SOP1 34
  constexpr uint32_t someLanes = 0xbe842206;              // s_xor_saveexec_b64 s[4:5], s[6:7]
  constexpr uint32_t back = 0xbefe0104;                   // s_mov_b64 exec, s[4:5]: SOP1 1
  const auto moved = [](std::vector<uint32_t> words) { return run(std::move(words)).lanesMoved; };
  EXPECT_EQ(moved({write[0], write[1], other, read[0], read[1], sopp(endpgm)}), 0u);
  EXPECT_EQ(moved({write[0], write[1], move, read[0], read[1], sopp(endpgm)}), 1u);
  EXPECT_EQ(moved({move, other, write[0], write[1], sopp(endpgm)}), 1u);
  EXPECT_EQ(moved({write[0], write[1], wide[0], wide[1], sopp(endpgm)}), 1u);
  EXPECT_EQ(moved({read[0], read[1], move, sopp(endpgm)}), 0u);
  EXPECT_EQ(moved({write[0], write[1], wholeWave, move, other, back, sopp(endpgm)}), 1u);
  EXPECT_EQ(moved({write[0], write[1], offLanes, move, back, sopp(endpgm)}), 0u);
  EXPECT_EQ(moved({write[0], write[1], offLanes, back, move, sopp(endpgm)}), 1u);
  EXPECT_EQ(moved({write[0], write[1], someLanes, move, back, sopp(endpgm)}), 1u);
  Estimate before, after;
  before.cycles = 100;
  after.cycles = 10;
  before.lanesMoved = after.lanesMoved = 3; // the program's own
  EXPECT_TRUE(judge(before, {}, after, {}, 0).better);
  before.lanesMoved = 2;
  const Verdict more = judge(before, {}, after, {}, 0, /*force=*/true);
  EXPECT_EQ(more.better, LLVM_VERSION_MAJOR < 18) << more.reason;
  EXPECT_EQ(mayBeWrong(before, after),
            LLVM_VERSION_MAJOR < 18 ? "" : "moves of spilled SGPRs, which LLVM may lose, 2 -> 3");
}

// Where sides come together lanes are turned on first: what stands before that is done by one side alone.
TEST(EstimateVerdict, whatStandsBeforeLanesMeetRefuses) {
  constexpr uint32_t meet = 0x87fe007e;      // s_or_b64 exec, exec, s[0:1]: SOP2 14
  constexpr uint32_t mask = 0xbe802002;      // s_and_saveexec_b64 s[0:1], s[2:3]: SOP1 32
  constexpr uint32_t orSave = 0xbe802100;    // s_or_saveexec_b64 s[0:1], s[0:1]: SOP1 33
  constexpr uint32_t andn2Save = 0xbe802300; // s_andn2_saveexec_b64 s[0:1], s[0:1]: SOP1 35
  constexpr uint32_t wholeWave = 0xbe8421c1; // s_or_saveexec_b64 s[4:5], -1
  constexpr uint32_t back = 0xbefe0104;      // s_mov_b64 exec, s[4:5]
  constexpr uint32_t write[2] = {0xd28a0001, 0x00010600}; // v_writelane_b32 v1, s0, 3: VOP3 650
  constexpr uint32_t scalar = 0xbe830005;                 // s_mov_b32 s3, s5
  constexpr uint32_t read[2] = {0xd2890001, 0x00010701};  // v_readlane_b32 s1, v1, 3: VOP3 649
  const auto before = [](std::vector<uint32_t> words) {
    return run(std::move(words)).beforeLanesMeet;
  };
  // mask; execz over a mov; [here]
  const auto atJoin = [&](std::vector<uint32_t> words) {
    words.insert(words.begin(), {mask, sopp(execz, 1), vmov});
    return before(std::move(words));
  };
  EXPECT_EQ(atJoin({vmov, scalar, meet, vmov, sopp(endpgm)}), 1u);
  EXPECT_EQ(atJoin({vmov, orSave, vmov, sopp(endpgm)}), 1u);    // before an else
  EXPECT_EQ(atJoin({vmov, andn2Save, vmov, sopp(endpgm)}), 1u); // the same, in one
  EXPECT_EQ(atJoin({scalar, meet, vmov, sopp(endpgm)}), 0u);
  EXPECT_EQ(atJoin({vmov, sopp(endpgm)}), 0u);       // the end, of all or none
  EXPECT_EQ(atJoin({vmov, mask, sopp(endpgm)}), 0u); // nobody is turned on
  // Spilled scalars, and what is done in whole waves.
  EXPECT_EQ(atJoin({read[0], read[1], write[0], write[1], meet, vmov, sopp(endpgm)}), 0u);
  EXPECT_EQ(atJoin({wholeWave, vmov, back, meet, sopp(endpgm)}), 0u);
  EXPECT_EQ(atJoin({wholeWave, vmov, back, vmov, vmov, meet, sopp(endpgm)}), 2u);
  // Behind a loop, and where the side stands elsewhere.
  EXPECT_EQ(before({vmov, mask, sopp(execnz, -3), vmov, meet, sopp(endpgm)}), 1u);
  EXPECT_EQ(before({vmov, mask, sopp(execnz, -3), meet, vmov, sopp(endpgm)}), 0u);
  // A branch for all that are on: the mask was there before, or LLVM has made the condition EXEC.
  EXPECT_EQ(before({sopp(scc1, 1), vmov, vmov, meet, sopp(endpgm)}), 0u);
  EXPECT_EQ(before({vmov, sopp(execz, 1), vmov, vmov, meet, sopp(endpgm)}), 0u);
  EXPECT_EQ(before({mask, vmov, sopp(execz, 1), vmov, vmov, meet, sopp(endpgm)}), 0u);
  EXPECT_EQ(before({mask, read[0], read[1], sopp(execz, 1), vmov, vmov, meet, sopp(endpgm)}), 1u);
  Estimate were, are;
  were.cycles = 100;
  are.cycles = 10;
  were.beforeLanesMeet = 2;
  EXPECT_TRUE(judge(were, {}, are, {}, 0).better);
  are.beforeLanesMeet = 1; // of the original nobody knows either why it is right
  EXPECT_FALSE(judge(were, {}, are, {}, 0, /*force=*/true).better);
  EXPECT_EQ(mayBeWrong(were, are),
            "1 vector instructions before lanes meet, which LLVM may have misplaced");
}

// A loop's end turns off the lanes that leave, and branches by what is left.
TEST(EstimateVerdict, loopsThatNobodyLeavesRefuse) {
  constexpr uint32_t leave = 0x89fe007e;  // s_andn2_b64 exec, exec, s[0:1]: SOP2 19
  constexpr uint32_t scalar = 0x89840004; // s_andn2_b64 s[4:5], s[4:5], s[0:1]
  constexpr uint32_t meet = 0x87fe007e;   // s_or_b64 exec, exec, s[0:1]
  constexpr uint32_t on = 0xbe830005;     // s_mov_b32 s3, s5
  const auto without = [](std::vector<uint32_t> words) {
    return run(std::move(words)).endsWithoutBranch;
  };
  EXPECT_EQ(without({vmov, leave, sopp(execnz, -3), meet, sopp(endpgm)}), 0u);
  EXPECT_EQ(without({vmov, leave, on, sopp(execnz, -4), meet, sopp(endpgm)}), 0u);
  EXPECT_EQ(without({vmov, leave, sopp(execz, 2), on, sopp(jump, -5), meet, sopp(endpgm)}), 0u);
  EXPECT_EQ(without({vmov, leave, on, sopp(jump, -4), meet, sopp(endpgm)}), 1u);
  EXPECT_EQ(without({vmov, leave, sopp(scc1, 2), on, sopp(jump, -5), meet, sopp(endpgm)}), 1u);
  EXPECT_EQ(without({vmov, scalar, on, sopp(jump, -4), meet, sopp(endpgm)}), 0u);
  EXPECT_EQ(without({vmov, leave, meet, sopp(jump, -4), sopp(endpgm)}), 0u); // and on again
  EXPECT_EQ(without({vmov, leave, on, sopp(endpgm)}), 0u);                   // no loop
  Estimate were, are;
  were.cycles = 100;
  are.cycles = 10;
  EXPECT_TRUE(judge(were, {}, are, {}, 0).better);
  are.endsWithoutBranch = 1;
  EXPECT_FALSE(judge(were, {}, are, {}, 0, /*force=*/true).better);
  EXPECT_EQ(mayBeWrong(were, are), "1 ends of loops without a branch, which LLVM takes away");
}

// Encodings as llvm-mc has them.
TEST(EstimateVerdict, unsignedProductsTakenForSignedOnesRefuse) {
  const auto uppers = [](std::vector<uint32_t> words) {
    words.push_back(sopp(endpgm));
    return run(std::move(words)).signedUppers;
  };
  EXPECT_EQ(uppers({0x0e0600c1}), 1u);             // v_mul_hi_i32_i24_e32 v3, -1, v0
  EXPECT_EQ(uppers({0xd1070003, 0x00018301}), 1u); // v_mul_hi_i32_i24_e64 v3, v1, -1
  EXPECT_EQ(uppers({0x0e060101, 0x0e060101}), 2u); // v_mul_hi_i32_i24_e32 v3, v1, v0
  EXPECT_EQ(uppers({0x0c0600c1}), 0u); // v_mul_i32_i24_e32 v3, -1, v0: the lower half is right
  EXPECT_EQ(uppers({0x12060101}), 0u); // v_mul_hi_u32_u24_e32 v3, v1, v0
  Estimate before, after;
  before.cycles = 100;
  after.cycles = 10;
  before.signedUppers = 2;
  after.signedUppers = 1; // two of the program's own may be one now, and another not its own
  EXPECT_EQ(judge(before, {}, after, {}, 0, /*force=*/true).better, LLVM_VERSION_MAJOR >= 19);
  EXPECT_EQ(mayBeWrong(before, after),
            LLVM_VERSION_MAJOR >= 19
                ? ""
                : "1 signed products of 24 bits, which LLVM may have made of unsigned ones");
  after.signedUppers = 0;
  EXPECT_TRUE(judge(before, {}, after, {}, 0).better);
}

TEST(EstimateVerdict, spillsAndLdsRefuse) {
  Estimate before, after;
  before.cycles = 100;
  after.cycles = 10;
  before.wavesPerSimd = after.wavesPerSimd = 4;
  KernelResources a, b;
  b.vgprSpills = 1;
  EXPECT_NE(judge(before, a, after, b, 0).reason.find("VGPR spills 0 -> 1"), std::string::npos);
  b = a;
  b.ldsBytes = 8;
  EXPECT_FALSE(judge(before, a, after, b, 0).better);
  after.wavesPerSimd = 5; // more waves are no reason to refuse
  EXPECT_TRUE(judge(before, a, after, a, 0).better);
}

// What the verdict takes for the same number of waves, the gate must take for the same, or it
// refuses the whole object afterwards. The expected numbers: tests/runtime/gpu/occupancy_test.cpp
// says where each comes from.
TEST(EstimateOccupancy, isTheGates) {
  auto waves = [](const char *processor, unsigned wave, uint32_t vgprs, uint32_t sgprs,
                  uint32_t lds = 0, uint32_t workgroup = 0) {
    KernelResources r;
    r.waveSize = wave;
    r.vgprs = vgprs;
    r.sgprs = sgprs;
    r.ldsBytes = lds;
    r.maxWorkgroup = workgroup;
    return occupancy(r, processor);
  };
  EXPECT_EQ(waves("gfx90a", 64, 16, 96), 8u);
  EXPECT_EQ(waves("gfx90a", 64, 16, 97), 7u);
  EXPECT_EQ(waves("gfx950", 64, 65, 16), 7u);
  EXPECT_EQ(waves("gfx1100", 32, 96, 106), 16u);
  EXPECT_EQ(waves("gfx1010", 32, 48, 106), 20u);
  EXPECT_EQ(waves("gfx1030", 64, 33, 106), 12u);
  EXPECT_EQ(waves("gfx90a", 64, 8, 16, 8193, 64), 2u);
  EXPECT_EQ(waves("gfx950", 64, 8, 16, 65536, 256), 2u);
  EXPECT_EQ(waves("gfx9999", 64, 8, 16), 0u);
}

// As the gate refuses it.
TEST(EstimateVerdict, moreRegistersOnAnUnknownProcessorRefuse) {
  Estimate before, after;
  before.cycles = 100;
  after.cycles = 10;
  KernelResources few, more;
  more.sgprs = few.sgprs + 1;
  EXPECT_TRUE(judge(before, more, after, few, 0).better);
  EXPECT_FALSE(judge(before, few, after, more, 0).better);
  EXPECT_TRUE(judge(before, few, after, more, 0, /*force=*/true).better);
}

} // namespace
