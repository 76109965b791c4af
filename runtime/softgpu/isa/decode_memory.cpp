// DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF: vector memory instructions, all 64 bits long.
//
// gfx90a reuses bits that were reserved (or TFE) for `acc` (data in AGPRs) and `scc`; gfx942 calls glc,
// scc and slc sc0, sc1 and nt, and its scratch instructions may have both a vector and a scalar
// address (sve). GFX10 moves some fields, has a third cache bit (dlc) and 12-bit offsets in FLAT.
// What GFX11 has otherwise is in decode_memory11.cpp, what GFX12 has in decode_memory12.cpp.
#include "runtime/softgpu/isa/decode_common.h"

namespace meld::softgpu::isa {

bool dataRegisters(Decoder &d, const OpInfo &row, unsigned data, unsigned dst, bool acc) {
  Inst &out = d.out;
  bool ok = true;
  if (row.src[0] != Ty::none)
    ok = d.vgpr(out.vdata, data, d.dwordsOf(row.src[0]), acc);
  const bool returns = !hasFlag(row, 'r') || out.glc;
  if (row.dst != Ty::none && returns && !out.lds)
    ok = ok && d.vgpr(out.dst, dst, d.dwordsOf(row.dst), acc);
  return ok;
}

bool bufferOperands(Decoder &d, const OpInfo &row, bool acc) {
  Inst &out = d.out;
  const uint32_t hi = d.hi;
  bool ok = true;
  if (out.offen || out.idxen)
    ok = d.vgpr(out.vaddr, hi & 0xff, out.offen && out.idxen ? 2 : 1);
  ok = ok && d.sgpr(out.srsrc, (hi >> 16 & 0x1f) << 2, 4);
  ok = ok && d.source(out.soffset, hi >> 24, Ty::b32) && out.soffset.encoded != 255;
  const unsigned vdata = hi >> 8 & 0xff; // TFE writes one more dword; the operand does not count it
  return ok && dataRegisters(d, row, vdata, vdata, acc);
}

namespace {

/// gfx908's float atomics return nothing.
bool noReturn(const Decoder &d, const OpInfo &row) {
  return d.target == Target::gfx908 && hasFlag(row, 'r') && !hasFlag(row, 's');
}

DecodeStatus decodeDs(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  uint32_t lo = d.lo, hi = d.hi;
  const unsigned gdsBit = d.gfx10() ? 17 : 16;
  if (hasFlag(row, 'n'))
    return d.finish((lo & formatOf(Enc::DS, d.target).operands) == 0 && hi == 0);
  bool gds = lo >> gdsBit & 1, acc = !d.gfx10() && (lo >> 25 & 1), addr = hasFlag(row, 'a');
  bool required = hasFlag(row, 'G');
  bool ok = gds ? (required || hasFlag(row, 'g')) && !d.gfx12() : !required;
  if (hasFlag(row, 'A'))
    acc = acc && d.traits().unified;
  else
    ok = ok && !acc;
  out.gds = gds;
  if (hasFlag(row, 'p')) {
    out.offset = int32_t(lo & 0xff);
    out.offset1 = int32_t(lo >> 8 & 0xff);
  } else {
    out.offset = int32_t(lo & 0xffff);
  }
  auto field = [&](Operand &o, unsigned shift, Ty ty, bool present) {
    unsigned index = hi >> shift & 0xff;
    if (!present)
      return index == 0;
    return d.vgpr(o, index, tyInfo(ty).dwords, acc);
  };
  bool gwsData =
      required && addr && row.dst == Ty::none; // GWS: the data register is in the addr field
  if (gwsData)
    ok = ok && d.vgpr(out.vdata, hi & 0xff, 1, acc);
  else if (addr)
    ok = ok && d.vgpr(out.vaddr, hi & 0xff, 1);
  else
    ok = ok && (hi & 0xff) == 0;
  if (!gwsData)
    ok = ok && field(out.vdata, 8, row.src[0], row.src[0] != Ty::none);
  else
    ok = ok && (hi >> 8 & 0xff) == 0;
  ok = ok && field(out.vdata1, 16, row.src[1], row.src[1] != Ty::none);
  ok = ok && field(out.dst, 24, row.dst, row.dst != Ty::none);
  DecodeStatus status = d.finish(ok);
  return status == DecodeStatus::ok && required ? DecodeStatus::unsupported : status;
}

/// FLAT, GLOBAL and SCRATCH of GFX10: null as the scalar address is none, EXEC_HI in a scratch
/// instruction neither a scalar nor a vector address.
DecodeStatus decodeFlat10(Decoder &d, const OpInfo &row) {
  constexpr unsigned kNeither = 0x7f;
  Inst &out = d.out;
  const uint32_t lo = d.lo, hi = d.hi;
  const bool flat = row.enc == Enc::FLAT, scratch = row.enc == Enc::SCRATCH;
  const unsigned saddr = hi >> 16 & 0x7f;
  out.dlc = lo >> 12 & 1;
  out.lds = lo >> 13 & 1;
  out.glc = lo >> 16 & 1;
  out.slc = lo >> 17 & 1;
  bool ok = !(hi >> 23 & 1) && !(out.lds && !hasFlag(row, 'l')) && !(hasFlag(row, 'R') && !out.glc);
  out.offset = flat ? int32_t(lo & 0xfff) : int32_t(lo << 20) >> 20;
  const bool neither = scratch && saddr == kNeither;
  const bool scalar = saddr != Sgpr::null && !neither;
  if (flat)
    ok = ok && !scalar;
  else if (scalar)
    ok = ok && d.sgpr(out.saddr, saddr, scratch ? 1 : 2);
  if (!neither && !(scratch && scalar) && !hasFlag(row, 'T'))
    ok = ok && d.vgpr(out.vaddr, hi & 0xff, scratch || scalar ? 1 : 2);
  return d.finish(ok && dataRegisters(d, row, hi >> 8 & 0xff, hi >> 24));
}

DecodeStatus decodeFlat(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  uint32_t lo = d.lo, hi = d.hi;
  bool flat = row.enc == Enc::FLAT, scratch = row.enc == Enc::SCRATCH;
  bool acc = d.traits().unified && (hi >> 23 & 1), scc = lo >> 25 & 1;
  unsigned saddr = hi >> 16 & 0x7f;
  bool ok = true;
  out.glc = lo >> 16 & 1;
  out.slc = lo >> 17 & 1;
  out.scc = scc && d.traits().unified;
  out.nv = !d.traits().unified && (hi >> 23 & 1);
  const bool scopes = d.traits().scopes, bit13 = lo >> 13 & 1;
  out.lds = (!scopes && bit13) || hasFlag(row, 'M');
  const bool usesVaddr = !scratch || (scopes ? bit13 : saddr == 0x7f);
  ok = ok && !(scc && !scopes && !hasFlag(row, 's')) && !(out.glc && noReturn(d, row)) &&
       !(bit13 && scopes && !scratch) && !(hasFlag(row, 'M') && (hi >> 23 & 1)) &&
       !(bit13 && !scopes && (!hasFlag(row, 'l') || (hi >> 23 & 1)));
  if (flat) {
    ok = ok && saddr == 0;
    out.offset = int32_t(lo & 0x1fff);
  } else {
    out.offset = int32_t(lo << 19) >> 19;
  }
  bool hasSaddr = !flat && saddr != 0x7f;
  if (hasSaddr)
    ok = ok && d.sgpr(out.saddr, saddr, scratch ? 1 : 2);
  if (usesVaddr)
    ok = ok && d.vgpr(out.vaddr, hi & 0xff, scratch || hasSaddr ? 1 : 2);
  return d.finish(ok && dataRegisters(d, row, hi >> 8 & 0xff, hi >> 24, acc));
}

DecodeStatus decodeBuffer10(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  const uint32_t lo = d.lo, hi = d.hi;
  const bool typed = row.enc == Enc::MTBUF;
  if (hasFlag(row, 'c')) // cache control, no operands
    return d.finish((lo & 0x1f000) == 0);
  out.offset = int32_t(lo & 0xfff);
  out.offen = lo >> 12 & 1;
  out.idxen = lo >> 13 & 1;
  out.glc = lo >> 14 & 1;
  out.dlc = lo >> 15 & 1;
  out.lds = !typed && (lo >> 16 & 1);
  out.slc = hi >> 22 & 1;
  out.tfe = (hi >> 23 & 1) && !out.lds && hasFlag(row, 't');
  if (typed)
    out.format = uint8_t(lo >> 19 & 0x7f);
  bool ok = !(out.lds && !hasFlag(row, 'l')) && !(hasFlag(row, 'R') && !out.glc) &&
            !(out.dlc && hasFlag(row, 'r'));
  return d.finish(ok && bufferOperands(d, row));
}

DecodeStatus decodeBuffer(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  uint32_t lo = d.lo, hi = d.hi;
  bool typed = row.enc == Enc::MTBUF, unified = d.traits().unified;
  bool ok = true;
  out.glc = lo >> 14 & 1;
  out.slc = (typed ? hi >> 22 : lo >> 17) & 1;
  bool scc = typed ? hi >> 21 & 1 : lo >> 15 & 1;
  out.scc = unified && scc;
  out.lds = !typed && (lo >> 16 & 1);
  if (hasFlag(row, 'c')) { // cache control, no operands
    out.lds = false;
    out.slc = false;
    if (!d.traits().scopes || (row.op != Op::buffer_wbl2 && row.op != Op::buffer_inv))
      out.glc = out.scc = false;
    ok = !(lo & 0x13000) &&
         (row.op == Op::buffer_wbl2 || row.op == Op::buffer_inv || !(lo & 0xc000));
    if (row.op == Op::buffer_wbl2 || row.op == Op::buffer_invl2 || row.op == Op::buffer_inv)
      ok = ok && !(hi & 0x800000);
    return d.finish(ok);
  }
  bool storeLds = hasFlag(row, 'L');
  const bool wideToLds = d.traits().ocp && hasFlag(row, 'W') && !(hi & 0x800000);
  ok = storeLds ? out.lds && !(lo & 0x3000) : !out.lds || hasFlag(row, 'l') || wideToLds;
  ok = ok && !(!typed && out.scc && !d.traits().scopes && !storeLds && !hasFlag(row, 's')) &&
       !(out.glc && noReturn(d, row));
  out.offset = int32_t(lo & 0xfff);
  out.offen = lo >> 12 & 1;
  out.idxen = lo >> 13 & 1;
  bool top = hi >> 23 & 1;
  bool acc = unified && top;
  out.tfe = !unified && top && !out.lds && hasFlag(row, 't');
  if (typed) {
    out.dfmt = uint8_t(lo >> 19 & 15);
    out.nfmt = uint8_t(lo >> 23 & 7);
  }
  return d.finish(ok && bufferOperands(d, row, acc));
}

} // namespace

DecodeStatus decodeMemory(Decoder &d) {
  uint32_t lo = d.lo;
  static constexpr Enc kSegments[] = {Enc::FLAT, Enc::SCRATCH, Enc::GLOBAL};
  const OpInfo *row = nullptr;
  switch (lo >> 26) {
  case 0x3b: // GFX12
    if ((lo >> 24 & 3) != 3)
      row = d.begin(kSegments[lo >> 24 & 3], lo >> 14 & 0xff, 8);
    break;
  case 0x31: // GFX12: of the numbers of MTBUF the highest bit is set
    row = (lo >> 21 & 1) ? d.begin(Enc::MTBUF, lo >> 14 & 0x7f, 8)
                         : d.begin(Enc::MUBUF, lo >> 14 & 0x7f, 8);
    break;
  case 0x36:
    row = d.begin(Enc::DS, lo >> formatOf(Enc::DS, d.target).place & 0xff, 8);
    break;
  case 0x37:
    if (d.gfx11() && (lo >> 16 & 3) != 3)
      row = d.begin(kSegments[lo >> 16 & 3], lo >> 18 & 0x7f, 8);
    else if (!d.gfx11() && (lo >> 14 & 3) != 3)
      row = d.begin(kSegments[lo >> 14 & 3], lo >> 18 & 0x7f, 8);
    break;
  case 0x38:
    row = d.begin(Enc::MUBUF, lo >> 18 & (d.gfx10() ? 0xff : 0x7f), 8);
    break;
  default:
    row = d.gfx11()   ? d.begin(Enc::MTBUF, lo >> 15 & 15, 8)
          : d.gfx10() ? d.begin(Enc::MTBUF, (lo >> 16 & 7) | (d.hi >> 21 & 1) << 3, 8)
                      : d.begin(Enc::MTBUF, lo >> 15 & 15, 8);
    break;
  }
  if (!row)
    return DecodeStatus::unknown;
  d.out.numSrc = 0;
  if (!d.hasHi())
    return DecodeStatus::truncated;
  if (row->enc == Enc::DS)
    return decodeDs(d, *row);
  if (row->enc == Enc::MUBUF || row->enc == Enc::MTBUF)
    return d.gfx12()   ? decodeBuffer12(d, *row)
           : d.gfx11() ? decodeBuffer11(d, *row)
           : d.gfx10() ? decodeBuffer10(d, *row)
                       : decodeBuffer(d, *row);
  return d.gfx12()   ? decodeFlat12(d, *row)
         : d.gfx11() ? decodeFlat11(d, *row)
         : d.gfx10() ? decodeFlat10(d, *row)
                     : decodeFlat(d, *row);
}

} // namespace meld::softgpu::isa
