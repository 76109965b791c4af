// VOP1, VOP2, VOPC: 32-bit vector instructions, alone or with an SDWA or DPP dword (src0 = 249 or
// 250; on GFX10 233 or 234, too; GFX11 has DPP alone).
#include "runtime/softgpu/isa/decode_common.h"

namespace meld::softgpu::isa {

namespace {

struct Fields {
  const OpInfo *row;
  unsigned src0, vsrc1, vdst;
};

unsigned explicitSources(const OpInfo &row) { return row.enc == Enc::VOP1 ? 1 : 2; }

/// dst, sdst and the implicit operands, the same for all three forms. VOPC's dst is set by the
/// caller.
bool implicit(Decoder &d, const Fields &f) {
  Inst &out = d.out;
  const OpInfo &row = *f.row;
  bool ok = true;
  if (row.dst == Ty::s32)
    ok = d.scalarDest(out.dst, f.vdst, 1);
  else if (row.dst != Ty::mask && row.dst != Ty::none)
    ok = d.vgprOrHalf(out.dst, f.vdst, row.dst, 3, row.dst == Ty::a32);
  out.keepsHigh = d.gfx10() && isHalf(row.dst);
  if (hasCarryOut(row.op))
    d.vcc(out.sdst);
  if (row.src[2] == Ty::mask)
    d.vcc(out.src[2]);
  if (readsDst(row.op)) {
    out.src[2] = out.dst;
    out.opSel |= out.opSel >> 1 & 4;
  }
  return ok;
}

/// VOPC's mask, but for SDWA.
void compareDest(Decoder &d, const OpInfo &row) {
  if (row.dst == Ty::mask && !(d.gfx10() && row.writesExec))
    d.vcc(d.out.dst);
}

DecodeStatus decodeSdwa(Decoder &d, const Fields &f) {
  const OpInfo &row = *f.row;
  Inst &out = d.out;
  const char *spec = row.flags;
  if (!*spec)
    return DecodeStatus::unknown;
  if (!d.hasHi())
    return DecodeStatus::truncated;
  uint32_t w = d.hi;
  out.size = 8;
  out.sdwa = true;
  bool ok = true;
  for (unsigned k = 0; k < 2; ++k) {
    unsigned byte = w >> (16 + 8 * k) & 0xff;
    if (k >= explicitSources(row)) {
      ok = ok && (byte & ~0x40u) == 0;
      break;
    }
    bool sext = byte & 8, neg = byte & 16, abs = byte & 32, scalar = byte & 128;
    ok = ok && (byte & 7) != 7 && !(spec[k] == 'f' ? sext : neg || abs);
    out.sdwaSrc[k] = SdwaSel(byte & 7);
    out.sdwaSext |= uint8_t(sext << k);
    out.neg |= uint8_t(neg << k);
    out.abs |= uint8_t(abs << k);
    unsigned field = k == 0 ? w & 0xff : f.vsrc1;
    ok = ok && !(scalar && field == 255) &&
         d.source(out.src[k], scalar ? field : field + 256, row.src[k]);
  }
  if (row.enc == Enc::VOPC) {
    if (d.gfx10() && row.writesExec)
      ok = ok && !(w & 0x8000); // no destination
    else if (w & 0x8000)
      ok = ok && d.sgpr(out.dst, w >> 8 & 0x7f, d.traits().maskDwords());
    else
      d.vcc(out.dst);
  } else {
    const bool whole = std::strchr(spec, 'd');
    unsigned unused = whole ? 0 : w >> 11 & 3;
    out.sdwaDst = SdwaSel(w >> 8 & 7);
    out.sdwaUnused = SdwaUnused(unused);
    out.clamp = w >> 13 & 1;
    out.omod = uint8_t(w >> 14 & 3);
    ok = ok && (w >> 8 & 7) != 7 && !(whole && out.sdwaDst != SdwaSel::dword) && unused != 3 &&
         (out.omod == 0 || std::strchr(spec, 'o'));
  }
  ok = ok && implicit(d, f);
  out.keepsHigh = false; // sdwaUnused says what becomes of the rest
  return d.finish(ok);
}

bool hasDpp(const Decoder &d, const OpInfo &row) {
  const bool wide = tyInfo(row.src[0]).dwords == 2 || tyInfo(row.dst).dwords == 2;
  const bool compares = row.enc == Enc::VOPC;
  return *row.dpp && !(wide && !compares && !d.traits().unified) &&
         !(compares && (!d.gfx11() || tyInfo(row.src[0]).dwords == 2));
}

/// The operands beside a DPP dword.
bool dppSources(Decoder &d, const Fields &f) {
  const OpInfo &row = *f.row;
  bool ok = d.vgprOrHalf(d.out.src[0], d.hi & 0xff, row.src[0], 0);
  if (explicitSources(row) == 2)
    ok = ok && d.vgprOrHalf(d.out.src[1], f.vsrc1, row.src[1], 1);
  compareDest(d, row);
  return ok;
}

} // namespace

void setDppControl(Decoder &d, uint32_t w) {
  Inst &out = d.out;
  out.dpp = true;
  out.dppFi = d.gfx10() && (w >> 18 & 1);
  out.dppCtrl = uint16_t(w >> 8 & 0x1ff);
  out.dppBoundCtrl = w >> 19 & 1;
  out.dppBankMask = uint8_t(w >> 24 & 15);
  out.dppRowMask = uint8_t(w >> 28);
}

void setDpp8(Decoder &d, unsigned code, uint32_t w) {
  d.out.dpp8 = true;
  d.out.dppFi = code == kDpp8Fi;
  d.out.dpp8Sel = w >> 8;
}

namespace {

DecodeStatus decodeDpp(Decoder &d, const Fields &f) {
  const OpInfo &row = *f.row;
  Inst &out = d.out;
  if (!hasDpp(d, row))
    return DecodeStatus::unknown;
  if (!d.hasHi())
    return DecodeStatus::truncated;
  uint32_t w = d.hi;
  out.size = 8;
  setDppControl(d, w);
  bool ok = true;
  for (unsigned bit = 0; bit < 4; ++bit) { // src0 neg, src0 abs, src1 neg, src1 abs
    char use = row.dpp[3 - bit];
    bool set = w >> (20 + bit) & 1;
    ok = ok && !(set && use == '0');
    if (set && use == 'x')
      (bit & 1 ? out.abs : out.neg) |= uint8_t(1u << (bit / 2));
  }
  ok = ok && dppSources(d, f);
  return d.finish(ok && implicit(d, f));
}

DecodeStatus decodeDpp8(Decoder &d, const Fields &f) {
  const OpInfo &row = *f.row;
  Inst &out = d.out;
  if (!hasDpp(d, row))
    return DecodeStatus::unknown;
  if (!d.hasHi())
    return DecodeStatus::truncated;
  out.size = 8;
  setDpp8(d, f.src0, d.hi);
  const bool ok = dppSources(d, f);
  return d.finish(ok && implicit(d, f));
}

/// v_nop has an SDWA and a DPP form, with nothing to select; not on GFX11.
DecodeStatus decodeNop(Decoder &d, const Fields &f) {
  Inst &out = d.out;
  out.numSrc = 0;
  if (f.row->op == Op::v_nop && d.hasHi() && !d.gfx11()) {
    out.sdwa = f.src0 == kSdwa && (d.hi & ~0x40401f00u) == 0;
    const bool dpp = f.src0 == kDpp16 && (d.hi & 0x00f000ff) == 0;
    const bool dpp8 = d.gfx10() && (f.src0 == kDpp8 || f.src0 == kDpp8Fi) && (d.hi & 0xff) == 0;
    if (out.sdwa || dpp || dpp8)
      out.size = 8;
    if (dpp)
      setDppControl(d, d.hi);
    if (dpp8)
      setDpp8(d, f.src0, d.hi);
  }
  return d.finish(f.vdst == 0);
}

} // namespace

DecodeStatus decodeVop(Decoder &d) {
  Inst &out = d.out;
  uint32_t w = d.lo;
  Fields f{nullptr, w & 0x1ff, w >> 9 & 0xff, w >> 17 & 0xff};
  unsigned number = w >> 25;
  if (number == 63)
    f.row = d.begin(Enc::VOP1, w >> 9 & 0xff, 4);
  else if (number == 62)
    f.row = d.begin(Enc::VOPC, w >> 17 & 0xff, 4);
  else
    f.row = d.begin(Enc::VOP2, number, 4);
  if (!f.row)
    return DecodeStatus::unknown;
  const OpInfo &row = *f.row;
  if (isVectorNop(row.op))
    return decodeNop(d, f);
  if (row.src[0] != Ty::v32 && row.src[0] != Ty::a32) {
    if (f.src0 == kSdwa && !d.gfx11())
      return decodeSdwa(d, f);
    if (f.src0 == kDpp16)
      return decodeDpp(d, f);
    if (d.gfx10() && (f.src0 == kDpp8 || f.src0 == kDpp8Fi))
      return decodeDpp8(d, f);
  }
  bool ok;
  if (row.src[0] == Ty::v32 || row.src[0] == Ty::a32)
    ok = d.vgpr(out.src[0], f.src0 & 0xff, 1, row.src[0] == Ty::a32);
  else if (f.src0 >= 256)
    ok = d.vgprOrHalf(out.src[0], f.src0 - 256, row.src[0], 0);
  else
    ok = d.source(out.src[0], f.src0, row.src[0]);
  if (isMadmk(row.op)) {
    ok = ok && d.constant(out.src[1], 255, row.src[1]) &&
         d.vgprOrHalf(out.src[2], f.vsrc1, row.src[2], 2);
  } else if (explicitSources(row) == 2) {
    ok = ok && d.vgprOrHalf(out.src[1], f.vsrc1, row.src[1], 1);
    if (isMadak(row.op))
      ok = ok && d.constant(out.src[2], 255, row.src[2]);
  }
  compareDest(d, row);
  ok = ok && !(row.op == Op::v_swap_b16 && f.src0 < 256); // a register
  // LLVM 15 takes any code for a register in v_swap_b32; of those that are newer none does.
  d.reserved |= (d.traits().ocp || d.gfx12()) && isSwap(row.op) && f.src0 < 256;
  if (isSwap(row.op))
    out.sdst = out.src[0];
  return d.finish(ok && implicit(d, f));
}

} // namespace meld::softgpu::isa
