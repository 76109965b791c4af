// What is in isa::Inst, not only its text. Expected values are from the "Vega" and "MI200" ISA
// manuals (microcode formats); the words were written by hand from the field layouts.
#include "tests/runtime/softgpu/isa/fields.h"

namespace meld::softgpu::isa {
namespace {

using namespace test;
using test::get;

Inst get(std::initializer_list<uint32_t> words) { return get(Target::gfx900, words); }

TEST(Fields, Sop2) {
  Inst i = get({0x80000000 | 12u << 23 | 106 << 16 | 5 << 8 | 193}); // s_and_b32 vcc_lo, -1, s5
  EXPECT_EQ(i.op, Op::s_and_b32);
  EXPECT_EQ(i.size, 4);
  EXPECT_EQ(i.numSrc, 2);
  expectOperand(i.dst, Kind::sgpr, Sgpr::vcc, 1);
  expectImm(i.src[0], 0xffffffff);
  expectOperand(i.src[1], Kind::sgpr, 5, 1);
  i = get(
      {0x80000000 | 29u << 23 | 4 << 16 | 131 << 8 | 255, 0x80000000}); // s_lshl_b64 s[4:5], lit, 3
  EXPECT_EQ(i.op, Op::s_lshl_b64);
  EXPECT_EQ(i.size, 8);
  expectOperand(i.dst, Kind::sgpr, 4, 2);
  expectImm(i.src[0], 0x80000000); // b64: zero-extended
  expectImm(i.src[1], 3);
  i = get({0x80000000 | 13u << 23 | 126 << 16 | 193 << 8 | 253}); // s_and_b64 exec, src_scc, -1
  expectOperand(i.dst, Kind::sgpr, Sgpr::exec, 2);
  expectOperand(i.src[0], Kind::special, 253, 2);
  expectImm(i.src[1], ~0ull);
}

TEST(Fields, Sopk) {
  Inst i = get({0xb0000000 | 0u << 23 | 3 << 16 | 0xfffe}); // s_movk_i32 s3, -2
  EXPECT_EQ(i.op, Op::s_movk_i32);
  EXPECT_EQ(i.simm, -2);
  i = get({0xb0000000 | 14u << 23 | 3 << 16 | 7}); // s_addk_i32 s3, 7: reads s3
  expectOperand(i.dst, Kind::sgpr, 3, 1);
  expectOperand(i.src[0], Kind::sgpr, 3, 1);
  i = get({0xb0000000 | 21u << 23 | 30 << 16 | 0xffff}); // s_call_b64 s[30:31], -1
  EXPECT_EQ(i.op, Op::s_call_b64);
  EXPECT_EQ(i.simm, -4);
  expectOperand(i.dst, Kind::sgpr, 30, 2);
  i = get({0xb0000000 | 20u << 23 | 0xf801, 0x2f0}); // s_setreg_imm32_b32
  EXPECT_EQ(i.size, 8);
  EXPECT_EQ(uint16_t(i.simm), 0xf801);
  expectImm(i.src[0], 0x2f0);
}

TEST(Fields, Sopp) {
  Inst i = get({0xbf800000 | 4u << 16 | 0xfff6}); // s_cbranch_scc0, 10 dwords back
  EXPECT_EQ(i.op, Op::s_cbranch_scc0);
  EXPECT_EQ(i.simm, -40);
  EXPECT_EQ(category(i), Category::branch);
  i = get({0xbf8c0070});
  EXPECT_EQ(i.op, Op::s_waitcnt);
  EXPECT_EQ(i.simm, 0x70);
  EXPECT_EQ(category(i), Category::waitcnt);
}

TEST(Fields, Smem) {
  // s_load_dwordx4 s[8:11], s[6:7], -16
  Inst i = get({0xc0000000 | 2u << 18 | 1 << 17 | 8 << 6 | 3, 0x1ffff0});
  EXPECT_EQ(i.op, Op::s_load_dwordx4);
  EXPECT_EQ(i.size, 8);
  expectOperand(i.dst, Kind::sgpr, 8, 4);
  expectOperand(i.saddr, Kind::sgpr, 6, 2);
  EXPECT_EQ(int(i.soffset.kind), int(Kind::none));
  EXPECT_EQ(i.offset, -16);
  EXPECT_EQ(category(i), Category::smem);
  i = get({0xc0000000 | 0u << 18 | 8 << 6 | 3, 42}); // s_load_dword s8, s[6:7], s42
  expectOperand(i.soffset, Kind::sgpr, 42, 1);
  EXPECT_EQ(i.offset, 0);
  i = get({0xc0000000 | 0u << 18 | 1 << 17 | 1 << 14 | 8 << 6 | 3, 42u << 25 | 4}); // both
  expectOperand(i.soffset, Kind::sgpr, 42, 1);
  EXPECT_EQ(i.offset, 4);
}

TEST(Fields, Vop2AndImplicitOperands) {
  Inst i = get({0u << 25 | 1 << 17 | 2 << 9 | 242}); // v_cndmask_b32 v1, 1.0, v2, vcc
  EXPECT_EQ(i.op, Op::v_cndmask_b32);
  EXPECT_EQ(i.numSrc, 3);
  expectImm(i.src[0], 0x3f800000);
  expectOperand(i.src[2], Kind::sgpr, Sgpr::vcc, 2);
  i = get({28u << 25 | 1 << 17 | 2 << 9 | 259}); // v_addc_co_u32 v1, vcc, v3, v2, vcc
  EXPECT_EQ(i.op, Op::v_addc_co_u32);
  expectOperand(i.sdst, Kind::sgpr, Sgpr::vcc, 2);
  expectOperand(i.src[2], Kind::sgpr, Sgpr::vcc, 2);
  i = get({22u << 25 | 1 << 17 | 2 << 9 | 259}); // v_mac_f32 v1, v3, v2
  EXPECT_EQ(i.op, Op::v_mac_f32);
  EXPECT_EQ(i.numSrc, 3);
  expectOperand(i.src[2], Kind::vgpr, 1, 1);
  i = get({23u << 25 | 1 << 17 | 2 << 9 | 259, 0x40490fdb}); // v_madmk_f32 v1, v3, pi, v2
  EXPECT_EQ(i.op, Op::v_madmk_f32);
  EXPECT_EQ(i.size, 8);
  expectImm(i.src[1], 0x40490fdb);
  expectOperand(i.src[2], Kind::vgpr, 2, 1);
  i = get({24u << 25 | 1 << 17 | 2 << 9 | 259, 0x40490fdb}); // v_madak_f32 v1, v3, v2, pi
  expectOperand(i.src[1], Kind::vgpr, 2, 1);
  expectImm(i.src[2], 0x40490fdb);
  i = get({31u << 25 | 1 << 17 | 2 << 9 | 240}); // v_add_f16 v1, 0.5, v2
  expectImm(i.src[0], 0x3800);
}

TEST(Fields, Vop1) {
  Inst i = get({0x7e000000 | 106 << 17 | 2 << 9 | 259}); // v_readfirstlane_b32 vcc_lo, v3
  EXPECT_EQ(i.op, Op::v_readfirstlane_b32);
  expectOperand(i.dst, Kind::sgpr, Sgpr::vcc, 1);
  i = get({0x7e000000 | 4 << 17 | 37 << 9 | 255, 0x3ff00000}); // v_rcp_f64 v[4:5], lit
  EXPECT_EQ(i.op, Op::v_rcp_f64);
  expectOperand(i.dst, Kind::vgpr, 4, 2);
  expectImm(i.src[0], 0x3ff0000000000000);         // f64 literal: high half
  i = get({0x7e000000 | 4 << 17 | 37 << 9 | 247}); // -4.0
  expectImm(i.src[0], 0xc010000000000000);
}

TEST(Fields, VopcAndE64) {
  Inst i = get({0x7c000000 | 0xd1u << 17 | 2 << 9 | 193}); // v_cmpx_lt_i32 vcc, -1, v2
  EXPECT_EQ(i.op, Op::v_cmpx_lt_i32);
  expectOperand(i.dst, Kind::sgpr, Sgpr::vcc, 2);
  i = get(
      {0xd0000000 | 0xe9u << 16 | 10, 193 | 258u << 9}); // v_cmp_lt_u64_e64 s[10:11], -1, v[2:3]
  EXPECT_EQ(i.op, Op::v_cmp_lt_u64);
  EXPECT_EQ(i.enc, Enc::VOP3);
  expectOperand(i.dst, Kind::sgpr, 10, 2);
  expectImm(i.src[0], ~0ull);
  expectOperand(i.src[1], Kind::vgpr, 2, 2);
}

TEST(Fields, Vop3) {
  // v_fma_f32 v1, -v2, |v3|, s4 clamp mul:4
  Inst i = get({0xd0000000 | 0x1cbu << 16 | 1 << 15 | 2 << 8 | 1,
                258u | 259u << 9 | 4u << 18 | 2u << 27 | 1u << 29});
  EXPECT_EQ(i.op, Op::v_fma_f32);
  EXPECT_EQ(i.neg, 1);
  EXPECT_EQ(i.abs, 2);
  EXPECT_TRUE(i.clamp);
  EXPECT_EQ(i.omod, 2);
  expectOperand(i.src[2], Kind::sgpr, 4, 1);
  // v_mad_u64_u32 v[2:3], s[20:21], v4, v5, v[6:7]: sdst lies where abs would be
  i = get({0xd0000000 | 0x1e8u << 16 | 20 << 8 | 2, 260u | 261u << 9 | 262u << 18});
  EXPECT_EQ(i.op, Op::v_mad_u64_u32);
  EXPECT_EQ(i.abs, 0);
  EXPECT_EQ(i.opSel, 0);
  expectOperand(i.sdst, Kind::sgpr, 20, 2);
  expectOperand(i.dst, Kind::vgpr, 2, 2);
  expectOperand(i.src[2], Kind::vgpr, 6, 2);
  // v_readlane_b32 s7, v1, m0
  i = get({0xd0000000 | 0x289u << 16 | 7, 257u | 124u << 9});
  EXPECT_EQ(i.op, Op::v_readlane_b32);
  expectOperand(i.dst, Kind::sgpr, 7, 1);
  expectOperand(i.src[1], Kind::sgpr, Sgpr::m0, 1);
  // v_mad_f16 v1, v2, v3, v4 op_sel:[0,1,0,1]
  i = get({0xd0000000 | 0x203u << 16 | 0xau << 11 | 1, 258u | 259u << 9 | 260u << 18});
  EXPECT_EQ(i.op, Op::v_mad_f16);
  EXPECT_EQ(i.opSel, 0xa);
}

TEST(Fields, Vop3p) {
  // v_pk_fma_f16 v1, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[1,1,0] neg_lo:[0,1,0] neg_hi:[0,0,1]
  Inst i = get({0xd3800000 | 14u << 16 | 0u << 14 | 1 << 11 | 4 << 8 | 1,
                258u | 259u << 9 | 260u << 18 | 3u << 27 | 2u << 29});
  EXPECT_EQ(i.op, Op::v_pk_fma_f16);
  EXPECT_EQ(i.enc, Enc::VOP3P);
  EXPECT_EQ(i.opSel, 1);
  EXPECT_EQ(i.opSelHi, 3);
  EXPECT_EQ(i.neg, 2);
  EXPECT_EQ(i.abs, 4);
  // gfx90a: v_pk_mul_f32 v[2:3], v[4:5], s[6:7] op_sel_hi:[1,0]
  i = get(Target::gfx90a, {0xd3800000 | 49u << 16 | 2, 260u | 6u << 9 | 1u << 27});
  EXPECT_EQ(i.op, Op::v_pk_mul_f32);
  expectOperand(i.src[0], Kind::vgpr, 4, 2);
  expectOperand(i.src[1], Kind::sgpr, 6, 2);
  EXPECT_EQ(i.opSelHi, 1);
}

TEST(Fields, Mfma) {
  // gfx90a: v_mfma_f32_32x32x1f32 a[0:31], v1, a2, a[32:63] cbsz:1 abid:2 blgp:3
  std::initializer_list<uint32_t> words = {0xd3800000 | 64u << 16 | 1 << 15 | 2 << 11 | 1 << 8,
                                           257u | 258u << 9 | 288u << 18 | 2u << 27 | 3u << 29};
  Inst i = get(Target::gfx90a, words);
  EXPECT_EQ(i.op, Op::v_mfma_f32_32x32x1f32);
  expectOperand(i.dst, Kind::agpr, 0, 32);
  expectOperand(i.src[0], Kind::vgpr, 1, 1);
  expectOperand(i.src[1], Kind::agpr, 2, 1);
  expectOperand(i.src[2], Kind::agpr, 32, 32);
  EXPECT_EQ(i.cbsz, 1);
  EXPECT_EQ(i.abid, 2);
  EXPECT_EQ(i.blgp, 3);
  EXPECT_EQ(valuRate(i.op), ValuRate::mfma);
  get(Target::gfx900, words, DecodeStatus::unknown);
  i = get(Target::gfx90a, {0xd3d84005, 0x18000107}); // v_accvgpr_read_b32 v5, a7
  EXPECT_EQ(i.op, Op::v_accvgpr_read_b32);
  expectOperand(i.dst, Kind::vgpr, 5, 1);
  expectOperand(i.src[0], Kind::agpr, 7, 1);
}

TEST(Fields, Sdwa) {
  // v_add_u32_sdwa v1, v2, sext(s3) dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2
  // src1_sel:WORD_0
  Inst i = get({52u << 25 | 1 << 17 | 3 << 9 | 249, 2 | 5 << 8 | 2 << 11 | 2 << 16 | 0x8cu << 24});
  EXPECT_EQ(i.op, Op::v_add_u32);
  EXPECT_EQ(i.enc, Enc::VOP2);
  EXPECT_EQ(i.size, 8);
  EXPECT_TRUE(i.sdwa);
  EXPECT_EQ(i.sdwaDst, SdwaSel::word1);
  EXPECT_EQ(i.sdwaUnused, SdwaUnused::preserve);
  EXPECT_EQ(i.sdwaSrc[0], SdwaSel::byte2);
  EXPECT_EQ(i.sdwaSrc[1], SdwaSel::word0);
  EXPECT_EQ(i.sdwaSext, 2);
  expectOperand(i.src[0], Kind::vgpr, 2, 1);
  expectOperand(i.src[1], Kind::sgpr, 3, 1);
  // v_cmp_eq_u32_sdwa s[6:7], v2, v3
  i = get({0x7c000000 | 0xcau << 17 | 3 << 9 | 249, 2 | 0x86u << 8 | 6 << 16 | 6u << 24});
  expectOperand(i.dst, Kind::sgpr, 6, 2);
}

TEST(Fields, Dpp) {
  // v_add_f32_dpp v1, -v2, |v3| row_shr:1 row_mask:0xa bank_mask:0x5 bound_ctrl
  Inst i = get({1u << 25 | 1 << 17 | 3 << 9 | 250,
                2 | 0x111 << 8 | 1 << 19 | 1 << 20 | 1 << 23 | 5 << 24 | 0xau << 28});
  EXPECT_EQ(i.op, Op::v_add_f32);
  EXPECT_TRUE(i.dpp);
  EXPECT_EQ(i.dppCtrl, 0x111);
  EXPECT_EQ(i.dppRowMask, 0xa);
  EXPECT_EQ(i.dppBankMask, 5);
  EXPECT_TRUE(i.dppBoundCtrl);
  EXPECT_EQ(i.neg, 1);
  EXPECT_EQ(i.abs, 2);
}

TEST(Fields, Ds) {
  // ds_read2_b64 v[4:7], v1 offset0:2 offset1:3
  Inst i = get({0xd8000000 | 119u << 17 | 3 << 8 | 2, 1 | 4u << 24});
  EXPECT_EQ(i.op, Op::ds_read2_b64);
  expectOperand(i.dst, Kind::vgpr, 4, 4);
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  EXPECT_EQ(i.offset, 2);
  EXPECT_EQ(i.offset1, 3);
  EXPECT_EQ(category(i), Category::lds);
  // ds_cmpst_rtn_b32 v4, v1, v2, v3 offset:0xfffc
  i = get({0xd8000000 | 48u << 17 | 0xfffc, 1 | 2 << 8 | 3 << 16 | 4u << 24});
  EXPECT_EQ(i.op, Op::ds_cmpst_rtn_b32);
  expectOperand(i.vdata, Kind::vgpr, 2, 1);
  expectOperand(i.vdata1, Kind::vgpr, 3, 1);
  EXPECT_EQ(i.offset, 0xfffc);
  // gfx90a: acc moves the data to AGPRs, never the address
  i = get(Target::gfx90a, {0xd8000000 | 13u << 17 | 1 << 25, 1 | 2 << 8});
  EXPECT_EQ(i.op, Op::ds_write_b32);
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  expectOperand(i.vdata, Kind::agpr, 2, 1);
}

TEST(Fields, FlatGlobalScratch) {
  // global_load_dwordx2 v[4:5], v1, s[2:3] offset:-8
  Inst i = get({0xdc008000 | 21u << 18 | 0x1ff8, 1 | 2u << 16 | 4u << 24});
  EXPECT_EQ(i.op, Op::global_load_dwordx2);
  EXPECT_EQ(i.enc, Enc::GLOBAL);
  expectOperand(i.dst, Kind::vgpr, 4, 2);
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  expectOperand(i.saddr, Kind::sgpr, 2, 2);
  EXPECT_EQ(i.offset, -8);
  EXPECT_EQ(category(i), Category::vmemRead);
  // global_store_byte v[1:2], v3, off
  i = get({0xdc008000 | 24u << 18, 1 | 3 << 8 | 0x7fu << 16});
  expectOperand(i.vaddr, Kind::vgpr, 1, 2);
  EXPECT_EQ(int(i.saddr.kind), int(Kind::none));
  expectOperand(i.vdata, Kind::vgpr, 3, 1);
  EXPECT_EQ(category(i), Category::vmemWrite);
  // global_atomic_cmpswap_x2 v[6:7], v[1:2], v[8:11], off glc, and the form that returns nothing
  uint32_t cas = 0xdc008000 | 97u << 18;
  i = get({cas | 1 << 16, 1 | 8 << 8 | 0x7fu << 16 | 6u << 24});
  expectOperand(i.dst, Kind::vgpr, 6, 2);
  expectOperand(i.vdata, Kind::vgpr, 8, 4);
  EXPECT_TRUE(i.glc);
  i = get({cas, 1 | 8 << 8 | 0x7fu << 16});
  EXPECT_EQ(int(i.dst.kind), int(Kind::none));
  // flat_load_dword v4, v[1:2]: category flat; scratch_load_dword v4, off, s3
  i = get({0xdc000000 | 20u << 18, 1 | 4u << 24});
  EXPECT_EQ(category(i), Category::flat);
  i = get({0xdc004000 | 20u << 18, 3u << 16 | 4u << 24});
  EXPECT_EQ(i.enc, Enc::SCRATCH);
  EXPECT_EQ(int(i.vaddr.kind), int(Kind::none));
  expectOperand(i.saddr, Kind::sgpr, 3, 1);
}

TEST(Fields, Buffer) {
  // buffer_load_dwordx3 v[4:6], v1, s[8:11], s7 offen offset:4095 glc slc
  Inst i = get({0xe0000000 | 22u << 18 | 1 << 17 | 1 << 14 | 1 << 12 | 4095,
                1 | 4 << 8 | 2 << 16 | 7u << 24});
  EXPECT_EQ(i.op, Op::buffer_load_dwordx3);
  expectOperand(i.dst, Kind::vgpr, 4, 3);
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  expectOperand(i.srsrc, Kind::sgpr, 8, 4);
  expectOperand(i.soffset, Kind::sgpr, 7, 1);
  EXPECT_EQ(i.offset, 4095);
  EXPECT_TRUE(i.offen && !i.idxen && i.glc && i.slc);
  i = get({0xe0000000 | 28u << 18,
           4 << 8 | 2 << 16 | 128u << 24}); // buffer_store_dword v4, off, s[8:11], 0
  EXPECT_EQ(int(i.vaddr.kind), int(Kind::none));
  expectOperand(i.vdata, Kind::vgpr, 4, 1);
  expectImm(i.soffset, 0);
  // gfx90a: acc takes the place of tfe
  i = get(Target::gfx90a, {0xe0000000 | 28u << 18, 4 << 8 | 2 << 16 | 1 << 23 | 128u << 24});
  expectOperand(i.vdata, Kind::agpr, 4, 1);
  EXPECT_FALSE(i.tfe);
}

// "MI300" ISA: sc0, sc1 and nt are where glc, scc and slc were; bit 13 of a scratch instruction says
// that there is a vector address.
TEST(Fields, Gfx942Memory) {
  // global_load_dword v4, v1, s[2:3] offset:8 sc0 nt sc1
  Inst i = get(Target::gfx942,
               {0xdc008000 | 20u << 18 | 1 << 25 | 1 << 17 | 1 << 16 | 8, 1 | 2u << 16 | 4u << 24});
  EXPECT_TRUE(i.glc && i.slc && i.scc);
  EXPECT_EQ(disassemble(i, Target::gfx942), "global_load_dword v4, v1, s[2:3] offset:8 sc0 nt sc1");
  const uint32_t load = 0xdc004000 | 20u << 18, both = 1 << 13;
  i = get(Target::gfx942, {load | both, 1 | 3u << 16 | 4u << 24}); // v1 and s3
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  expectOperand(i.saddr, Kind::sgpr, 3, 1);
  i = get(Target::gfx942, {load, 1 | 3u << 16 | 4u << 24}); // s3
  EXPECT_EQ(int(i.vaddr.kind), int(Kind::none));
  expectOperand(i.saddr, Kind::sgpr, 3, 1);
  i = get(Target::gfx942, {load | both, 1 | 0x7fu << 16 | 4u << 24}); // v1
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  EXPECT_EQ(int(i.saddr.kind), int(Kind::none));
  i = get(Target::gfx942, {load | 16, 1 | 0x7fu << 16 | 4u << 24}); // neither
  EXPECT_EQ(disassemble(i, Target::gfx942), "scratch_load_dword v4, off, off offset:16");
  // global_load_lds_dword v1, s[2:3]: no destination, still a read
  i = get(Target::gfx942, {0xdc008000 | 42u << 18, 1 | 2u << 16});
  EXPECT_TRUE(i.lds);
  EXPECT_EQ(category(i), Category::vmemRead);
  get(Target::gfx90a, {0xdc008000 | 42u << 18, 1 | 2u << 16}, DecodeStatus::unknown);
  i = get(Target::gfx942, {0xe0000000 | 41u << 18 | 1 << 15, 0});
  EXPECT_EQ(disassemble(i, Target::gfx942), "buffer_inv sc1");
  get(Target::gfx942, {0xf0000000 | 0u << 18 | 0xf00, 0}, DecodeStatus::unknown); // no images
}

TEST(Fields, Gfx942Vector) {
  Inst i = get(Target::gfx942, {23u << 25 | 1 << 17 | 2 << 9 | 259, 0x40490fdb});
  EXPECT_EQ(i.op, Op::v_fmamk_f32);
  expectImm(i.src[1], 0x40490fdb);
  i = get(Target::gfx942, {0xd0000000 | 520u << 16 | 4, 258u | 129u << 9 | 8u << 18});
  EXPECT_EQ(i.op, Op::v_lshl_add_u64); // v[4:5], v[2:3], 1, s[8:9]
  expectOperand(i.src[0], Kind::vgpr, 2, 2);
  expectImm(i.src[1], 1);
  expectOperand(i.src[2], Kind::sgpr, 8, 2);
  // v_mov_b64 v[4:5], 0x80000000: LLVM makes it of 64-bit numbers whose high half is 0
  // (SIInstrInfo, V_MOV_B64_PSEUDO); inline constants are sign-extended.
  i = get(Target::gfx942, {0x7e000000 | 4 << 17 | 56 << 9 | 255, 0x80000000});
  EXPECT_EQ(i.op, Op::v_mov_b64);
  expectOperand(i.dst, Kind::vgpr, 4, 2);
  expectImm(i.src[0], 0x80000000);
  i = get(Target::gfx942, {0x7e000000 | 4 << 17 | 56 << 9 | 193});
  expectImm(i.src[0], ~0ull); // -1
  // v_smfmac_f32_16x16x32_f16 a[4:7], v[2:3], v[8:11], v1 cbsz:1 abid:2: the index is never in AGPRs
  i = get(Target::gfx942,
          {0xd3800000 | 98u << 16 | 1 << 15 | 2 << 11 | 1 << 8 | 4, 258u | 264u << 9 | 257u << 18});
  EXPECT_EQ(i.op, Op::v_smfmac_f32_16x16x32_f16);
  expectOperand(i.dst, Kind::agpr, 4, 4);
  expectOperand(i.src[0], Kind::vgpr, 2, 2);
  expectOperand(i.src[1], Kind::vgpr, 8, 4);
  expectOperand(i.src[2], Kind::vgpr, 1, 1);
  EXPECT_EQ(valuRate(i.op), ValuRate::mfma);
}

TEST(Fields, UnsupportedIsRecognised) {
  Inst i = get(Target::gfx900, {0xf0000000 | 32u << 18 | 0xf00, 0},
               DecodeStatus::unsupported); // image_sample
  EXPECT_EQ(i.enc, Enc::MIMG);
  EXPECT_EQ(i.size, 8);
  i = get(Target::gfx900, {0xbe800000 | 1 << 16 | 125},
          DecodeStatus::unsupported); // s_mov_b32 s1, <reserved 125>
  EXPECT_EQ(i.op, Op::s_mov_b32);
  get(Target::gfx900, {0xffffffff, 0xffffffff}, DecodeStatus::unknown);
}

TEST(Names, Targets) {
  EXPECT_EQ(targetFromName("gfx90a"), Target::gfx90a);
  EXPECT_EQ(targetFromName("amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-"), Target::gfx908);
  EXPECT_EQ(targetFromName("gfx900:xnack-"), Target::gfx900);
  EXPECT_EQ(targetFromName("gfx942"), Target::gfx942);
  EXPECT_EQ(targetFromName("gfx942:sramecc+:xnack-"), Target::gfx942);
  EXPECT_EQ(targetFromName("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"), Target::gfx942);
  EXPECT_EQ(targetFromName("amdgcn-amd-amdhsa--gfx9-4-generic:xnack-"), Target::gfx942);
  EXPECT_FALSE(targetFromName("gfx940"));
  EXPECT_EQ(targetFromName("gfx1030"), Target::gfx1030);
  EXPECT_EQ(targetFromName("gfx10-3-generic"), Target::gfx1030);
  EXPECT_EQ(targetName(Target::gfx1030w64), "gfx1030");
  EXPECT_EQ(withWaveSize(Target::gfx1030, 64), Target::gfx1030w64);
  EXPECT_EQ(withWaveSize(Target::gfx1030w64, 32), Target::gfx1030);
  EXPECT_EQ(withWaveSize(Target::gfx90a, 64), Target::gfx90a);
  EXPECT_EQ(withWaveSize(Target::gfx90a, 32), Target::gfx90a);
  EXPECT_FALSE(targetFromName(""));
  EXPECT_EQ(targetName(Target::gfx906), "gfx906");
  EXPECT_EQ(mnemonic(Op::v_add_f32), "v_add_f32");
}

TEST(Names, Rates) {
  EXPECT_EQ(valuRate(Op::v_add_f32), ValuRate::full);
  EXPECT_EQ(valuRate(Op::v_rcp_f32), ValuRate::transcendental);
  EXPECT_EQ(valuRate(Op::v_fma_f64), ValuRate::f64);
  EXPECT_EQ(valuRate(Op::v_mul_hi_u32), ValuRate::mulHi32);
  EXPECT_EQ(valuRate(Op::v_lshlrev_b64), ValuRate::half);
}

} // namespace
} // namespace meld::softgpu::isa
