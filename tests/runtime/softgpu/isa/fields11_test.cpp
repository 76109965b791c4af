// What is in isa::Inst for gfx1100's code. Expected values are from the "RDNA3" ISA manual (microcode
// formats); the words were written by hand from the field layouts.
#include "runtime/softgpu/isa/buffer_format.h"
#include "runtime/softgpu/isa/opcodes.h"
#include "runtime/softgpu/isa/register_use.h"
#include "tests/runtime/softgpu/isa/fields.h"

namespace meld::softgpu::isa {
namespace {

using namespace test;
using test::get;

constexpr Target kWave32 = Target::gfx1100, kWave64 = Target::gfx1100w64;
constexpr uint32_t kVop3 = 0xd4000000, kVop3p = 0xcc000000, kVopd = 0xc8000000, kSmem = 0xf4000000;
constexpr uint32_t kNull = 124, kM0 = 125;

Inst get(std::initializer_list<uint32_t> words) { return get(kWave32, words); }

std::string text(const Inst &i) { return disassemble(i, i.target); }

TEST(Fields11, NullAndM0HaveChangedPlaces) {
  Inst i = get({0x80000000 | 0u << 23 | kM0 << 16 | 4 << 8 | kNull}); // s_add_u32 m0, null, s4
  EXPECT_EQ(i.op, Op::s_add_u32);
  expectOperand(i.dst, Kind::sgpr, Sgpr::m0, 1);
  expectImm(i.src[0], 0);
  EXPECT_EQ(text(i), "s_add_u32 m0, null, s4");
  i = get({0x80000000 | 0u << 23 | kNull << 16 | 4 << 8 | kM0});
  expectOperand(i.dst, Kind::sgpr, Sgpr::sink, 1);
  expectOperand(i.src[0], Kind::sgpr, Sgpr::m0, 1);
  EXPECT_EQ(text(i), "s_add_u32 null, m0, s4");
  EXPECT_EQ(RegisterUse(i).reads()[0].index, Sgpr::m0);
}

TEST(Fields11, DualMovAndFmac) {
  // v_dual_fmac_f32 v2, v1, v5 :: v_dual_mov_b32 v7, 2.0
  Inst i = get({kVopd | 0u << 22 | 8u << 17 | 5 << 9 | 257, 2u << 24 | 3u << 17 | 244});
  EXPECT_EQ(i.enc, Enc::VOPD);
  EXPECT_EQ(i.size, 8);
  EXPECT_EQ(i.op, Op::v_fmac_f32);
  EXPECT_EQ(i.numSrc, 3);
  expectOperand(i.dst, Kind::vgpr, 2, 1);
  expectOperand(i.src[0], Kind::vgpr, 1, 1);
  expectOperand(i.src[1], Kind::vgpr, 5, 1);
  expectOperand(i.src[2], Kind::vgpr, 2, 1); // what it adds to
  EXPECT_EQ(i.dual.op, Op::v_mov_b32);
  EXPECT_EQ(i.dual.numSrc, 1);
  expectOperand(i.dual.dst, Kind::vgpr, 7, 1); // its parity is the opposite of the first's
  expectImm(i.dual.src[0], 0x40000000);
  EXPECT_EQ(category(i), Category::valu);
  const RegisterUse use(i);
  ASSERT_EQ(use.writes().size(), 2u);
  EXPECT_FALSE(use.writes()[0].dual);
  EXPECT_TRUE(use.writes()[1].dual);
  EXPECT_EQ(use.writes()[1].index, 7);
  get(kWave64, {kVopd | 0u << 22 | 8u << 17 | 5 << 9 | 257, 2u << 24 | 3u << 17 | 244},
      DecodeStatus::unknown); // waves of 32 alone
}

TEST(Fields11, DualShareTheirLiteral) {
  // v_dual_fmamk_f32 v3, v1, pi, v5 :: v_dual_add_f32 v6, pi, v8
  Inst i = get(
      {kVopd | 2u << 22 | 4u << 17 | 5 << 9 | 257, 3u << 24 | 3u << 17 | 8 << 9 | 255, 0x40490fdb});
  EXPECT_EQ(i.size, 12);
  EXPECT_EQ(i.op, Op::v_fmamk_f32);
  expectImm(i.src[1], 0x40490fdb);
  expectOperand(i.src[2], Kind::vgpr, 5, 1);
  EXPECT_EQ(i.dual.op, Op::v_add_f32);
  expectOperand(i.dual.dst, Kind::vgpr, 6, 1);
  expectImm(i.dual.src[0], 0x40490fdb);
  // v_dual_cndmask_b32 v2, v1, v5 :: v_dual_lshlrev_b32 v1, 3, v4
  i = get({kVopd | 9u << 22 | 17u << 17 | 5 << 9 | 257, 2u << 24 | 0u << 17 | 4 << 9 | 131});
  EXPECT_EQ(i.op, Op::v_cndmask_b32);
  expectOperand(i.src[2], Kind::sgpr, Sgpr::vcc, 1);
  EXPECT_EQ(i.dual.op, Op::v_lshlrev_b32);
  expectOperand(i.dual.dst, Kind::vgpr, 1, 1);
  EXPECT_EQ(text(i), "v_dual_cndmask_b32 v2, v1, v5 :: v_dual_lshlrev_b32 v1, 3, v4");
  // "RDNA3" ISA, VOPD X-Instructions: 13, which no assembler writes
  i = get({kVopd | 13u << 22 | 13u << 17 | 5 << 9 | 257, 2u << 24 | 1u << 17 | 4 << 9 | 259});
  EXPECT_EQ(i.op, Op::v_dot2c_f32_bf16);
  expectOperand(i.src[2], Kind::vgpr, 2, 1);
  expectOperand(i.dual.src[2], Kind::vgpr, 3, 1);
  EXPECT_EQ(text(i), "v_dual_dot2acc_f32_bf16 v2, v1, v5 :: v_dual_dot2acc_f32_bf16 v3, v3, v4");
  // The integer operations are for the second half alone.
  get(kWave32, {kVopd | 14u << 22 | 17u << 17, 0}, DecodeStatus::unknown);
}

TEST(Fields11, Halves) {
  // v_add_f16 v1.h, v2.l, v3.h
  Inst i = get({50u << 25 | 129 << 17 | 131 << 9 | 258});
  EXPECT_EQ(i.op, Op::v_add_f16);
  expectOperand(i.dst, Kind::vgpr, 1, 1);
  expectOperand(i.src[0], Kind::vgpr, 2, 1);
  expectOperand(i.src[1], Kind::vgpr, 3, 1);
  EXPECT_EQ(i.opSel, 0xa);
  EXPECT_TRUE(i.keepsHigh);
  EXPECT_EQ(text(i), "v_add_f16_e32 v1.h, v2, v3.h");
  // v_cvt_f32_f16 v200, v5.h: a result of 32 bits has all registers
  i = get({0x7e000000 | 200u << 17 | 11u << 9 | (256 + 133)});
  EXPECT_EQ(i.op, Op::v_cvt_f32_f16);
  expectOperand(i.dst, Kind::vgpr, 200, 1);
  expectOperand(i.src[0], Kind::vgpr, 5, 1);
  EXPECT_EQ(i.opSel, 1);
  EXPECT_FALSE(i.keepsHigh);
  // v_fmac_f16 v4.h, v5.l, v6.l: what it adds to is the half it writes
  i = get({54u << 25 | 132 << 17 | 6 << 9 | 261});
  EXPECT_EQ(i.op, Op::v_fmac_f16);
  expectOperand(i.src[2], Kind::vgpr, 4, 1);
  EXPECT_EQ(i.opSel, 0xc);
  // The 64-bit form says so in op_sel: v_add_f16_e64 v1.h, v200.l, v3.h
  i = get({kVop3 | (256u + 50) << 16 | 1 << 14 | 1 << 12 | 1, (256u + 200) | 259u << 9});
  EXPECT_EQ(i.op, Op::v_add_f16);
  expectOperand(i.src[0], Kind::vgpr, 200, 1);
  EXPECT_EQ(i.opSel, 0xa);
  // v_cmp_lt_i16 vcc_lo, v1.h, v2.l
  i = get({0x7c000000 | 49u << 17 | 2 << 9 | (256 + 129)});
  EXPECT_EQ(i.op, Op::v_cmp_lt_i16);
  EXPECT_EQ(i.opSel, 1);
  // v_swap_b16 v1.l, v2.h
  i = get({0x7e000000 | 1u << 17 | 102u << 9 | (256 + 130)});
  EXPECT_EQ(i.op, Op::v_swap_b16);
  EXPECT_EQ(i.opSel, 1);
  expectOperand(i.sdst, Kind::vgpr, 2, 1);
}

TEST(Fields11, DppInLongEncodings) {
  // v_fma_f32_e64_dpp v1, -v7, v3, s4 row_shr:1 row_mask:0xf bank_mask:0xf
  Inst i = get({kVop3 | 531u << 16 | 1, 250u | 259u << 9 | 4u << 18 | 1u << 29,
                7 | 0x111 << 8 | 0xffu << 24});
  EXPECT_EQ(i.op, Op::v_fma_f32);
  EXPECT_EQ(i.enc, Enc::VOP3);
  EXPECT_EQ(i.size, 12);
  EXPECT_TRUE(i.dpp);
  EXPECT_EQ(i.dppCtrl, 0x111);
  EXPECT_EQ(i.neg, 1);
  expectOperand(i.src[0], Kind::vgpr, 7, 1);
  expectOperand(i.src[2], Kind::sgpr, 4, 1);
  // v_cmp_lt_f32_e64_dpp s5, v7, v3 dpp8
  i = get({kVop3 | 17u << 16 | 5, 233u | 259u << 9, 7 | 0x53977u << 8});
  EXPECT_EQ(i.op, Op::v_cmp_lt_f32);
  EXPECT_TRUE(i.dpp8);
  expectOperand(i.dst, Kind::sgpr, 5, 1);
  // v_cmp_lt_f32 vcc_lo, v7, v3 as VOPC
  i = get({0x7c000000 | 17u << 17 | 3 << 9 | 250, 7 | 0x111 << 8 | 0xffu << 24});
  EXPECT_TRUE(i.dpp);
  expectOperand(i.dst, Kind::sgpr, Sgpr::vcc, 1);
  // There is no SDWA; nothing with 64-bit operands; no form without its dword.
  get(kWave32, {3u << 25 | 1 << 17 | 3 << 9 | 249, 0x06060602}, DecodeStatus::unknown);
  get(kWave32, {kVop3 | 532u << 16 | 2, 250u | 260u << 9 | 262u << 18, 0}, DecodeStatus::unknown);
  get(kWave32, {kVop3 | 531u << 16 | 1, 250u | 259u << 9 | 4u << 18}, DecodeStatus::truncated);
}

TEST(Fields11, WmmaByWaveSize) {
  // v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]; a wave of 64 has half the accumulator
  const std::initializer_list<uint32_t> words = {kVop3p | 64u << 16 | 1 << 14 | 8,
                                                 272u | 280u << 9 | 264u << 18 | 3u << 27};
  Inst i = get(kWave32, words);
  EXPECT_EQ(i.op, Op::v_wmma_f32_16x16x16_f16);
  expectOperand(i.dst, Kind::vgpr, 8, 8);
  expectOperand(i.src[0], Kind::vgpr, 16, 8);
  expectOperand(i.src[1], Kind::vgpr, 24, 8);
  expectOperand(i.src[2], Kind::vgpr, 8, 8);
  EXPECT_TRUE(crossesLanes(i));
  i = get(kWave64, words);
  expectOperand(i.dst, Kind::vgpr, 8, 4);
  expectOperand(i.src[0], Kind::vgpr, 16, 8);
  expectOperand(i.src[2], Kind::vgpr, 8, 4);
}

TEST(Fields11, Memory) {
  // s_load_b64 s[8:9], s[6:7], -16 and with an SGPR, glc and dlc
  Inst i = get({kSmem | 1u << 18 | 8 << 6 | 3, kNull << 25 | 0x1ffff0});
  EXPECT_EQ(i.op, Op::s_load_dwordx2);
  EXPECT_EQ(i.offset, -16);
  EXPECT_EQ(int(i.soffset.kind), int(Kind::none));
  i = get({kSmem | 8u << 18 | 1 << 14 | 1 << 13 | 8 << 6 | 4, kM0 << 25 | 4});
  EXPECT_EQ(i.op, Op::s_buffer_load_dword);
  expectOperand(i.soffset, Kind::sgpr, Sgpr::m0, 1);
  EXPECT_TRUE(i.glc && i.dlc);
  // global_load_b32 v4, v1, s[2:3] offset:-8 slc
  i = get({0xdc020000 | 20u << 18 | 1 << 15 | 0x1ff8, 1 | 2u << 16 | 4u << 24});
  EXPECT_EQ(i.op, Op::global_load_dword);
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  expectOperand(i.saddr, Kind::sgpr, 2, 2);
  EXPECT_EQ(i.offset, -8);
  EXPECT_TRUE(i.slc && !i.glc && !i.dlc);
  EXPECT_EQ(text(i), "global_load_b32 v4, v1, s[2:3] offset:-8 slc");
  i = get({0xdc000000 | 20u << 18 | 0x1fff, 1 | kNull << 16 | 4u << 24});
  EXPECT_EQ(i.op, Op::flat_load_dword);
  expectOperand(i.vaddr, Kind::vgpr, 1, 2);
  EXPECT_EQ(i.offset, 0x1fff);
  // scratch: s3; v1; both; neither
  const uint32_t load = 0xdc010000 | 20u << 18, sve = 1u << 23;
  i = get({load, 1 | 3u << 16 | 4u << 24});
  EXPECT_EQ(int(i.vaddr.kind), int(Kind::none));
  expectOperand(i.saddr, Kind::sgpr, 3, 1);
  i = get({load, 1 | kNull << 16 | sve | 4u << 24});
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  EXPECT_EQ(int(i.saddr.kind), int(Kind::none));
  i = get({load, 1 | 3u << 16 | sve | 4u << 24});
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  expectOperand(i.saddr, Kind::sgpr, 3, 1);
  i = get({load | 16, 1 | kNull << 16 | 4u << 24});
  EXPECT_EQ(text(i), "scratch_load_b32 v4, off, off offset:16");
  // buffer_load_b32 v4, v[1:2], s[8:11], null idxen offen glc slc dlc
  i = get({0xe0000000 | 20u << 18 | 7 << 12, 1 | 4 << 8 | 2 << 16 | 3 << 22 | kNull << 24});
  EXPECT_EQ(i.op, Op::buffer_load_dword);
  expectOperand(i.vaddr, Kind::vgpr, 1, 2);
  expectImm(i.soffset, 0);
  EXPECT_TRUE(i.offen && i.idxen && i.glc && i.slc && i.dlc && !i.tfe);
  i = get({0xe8000000 | 29u << 19 | 13 << 15, 4 << 8 | kNull << 24});
  EXPECT_EQ(i.op, Op::tbuffer_store_format_d16_xy);
  EXPECT_EQ(i.format, 29);
  // buffer_load_lds_b32: to LDS by its opcode
  i = get({0xe0000000 | 49u << 18, 2 << 16 | kNull << 24});
  EXPECT_EQ(i.op, Op::buffer_load_lds_b32);
  EXPECT_TRUE(i.lds);
  // ds_cmpstore_b32 v1, v2, v3: what is stored, then what is compared
  i = get({0xd8000000 | 16u << 18, 1 | 2 << 8 | 3 << 16});
  EXPECT_EQ(i.op, Op::ds_cmpstore_b32);
  expectOperand(i.vdata, Kind::vgpr, 2, 1);
  expectOperand(i.vdata1, Kind::vgpr, 3, 1);
}

TEST(Fields11, BufferFormats) {
  const auto is = [](unsigned unified, unsigned data, unsigned number) {
    const BufferFormat f = bufferFormat(unified, 11);
    return f.data == data && f.number == number;
  };
  EXPECT_TRUE(is(0, 0, 0));
  EXPECT_TRUE(is(1, 1, 0));   // 8 UNORM
  EXPECT_TRUE(is(29, 5, 7));  // 16_16 FLOAT
  EXPECT_TRUE(is(30, 6, 7));  // 10_11_11 FLOAT
  EXPECT_TRUE(is(34, 8, 4));  // 10_10_10_2 UINT
  EXPECT_TRUE(is(63, 14, 7)); // 32_32_32_32 FLOAT
  EXPECT_TRUE(is(64, 0, 0));
}

TEST(Fields11, ScalarFlow) {
  Inst i = get({0xbf800000 | 9u << 16 | 0x0bf5}); // expcnt in the low bits, then lgkmcnt, vmcnt
  EXPECT_EQ(i.op, Op::s_waitcnt);
  EXPECT_EQ(text(i), "s_waitcnt vmcnt(2) expcnt(5)");
  EXPECT_EQ(category(i), Category::waitcnt);
  i = get({0xbf800000 | 7u << 16 | 0x91});
  EXPECT_EQ(text(i), "s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)");
  EXPECT_EQ(category(i), Category::other);
  i = get({0xbe800000 | 77u << 8 | 4 << 16 | 131}); // s_sendmsg_rtn_b64: the message is a number
  EXPECT_EQ(i.op, Op::s_sendmsg_rtn_b64);
  EXPECT_EQ(i.simm, 131);
  expectOperand(i.dst, Kind::sgpr, 4, 2);
  EXPECT_EQ(text(i), "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)");
  EXPECT_EQ(get({0xbf800000 | 48u << 16}).op, Op::s_endpgm);
  EXPECT_EQ(get({0xbf800000 | 61u << 16}).op, Op::s_barrier);
}

TEST(Fields11, RecognisedOnly) {
  Inst i = get(kWave32, {0xf0000000 | 27u << 18 | 1, 0, 0}, DecodeStatus::unsupported);
  EXPECT_EQ(i.enc, Enc::MIMG); // image_sample with one dword more of addresses
  EXPECT_EQ(i.size, 12);
  i = get(kWave32, {0xcd000000 | 1u << 16, 0}, DecodeStatus::unsupported); // v_interp_p2_f32
  EXPECT_EQ(i.enc, Enc::VINTERP);
  i = get(kWave32, {0xce000000 | 1u << 20}, DecodeStatus::unsupported); // lds_direct_load
  EXPECT_EQ(i.enc, Enc::LDSDIR);
  EXPECT_EQ(i.size, 4);
}

TEST(Fields11, Names) {
  EXPECT_EQ(mnemonic(Op::v_add_u32, kWave32), "v_add_nc_u32");
  EXPECT_EQ(mnemonic(Op::s_andn2_b64, kWave64), "s_and_not1_b64");
  EXPECT_EQ(mnemonic(Op::s_andn2_b64, Target::gfx1030), "s_andn2_b64");
  EXPECT_EQ(targetFromName("gfx1100"), kWave32);
  EXPECT_EQ(targetFromName("gfx11-generic"), kWave32);
  EXPECT_EQ(withWaveSize(kWave32, 64), kWave64);
}

} // namespace
} // namespace meld::softgpu::isa
