// The analysis behind `meld divergence`, on profiles made by hand. Numbers are worked out in comments.
#include "runtime/softgpu/tools/divergence_report.h"
#include "runtime/softgpu/tools/flow_graph.h"
#include "runtime/softgpu/tools/profile_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace meld::softgpu {
namespace {

/// A kernel put together instruction by instruction, four bytes each; a line for each.
struct Made {
  KernelProfile kernel;
  std::map<int64_t, SourceLine> lines;
  int64_t next = 0;

  InstProfile &add(const char *text, uint64_t executions, uint64_t lanes, uint32_t line = 0) {
    InstProfile &i = kernel.instructions[next];
    i.text = text;
    i.executions = executions;
    i.lanes = lanes;
    const std::string_view word = text;
    i.vector = word.starts_with("v_") || word.starts_with("ds_") || word.starts_with("global_");
    i.kind = word.starts_with("v_")                                          ? "valu"
             : word.starts_with("ds_")                                       ? "lds"
             : word.starts_with("global_")                                   ? "vmem_read"
             : word.starts_with("s_cbranch") || word.starts_with("s_branch") ? "branch"
                                                                             : "salu";
    if (line)
      lines[next] = {"a.hip", line};
    next += 4;
    return i;
  }
  void branch(const char *text, uint64_t executions, uint64_t lanes, uint64_t taken,
              uint64_t takenLanes, uint32_t line = 0) {
    InstProfile &i = add(text, executions, lanes, line);
    i.taken = taken;
    i.takenLanes = takenLanes;
  }
  KernelDivergence analyse() const {
    return divergenceOf(kernel, [&](int64_t offset) {
      const auto line = lines.find(offset);
      return line == lines.end() ? nullptr : &line->second;
    });
  }
};

// One wave, an if that half of the lanes take, with an else: each side loses 32.
Made ifElse() {
  Made m;
  m.kernel.waves = m.kernel.dispatches = 1;
  m.add("v_cmp_gt_u32_e32 vcc, 32, v0", 1, 64, 10);          // +0
  m.add("s_and_saveexec_b64 s[4:5], vcc", 1, 64).parted = 1; // +4
  m.add("s_xor_b64 s[4:5], exec, s[4:5]", 1, 32);            // +8
  m.branch("s_cbranch_execz 2", 1, 32, 0, 0);                // +12, to +24
  m.add("v_add_f32_e32 v1, v1, v2", 1, 32, 11).lost = {{4, 32}};
  m.add("v_sqrt_f32_e32 v1, v1", 1, 32, 11).lost = {{4, 32}};
  m.add("s_andn2_saveexec_b64 s[4:5], s[4:5]", 1, 32); // +24
  m.add("v_mul_f32_e32 v1, v1, v2", 1, 32, 13).lost = {{4, 32}};
  m.add("s_or_b64 exec, exec, s[4:5]", 1, 32);
  m.add("global_store_dword v[2:3], v1, off", 1, 64, 14);
  m.add("s_endpgm", 1, 64);
  return m;
}

TEST(Divergence, BranchByHand) {
  const KernelDivergence k = ifElse().analyse();
  // Vector instructions: two with 64 lanes, three with 32 and 32 lost.
  EXPECT_EQ(k.all.executions, 5u);
  EXPECT_EQ(k.all.lanes, 2u * 64 + 3 * 32);
  EXPECT_EQ(k.all.lost, 3u * 32);
  EXPECT_EQ(k.empty, 0u);
  // Issue on gfx90a: 4 cycles each, 16 for the square root: 4 + 4 + 16 + 4 + 4.
  EXPECT_EQ(k.all.cycles, 32u);
  EXPECT_DOUBLE_EQ(k.all.lostCycles(), (4 + 16 + 4) / 2.0);
  ASSERT_EQ(k.points.size(), 1u);
  const PartingPoint &point = k.points[0];
  EXPECT_EQ(point.where.line, 10u); // of the comparison
  EXPECT_FALSE(point.isLoop);
  EXPECT_FALSE(point.trips);
  EXPECT_EQ(point.lost, 96u);
  ASSERT_EQ(point.partings.size(), 1u);
  EXPECT_EQ(point.partings[0].offset, 4);
  EXPECT_EQ(point.partings[0].parted, 1u);
  ASSERT_EQ(point.lines.size(), 2u);
  EXPECT_EQ(point.lines[0].where.line, 11u);
  EXPECT_DOUBLE_EQ(point.lines[0].counts.lostCycles(), 10);
  EXPECT_EQ(point.lines[1].where.line, 13u);
  EXPECT_DOUBLE_EQ(point.lines[1].counts.lostCycles(), 2);
  EXPECT_EQ(pointText(point), "branch: parts 100.0 % of the waves that reach it");
  // By line: 10, 11, 13, 14.
  ASSERT_EQ(k.lines.size(), 4u);
  EXPECT_EQ(k.lines[1].where.line, 11u);
  EXPECT_EQ(k.lines[1].counts.lost, 64u);
  EXPECT_EQ(k.lines[1].counts.lanes, 64u);
}

// The same in waves of 32 lanes, with the masks in single registers, and as GFX10 compares into EXEC.
Made ifElse32(bool compareIntoExec) {
  Made m;
  m.kernel.device = isa::Target::gfx1030;
  m.kernel.waveSize = 32;
  m.kernel.waves = m.kernel.dispatches = 1;
  if (compareIntoExec) {
    m.add("s_mov_b32 s4, exec_lo", 1, 32);
    m.add("v_cmpx_gt_u32_e32 16, v0", 1, 32, 10).parted = 1; // +4
  } else {
    m.add("v_cmp_gt_u32_e32 vcc_lo, 16, v0", 1, 32, 10);
    m.add("s_and_saveexec_b32 s4, vcc_lo", 1, 32).parted = 1; // +4
  }
  m.add("s_xor_b32 s4, exec_lo, s4", 1, 16);  // +8
  m.branch("s_cbranch_execz 2", 1, 16, 0, 0); // +12, to +24
  m.add("v_add_f32_e32 v1, v1, v2", 1, 16, 11).lost = {{4, 16}};
  m.add("v_sqrt_f32_e32 v1, v1", 1, 16, 11).lost = {{4, 16}};
  m.add("s_andn2_saveexec_b32 s4, s4", 1, 16); // +24
  m.add("v_mul_f32_e32 v1, v1, v2", 1, 16, 13).lost = {{4, 16}};
  m.add("s_or_b32 exec_lo, exec_lo, s4", 1, 16);
  m.add("global_store_dword v[2:3], v1, off", 1, 32, 14);
  m.add("s_endpgm", 1, 32);
  return m;
}

TEST(Divergence, WavesOf32ByHand) {
  for (const bool compareIntoExec : {false, true}) {
    const KernelDivergence k = ifElse32(compareIntoExec).analyse();
    EXPECT_EQ(k.waveSize, 32u);
    EXPECT_EQ(k.all.lanes, 2u * 32 + 3 * 16);
    EXPECT_EQ(k.all.lost, 3u * 16);
    EXPECT_EQ(k.empty, 0u);
    // Issue on gfx1030: 1 cycle each, 4 for the square root; half of the lanes of three are lost.
    EXPECT_EQ(k.all.cycles, 1u + 1 + 4 + 1 + 1);
    EXPECT_DOUBLE_EQ(k.all.lostCycles(), (1 + 4 + 1) / 2.0);
    ASSERT_EQ(k.points.size(), 1u);
    EXPECT_EQ(k.points[0].where.line, 10u); // of the comparison
    EXPECT_EQ(k.points[0].lost, 48u);
  }
}

TEST(Divergence, WavesOf64KeepTheirUnitsTwiceAsLongOnGfx10) {
  InstProfile i;
  i.vector = true;
  i.kind = "valu";
  i.text = "v_add_f32_e32 v1, v1, v2";
  EXPECT_EQ(issueCycles(i, isa::Target::gfx1030, 32), 1u);
  EXPECT_EQ(issueCycles(i, isa::Target::gfx1030, 64), 2u);
  EXPECT_EQ(issueCycles(i, isa::Target::gfx90a, 64), 4u);
}

// Two waves in a loop within a uniform loop of 3 rounds. Inside, a wave goes round 10 times in all
// for each of its 3 entries; lanes 4 times on the average.
Made nest() {
  Made m;
  m.kernel.waves = 2;
  m.add("s_mov_b32 s9, 3", 2, 128, 20);                                 // +0
  m.add("s_mov_b64 s[6:7], 0", 6, 384, 21);                             // +4, the outer header
  m.add("global_load_dword v4, v[8:9], off", 60, 6 * 64 * 4, 22).lost = // +8, the inner header
      {{24, 60 * 64 - 6 * 64 * 4}};
  m.add("v_cmp_ge_u32_e32 vcc, v4, v5", 60, 1536, 21).lost = {{24, 3840 - 1536}};
  m.add("s_or_b64 s[6:7], vcc, s[6:7]", 60, 1536, 21); // +16
  m.add("v_fmac_f32_e32 v10, v11, v2", 60, 1536, 22).lost = {{24, 3840 - 1536}};
  m.add("s_andn2_b64 exec, exec, s[6:7]", 60, 1536, 22).parted = 50;  // +24
  m.branch("s_cbranch_execnz 65530", 60, 1536 - 384, 54, 1536 - 384); // +28, to +8
  m.add("s_or_b64 exec, exec, s[6:7]", 6, 0);                         // +32
  m.add("s_sub_u32 s9, s9, 1", 6, 384, 20);
  m.add("s_cmp_lg_u32 s9, 0", 6, 384, 20);
  m.branch("s_cbranch_scc1 65525", 6, 384, 4, 256, 20); // +44, to +4
  m.add("s_endpgm", 2, 128, 25);
  return m;
}

TEST(Divergence, LoopByHand) {
  const KernelDivergence k = nest().analyse();
  ASSERT_EQ(k.points.size(), 1u);
  const PartingPoint &point = k.points[0];
  // Its own line is that of the instruction before it, 22; the comparison says 21.
  EXPECT_EQ(point.where.line, 21u);
  EXPECT_TRUE(point.isLoop);
  ASSERT_TRUE(point.trips);
  EXPECT_EQ(point.trips->header, 8);
  EXPECT_EQ(point.trips->depth, 2u);
  EXPECT_EQ(point.trips->entries, 6u); // 60 rounds, 54 of them by the way back
  EXPECT_DOUBLE_EQ(point.trips->waveMean(), 10);
  EXPECT_EQ(point.trips->laneEntries, 384u);
  EXPECT_DOUBLE_EQ(point.trips->laneMean(), 4);
  EXPECT_EQ(point.lost, 3u * (3840 - 1536));
  EXPECT_EQ(pointText(point), "loop: a wave goes round 10.0 times, a lane 4.0");
  EXPECT_EQ(k.all.cycles, 3u * 60 * 4);
  EXPECT_DOUBLE_EQ(k.all.lostShare(), 0.6);
}

TEST(FlowGraph, LoopsOfANest) {
  const Made m = nest();
  const FlowGraph graph(m.kernel);
  ASSERT_EQ(graph.blocks().size(), 5u); // +0, +4, +8, +32, +48
  ASSERT_EQ(graph.loops().size(), 2u);
  const FlowLoop &outer = graph.loops()[0], &inner = graph.loops()[1];
  EXPECT_EQ(outer.blocks, (std::vector<size_t>{1, 2, 3}));
  EXPECT_EQ(inner.blocks, (std::vector<size_t>{2}));
  EXPECT_EQ(inner.parent, 0u);
  EXPECT_EQ(outer.parent, kNoLoop);
  EXPECT_EQ(outer.entries, 2u);
  EXPECT_EQ(outer.rounds, 6u);
  EXPECT_EQ(graph.blocks()[3].loop, 0u);
  EXPECT_EQ(graph.blockAt(28), 2u);
  EXPECT_EQ(graph.blockAt(30), graph.blocks().size());
}

// The way into a loop may be a jump over its latch, which is where the branch back goes.
TEST(FlowGraph, HeaderBehindItsLatch) {
  Made m;
  m.branch("s_branch 1", 1, 64, 1, 64);              // +0, to +8
  m.add("v_add_u32_e32 v1, 1, v1", 9, 9 * 64);       // +4, latch: runs on into the header
  m.add("v_cmp_eq_u32_e32 vcc, v1, v2", 10, 640);    // +8, header
  m.branch("s_cbranch_vccz 65533", 10, 640, 9, 576); // +12, to +4
  m.add("s_endpgm", 1, 64);
  const FlowGraph graph(m.kernel);
  ASSERT_EQ(graph.loops().size(), 1u);
  EXPECT_EQ(graph.blocks()[graph.loops()[0].header].offsets.front(), 8);
  EXPECT_EQ(graph.loops()[0].entries, 1u);
  EXPECT_EQ(graph.loops()[0].rounds, 10u);
  EXPECT_EQ(graph.loops()[0].laneEntries, 64u);
}

TEST(FlowGraph, BranchTargets) {
  InstProfile i;
  i.text = "s_cbranch_execnz 65530";
  EXPECT_EQ(branchTarget(28, i), 8);
  i.text = "s_branch 32767";
  EXPECT_EQ(branchTarget(0, i), 4 + 4 * 32767);
  i.text = "s_setpc_b64 s[4:5]";
  EXPECT_EQ(branchTarget(0, i), std::nullopt);
  i.text = "s_cbranch_execz";
  EXPECT_EQ(branchTarget(0, i), std::nullopt);
}

// A loop with a break: the mask takes its lanes from EXEC, so what parted them inside counts.
TEST(Divergence, LoopWithABreakHasTheStatementsLine) {
  Made m;
  m.kernel.waves = 1;
  m.add("v_cmp_gt_u32_e32 vcc, s15, v5", 10, 320, 24).lost = {{40, 320}}; // +0, the header
  m.add("s_or_b64 s[6:7], s[6:7], exec", 10, 320);                        // +4
  m.add("s_and_saveexec_b64 s[0:1], vcc", 10, 320);                       // +8: while
  m.branch("s_cbranch_execz 4", 10, 320, 0, 0);                           // +12, to +32
  m.add("v_cmp_le_u32_e32 vcc, s14, v8", 10, 320, 26).lost = {{40, 320}}; // +16
  m.add("s_and_saveexec_b64 s[8:9], vcc", 10, 320);                       // +20: if, break
  m.add("v_add_u32_e32 v5, 1, v5", 10, 320, 30).lost = {{40, 320}};
  m.add("s_andn2_b64 s[6:7], s[6:7], exec", 10, 320);
  m.add("s_or_b64 exec, exec, s[0:1]", 10, 320); // +32
  m.add("s_or_b64 s[4:5], s[6:7], s[4:5]", 10, 320);
  m.add("s_andn2_b64 exec, exec, s[4:5]", 10, 320).parted = 6; // +40
  m.branch("s_cbranch_execnz 65524", 10, 300, 9, 300);         // +44, to +0
  m.add("s_endpgm", 1, 0);
  const KernelDivergence k = m.analyse();
  ASSERT_EQ(k.points.size(), 1u);
  EXPECT_TRUE(k.points[0].isLoop);
  EXPECT_EQ(k.points[0].where.line, 24u);
}

// "if (hit < 0) return" deep in a function: the lanes that go on are those that were not active where
// it returned, and later the wave branches on that.
TEST(Divergence, MaskOfThoseThatWereActiveElsewhere) {
  Made m;
  m.kernel.waves = 1;
  m.add("v_cmp_gt_u32_e64 s[0:1], s2, v0", 1, 64, 5);        // +0: an older use of the register
  m.add("s_mov_b64 s[0:1], exec", 1, 64);                    // +4: all go on
  m.add("v_cmp_gt_i32_e32 vcc, 0, v1", 1, 64, 43);           // +8
  m.add("s_and_saveexec_b64 s[2:3], vcc", 1, 64).parted = 1; // +12
  m.branch("s_cbranch_execz 4", 1, 32, 0, 0);                // +16, to +36
  m.add("v_cmp_gt_i32_e32 vcc, 7, v1", 1, 32, 44).lost = {{12, 32}}; // +20, within
  m.add("s_and_saveexec_b64 s[4:5], vcc", 1, 32);                    // +24
  m.add("s_or_b64 exec, exec, s[4:5]", 1, 16);                       // closed again
  m.add("s_andn2_b64 s[0:1], s[0:1], exec", 1, 32);                  // +32: not these
  m.add("s_or_b64 exec, exec, s[2:3]", 1, 32);                       // +36
  m.add("s_and_saveexec_b64 s[6:7], s[0:1]", 1, 64).parted = 1;      // +40
  m.add("v_add_f32_e32 v1, v1, v2", 1, 32, 60).lost = {{40, 32}};
  m.add("s_endpgm", 1, 32);
  const KernelDivergence k = m.analyse();
  ASSERT_EQ(k.points.size(), 1u);
  EXPECT_EQ(k.points[0].where.line, 43u);
  EXPECT_EQ(k.points[0].partings.size(), 2u);
  EXPECT_EQ(k.points[0].lost, 64u);
}

TEST(Divergence, WithoutLinesEachBranchStandsForItself) {
  Made m = ifElse();
  m.lines.clear();
  const KernelDivergence k = m.analyse();
  EXPECT_FALSE(k.hasLines);
  ASSERT_EQ(k.points.size(), 1u);
  EXPECT_EQ(k.points[0].where.line, 0u);
  EXPECT_EQ(placeText(k.points[0].where, k.points[0].partings[0].offset), "+0x4");
}

// A workgroup of 40: 24 lanes of its wave are empty, none is lost.
TEST(Divergence, EmptyLanesAreNotLost) {
  Made m;
  m.add("v_mov_b32_e32 v1, 7", 3, 3 * 40, 5);
  m.add("s_endpgm", 3, 3 * 40);
  const KernelDivergence k = m.analyse();
  EXPECT_EQ(k.all.lost, 0u);
  EXPECT_EQ(k.empty, 3u * 24);
  EXPECT_EQ(k.all.lostShare(), 0);
  EXPECT_TRUE(k.points.empty());
}

TEST(Divergence, IssueByKindAndRate) {
  const auto cycles = [](const char *text, const char *kind, isa::Target target) {
    InstProfile i;
    i.text = text;
    i.kind = kind;
    i.vector = true;
    return issueCycles(i, target);
  };
  using isa::Target;
  EXPECT_EQ(cycles("v_add_f32_e32 v0, v1, v2", "valu", Target::gfx90a), 4u);
  EXPECT_EQ(cycles("v_rcp_f32_e64 v0, v1", "valu", Target::gfx90a), 16u);
  EXPECT_EQ(cycles("v_mul_hi_u32 v0, v1, v2", "valu", Target::gfx90a), 16u);
  EXPECT_EQ(cycles("v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "valu", Target::gfx90a), 4u);
  EXPECT_EQ(cycles("v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", "valu", Target::gfx900), 64u);
  EXPECT_EQ(cycles("ds_read_b32 v0, v1", "lds", Target::gfx90a), 4u);
  EXPECT_EQ(cycles("global_load_dword v0, v[2:3], off", "vmem_read", Target::gfx90a), 4u);
}

TEST(DivergenceReport, WorstFirstAndTheRestInALine) {
  DivergenceReport report;
  report.kernels.push_back({ifElse().analyse(), "", {}});
  report.kernels.push_back({nest().analyse(), "", {}});
  report.kernels[0].divergence.kernel = "small";
  report.kernels[1].divergence.kernel = "large";
  Made even;
  even.add("v_mov_b32_e32 v1, 7", 1, 64);
  report.kernels.push_back({even.analyse(), "", {}});
  report.kernels[2].divergence.kernel = "even";
  sortReport(report);
  EXPECT_EQ(report.kernels[0].divergence.kernel, "large");
  report.kernels[0].steps = {{{PlannedStep::Kind::changes, "meld-cfm", "melds it"}}};
  const std::string text = divergenceText(report, {});
  EXPECT_LT(text.find("large"), text.find("small"));
  EXPECT_NE(text.find("432 of 720 modelled issue cycles"), text.npos) << text;
  EXPECT_NE(text.find("60.0 % of lanes lost: vector instructions ran with 25.6 of 64.0 lanes"),
            text.npos);
  EXPECT_NE(text.find("a.hip:21  loop: a wave goes round 10.0 times, a lane 4.0"), text.npos);
  EXPECT_NE(text.find("libmeld: melds it"), text.npos);
  EXPECT_NE(text.find("hardly any lanes lost: even"), text.npos);
  ReportLimits one;
  one.kernels = 1;
  EXPECT_NE(divergenceText(report, one).find("and 1 more kernel that loses lanes (--top)"),
            text.npos);

  const auto json = divergenceJson(report);
  EXPECT_EQ(json["kernels"][0]["lostShare"], 0.6);
  EXPECT_EQ(json["kernels"][0]["partedBy"][0]["line"], 21);
  EXPECT_EQ(json["kernels"][0]["partedBy"][0]["loop"]["waveMean"], 10.0);
  EXPECT_EQ(json["kernels"][0]["partedBy"][0]["libmeld"][0]["kind"], "changes");
  EXPECT_EQ(json["kernels"][1]["partedBy"][0]["lostCycles"], 12.0);
}

const char *const kProfile =
    R"({"program": "/bin/app", "kernels": [{"kernel": "k", "device": "gfx90a",
  "entry": "0x1000", "dispatches": 1, "waves": 2, "startLanes": 128, "instructions": [
  {"offset": 0, "text": "v_mov_b32_e32 v1, 7", "kind": "valu", "executions": 2, "converged": 2,
   "lanes": 100, "execZero": 0, "oneLane": 0, "uniformSources": 2, "lost": [[-8, 20], [4, 8]]},
  {"offset": 4, "text": "s_cbranch_execz 1", "kind": "branch", "executions": 2, "converged": 2,
   "active": 100, "taken": 1, "takenLanes": 3, "parted": 1}]}]})";

TEST(ProfileFile, ReadsWhatIsWritten) {
  const auto profile = parseProfile(kProfile);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->program, "/bin/app");
  const KernelProfile &k = profile->kernels.at(0);
  EXPECT_EQ(k.startLanes, 128u);
  EXPECT_EQ(k.entry, 0x1000u);
  EXPECT_EQ(k.instructions.at(0).lost, (std::map<int64_t, uint64_t>{{-8, 20}, {4, 8}}));
  EXPECT_EQ(k.instructions.at(4).takenLanes, 3u);
  EXPECT_FALSE(k.instructions.at(4).vector);
  EXPECT_EQ(k.instructions.at(4).lanes, 100u);
}

TEST(ProfileFile, RefusesWhatIsNone) {
  EXPECT_FALSE(parseProfile("{"));
  EXPECT_FALSE(parseProfile("[]"));
  EXPECT_FALSE(parseProfile(R"({"kernels": [{"kernel": 3}]})"));
  auto old = nlohmann::json::parse(kProfile);
  old["kernels"][0].erase("startLanes");
  const auto refused = parseProfile(old.dump());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("record it again"), std::string::npos);
  auto odd = nlohmann::json::parse(kProfile);
  odd["kernels"][0]["device"] = "gfx1";
  EXPECT_FALSE(parseProfile(odd.dump()));
  odd = nlohmann::json::parse(kProfile);
  odd["kernels"][0]["instructions"][0]["lost"] = {1, 2};
  EXPECT_FALSE(parseProfile(odd.dump()));
}

// Processes of one program: their kernels are summed where they are the same code.
TEST(ProfileFile, MergesProcesses) {
  auto other = nlohmann::json::parse(kProfile);
  other["kernels"][0]["instructions"][0]["text"] = "v_mov_b32_e32 v1, 8";
  const auto merged = mergedKernels(
      {*parseProfile(kProfile), *parseProfile(other.dump()), *parseProfile(kProfile)});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].waves, 4u);
  EXPECT_EQ(merged[0].startLanes, 256u);
  EXPECT_EQ(merged[0].instructions.at(0).lost.at(4), 16u);
  EXPECT_EQ(merged[1].waves, 2u);
}

} // namespace
} // namespace meld::softgpu
