#include "runtime/softgpu/isa/register_use.h"

#include "runtime/softgpu/isa/decode_common.h"
#include "runtime/softgpu/isa/decoder.h"

#include <array>
#include <cassert>
#include <iterator>

namespace meld::softgpu::isa {

namespace {

using Role = RegisterRange::Role;

/// What an opcode implies beyond its operands, found by name once.
struct Implied {
  bool readsM0 = false, readsDst = false, crossesLanes = false;
  uint8_t movesExec = 0;  ///< dwords
  bool setsIndex = false; ///< writes M0
};

Implied impliedBy(std::string_view name) {
  Implied i;
  auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  const bool ds = name.starts_with("ds_");
  i.readsM0 = (name.starts_with("s_sendmsg") && !has("_rtn_")) || name.starts_with("s_movrel") ||
              name.starts_with("v_movrel") || name == "v_swaprel_b32" || (ds && has("addtid")) ||
              has("gws") || name == "s_set_gpr_idx_idx" || name == "s_set_gpr_idx_mode" ||
              name == "s_set_gpr_idx_on" || name.starts_with("v_interp") ||
              name == "s_ttracedata" || name == "ds_ordered_count" || name == "ds_append" ||
              name == "ds_consume" || name == "buffer_store_lds_dword" || has("_block");
  i.setsIndex = name.starts_with("s_set_gpr_idx") && name != "s_set_gpr_idx_off";
  i.movesExec = !has("saveexec") && !has("wrexec") ? 0 : name.ends_with("b32") ? 1 : 2;
  // Parts of the destination stay.
  i.readsDst =
      name.starts_with("s_bitset") || name.starts_with("s_subvector") ||
      name.starts_with("s_cmov_") || has("_d16") || name == "v_writelane_b32" || has("permlane") ||
      has("mixlo") || has("mixhi") || name.starts_with("v_smfmac") ||
      name.starts_with("v_swmmac") ||
      (name.starts_with("v_cvt_") && (has("_fp8_f") || has("_bf8_f") || has("_fp8_bf16") ||
                                      has("_bf8_bf16") || has("_fp4_f") || has("_fp4_bf16"))) ||
      name.starts_with("v_cvt_scalef32_f16") || name.starts_with("v_cvt_sr_") ||
      name.starts_with("v_ashr_pk") || name == "v_bitop3_b16";
  i.crossesLanes = name.starts_with("v_mbcnt") || name.starts_with("v_readlane") ||
                   name.starts_with("v_writelane") || has("permute") || has("permlane") ||
                   has("swizzle") || name.starts_with("v_mfma") || name.starts_with("v_smfmac") ||
                   name.starts_with("v_wmma") || name.starts_with("v_swmmac") || has("addtid") ||
                   has("_tr_b");
  return i;
}

const Implied &implied(Op op) {
  static const auto table = [] {
    std::array<Implied, size_t(Op::count)> t{};
    for (size_t k = 1; k < t.size(); ++k)
      t[k] = impliedBy(mnemonic(Op(k)));
    return t;
  }();
  return table[op < Op::count ? size_t(op) : 0];
}

/// The third operand of these is a lane mask.
bool maskSource(Op op, unsigned k) {
  if (k != 2)
    return false;
  switch (op) {
  case Op::v_cndmask_b32:
  case Op::v_cndmask_b16:
  case Op::v_addc_co_u32:
  case Op::v_subb_co_u32:
  case Op::v_subbrev_co_u32:
    return true;
  default:
    return false;
  }
}

} // namespace

void RegisterUse::add(RegisterRange *list, uint8_t &count, const Operand &o, Role role, bool mask) {
  RegisterRange r;
  switch (o.kind) {
  case Operand::Kind::sgpr:
    if (o.index == Sgpr::sink)
      return;
    r.file = RegisterRange::File::sgpr;
    break;
  case Operand::Kind::vgpr:
    r.file = RegisterRange::File::vgpr;
    break;
  case Operand::Kind::agpr:
    r.file = RegisterRange::File::agpr;
    break;
  default:
    return;
  }
  r.role = role;
  r.index = o.index;
  r.dwords = o.dwords ? o.dwords : 1;
  r.laneMask = mask;
  list[count++] = r;
}

void RegisterUse::read(const Operand &o, Role role, bool mask) {
  assert(numReads_ < std::size(reads_));
  if (o.kind == Operand::Kind::special) {
    if (o.index == 251)
      readImplicit(Sgpr::vcc, maskDwords());
    else if (o.index == 252)
      readImplicit(Sgpr::exec, maskDwords());
    return;
  }
  add(reads_, numReads_, o, role, mask);
}

void RegisterUse::write(const Operand &o, Role role, bool mask) {
  assert(numWrites_ < std::size(writes_));
  add(writes_, numWrites_, o, role, mask);
}

void RegisterUse::readImplicit(unsigned sgpr, unsigned dwords, bool mask) {
  assert(numReads_ < std::size(reads_));
  reads_[numReads_++] = {RegisterRange::File::sgpr, Role::implicit, uint16_t(sgpr),
                         uint8_t(dwords),           false,          mask};
}

void RegisterUse::writeImplicit(unsigned sgpr, unsigned dwords, bool mask) {
  assert(numWrites_ < std::size(writes_));
  writes_[numWrites_++] = {RegisterRange::File::sgpr, Role::implicit, uint16_t(sgpr),
                           uint8_t(dwords),           false,          mask};
}

RegisterUse::RegisterUse(const Inst &in) : target_(in.target) {
  switch (familyOf(in.enc)) {
  case Family::scalar:
    addScalar(in);
    break;
  case Family::vector:
  case Family::interpolation:
    addVector(in);
    break;
  case Family::scalarMemory:
  case Family::lds:
  case Family::flat:
  case Family::vectorMemory:
    addMemory(in);
    break;
  case Family::image:
  case Family::exports:
    break; // never executed
  }
}

void RegisterUse::addScalar(const Inst &in) {
  const Implied &i = implied(in.op);
  for (unsigned k = 0; k < 3; ++k)
    read(in.src[k], Role(k));
  if (i.readsDst)
    read(in.dst, Role::destination);
  if (i.movesExec)
    readImplicit(Sgpr::exec, i.movesExec);
  if (i.readsM0)
    readImplicit(Sgpr::m0, 1);
  const Branch branch = branchOf(in.op);
  if (branch.on == Branch::vcc)
    readImplicit(Sgpr::vcc, maskDwords());
  if (branch.on == Branch::exec)
    readImplicit(Sgpr::exec, maskDwords());
  write(in.dst, Role::destination);
  if (i.movesExec)
    writeImplicit(Sgpr::exec, i.movesExec);
  if (i.setsIndex)
    writeImplicit(Sgpr::m0, 1);
}

void RegisterUse::addVector(const Inst &in) {
  const Implied &i = implied(in.op);
  underExec_ = true;
  for (unsigned k = 0; k < 4; ++k)
    read(in.src[k], Role(k), maskSource(in.op, k));
  // DPP leaves lanes alone that have no source or that a mask switches off.
  const bool keepsPart =
      i.readsDst || in.dpp || in.dpp8 || in.keepsHigh ||
      (in.sdwa && in.sdwaUnused == SdwaUnused::preserve && in.sdwaDst != SdwaSel::dword) ||
      (in.enc == Enc::VOP3 && in.opSel & 8);
  if (keepsPart && in.dst.kind != Operand::Kind::sgpr)
    read(in.dst, Role::destination);
  if (in.op == Op::v_div_fmas_f32 || in.op == Op::v_div_fmas_f64)
    readImplicit(Sgpr::vcc, maskDwords(), true);
  if (i.readsM0)
    readImplicit(Sgpr::m0, 1);
  read(in.scaleB, Role::source2);
  if (isSwap(in.op) && !keepsPart)
    read(in.dst, Role::destination);
  const bool compare = mnemonic(in.op).starts_with("v_cmp");
  write(in.dst, Role::destination, compare);
  write(in.sdst, Role::carry, in.sdst.kind == Operand::Kind::sgpr);
  if (mnemonic(in.op).starts_with("v_cmpx"))
    writeImplicit(Sgpr::exec, maskDwords());
  if (in.enc == Enc::VOPD)
    addDual(in);
}

void RegisterUse::addDual(const Inst &in) {
  const unsigned reads = numReads_, writes = numWrites_;
  for (unsigned k = 0; k < 3; ++k)
    read(in.dual.src[k], Role(k), maskSource(in.dual.op, k));
  write(in.dual.dst, Role::destination);
  for (unsigned k = reads; k < numReads_; ++k)
    reads_[k].dual = true;
  for (unsigned k = writes; k < numWrites_; ++k)
    writes_[k].dual = true;
}

void RegisterUse::addMemory(const Inst &in) {
  const Implied &i = implied(in.op);
  underExec_ = in.enc != Enc::SMEM;
  read(in.vaddr, Role::address);
  read(in.saddr, Role::address);
  read(in.srsrc, Role::address);
  read(in.soffset, Role::address);
  read(in.vdata, Role::data);
  read(in.vdata1, Role::data);
  if (i.readsDst && in.dst.kind != Operand::Kind::none)
    read(in.dst, Role::destination);
  if (in.lds || i.readsM0)
    readImplicit(Sgpr::m0, 1);
  // FLAT does where an address turns out to be private. GFX10 has it elsewhere.
  if (in.enc == Enc::SCRATCH && traitsOf(target_).generation < 10)
    readImplicit(Sgpr::flatScratch, 2);
  Operand dst = in.dst;
  if (in.tfe && dst.kind != Operand::Kind::none)
    dst.dwords = uint8_t(std::max<unsigned>(dst.dwords, 1) + 1);
  write(dst, Role::destination);
  if (in.op == Op::ds_bvh_stack_rtn_b32) // the stack's address
    write(in.vaddr, Role::address);
}

bool crossesLanes(const Inst &in) { return in.dpp || in.dpp8 || implied(in.op).crossesLanes; }

} // namespace meld::softgpu::isa
