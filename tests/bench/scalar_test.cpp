// The shares of Lee's table and the accesses, worked out by hand on a few instructions.
#include "bench/runner/scalar_report.h"

#include <gtest/gtest.h>

using namespace meld::bench;

namespace {

TracedInstruction vectorOp(const char *text, uint32_t line, uint64_t executions,
                           uint64_t uniformSources, uint64_t uniformResult) {
  TracedInstruction i;
  i.text = text;
  i.kind = "valu";
  i.line = line;
  i.executions = i.converged = executions;
  i.lanes = executions * 64;
  i.uniformSources = uniformSources;
  i.uniformResult = uniformResult;
  i.vector = true;
  return i;
}

TracedInstruction scalarOp(const char *text, const char *kind, uint32_t line, uint64_t executions) {
  TracedInstruction i;
  i.text = text;
  i.kind = kind;
  i.line = line;
  i.executions = i.converged = executions;
  return i;
}

const Claim divergent = {false, false, false, true};
const Claim uniform = {true, true, true, true};
const Claim uniformByUs = {true, true, false, false};

} // namespace

TEST(Scalar, SharesAreOfExecutedWork) {
  const auto s = sharesOf({scalarOp("s_add_u32 s0, s0, 4", "salu", 1, 100),
                           scalarOp("s_load_dword s1, s[2:3], 0x0", "smem", 1, 50),
                           vectorOp("v_mul_f32_e32 v0, s0, v1", 2, 100, 100, 100),
                           vectorOp("v_add_f32_e32 v0, v0, v1", 3, 100, 25, 10),
                           scalarOp("s_cbranch_scc0 4", "branch", 1, 100),
                           scalarOp("s_and_saveexec_b64 s[0:1], vcc", "salu", 3, 100),
                           scalarOp("s_or_b64 s[4:5], s[0:1], vcc", "salu", 0, 100),
                           scalarOp("s_cselect_b32 s4, 1, 0", "salu", 3, 100),
                           scalarOp("s_waitcnt vmcnt(0)", "wait", 3, 100)},
                          {{1, uniform}, {2, uniformByUs}, {3, divergent}});
  EXPECT_EQ(s.executed, 350) << "without branches, waits and lane masks";
  EXPECT_EQ(s.traced, 350);
  EXPECT_EQ(s.scalar, 150);
  EXPECT_EQ(s.llvm, 150);
  EXPECT_EQ(s.ours, 250);
  EXPECT_EQ(s.oracle, 275) << "150 scalar, 100, and a quarter of the last 100";
  EXPECT_EQ(s.convergent, 250);
  EXPECT_TRUE(s.contradictions.empty());
}

TEST(Scalar, ConvergedIsWhatRanSoAndProvenAPartOfIt) {
  TracedInstruction together = vectorOp("v_add_u32_e32 v0, v1, v2", 1, 10, 0, 0);
  together.converged = 10;
  TracedInstruction sunk = vectorOp("v_cmp_gt_u32_e32 vcc, v1, v2", 1, 10, 0, 0);
  sunk.converged = 4; // moved to where some lanes run alone
  TracedInstruction unproven = vectorOp("v_mul_f32_e32 v0, v1, v2", 2, 10, 0, 0);
  unproven.converged = 7;
  const auto s = sharesOf({together, sunk, unproven}, {{1, divergent}, {2, uniformByUs}});
  EXPECT_EQ(s.executed, 30);
  EXPECT_EQ(s.converged, 21);
  EXPECT_EQ(s.convergent, 14) << "of the claim for line 1, what ran so";
}

TEST(Scalar, OfABlocksEndOnlyItsPlaceIsKnown) {
  Claim place;
  place.blockOnly = place.convergent = true;
  const auto s = sharesOf({vectorOp("v_cmp_gt_u32_e32 vcc, v1, v2", 1, 10, 0, 0)}, {{1, place}});
  EXPECT_EQ(s.convergent, 10);
  EXPECT_EQ(s.traced, 0);
  EXPECT_EQ(s.ours, 0);
}

TEST(Scalar, AnInstructionIsAsUniformAsItsLeastUniformPart) {
  // A 64-bit address that differs between lanes: its upper half is the same by chance.
  const auto s = sharesOf({vectorOp("v_add_co_u32_e32 v2, vcc, s0, v2", 1, 10, 0, 0),
                           vectorOp("v_addc_co_u32_e32 v3, vcc, v4, v3, vcc", 1, 10, 10, 10)},
                          {{1, divergent}});
  EXPECT_EQ(s.executed, 20);
  EXPECT_EQ(s.oracle, 0);
}

TEST(Scalar, AClaimTheRunContradictsIsNamed) {
  const auto s = sharesOf({vectorOp("v_mul_lo_u32 v0, v1, v2", 1, 10, 9, 9)}, {{1, uniform}});
  ASSERT_EQ(s.contradictions.size(), 1u);
  EXPECT_EQ(s.contradictions[0], "v_mul_lo_u32 v0, v1, v2 (line 1)");
  EXPECT_GT(s.ours, s.oracle) << "never quietly more than the oracle";
}

TEST(Scalar, AResultMayBeUniformThoughTheOperandsAreNot) {
  const Claim reduced = {true, false, false, true}; // thread id / 64
  auto s = sharesOf({vectorOp("v_lshrrev_b32_e32 v1, 6, v0", 1, 10, 0, 10)}, {{1, reduced}});
  EXPECT_TRUE(s.contradictions.empty());
  EXPECT_EQ(s.oracle, 10);
  s = sharesOf({vectorOp("v_lshrrev_b32_e32 v1, 5, v0", 1, 10, 0, 9)}, {{1, reduced}});
  EXPECT_EQ(s.contradictions.size(), 1u);
}

TEST(Scalar, WhatRanWithoutLanesSaysNothing) {
  TracedInstruction masked = vectorOp("v_mov_b32_e32 v0, v1", 1, 10, 4, 4);
  masked.execZero = 6;
  const auto s = sharesOf({masked}, {{1, uniform}});
  EXPECT_EQ(s.executed, 4);
  EXPECT_TRUE(s.contradictions.empty());
  TracedInstruction never = vectorOp("v_mov_b32_e32 v0, v1", 1, 10, 0, 0);
  never.execZero = 10;
  EXPECT_EQ(sharesOf({never}, {{1, uniform}}).executed, 0);
}

TEST(Scalar, UntracedVectorInstructionsAreNobodysClaim) {
  const auto s = sharesOf({vectorOp("v_add_u32_e32 v0, s0, v0", 0, 10, 10, 10),
                           vectorOp("v_mov_b32_e32 v0, 0", 0, 10, 10, 10), // a copy: nobody's work
                           scalarOp("s_add_i32 s0, s0, -1", "salu", 0, 20)},
                          {{1, uniform}});
  EXPECT_EQ(s.executed, 30);
  EXPECT_EQ(s.traced, 0);
  EXPECT_EQ(s.ours, 20);
  EXPECT_EQ(s.llvm, 20);
  EXPECT_EQ(s.oracle, 30);
}

TEST(Scalar, JoinedStoresAreNobodysClaim) {
  const auto s =
      sharesOf({vectorOp("ds_write_b128 v1, v[24:27] offset:1008", 1, 10, 0, 0)}, {{1, uniform}});
  EXPECT_EQ(s.executed, 10);
  EXPECT_EQ(s.traced, 0);
  EXPECT_TRUE(s.contradictions.empty());
}

TEST(Scalar, AccessesArePerLaneForVectorRegisters) {
  TracedInstruction add = vectorOp("v_add_u32_e32 v0, s0, v1", 1, 10, 0, 0);
  add.lanes = 100;
  add.vectorReads = 1, add.vectorWrites = 1, add.scalarReads = 1;
  TracedInstruction load = scalarOp("s_load_dwordx2 s[0:1], s[2:3], 0x0", "smem", 1, 10);
  load.scalarReads = 2, load.scalarWrites = 2;
  TracedInstruction read = vectorOp("ds_read_b32 v0, v1", 1, 10, 0, 0);
  read.kind = "lds";
  read.lanes = 320;
  read.vectorReads = 1, read.vectorWrites = 1;
  const Accesses a = accessesOf({add, load, read});
  EXPECT_EQ(a.vectorReads, 420);
  EXPECT_EQ(a.vectorWrites, 420);
  EXPECT_EQ(a.scalarReads, 30);
  EXPECT_EQ(a.scalarWrites, 20);
  EXPECT_EQ(a.addresses, 330) << "one for the scalar load, one for each lane of the other";
  EXPECT_EQ(a.registers(), 890);
}

TEST(Scalar, EqualOperandsAreThePapersOracle) {
  // A comparison that all lanes pass: one result, different operands.
  const auto s = sharesOf({vectorOp("v_cmp_gt_i32_e32 vcc, s0, v0", 0, 10, 0, 10)}, {});
  EXPECT_EQ(s.oracle, 10);
  EXPECT_EQ(s.operands, 0);
}

TEST(Scalar, TheGapHasAReasonForEachExecution) {
  Claim ids = divergent, data = divergent, control = divergent, half = divergent, byLaunch = ids;
  ids.cause = Cause::ids;
  data.cause = Cause::data;
  data.floating = true;
  control.cause = Cause::control;
  half.extension = true;
  byLaunch.shapes = {"64x1x1"};
  auto single = vectorOp("v_add_u32_e32 v1, v2, v3", 4, 10, 8, 8);
  single.oneLane = 5;
  const std::vector<TracedInstruction> code = {
      vectorOp("v_mul_lo_u32 v0, v1, v2", 1, 10, 1, 1),
      vectorOp("v_mul_f32_e32 v0, v1, v2", 2, 10, 2, 2),
      vectorOp("v_max_u32_e32 v0, v1, v2", 3, 10, 0, 3),
      single,
      vectorOp("v_mov_b32_e32 v1, 0", 5, 10, 10, 10),
      vectorOp("v_and_b32_e32 v1, 64, v0", 6, 10, 0, 7),
      vectorOp("v_cmp_gt_i32_e32 vcc, s0, v0", 0, 10, 0, 6),
      vectorOp("v_add_u32_e32 v1, s2, v0", 0, 10, 4, 4),
      vectorOp("v_add_u32_e32 v1, s2, s3", 7, 10, 10, 10)};
  const std::map<uint32_t, Claim> claims = {{1, ids},  {2, data},     {3, ids},    {4, control},
                                            {5, half}, {6, byLaunch}, {7, uniform}};
  const auto s = sharesOf(code, claims, "64x1x1");
  EXPECT_DOUBLE_EQ(s.gap[GapKind::ids], 1 + 3);
  EXPECT_DOUBLE_EQ(s.gap[GapKind::data], 2);
  EXPECT_DOUBLE_EQ(s.gap.floating, 2);
  EXPECT_DOUBLE_EQ(s.gap[GapKind::oneLane], 5);
  EXPECT_DOUBLE_EQ(s.gap[GapKind::control], 3);
  EXPECT_DOUBLE_EQ(s.gap[GapKind::half], 10);
  EXPECT_DOUBLE_EQ(s.gap[GapKind::launch], 7);
  EXPECT_DOUBLE_EQ(s.gap[GapKind::condition], 6);
  EXPECT_DOUBLE_EQ(s.gap[GapKind::backend], 4);
  EXPECT_EQ(s.ours, 10);
  EXPECT_DOUBLE_EQ(s.gap.sum(), s.oracle - s.ours) << "nothing twice, nothing forgotten";
  EXPECT_EQ(sharesOf(code, claims, "32x2x1").gap[GapKind::launch], 0) << "another launch";
}
