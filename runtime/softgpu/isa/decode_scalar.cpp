// SOP1, SOP2, SOPC, SOPK, SOPP, SMEM and the encodings we only recognise.
#include "runtime/softgpu/isa/decode_common.h"
#include "runtime/softgpu/isa/decoder.h"

namespace meld::softgpu::isa {

namespace {

bool isBranch(Op op) {
  return branchOf(op).exists() || op == Op::s_call_b64 || op == Op::s_cbranch_i_fork ||
         op == Op::s_subvector_loop_begin || op == Op::s_subvector_loop_end;
}

void setSimm(Inst &out, uint32_t word) {
  out.simm = int16_t(word & 0xffff);
  if (isBranch(out.op))
    out.simm *= 4; // dwords, relative to the next instruction
}

bool sources(Decoder &d, const OpInfo &row) {
  bool ok = true;
  if (row.src[0] != Ty::none)
    ok = d.source(d.out.src[0], d.lo & 0xff, row.src[0]);
  if (ok && row.src[1] != Ty::none)
    ok = d.source(d.out.src[1], d.lo >> 8 & 0xff, row.src[1]);
  return ok;
}

/// The third source of a scalar multiplication and addition.
bool accumulates(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  switch (row.op) {
  case Op::s_fmaak_f32:
    out.numSrc = 3;
    return d.constant(out.src[2], 255, Ty::f32);
  case Op::s_fmamk_f32:
    out.numSrc = 3;
    out.src[2] = out.src[1];
    return d.constant(out.src[1], 255, Ty::f32);
  case Op::s_fmac_f32:
  case Op::s_fmac_f16:
    out.numSrc = 3;
    return d.sgprSource(out.src[2], d.lo >> 16 & 0x7f, 1);
  default:
    return true;
  }
}

bool dest(Decoder &d, const OpInfo &row) {
  return row.dst == Ty::none || d.sgpr(d.out.dst, d.lo >> 16 & 0x7f, tyInfo(row.dst).dwords);
}

DecodeStatus decodeSopk(Decoder &d) {
  const OpInfo *row = d.begin(Enc::SOPK, d.lo >> 23 & 0x1f, 4);
  if (!row)
    return DecodeStatus::unknown;
  setSimm(d.out, d.lo);
  bool ok = dest(d, *row);
  if (row->src[0] != Ty::none)
    ok = ok && d.sgprSource(d.out.src[0], d.lo >> 16 & 0x7f, tyInfo(row->src[0]).dwords);
  switch (row->op) {
  case Op::s_addk_i32:
  case Op::s_mulk_i32:
  case Op::s_cmovk_i32: // the old destination is an input
    ok = ok && d.sgprSource(d.out.src[0], d.lo >> 16 & 0x7f, 1);
    d.out.numSrc = 1;
    break;
  case Op::s_setreg_imm32_b32:
    ok = ok && d.constant(d.out.src[0], 255, Ty::b32);
    d.out.numSrc = 1;
    break;
  default:
    break;
  }
  return d.finish(ok);
}

// SMEM: sbase counts SGPR pairs; the offset is a 21-bit signed immediate, an SGPR, or both: GFX9 has
// a bit for each, GFX10 always both, with null as the SGPR that adds nothing.
DecodeStatus decodeSmem(Decoder &d) {
  const OpInfo *row = d.begin(Enc::SMEM, d.lo >> 18 & 0xff, 8);
  if (!row)
    return DecodeStatus::unknown;
  if (!d.hasHi())
    return DecodeStatus::truncated;
  Inst &out = d.out;
  const bool both = d.gfx10();
  bool glc = d.lo >> (d.gfx11() ? 14 : 16) & 1, imm = both || (d.lo >> 17 & 1),
       soe = both || (d.lo >> 14 & 1);
  bool ok = hasFlag(*row, 'o') || !imm || both;
  unsigned sdata = d.lo >> 6 & 0x7f;
  if (hasFlag(*row, 'i')) {
    out.offset1 = int32_t(sdata); // probe: the field is an immediate
  } else if (row->dst != Ty::none) {
    bool atomic = hasFlag(*row, 'a');
    Operand &data = hasFlag(*row, 'd') ? out.dst : out.vdata;
    ok = ok && d.sgpr(data, sdata, tyInfo(row->dst).dwords);
    ok = ok && (tyInfo(row->dst).dwords <= 4 || sdata < d.sgprLimit() ||
                (sdata >= Sgpr::ttmp0 && sdata < Sgpr::m0));
    if (atomic && glc) {
      out.dst = out.vdata;
      bool cmpswap = std::strstr(mnemonic(row->op).data(), "cmpswap") != nullptr;
      if (cmpswap)
        out.dst.dwords = uint8_t(out.vdata.dwords / 2);
    }
  }
  if (row->src[0] != Ty::none)
    ok = ok && d.sgpr(out.saddr, (d.lo & 0x3f) << 1, tyInfo(row->src[0]).dwords);
  if (hasFlag(*row, 'o')) {
    if (soe && !(both && d.scalarCode(d.hi >> 25) == Sgpr::null))
      ok = ok && d.sgpr(out.soffset, d.hi >> 25, 1);
    else if (!imm)
      ok = ok && d.sgpr(out.soffset, d.hi & 0x7f, 1);
    if (imm)
      out.offset = int32_t(d.hi << 11) >> 11;
    out.offen = imm; // an immediate offset is present
  }
  if (hasFlag(*row, 'g'))
    out.glc = glc;
  else
    out.glc = false;
  out.dlc = both && hasFlag(*row, 'g') && (d.lo >> (d.gfx11() ? 13 : 14) & 1);
  if (d.gfx11() && !hasFlag(*row, 'g')) // nothing to say about caches
    ok = ok && (d.lo & 0x6000) == 0;
  out.numSrc = 0;
  return d.finish(ok);
}

} // namespace

DecodeStatus decodeScalar(Decoder &d) {
  uint32_t lo = d.lo;
  if (lo >> 30 == 3)
    return d.gfx12() ? decodeSmem12(d) : decodeSmem(d);
  if (lo >> 28 == 0xb) {
    if (lo >> 23 == 0x17d) { // SOP1
      const OpInfo *row = d.begin(Enc::SOP1, lo >> 8 & 0xff, 4);
      if (row && sendsForResult(row->op))
        d.out.simm = int32_t(lo & 0xff);
      return row ? d.finish(dest(d, *row) && sources(d, *row)) : DecodeStatus::unknown;
    }
    if (lo >> 23 == 0x17e) { // SOPC
      const OpInfo *row = d.begin(Enc::SOPC, lo >> 16 & 0x7f, 4);
      if (!row)
        return DecodeStatus::unknown;
      if (row->op == Op::s_set_gpr_idx_on)
        d.out.simm = int32_t(lo >> 8 & 0xff);
      return d.finish(sources(d, *row));
    }
    if (lo >> 23 == 0x17f) { // SOPP
      const OpInfo *row = d.begin(Enc::SOPP, lo >> 16 & 0x7f, 4);
      if (!row)
        return DecodeStatus::unknown;
      setSimm(d.out, lo);
      return d.finish(hasFlag(*row, 'i') || (lo & 0xffff) == 0);
    }
    return decodeSopk(d);
  }
  const OpInfo *row = d.begin(Enc::SOP2, lo >> 23 & 0x7f, 4);
  return row ? d.finish(dest(d, *row) && sources(d, *row) && accumulates(d, *row))
             : DecodeStatus::unknown;
}

namespace {

/// GFX12 has an encoding of its own for images that are sampled; the numbers are one list.
DecodeStatus decodeImage12(Decoder &d) {
  constexpr unsigned kSampling = 0x39; // the top six bits
  constexpr unsigned kFirst = 27, kEnd = 128, kMsaa = 24, kGatherHigh = 144;
  const unsigned number = d.lo >> 14 & 0xff;
  const bool sampled =
      (number >= kFirst && number < kEnd) || number == kMsaa || number == kGatherHigh;
  if (sampled != (d.lo >> 26 == kSampling) || !d.begin(Enc::MIMG, number, 12))
    return DecodeStatus::unknown;
  return d.size < d.out.size ? DecodeStatus::truncated : DecodeStatus::unsupported;
}

} // namespace

DecodeStatus decodeGraphics(Decoder &d) {
  const OpInfo *row = nullptr;
  if (d.gfx12() && (d.lo >> 26 == 0x34 || d.lo >> 26 == 0x39))
    return decodeImage12(d);
  switch (d.lo >> 26) {
  case 0x33:
    if (d.lo >> 24 == 0xcd && !(d.lo >> 23 & 1))
      row = d.begin(Enc::VINTERP, d.lo >> 16 & 0x7f, 8);
    else if (d.lo >> 24 == 0xce)
      row = d.begin(Enc::LDSDIR, d.lo >> 20 & 3, 4);
    break;
  case 0x31:
  case 0x3e:
    row = d.begin(Enc::EXP, 0, 8);
    break;
  case 0x32:
  case 0x35:
    row = d.begin(Enc::VINTRP, d.lo >> 16 & 3, 4);
    break;
  default: // GFX10: the opcode's highest bit is the lowest, and up to three dwords of addresses follow. GFX11: one more
    row = d.gfx11() ? d.begin(Enc::MIMG, d.lo >> 18 & 0xff, 8 + 4 * (d.lo & 1))
          : d.gfx10()
              ? d.begin(Enc::MIMG, (d.lo >> 18 & 0x7f) | (d.lo & 1) << 7, 8 + 4 * (d.lo >> 1 & 3))
              : d.begin(Enc::MIMG, d.lo >> 18 & 0x7f, 8);
    break;
  }
  if (!row)
    return DecodeStatus::unknown;
  return d.size < d.out.size ? DecodeStatus::truncated : DecodeStatus::unsupported;
}

} // namespace meld::softgpu::isa
