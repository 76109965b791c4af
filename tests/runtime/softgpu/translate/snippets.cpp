#include "tests/runtime/softgpu/translate/snippets.h"

#include "runtime/softgpu/execute/translated.h"
#include "runtime/softgpu/isa/control_flow.h"
#include "runtime/softgpu/isa/decoder.h"

#include <string>

namespace meld::softgpu::test {

namespace {

using isa::Enc;
using isa::Op;

/// Rows of the decoder's table for one encoding.
std::vector<const isa::OpInfo *> opcodesOf(Enc enc, isa::Target target) {
  std::vector<const isa::OpInfo *> list;
  for (const isa::OpInfo &o : isa::allOpcodes())
    if (o.enc == enc && (o.targets >> unsigned(target) & 1))
      list.push_back(&o);
  return list;
}

/// What kernels are made of; drawn more often than the rest of the opcodes.
const Op kCommon[] = {
    Op::v_mov_b32,        Op::v_not_b32,        Op::v_bfrev_b32,        Op::v_ffbh_u32,
    Op::v_ffbh_i32,       Op::v_ffbl_b32,       Op::v_add_u32,          Op::v_sub_u32,
    Op::v_subrev_u32,     Op::v_and_b32,        Op::v_or_b32,           Op::v_xor_b32,
    Op::v_lshlrev_b32,    Op::v_lshrrev_b32,    Op::v_ashrrev_i32,      Op::v_min_i32,
    Op::v_max_i32,        Op::v_min_u32,        Op::v_max_u32,          Op::v_mul_lo_u32,
    Op::v_mul_hi_u32,     Op::v_mul_hi_i32,     Op::v_mul_u32_u24,      Op::v_mul_i32_i24,
    Op::v_bcnt_u32_b32,   Op::v_bfm_b32,        Op::v_mbcnt_lo_u32_b32, Op::v_mbcnt_hi_u32_b32,
    Op::v_lshl_add_u32,   Op::v_add_lshl_u32,   Op::v_add3_u32,         Op::v_lshl_or_b32,
    Op::v_and_or_b32,     Op::v_or3_b32,        Op::v_xad_u32,          Op::v_bfe_u32,
    Op::v_bfe_i32,        Op::v_bfi_b32,        Op::v_alignbit_b32,     Op::v_alignbyte_b32,
    Op::v_min3_i32,       Op::v_max3_i32,       Op::v_med3_i32,         Op::v_min3_u32,
    Op::v_max3_u32,       Op::v_med3_u32,       Op::v_mad_u32_u24,      Op::v_mad_i32_i24,
    Op::v_add_co_u32,     Op::v_sub_co_u32,     Op::v_subrev_co_u32,    Op::v_addc_co_u32,
    Op::v_subb_co_u32,    Op::v_subbrev_co_u32, Op::v_cndmask_b32,      Op::v_add_f32,
    Op::v_sub_f32,        Op::v_subrev_f32,     Op::v_mul_f32,          Op::v_fma_f32,
    Op::v_fmac_f32,       Op::v_mad_f32,        Op::v_mac_f32,          Op::v_min_f32,
    Op::v_max_f32,        Op::v_min3_f32,       Op::v_max3_f32,         Op::v_trunc_f32,
    Op::v_ceil_f32,       Op::v_floor_f32,      Op::v_rndne_f32,        Op::v_cvt_i32_f32,
    Op::v_cvt_u32_f32,    Op::v_cvt_f32_i32,    Op::v_cvt_f32_u32,      Op::v_cvt_f32_ubyte0,
    Op::v_cvt_f32_ubyte3, Op::v_cmp_class_f32,  Op::v_cmp_lt_f32,       Op::v_cmp_eq_f32,
    Op::v_cmp_nge_f32,    Op::v_cmp_u_f32,      Op::v_cmp_gt_i32,       Op::v_cmp_lt_u32,
    Op::v_cmp_eq_u32,     Op::v_cmp_ne_u32,     Op::v_cmp_ge_i32,       Op::v_cmp_lt_u64,
    Op::v_cmp_gt_i64,     Op::v_cmp_ne_u64,     Op::v_cmp_eq_u16,       Op::v_cmp_gt_i16,
    Op::v_lshlrev_b64,    Op::v_lshrrev_b64,    Op::v_ashrrev_i64,      Op::v_mad_u64_u32,
    Op::v_mad_i64_i32,    Op::v_add_f64,        Op::v_mul_f64,          Op::v_fma_f64,
    Op::v_floor_f64,      Op::v_rndne_f64,      Op::v_cmp_lt_f64,       Op::v_cmp_nlg_f64,
    Op::v_rcp_f32,        Op::v_sqrt_f32,       Op::v_rsq_f32,          Op::v_ldexp_f32,
    Op::v_min_f64,        Op::v_max_f64,        Op::v_cvt_f64_i32,      Op::v_cvt_f64_u32,
    Op::v_cvt_i32_f64,    Op::v_cvt_u32_f64,    Op::v_cvt_f64_f32,      Op::v_cvt_f32_f64,
    Op::v_pk_add_f32,     Op::v_pk_mul_f32,     Op::v_pk_fma_f32,       Op::v_readfirstlane_b32,
    Op::v_readlane_b32,   Op::v_writelane_b32,  Op::v_xor3_b32,         Op::v_cmpx_lt_u32,
    Op::v_cmpx_eq_u32,    Op::v_cmpx_gt_i32,    Op::v_cmpx_ne_u64,      Op::v_cmpx_nlt_f32,
    Op::v_cmpx_le_f64,    Op::v_cmpx_class_f32, Op::v_cmpx_gt_i16,      Op::v_min_num_f32,
    Op::v_max_num_f32,    Op::v_min3_num_f32,   Op::v_max3_num_f32,
};

/// Where GFX10 keeps what the snippets use of an encoding: fixed bits.
uint32_t prefixOf(Enc enc, isa::Target target) { return isa::formatOf(enc, target).fixed; }

class Generator {
public:
  Generator(Random &random, isa::Target target) : r_(random), target_(target) {}

  std::vector<uint32_t> run(unsigned length, Mix mix);

private:
  bool gfx10() const { return isa::traitsOf(target_).generation >= 10; }
  bool gfx11() const { return isa::traitsOf(target_).generation >= 11; }
  bool gfx12() const { return isa::traitsOf(target_).generation >= 12; }
  uint32_t vgpr() { return r_.below(12); }
  /// For a field that says on GFX11 which half of a register a 16-bit operand is.
  uint32_t half() { return vgpr() | (gfx11() && r_.oneIn(4) ? 128 : 0); }
  /// A destination pair of SGPRs or one of them: 0..31, VCC; seldom M0 or EXEC.
  uint32_t sdst() {
    if (r_.oneIn(5))
      return 106;
    if (r_.oneIn(12))
      return gfx10() && r_.oneIn(3) ? 125 : r_.oneIn(2) ? 126 : 124;
    return r_.below(32) & ~(r_.oneIn(3) ? 0u : 1u);
  }
  uint32_t ssrc() {
    switch (r_.below(8)) {
    case 0:
      return 128 + r_.below(65); // -16..64
    case 1:
      return 240 + r_.below(9);
    case 2:
      return (r_.oneIn(2) ? 106 : 126) + r_.oneIn(4);
    case 3:
      return r_.oneIn(6)              ? 251 + r_.below(3)
             : r_.oneIn(8)            ? 235 + r_.below(4)
             : gfx10() && r_.oneIn(4) ? 124 + r_.below(2)
                                      : 193 + r_.below(16);
    default:
      return r_.below(32) & ~(r_.oneIn(3) ? 0u : 1u);
    }
  }
  uint32_t src() { return r_.oneIn(3) ? ssrc() : 256 + vgpr(); }
  uint32_t literal() {
    static const uint32_t edges[] = {0, 1, 0x7f800000, 0xffffffff, 0x7fc00001, 0x80000000, 0xffff};
    return r_.oneIn(2) ? r_.pick(edges) : uint32_t(r_.next());
  }
  const isa::OpInfo *anyOf(Enc enc) {
    const auto &list = lists_[unsigned(enc)].empty()
                           ? lists_[unsigned(enc)] = opcodesOf(enc, target_)
                           : lists_[unsigned(enc)];
    return list.empty() ? nullptr : list[r_.below(uint32_t(list.size()))];
  }

  void vector(std::vector<uint32_t> &w, Enc enc, uint32_t number);
  void pair(std::vector<uint32_t> &w);
  void scalar(std::vector<uint32_t> &w);
  void lds(std::vector<uint32_t> &w);
  void global(std::vector<uint32_t> &w);
  void scratch(std::vector<uint32_t> &w);
  void privateSegment(std::vector<uint32_t> &w);
  void threeDwords(std::vector<uint32_t> &w, const isa::OpInfo &row, uint32_t scalar,
                   uint32_t second, uint32_t address, uint32_t offset);
  bool acceptable(const std::vector<uint32_t> &w) const;

  Random &r_;
  const isa::Target target_;
  std::vector<const isa::OpInfo *> lists_[32];
};

void Generator::vector(std::vector<uint32_t> &w, Enc enc, uint32_t number) {
  uint32_t s0 = src(), extra = 0;
  bool second = false;
  if (enc != Enc::VOP3 && enc != Enc::VOP3P && r_.oneIn(8)) {
    second = true;
    switch (r_.below(3)) {
    case 0:
      s0 = 255;
      extra = literal();
      break;
    case 1: // SDWA: dst_sel, dst_unused, src selects, sign extensions
      s0 = 249;
      extra = vgpr() | r_.below(7) << 8 | r_.below(3) << 11 | r_.below(7) << 16 | r_.below(7) << 24;
      if (enc == Enc::VOPC)
        extra &= ~0xff00u;
      break;
    default: // DPP: quad_perm or a row shift; GFX10: eight lanes, and lanes that are off
      if (gfx10() && r_.oneIn(2)) {
        s0 = 233 + r_.below(2);
        extra = vgpr() | (uint32_t(r_.next()) << 8);
        break;
      }
      s0 = 250;
      extra = vgpr() | (r_.oneIn(2) ? r_.below(256) : 0x100 + r_.below(0x40)) << 8 |
              (r_.oneIn(3) ? 0x8000000u : 0) | r_.below(16) << 24 | r_.below(16) << 28;
      if (gfx10() && r_.oneIn(3))
        extra |= 1u << 18;
    }
  }
  switch (enc) {
  case Enc::VOP1:
    w.push_back(0x7e000000 | half() << 17 | number << 9 | s0);
    break;
  case Enc::VOP2:
    w.push_back(number << 25 | half() << 17 | half() << 9 | s0);
    break;
  case Enc::VOPC:
    w.push_back(0x7c000000 | number << 17 | half() << 9 | s0);
    break;
  default: {
    const bool packed = enc == Enc::VOP3P;
    uint32_t low = prefixOf(packed ? Enc::VOP3P : Enc::VOP3, target_) | number << 16;
    // The destination field holds a VGPR or, for comparisons, an SGPR.
    low |= r_.oneIn(4) ? sdst() : vgpr();
    uint32_t high = src() | src() << 9 | src() << 18;
    if (r_.oneIn(3))
      high |= r_.below(8) << 29;
    if (r_.oneIn(4))
      low |= r_.below(8) << 8;
    if (r_.oneIn(10))
      low |= 1u << 15;
    if (r_.oneIn(10))
      high |= r_.below(4) << 27;
    if (r_.oneIn(3)) // VOP3B: the carry's SGPR pair
      low = (low & ~0xff00u) | sdst() << 8;
    w = {low, high};
    if (gfx11() && r_.oneIn(8)) { // DPP
      w[1] = (w[1] & ~0x1ffu) | 250;
      w.push_back(vgpr() | r_.below(256) << 8 | (r_.oneIn(3) ? 1u << 18 : 0) | 0xff000000);
      return;
    }
    if (gfx10() && r_.oneIn(8)) {
      const unsigned shift = 9 * r_.below(3);
      w[1] = (w[1] & ~(0x1ffu << shift)) | 255u << shift;
      w.push_back(literal());
    }
    return;
  }
  }
  if (second)
    w.push_back(extra);
}

/// Two operations in one instruction (VOPD), on few registers: each may read what the other writes.
void Generator::pair(std::vector<uint32_t> &w) {
  const isa::OpInfo *first = anyOf(Enc::VOPD), *second = anyOf(Enc::VOPD);
  if (!first || !second || first->number > 15)
    return;
  const auto few = [&] { return r_.below(4); };
  const uint32_t dst = few();
  w = {prefixOf(Enc::VOPD, target_) | uint32_t(first->number) << 22 |
           uint32_t(second->number) << 17 | few() << 9 | (r_.oneIn(2) ? 256 + few() : src()),
       dst << 24 | few() / 2 << 17 | few() << 9 | (r_.oneIn(2) ? 256 + few() : src()), literal()};
  isa::Inst in;
  if (isa::decode(w.data(), 12, target_, in) == isa::DecodeStatus::ok)
    w.resize(in.size / 4);
}

void Generator::scalar(std::vector<uint32_t> &w) {
  static const Enc encs[] = {Enc::SOP1, Enc::SOP2, Enc::SOP2, Enc::SOPC, Enc::SOPK};
  const Enc enc = r_.pick(encs);
  const isa::OpInfo *o = anyOf(enc);
  if (!o)
    return;
  uint32_t s0 = ssrc(), s1 = ssrc();
  const bool literalSource = enc != Enc::SOPK && r_.oneIn(8);
  if (literalSource)
    s0 = 255;
  switch (enc) {
  case Enc::SOP1:
    w.push_back(0xbe800000 | sdst() << 16 | uint32_t(o->number) << 8 | s0);
    break;
  case Enc::SOP2:
    w.push_back(0x80000000 | uint32_t(o->number) << 23 | sdst() << 16 | s1 << 8 | s0);
    break;
  case Enc::SOPC:
    w.push_back(0xbf000000 | uint32_t(o->number) << 16 | s1 << 8 | s0);
    break;
  default:
    w.push_back(0xb0000000 | uint32_t(o->number) << 23 | sdst() << 16 |
                (uint32_t(r_.next()) & 0xffff));
  }
  if (literalSource)
    w.push_back(literal());
}

void Generator::lds(std::vector<uint32_t> &w) {
  const isa::OpInfo *o = anyOf(Enc::DS);
  uint32_t number = o->number;
  if (r_.oneIn(2)) { // read/write of 32, 64 bits, two of them
    static const Op usual[] = {Op::ds_read_b32,  Op::ds_write_b32,   Op::ds_read_b64,
                               Op::ds_write_b64, Op::ds_read2_b32,   Op::ds_write2_b32,
                               Op::ds_read_b128, Op::ds_bpermute_b32};
    if (const auto *row = isa::findOp(r_.pick(usual), Enc::DS, target_))
      number = row->number;
  }
  const uint32_t offset = r_.oneIn(3) ? 0 : r_.below(256) & ~3u;
  w = {0xd8000000 | number << (gfx10() ? 18 : 17) | offset,
       vgpr() | vgpr() << 8 | vgpr() << 16 | vgpr() << 24};
}

/// Vector memory of GFX12: an SGPR beside the number, an offset of 24 bits behind the address.
void Generator::threeDwords(std::vector<uint32_t> &w, const isa::OpInfo &row, uint32_t scalar,
                            uint32_t second, uint32_t address, uint32_t offset) {
  const isa::Format format = isa::formatOf(row.enc, target_);
  const uint32_t scope = r_.oneIn(4) ? r_.below(4) << 18 : 0;
  w = {format.fixed | uint32_t(row.number) << format.place | scalar, second | scope,
       address | offset << 8};
}

void Generator::global(std::vector<uint32_t> &w) {
  static const Op ops[] = {
      Op::global_load_dword,    Op::global_load_dwordx2,  Op::global_load_dwordx3,
      Op::global_load_dwordx4,  Op::global_store_dword,   Op::global_store_dwordx2,
      Op::global_store_dwordx4, Op::global_store_dwordx3, Op::global_load_ubyte,
      Op::global_load_sshort,   Op::global_store_byte,    Op::flat_load_dword,
      Op::flat_store_dwordx2,   Op::flat_load_dwordx4,
  };
  const Op op = r_.pick(ops);
  const bool flat = isa::mnemonic(op).starts_with("flat");
  const auto *row = isa::findOp(op, flat ? Enc::FLAT : Enc::GLOBAL, target_);
  if (!row)
    return;
  const bool saddr = !flat && r_.oneIn(2);
  const uint32_t offset = r_.oneIn(2) ? 0 : r_.below(64) * (r_.oneIn(4) ? 1 : 4);
  const uint32_t address = saddr ? 20 + r_.below(4) : 24 + 2 * r_.below(4);
  const uint32_t none = gfx11() ? 124 : gfx10() ? 125 : 0x7f;
  if (gfx12()) {
    const uint32_t data = vgpr() << 23, result = vgpr();
    return threeDwords(w, *row, saddr ? 40 : none, data | result, address, offset);
  }
  w = {0xdc000000 | uint32_t(row->number) << 18 | (flat ? 0u : 2u << (gfx11() ? 16 : 14)) | offset,
       address | vgpr() << 8 | (saddr ? 40u : none) << 16 | vgpr() << 24};
  if (flat && target_ != isa::Target::gfx900 && !gfx10())
    w[1] &= ~0x7f0000u; // no SGPR field there
}

void Generator::scratch(std::vector<uint32_t> &w) {
  static const Op ops[] = {
      Op::buffer_load_dword,   Op::buffer_load_dwordx2,  Op::buffer_load_dwordx3,
      Op::buffer_load_dwordx4, Op::buffer_store_dword,   Op::buffer_store_dwordx2,
      Op::buffer_store_dword,  Op::buffer_store_dwordx4, Op::buffer_load_ubyte,
  };
  const auto *row = isa::findOp(r_.pick(ops), Enc::MUBUF, target_);
  if (!row)
    return;
  const uint32_t offset = r_.oneIn(2) ? 0 : r_.below(32) * (r_.oneIn(6) ? 1 : 4);
  constexpr uint32_t resource = 44 / 4, none = 128;
  const bool gfx11 = this->gfx11();
  if (gfx12()) // an address from a VGPR (offen); no SGPR
    return threeDwords(w, *row, 124, 1u << 30 | resource * 4 << 9 | vgpr(), 32 + r_.below(4),
                       offset);
  w = {0xe0000000 | uint32_t(row->number) << 18 | (gfx11 ? 0 : 1u << 12) | offset,
       (32 + r_.below(4)) | vgpr() << 8 | resource << 16 | (gfx11 ? 1u << 22 : 0) | none << 24};
}

/// Private memory as compilers reach it where no register says where it is: scratch instructions of
/// gfx942 and GFX11, with a vector address, an SGPR's, both or none.
void Generator::privateSegment(std::vector<uint32_t> &w) {
  static const Op ops[] = {
      Op::scratch_load_dword,   Op::scratch_load_dwordx2,  Op::scratch_load_dwordx3,
      Op::scratch_load_dwordx4, Op::scratch_store_dword,   Op::scratch_store_dwordx2,
      Op::scratch_store_dword,  Op::scratch_store_dwordx4, Op::scratch_load_sbyte,
  };
  const auto *row = isa::findOp(r_.pick(ops), Enc::SCRATCH, target_);
  if (!row)
    return;
  const uint32_t offset = r_.oneIn(2) ? 0 : r_.below(32) * (r_.oneIn(6) ? 1 : 4);
  const bool vaddr = !r_.oneIn(3), saddr = r_.oneIn(3);
  const uint32_t segment = gfx11() ? 1u << 16 : 1u << 14, none = gfx11() ? 124 : 0x7f;
  if (gfx12())
    return threeDwords(w, *row, saddr ? 42 : none, uint32_t(vaddr) << 17 | vgpr() << 23 | vgpr(),
                       32 + r_.below(4), offset);
  const uint32_t first = gfx11() ? 0 : uint32_t(vaddr) << 13; // where gfx942 says that there is one
  w = {0xdc000000 | uint32_t(row->number) << 18 | segment | first | offset,
       (32 + r_.below(4)) | vgpr() << 8 | (saddr ? 42u : none) << 16 |
           (gfx11() ? uint32_t(vaddr) << 23 : 0) | vgpr() << 24};
}

bool Generator::acceptable(const std::vector<uint32_t> &w) const {
  isa::Inst in;
  std::vector<uint32_t> padded = w;
  padded.resize(w.size() + 3);
  if (isa::decode(padded.data(), padded.size() * 4, target_, in) != isa::DecodeStatus::ok ||
      in.size != w.size() * 4)
    return false;
  for (const isa::Operand *o : {&in.dst, &in.sdst}) // where the addresses are
    if (o->kind == isa::Operand::Kind::vgpr && o->index + o->dwords > 20)
      return false;
  switch (in.op) { // leave the snippet, or write to any register
  case Op::s_setpc_b64:
  case Op::s_swappc_b64:
  case Op::s_call_b64:
  case Op::s_rfe_b64:
  case Op::s_cbranch_i_fork:
  case Op::s_cbranch_g_fork:
  case Op::s_cbranch_join:
  case Op::s_set_gpr_idx_on: // would index past the rows kept here
  case Op::s_set_gpr_idx_idx:
  case Op::s_movreld_b32:
  case Op::s_movreld_b64:
  case Op::s_movrelsd_2_b32:
  case Op::s_subvector_loop_begin:
  case Op::s_subvector_loop_end:
  case Op::v_movreld_b32: // to the rows of addresses
  case Op::v_movrelsd_b32:
  case Op::v_movrelsd_2_b32:
  case Op::v_swaprel_b32:
    return false;
  case Op::s_sendmsg_rtn_b32: // clocks
  case Op::s_sendmsg_rtn_b64:
    return false;
  case Op::s_getreg_b32:
    return !gfx10() || ((w[0] & 0x3f) != 29 && (w[0] & 0x3f) != 30);
  case Op::s_setreg_b32:
  case Op::s_setreg_imm32_b32: // MODE: seldom, the rest of the snippet is interpreted
    return (w[0] & 0x3f) != 1 || w[0] % 5 == 0;
  default:
    return true;
  }
}

std::vector<uint32_t> Generator::run(unsigned length, Mix mix) {
  std::vector<std::vector<uint32_t>> insts;
  while (insts.size() < length) {
    std::vector<uint32_t> w;
    const uint32_t what = r_.below(100);
    if (mix == Mix::global && what < 50) {
      if (!r_.oneIn(3))
        global(w);
      else if ((gfx11() || target_ == isa::Target::gfx942) && r_.oneIn(2))
        privateSegment(w);
      else
        scratch(w);
    } else if (mix != Mix::alu && what < (mix == Mix::lds ? 50u : 10u)) {
      if (mix == Mix::everything && r_.oneIn(2))
        global(w);
      else
        lds(w);
    } else if (what < 20) {
      scalar(w);
    } else if (what < 25) { // a forward branch, patched below; or nothing
      static const Op branches[] = {Op::s_cbranch_scc0,  Op::s_cbranch_scc1, Op::s_cbranch_vccz,
                                    Op::s_cbranch_execz, Op::s_branch,       Op::s_cbranch_vccnz,
                                    Op::s_nop,           Op::s_barrier};
      const bool mode = gfx10() && r_.oneIn(8); // which the rest of the snippet is interpreted in
      Op op = !mode ? r_.pick(branches) : r_.oneIn(2) ? Op::s_round_mode : Op::s_denorm_mode;
      if (gfx12() && op == Op::s_barrier) // without having signalled
        op = Op::s_barrier_wait;
      w.push_back(0xbf800000 | uint32_t(isa::findOp(op, Enc::SOPP, target_)->number) << 16 |
                  (mode && r_.oneIn(3)        ? r_.below(16)
                   : op == Op::s_barrier_wait ? 0xffff
                                              : 0));
    } else if (gfx11() && what < 35) {
      pair(w);
    } else if (what < 80) {
      const Op op = r_.pick(kCommon);
      static const Enc encs[] = {Enc::VOP1, Enc::VOP2, Enc::VOPC, Enc::VOP3, Enc::VOP3P};
      const Enc enc = r_.pick(encs);
      if (const auto *row = isa::findOp(op, enc, target_))
        vector(w, enc, row->number);
    } else {
      static const Enc encs[] = {Enc::VOP1, Enc::VOP2, Enc::VOPC, Enc::VOP3, Enc::VOP3P};
      const Enc enc = r_.pick(encs);
      if (const isa::OpInfo *o = anyOf(enc))
        vector(w, enc, o->number);
    }
    if (!w.empty() && acceptable(w))
      insts.push_back(std::move(w));
  }
  std::vector<uint32_t> words;
  std::vector<size_t> start;
  for (const auto &w : insts) {
    start.push_back(words.size());
    words.insert(words.end(), w.begin(), w.end());
  }
  start.push_back(words.size());
  for (size_t k = 0; k < insts.size(); ++k) {
    isa::Inst in;
    isa::decode(insts[k].data(), insts[k].size() * 4, target_, in);
    if (!isa::branchOf(in.op).exists())
      continue;
    // Forward mostly; a loop ends with its quantum.
    const size_t to =
        r_.oneIn(12) ? r_.below(uint32_t(k + 1)) : k + 1 + r_.below(uint32_t(insts.size() - k));
    words[start[k]] |= uint32_t(int64_t(start[to]) - int64_t(start[k]) - 1) & 0xffff;
  }
  words.push_back(0xbf800000 | uint32_t(isa::findOp(Op::s_endpgm, Enc::SOPP, target_)->number)
                                   << 16);
  return words;
}

uint32_t edgeValue(Random &r) {
  static const uint32_t edges[] = {0,          1,          2,          31,         32,
                                   0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
                                   0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
                                   0xffbfffff, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
                                   0x4f000000, 0x4f800000, 0xcf000000, 0x5f000000, 0x7ff00000,
                                   0x7ff80000, 0xfff00000, 0x7ff00001, 0x3ff00000, 0x00100000};
  return r.pick(edges);
}

} // namespace

std::vector<uint32_t> makeSnippet(Random &random, isa::Target target, unsigned length, Mix mix) {
  return Generator(random, target).run(length, mix);
}

BareWave::BareWave() : rows(kRows), lds(kLds + 64) {}

void BareWave::fill(Random &r, isa::Target target, CodeCache &code, const ExecInst *entry,
                    GlobalMemory &global) {
  wave = Wave{};
  wave.waveSize = isa::traitsOf(target).waveSize;
  wave.lineShift = isa::traitsOf(target).generation >= 10 ? 7 : 6;
  for (unsigned k = 0; k < kRows; ++k) {
    const uint32_t kind = r.below(4);
    for (uint32_t &u : rows[k].u)
      u = k >= 32      ? k
          : kind == 0  ? uint32_t(r.next())
          : kind == 1  ? edgeValue(r)
          : kind == 2  ? r.below(kLds + 64)
          : r.oneIn(2) ? edgeValue(r)
                       : uint32_t(r.next());
    if (k < 32 && r.oneIn(4)) { // consecutive, as addresses are
      const uint32_t base = r.below(1024) & ~3u, step = r.oneIn(2) ? 4 : 8;
      for (unsigned l = 0; l < kWaveSize; ++l)
        rows[k].u[l] = base + l * step;
    }
  }
  for (uint8_t &b : lds)
    b = uint8_t(r.next());
  const uint64_t base = reinterpret_cast<uint64_t>(global.bytes);
  for (unsigned k = 20; k < 32; k += k < 24 ? 1 : 2) {
    // Consecutive elements of some size, the same for all, or anywhere; 512 bytes stay free behind.
    static const uint32_t steps[] = {4, 8, 16, 4, 0, 1};
    const uint32_t step = r.pick(steps), start = r.below(1024) & ~(r.oneIn(4) ? 0u : 15u);
    const bool anywhere = r.oneIn(5);
    for (unsigned l = 0; l < kWaveSize; ++l) {
      const uint32_t at = anywhere ? r.below(GlobalMemory::kBytes - 512) : start + l * step;
      rows[k].u[l] = uint32_t(k < 24 ? at : base + at);
      if (k >= 24)
        rows[k + 1].u[l] = uint32_t((base + at) >> 32);
    }
  }
  for (unsigned k = 32; k < 36; ++k) {
    const bool uniform = r.oneIn(4), far = r.oneIn(3), odd = r.oneIn(5);
    const uint32_t start = 4 * r.below(96), reach = far ? 200 : 64;
    for (unsigned l = 0; l < kWaveSize; ++l)
      rows[k].u[l] = uniform ? start
                     : far   ? r.below(reach) * 4 % (GlobalMemory::kScratchPerLane - 64)
                             : (4 * r.below(reach) + start) % (GlobalMemory::kScratchPerLane - 64);
    if (odd)
      rows[k].u[r.below(kWaveSize)] += 1 + r.below(600);
  }
  wave.v = rows.data();
  wave.numVgprs = wave.accOffset = 256;
  wave.numAgprs = 256;
  for (uint32_t &s : wave.s)
    s = r.oneIn(2) ? edgeValue(r) : uint32_t(r.next());
  wave.setS64(40, base);
  wave.scratch = global.scratch;
  wave.scratchPerLane = GlobalMemory::kScratchPerLane;
  const bool gfx10 = isa::traitsOf(target).generation >= 10;
  wave.s[42] = 4 * r.below(24) + r.oneIn(8);
  const bool gfx11 = isa::traitsOf(target).generation >= 11;
  // GFX11's elements of 16 bytes look like what others call a swizzle.
  const uint64_t swizzle = !gfx11 ? 0x8000 : r.oneIn(4) ? 0xc000 : 0x4000;
  wave.setS64(44, reinterpret_cast<uint64_t>(global.scratch) | swizzle << 48);
  wave.s[46] = r.oneIn(3) ? ~0u : wave.scratchPerLane * wave.waveSize;
  wave.s[47] = (wave.waveSize == kWaveSize ? 7u : 6u) << 21 | (gfx10 ? 0x30016000u : 0x00020000u);
  uint64_t exec = kFullExec;
  switch (r.below(6)) {
  case 0:
    exec = r.next();
    break;
  case 1:
    exec = r.next() & r.next() & r.next();
    break;
  case 2:
    exec = r.oneIn(3) ? 0 : 1ull << r.below(64);
    break;
  case 3:
    exec = kFullExec >> r.below(64);
    break;
  default:
    break;
  }
  if (wave.waveSize < kWaveSize)
    exec = uint32_t(exec >> (r.oneIn(2) ? 32 : 0));
  wave.setS64(isa::Sgpr::exec, exec);
  wave.scc = r.below(2);
  wave.usualMode = translate::usualMode(isa::traitsOf(target).generation);
  wave.setMode(wave.usualMode);
  wave.quantum = 20;
  wave.lds = lds.data();
  wave.ldsSize = kLds;
  wave.code = &code;
  wave.next = entry;
  wave.status = WaveStatus::ready;
}

void BareWave::copyFrom(const BareWave &other) {
  wave = other.wave;
  rows = other.rows;
  lds = other.lds;
  wave.v = rows.data();
  wave.lds = lds.data();
}

std::string BareWave::difference(const BareWave &o) const {
  for (unsigned k = 0; k < kRows; ++k)
    for (unsigned l = 0; l < kWaveSize; ++l)
      if (rows[k].u[l] != o.rows[k].u[l]) {
        char text[100];
        std::snprintf(text, sizeof(text), "v%u lane %u: %08x interpreted, %08x translated", k, l,
                      rows[k].u[l], o.rows[k].u[l]);
        return text;
      }
  for (unsigned k = 0; k < isa::Sgpr::sink; ++k)
    if (wave.s[k] != o.wave.s[k]) {
      char text[100];
      std::snprintf(text, sizeof(text), "s%u: %08x interpreted, %08x translated", k, wave.s[k],
                    o.wave.s[k]);
      return text;
    }
  if (lds != o.lds)
    return "LDS";
  if (wave.scc != o.wave.scc)
    return "SCC";
  if (wave.mode != o.wave.mode)
    return "MODE";
  if (wave.quantum != o.wave.quantum)
    return "quantum";
  if (wave.status != o.wave.status)
    return "status";
  if (wave.next != o.wave.next)
    return "the next instruction";
  if (wave.fault.kind != o.wave.fault.kind || wave.fault.lane != o.wave.fault.lane ||
      wave.fault.address != o.wave.fault.address)
    return "fault";
  return "";
}

} // namespace meld::softgpu::test
