// FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF of GFX11 ("RDNA3" ISA, chapter "Microcode formats"). DS is as
// on GFX10.
#include "runtime/softgpu/isa/decode_common.h"

namespace meld::softgpu::isa {

/// Null as the scalar address is none. A scratch instruction has a vector address where `sve` is set.
DecodeStatus decodeFlat11(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  const uint32_t lo = d.lo, hi = d.hi;
  const bool flat = row.enc == Enc::FLAT, scratch = row.enc == Enc::SCRATCH;
  const unsigned saddr = hi >> 16 & 0x7f;
  const bool scalar = d.scalarCode(saddr) != Sgpr::null, sve = hi >> 23 & 1;
  out.dlc = lo >> 13 & 1;
  out.glc = lo >> 14 & 1;
  out.slc = lo >> 15 & 1;
  out.offset = flat ? int32_t(lo & 0x1fff) : int32_t(lo << 19) >> 19;
  bool ok = !(flat && scalar) && !(sve && !scratch) && !(hasFlag(row, 'R') && !out.glc);
  if (scalar)
    ok = ok && d.sgpr(out.saddr, saddr, scratch ? 1 : 2);
  if (scratch ? sve : !hasFlag(row, 'T'))
    ok = ok && d.vgpr(out.vaddr, hi & 0xff, scratch || scalar ? 1 : 2);
  if (row.src[0] != Ty::none)
    ok = ok && d.vgpr(out.vdata, hi >> 8 & 0xff, tyInfo(row.src[0]).dwords);
  const bool returns = !hasFlag(row, 'r') || out.glc;
  if (row.dst != Ty::none && returns)
    ok = ok && d.vgpr(out.dst, hi >> 24, tyInfo(row.dst).dwords);
  return d.finish(ok);
}

DecodeStatus decodeBuffer11(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  const uint32_t lo = d.lo, hi = d.hi;
  if (hasFlag(row, 'c')) // cache control, no operands
    return d.finish((lo & 0x6000) == 0 && (hi & 0xc00000) == 0);
  out.offset = int32_t(lo & 0xfff);
  out.slc = lo >> 12 & 1;
  out.dlc = lo >> 13 & 1;
  out.glc = lo >> 14 & 1;
  out.lds = hasFlag(row, 'M');
  out.tfe = (hi >> 21 & 1) && (out.lds || hasFlag(row, 't'));
  out.offen = hi >> 22 & 1;
  out.idxen = hi >> 23 & 1;
  if (row.enc == Enc::MTBUF)
    out.format = uint8_t(lo >> 19 & 0x7f);
  bool ok = !(hasFlag(row, 'R') && !out.glc) && !(out.dlc && hasFlag(row, 'r'));
  if (out.offen || out.idxen)
    ok = ok && d.vgpr(out.vaddr, hi & 0xff, out.offen && out.idxen ? 2 : 1);
  ok = ok && d.sgpr(out.srsrc, (hi >> 16 & 0x1f) << 2, 4);
  ok = ok && d.source(out.soffset, hi >> 24, Ty::b32) && out.soffset.encoded != 255;
  const unsigned vdata = hi >> 8 & 0xff; // TFE writes one more dword; the operand does not count it
  if (row.src[0] != Ty::none)
    ok = ok && d.vgpr(out.vdata, vdata, tyInfo(row.src[0]).dwords);
  const bool returns = !hasFlag(row, 'r') || out.glc;
  if (row.dst != Ty::none && returns)
    ok = ok && d.vgpr(out.dst, vdata, tyInfo(row.dst).dwords);
  return d.finish(ok);
}

} // namespace meld::softgpu::isa
