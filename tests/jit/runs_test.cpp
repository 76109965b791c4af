// Which machine code runs as often as which marker. Words by hand, after the Vega ISA's chapter
// "Microcode formats".
#include "jit/machine_code.h"
#include "jit/profile/marks.h"
#include "jit/profile/runs.h"
#include "tests/jit/test_objects.h"

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;

namespace {

uint32_t sopp(unsigned op, int simm = 0) { return 0xbf800000u | op << 16 | uint16_t(simm); }
uint32_t mark(unsigned number) { return sopp(0, int(number)); }
constexpr unsigned endpgm = 1, scc1 = 5, execz = 8, waitcnt = 12;
constexpr uint32_t vmov = 0x7e000280;     // v_mov_b32 v0, 0
constexpr uint32_t smov = 0xbe800080;     // s_mov_b32 s0, 0
constexpr uint32_t saveexec = 0xbe80206a; // s_and_saveexec_b64 s[0:1], vcc
constexpr uint32_t orExec = 0x87fe007e;   // s_or_b64 exec, exec, s[0:1]
constexpr uint32_t execLow = 0xbefe0080;  // s_mov_b32 exec_lo, 0
constexpr uint32_t cmpx = 0x7ca20100;     // v_cmpx_lt_f32_e32 vcc, v0, v0
constexpr uint32_t setpc = 0xbe801d00;    // s_setpc_b64 s[0:1]

std::vector<MarkedRun> runsOf(const std::vector<uint32_t> &words) {
  Kernel k;
  k.name = "k";
  k.address = 0x1000;
  k.code = ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4);
  auto d = Disassembler::create("gfx90a");
  EXPECT_TRUE(bool(d)) << errorOf(d);
  return markedRuns(d->decode(k));
}

using Runs = std::vector<MarkedRun>;

TEST(MarkedRuns, ALineIsOneWithAllItsMarkers) {
  EXPECT_EQ(runsOf({smov, mark(16), vmov, mark(17), mark(17), sopp(waitcnt), sopp(endpgm)}),
            (Runs{{0, 28, 2, {16, 17, 17}}}));
  EXPECT_EQ(runsOf({sopp(0, 15), vmov, sopp(endpgm)}), Runs{}) << "the compiler's own s_nop";
}

TEST(MarkedRuns, WhatWritesExecEndsOne) {
  for (const uint32_t word : {saveexec, orExec, execLow, cmpx})
    EXPECT_EQ(runsOf({mark(16), word, vmov, mark(17), sopp(endpgm)}),
              (Runs{{0, 8, 1, {16}}, {8, 20, 1, {17}}}))
        << word;
  // Without a marker there is none: what lies between belongs to no block.
  EXPECT_EQ(runsOf({mark(16), saveexec, vmov, orExec, mark(17), sopp(endpgm)}),
            (Runs{{0, 8, 1, {16}}, {16, 24, 0, {17}}}));
}

TEST(MarkedRuns, BranchesAndTheirTargetsEndOne) {
  // 0: mark; execz to 4; 2: mark; v; 4: mark; scc1 to 4; 6: mark; end
  EXPECT_EQ(runsOf({mark(16), sopp(execz, 2), mark(17), vmov, mark(18), sopp(scc1, -2), mark(19),
                    sopp(endpgm)}),
            (Runs{{0, 8, 0, {16}}, {8, 16, 1, {17}}, {16, 24, 0, {18}}, {24, 32, 0, {19}}}));
}

TEST(MarkedRuns, WhereControlGoesAnywhereThereIsNone) {
  EXPECT_EQ(runsOf({mark(16), vmov, setpc, mark(17), sopp(endpgm)}), Runs{});
  EXPECT_EQ(runsOf({mark(16), 0xffffffff, 0xffffffff, sopp(endpgm)}), Runs{}) << "no instruction";
  EXPECT_EQ(runsOf({}), Runs{});
}

TEST(MarkedRuns, GoIntoTheMetadata) {
  Marks marks;
  marks.runs = {{0, 16, 3, {16, 17}}, {24, 32, 0, {18}}};
  EXPECT_EQ(toJson(marks)["runs"].dump(), "[[0,16,3,[16,17]],[24,32,0,[18]]]");
}

} // namespace
