// What is in isa::Inst for gfx1030's code. Expected values are from the "RDNA2" ISA manual
// (microcode formats); the words were written by hand from the field layouts.
#include "runtime/softgpu/isa/buffer_format.h"
#include "runtime/softgpu/isa/control_flow.h"
#include "runtime/softgpu/isa/opcodes.h"
#include "runtime/softgpu/isa/register_use.h"
#include "tests/runtime/softgpu/isa/fields.h"

namespace meld::softgpu::isa {
namespace {

using namespace test;
using test::get;

constexpr Target kWave32 = Target::gfx1030, kWave64 = Target::gfx1030w64;
constexpr uint32_t kVop3 = 0xd4000000, kVop3p = 0xcc000000, kSmem = 0xf4000000;
constexpr uint32_t kNull = 125;

Inst get(std::initializer_list<uint32_t> words) { return get(kWave32, words); }

std::string text(const Inst &i) { return disassemble(i, i.target); }

bool touches(std::span<const RegisterRange> ranges, RegisterRange::File file, unsigned index,
             unsigned dwords) {
  for (const RegisterRange &r : ranges)
    if (r.file == file && r.index == index && r.dwords == dwords)
      return true;
  return false;
}

TEST(Fields10, NullIsZeroOrNowhere) {
  Inst i = get({0x80000000 | 0u << 23 | 3 << 16 | 4 << 8 | kNull}); // s_add_u32 s3, null, s4
  EXPECT_EQ(i.op, Op::s_add_u32);
  expectImm(i.src[0], 0);
  EXPECT_EQ(i.src[0].encoded, kNull);
  i = get({0x80000000 | 0u << 23 | kNull << 16 | 4 << 8 | 3}); // s_add_u32 null, s3, s4
  expectOperand(i.dst, Kind::sgpr, Sgpr::sink, 1);
  EXPECT_EQ(text(i), "s_add_u32 null, s3, s4");
  EXPECT_TRUE(RegisterUse(i).writes().empty());
  i = get({0xbe800000 | 4u << 8 | kNull << 16 | kNull}); // s_mov_b64 null, null
  expectOperand(i.dst, Kind::sgpr, Sgpr::sink, 2);
  expectImm(i.src[0], 0);
  i = get({0xb0000000 | 15u << 23 | kNull << 16 | 7}); // s_addk_i32 null, 7
  expectOperand(i.dst, Kind::sgpr, Sgpr::sink, 1);
  expectImm(i.src[0], 0);
  i = get({kVop3 | 1u << 16 | kNull, 257u | 258u << 9}); // v_cmp_lt_f32_e64 null, v1, v2
  expectOperand(i.dst, Kind::sgpr, Sgpr::sink, 1);
  i = get({kVop3 | 366u << 16 | kNull << 8 | 2, 260u | 262u << 9 | 264u << 18});
  EXPECT_EQ(i.op, Op::v_div_scale_f64);
  expectOperand(i.sdst, Kind::sgpr, Sgpr::sink, 1);
  get(kWave32, {kSmem | 2u << 18 | kNull << 6, kNull << 25},
      DecodeStatus::unsupported); // four dwords
}

TEST(Fields10, OrdinarySgprsUpTo105) {
  Inst i = get({0xbe800000 | 4u << 8 | 104 << 16 | 102}); // s_mov_b64 s[104:105], s[102:103]
  expectOperand(i.dst, Kind::sgpr, 104, 2);
  expectOperand(i.src[0], Kind::sgpr, 102, 2);
  EXPECT_EQ(text(i), "s_mov_b64 s[104:105], s[102:103]");
  i = get({kSmem | 2u << 18 | 100 << 6, kNull << 25}); // s_load_dwordx4 s[100:103], s[0:1], null
  expectOperand(i.dst, Kind::sgpr, 100, 4);
}

TEST(Fields10, MasksAreAsWideAsAWave) {
  const std::initializer_list<uint32_t> cmp = {kVop3 | 1u << 16 | 10, 257u | 258u << 9};
  expectOperand(get(kWave32, cmp).dst, Kind::sgpr, 10, 1); // v_cmp_lt_f32_e64 s10, v1, v2
  expectOperand(get(kWave64, cmp).dst, Kind::sgpr, 10, 2);
  const std::initializer_list<uint32_t> odd = {kVop3 | 1u << 16 | 11, 257u | 258u << 9};
  expectOperand(get(kWave32, odd).dst, Kind::sgpr, 11, 1);
  // v_cndmask_b32 v1, v2, v3, vcc
  const std::initializer_list<uint32_t> select = {1u << 25 | 1 << 17 | 3 << 9 | 258};
  expectOperand(get(kWave32, select).src[2], Kind::sgpr, Sgpr::vcc, 1);
  expectOperand(get(kWave64, select).src[2], Kind::sgpr, Sgpr::vcc, 2);
  // v_add_co_ci_u32 v1, s7, v2, v3, s9
  const std::initializer_list<uint32_t> add = {kVop3 | 296u << 16 | 7 << 8 | 1,
                                               258u | 259u << 9 | 9u << 18};
  const Inst i = get(kWave32, add);
  EXPECT_EQ(i.op, Op::v_addc_co_u32);
  expectOperand(i.sdst, Kind::sgpr, 7, 1);
  expectOperand(i.src[2], Kind::sgpr, 9, 1);
  EXPECT_EQ(text(i), "v_add_co_ci_u32_e64 v1, s7, v2, v3, s9");
  EXPECT_EQ(i.target, Target::gfx1030);
  // A branch on VCC, a saveexec.
  const RegisterUse branch(get(kWave32, {0xbf800000 | 6u << 16}));
  EXPECT_TRUE(touches(branch.reads(), RegisterRange::File::sgpr, Sgpr::vcc, 1));
  const RegisterUse save(get(kWave32, {0xbe800000 | 60u << 8 | 4 << 16 | Sgpr::vcc}));
  EXPECT_TRUE(touches(save.writes(), RegisterRange::File::sgpr, Sgpr::exec, 1));
  EXPECT_TRUE(touches(save.writes(), RegisterRange::File::sgpr, 4, 1));
}

TEST(Fields10, CmpxWritesExecAlone) {
  Inst i = get({0x7c000000 | 0x11u << 17 | 2 << 9 | 257}); // v_cmpx_lt_f32 v1, v2
  EXPECT_EQ(i.op, Op::v_cmpx_lt_f32);
  EXPECT_EQ(int(i.dst.kind), int(Kind::none));
  const RegisterUse use(i);
  ASSERT_EQ(use.writes().size(), 1u);
  EXPECT_EQ(use.writes()[0].index, Sgpr::exec);
  EXPECT_EQ(use.writes()[0].dwords, 1);
  i = get({kVop3 | 0x11u << 16 | 10, 257u | 258u << 9}); // the field of the destination is ignored
  EXPECT_EQ(int(i.dst.kind), int(Kind::none));
  EXPECT_TRUE(findOp(i.op, i.enc, kWave32)->writesExec);
  EXPECT_FALSE(findOp(Op::v_cmp_lt_f32, Enc::VOPC, kWave32)->writesExec);
}

TEST(Fields10, LiteralsInVop3) {
  Inst i = get({kVop3 | 331u << 16 | 1, 258u | 255u << 9 | 4u << 18, 0x40490fdb});
  EXPECT_EQ(i.op, Op::v_fma_f32); // v_fma_f32 v1, v2, pi, s4
  EXPECT_EQ(i.size, 12);
  expectImm(i.src[1], 0x40490fdb);
  i = get({kVop3 | 332u << 16 | 2, 260u | 255u << 9 | 262u << 18, 0x40000000});
  expectImm(i.src[1], 0x4000000000000000); // v_fma_f64: the high half
  i = get({kVop3p | 16u << 16 | 1, 258u | 255u << 9 | 3u << 27, 0x3c004000});
  EXPECT_EQ(i.op, Op::v_pk_mul_f16); // both halves
  expectImm(i.src[1], 0x3c004000);
  get(kWave32, {kVop3 | 331u << 16 | 1, 258u | 255u << 9 | 4u << 18}, DecodeStatus::truncated);
}

TEST(Fields10, Dpp8AndDpp16) {
  // v_mov_b32 v1, v5 with the lanes of eight reversed
  Inst i = get({0x7e000000 | 1 << 17 | 1 << 9 | 233, 0x53977u << 8 | 5});
  EXPECT_EQ(i.op, Op::v_mov_b32);
  EXPECT_TRUE(i.dpp8 && !i.dpp && !i.dppFi);
  EXPECT_EQ(i.dpp8Sel, 0x053977u);
  expectOperand(i.src[0], Kind::vgpr, 5, 1);
  EXPECT_EQ(i.size, 8);
  EXPECT_TRUE(crossesLanes(i));
  EXPECT_TRUE(get({0x7e000000 | 1 << 17 | 1 << 9 | 234, 5}).dppFi);
  // v_add_f32 v1, v2, v3 row_share:3 bound_ctrl fi
  i = get({3u << 25 | 1 << 17 | 3 << 9 | 250, 2 | 0x153 << 8 | 1 << 18 | 1 << 19 | 0xffu << 24});
  EXPECT_EQ(i.op, Op::v_add_f32);
  EXPECT_TRUE(i.dpp && !i.dpp8 && i.dppFi && i.dppBoundCtrl);
  EXPECT_EQ(i.dppCtrl, 0x153);
}

TEST(Fields10, SmemAddsBothOffsets) {
  // s_load_dwordx2 s[8:9], s[6:7], -16
  Inst i = get({kSmem | 1u << 18 | 8 << 6 | 3, kNull << 25 | 0x1ffff0});
  EXPECT_EQ(i.op, Op::s_load_dwordx2);
  expectOperand(i.dst, Kind::sgpr, 8, 2);
  expectOperand(i.saddr, Kind::sgpr, 6, 2);
  EXPECT_EQ(int(i.soffset.kind), int(Kind::none));
  EXPECT_EQ(i.offset, -16);
  i = get({kSmem | 8u << 18 | 1 << 14 | 1 << 16 | 8 << 6 | 4, 42u << 25 | 4});
  EXPECT_EQ(i.op, Op::s_buffer_load_dword); // s8, s[8:11], s42 offset:4 glc dlc
  expectOperand(i.soffset, Kind::sgpr, 42, 1);
  EXPECT_EQ(i.offset, 4);
  EXPECT_TRUE(i.offen && i.glc && i.dlc);
}

TEST(Fields10, VectorMemory) {
  // global_load_dwordx4 v[4:7], v1, s[2:3] offset:-8 dlc
  Inst i = get({0xdc008000 | 14u << 18 | 1 << 12 | 0xff8, 1 | 2u << 16 | 4u << 24});
  EXPECT_EQ(i.op, Op::global_load_dwordx4);
  expectOperand(i.dst, Kind::vgpr, 4, 4);
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  EXPECT_EQ(i.offset, -8);
  EXPECT_TRUE(i.dlc && !i.glc && !i.slc);
  i = get({0xdc008000 | 12u << 18, 1 | kNull << 16 | 4u << 24}); // v4, v[1:2], off
  expectOperand(i.vaddr, Kind::vgpr, 1, 2);
  EXPECT_EQ(int(i.saddr.kind), int(Kind::none));
  i = get({0xdc000000 | 12u << 18 | 0xfff, 1 | kNull << 16 | 4u << 24});
  EXPECT_EQ(i.op, Op::flat_load_dword);
  EXPECT_EQ(i.offset, 0xfff);
  // scratch: s3; v1; neither
  i = get({0xdc004000 | 12u << 18, 1 | 3u << 16 | 4u << 24});
  expectOperand(i.saddr, Kind::sgpr, 3, 1);
  EXPECT_EQ(int(i.vaddr.kind), int(Kind::none));
  EXPECT_FALSE(touches(RegisterUse(i).reads(), RegisterRange::File::sgpr, Sgpr::flatScratch, 2));
  i = get({0xdc004000 | 12u << 18, 1 | kNull << 16 | 4u << 24});
  expectOperand(i.vaddr, Kind::vgpr, 1, 1);
  i = get({0xdc004000 | 12u << 18 | 16, 1 | 0x7fu << 16 | 4u << 24});
  EXPECT_EQ(text(i), "scratch_load_dword v4, off, off offset:16");
  // buffer_load_dword v4, v[1:2], s[8:11], null idxen offen glc slc dlc
  i = get(
      {0xe0000000 | 12u << 18 | 3 << 12 | 3 << 14, 1 | 4 << 8 | 2 << 16 | 1 << 22 | kNull << 24});
  EXPECT_EQ(i.op, Op::buffer_load_dword);
  expectOperand(i.vaddr, Kind::vgpr, 1, 2);
  expectImm(i.soffset, 0);
  EXPECT_TRUE(i.offen && i.idxen && i.glc && i.slc && i.dlc && !i.tfe);
  i = get({0xe0000000 | 1 << 25 | 2 << 18, 4 << 8 | kNull << 24});
  EXPECT_EQ(i.op, Op::buffer_load_format_d16_xyz);
  // tbuffer_store_format_d16_xy: the highest bit of the number is in the second dword
  i = get({0xe8000000 | 29u << 19 | 5 << 16, 4 << 8 | 1 << 21 | kNull << 24});
  EXPECT_EQ(i.op, Op::tbuffer_store_format_d16_xy);
  EXPECT_EQ(i.format, 29);
  // ds_read_b32 v4, v1 offset:8: the number is one bit higher than on GFX9
  i = get({0xd8000000 | 54u << 18 | 8, 1 | 4u << 24});
  EXPECT_EQ(i.op, Op::ds_read_b32);
  // global_atomic_csub always returns
  get(kWave32, {0xdc008000 | 52u << 18, 1 | kNull << 16}, DecodeStatus::unknown);
  i = get({0xdc008000 | 52u << 18 | 1 << 16, 1 | 2 << 8 | kNull << 16 | 4u << 24});
  expectOperand(i.dst, Kind::vgpr, 4, 1);
}

TEST(Fields10, BufferFormats) {
  const auto is = [](unsigned unified, unsigned data, unsigned number) {
    const BufferFormat f = bufferFormat(unified, 10);
    return f.data == data && f.number == number;
  };
  EXPECT_TRUE(is(0, 0, 0));
  EXPECT_TRUE(is(1, 1, 0));   // 8 UNORM
  EXPECT_TRUE(is(13, 2, 7));  // 16 FLOAT
  EXPECT_TRUE(is(20, 4, 4));  // 32 UINT
  EXPECT_TRUE(is(22, 4, 7));  // 32 FLOAT
  EXPECT_TRUE(is(61, 10, 5)); // 8_8_8_8 SINT
  EXPECT_TRUE(is(77, 14, 7)); // 32_32_32_32 FLOAT
  EXPECT_TRUE(is(78, 0, 0));
}

TEST(Fields10, HalvesStay) {
  Inst i = get({50u << 25 | 1 << 17 | 2 << 9 | 259}); // v_add_f16 v1, v3, v2
  EXPECT_EQ(i.op, Op::v_add_f16);
  EXPECT_TRUE(i.keepsHigh);
  EXPECT_TRUE(touches(RegisterUse(i).reads(), RegisterRange::File::vgpr, 1, 1));
  EXPECT_FALSE(get({3u << 25 | 1 << 17 | 2 << 9 | 259}).keepsHigh); // v_add_f32
  EXPECT_FALSE(get(Target::gfx90a, {31u << 25 | 1 << 17 | 2 << 9 | 259}).keepsHigh);
}

TEST(Fields10, ScalarFlow) {
  Inst i = get({0xb0000000 | 23u << 23 | kNull << 16 | 3}); // s_waitcnt_vscnt null, 3
  EXPECT_EQ(i.op, Op::s_waitcnt_vscnt);
  EXPECT_EQ(i.simm, 3);
  expectImm(i.src[0], 0);
  EXPECT_EQ(category(i), Category::waitcnt);
  i = get({0xbf800000 | 12u << 16 | 0xfe7f}); // lgkmcnt has six bits
  EXPECT_EQ(text(i), "s_waitcnt lgkmcnt(62)");
  EXPECT_EQ(category(get({0xbf800000 | 35u << 16})), Category::waitcnt);
  EXPECT_EQ(category(get({0xbf800000 | 33u << 16 | 3})), Category::other); // s_clause
  EXPECT_TRUE(endsLine(Op::s_code_end));
  i = get({0xb0000000 | 28u << 23 | 4 << 16 | 0xfffe}); // s_subvector_loop_end s4, -2
  EXPECT_EQ(i.simm, -8);
  expectOperand(i.dst, Kind::sgpr, 4, 1);
}

TEST(Fields10, Permlane) {
  // v_permlanex16_b32 v1, v2, s3, -1 op_sel:[1,0]
  Inst i = get({kVop3 | 888u << 16 | 1 << 11 | 1, 258u | 3u << 9 | 193u << 18});
  EXPECT_EQ(i.op, Op::v_permlanex16_b32);
  EXPECT_EQ(i.opSel, 1);
  expectOperand(i.src[1], Kind::sgpr, 3, 1);
  expectImm(i.src[2], 0xffffffff);
  EXPECT_TRUE(crossesLanes(i));
  EXPECT_TRUE(touches(RegisterUse(i).reads(), RegisterRange::File::vgpr, 1, 1));
}

TEST(Fields10, Rates) {
  EXPECT_EQ(valuRate(Op::v_fmac_legacy_f32), ValuRate::full);
  EXPECT_EQ(valuRate(Op::v_permlane16_b32), ValuRate::full);
  EXPECT_EQ(valuRate(Op::v_mad_u64_u32), ValuRate::mulHi32);
  EXPECT_EQ(valuRate(get({0x7e000000 | 1 << 17 | 42u << 9 | 257}).op), ValuRate::transcendental);
}

TEST(Fields10, ImagesWithTheirAddresses) {
  // image_sample with one dword more of addresses
  Inst i = get(kWave32, {0xf0000000 | 32u << 18 | 0xf00 | 1 << 1, 0, 0}, DecodeStatus::unsupported);
  EXPECT_EQ(i.enc, Enc::MIMG);
  EXPECT_EQ(i.size, 12);
  get(kWave32, {0xf0000000 | 32u << 18 | 0xf00 | 1 << 1, 0}, DecodeStatus::truncated);
}

TEST(Fields10, OneOpForWhatOnlyHasAnotherName) {
  EXPECT_EQ(mnemonic(Op::v_add_u32, kWave32), "v_add_nc_u32");
  EXPECT_EQ(mnemonic(Op::v_add_u32, Target::gfx900), "v_add_u32");
  EXPECT_EQ(get({37u << 25 | 1 << 17 | 2 << 9 | 259}).op, Op::v_add_u32);
  // Without a 32-bit encoding: v_add_co_u32 v1, s4, v2, v3
  Inst i = get({kVop3 | 783u << 16 | 4 << 8 | 1, 258u | 259u << 9});
  EXPECT_EQ(i.op, Op::v_add_co_u32);
  expectOperand(i.sdst, Kind::sgpr, 4, 1);
  EXPECT_EQ(text(i), "v_add_co_u32 v1, s4, v2, v3");
}

} // namespace
} // namespace meld::softgpu::isa
