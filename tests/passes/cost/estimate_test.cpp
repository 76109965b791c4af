// The estimator on code assembled here by hand (Vega ISA: 12.1 SOP1, 12.4 SOPP, 12.6 VOP1, 12.7
// VOP2, 12.11 DS, 12.15 FLAT); the expected cycles are sums over the published table, worked out by
// hand from which block runs how often.
#include "passes/cost/estimate.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace meld::passes;

namespace {

uint32_t sopp(unsigned op, int simm = 0) { return 0xbf800000u | op << 16 | uint16_t(simm); }
constexpr unsigned endpgm = 1, jump = 2, scc1 = 5, execz = 8, barrierOp = 10;
constexpr uint32_t vmov = 0x7e000280;                     // v_mov_b32 v0, 0
constexpr uint32_t smov = 0xbe800080;                     // s_mov_b32 s0, 0
constexpr uint32_t vrcp = 0x7e004500;                     // v_rcp_f32 v0, v0: VOP1 opcode 34
constexpr uint32_t dsRead[2] = {0xd86c0000, 0x00000000};  // ds_read_b32 v0, v0: opcode 54
constexpr uint32_t dsWrite[2] = {0xd81a0000, 0x00000000}; // ds_write_b32 v0, v0: opcode 13
constexpr uint32_t load[2] = {0xdc508000, 0x007f0000};    // global_load_dword v0, v[0:1], off

Estimate run(std::vector<uint32_t> words, KernelResources resources = {}) {
  auto decoder = Disassembler::create("gfx900");
  EXPECT_TRUE(bool(decoder)) << toString(decoder.takeError());
  MachineKernel kernel;
  kernel.address = 0x1000;
  kernel.code =
      ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4);
  MachineFunction function = decoder->decode(kernel);
  for (const MachineInstruction &instruction : function.instructions)
    EXPECT_FALSE(instruction.name.empty()) << "at " << instruction.address;
  return estimate(function, resources, "gfx900");
}

TEST(EstimateCycles, classesAddUp) {
  Estimate e = run({smov, vmov, vrcp, dsRead[0], dsRead[1], dsWrite[0], dsWrite[1], load[0],
                    load[1], sopp(barrierOp), sopp(endpgm)});
  EXPECT_DOUBLE_EQ(e.cycles, 2 * cycles::plain + cycles::transcendental + cycles::ldsRead +
                                 cycles::ldsWrite + cycles::vectorMemory + cycles::barrier +
                                 cycles::plain /* the end */);
  EXPECT_EQ(e.instructions, 8u);
  EXPECT_EQ(e.salu, 1u);
  EXPECT_EQ(e.valu, 2u);
  EXPECT_EQ(e.lds, 2u);
  EXPECT_EQ(e.vectorMemory, 1u);
}

TEST(EstimateCycles, uniformSidesCountHalfDivergentSidesCountWhole) {
  // if (scc) { mov } else { rcp; jump }: each side half of the time.
  Estimate uniform = run({sopp(scc1, 2), vrcp, sopp(jump, 1), vmov, sopp(endpgm)});
  EXPECT_DOUBLE_EQ(uniform.cycles, cycles::branch +
                                       0.5 * (cycles::transcendental + cycles::branch) +
                                       0.5 * cycles::plain + cycles::plain);
  // Lanes decide: what the branch skips runs all the same.
  Estimate divergent = run({sopp(execz, 1), vrcp, sopp(endpgm)});
  EXPECT_DOUBLE_EQ(divergent.cycles, cycles::branch + cycles::transcendental + cycles::plain);
}

TEST(EstimateCycles, loopsWeighTheirBodies) {
  // s; v: [ rcp; again ]; end
  Estimate once = run({smov, vrcp, sopp(scc1, -2), sopp(endpgm)});
  EXPECT_DOUBLE_EQ(once.cycles,
                   2 * cycles::plain + loopTrips * (cycles::transcendental + cycles::branch));
}

// A call writes registers that LLVM 15 takes for untouched when it makes a swap of three moves.
TEST(EstimateVerdict, swapsBehindCallsRefuse) {
  constexpr uint32_t call = 0xbe9e1e04; // s_swappc_b64 s[30:31], s[4:5]: SOP1 opcode 30
  constexpr uint32_t swap = 0x7e12a304; // v_swap_b32 v9, v4: VOP1 opcode 81
  EXPECT_EQ(run({call, vmov, swap, sopp(endpgm)}).swapsBehindCalls, 1u);
  EXPECT_EQ(run({swap, call, vmov, sopp(endpgm)}).swapsBehindCalls, 0u);
  EXPECT_EQ(run({call, sopp(execz, 0), swap, sopp(endpgm)}).swapsBehindCalls, 0u); // another block
  Estimate before, after;
  before.cycles = 100;
  after.cycles = 10;
  EXPECT_TRUE(judge(before, {}, after, {}, 0).better);
  after.swapsBehindCalls = 1;
  EXPECT_FALSE(judge(before, {}, after, {}, 0).better);
  EXPECT_NE(judge(before, {}, after, {}, 0).reason.find("swaps behind calls"), std::string::npos);
  before.swapsBehindCalls = 1; // the program's own
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
