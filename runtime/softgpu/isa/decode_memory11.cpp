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
  return d.finish(ok && dataRegisters(d, row, hi >> 8 & 0xff, hi >> 24));
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
  return d.finish(ok && bufferOperands(d, row));
}

} // namespace meld::softgpu::isa
