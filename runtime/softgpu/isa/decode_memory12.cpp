// SMEM, FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF of GFX12 ("RDNA4" ISA, chapter "Microcode formats":
// SMEM, VFLAT, VGLOBAL, VSCRATCH, VBUFFER). All have a temporal hint (th) and a scope; vector
// memory instructions have three dwords and offsets of 24 bits. DS is as on GFX11 but for GDS,
// which is gone.
#include "runtime/softgpu/isa/decode_common.h"

namespace meld::softgpu::isa {

namespace {

int32_t offset24(uint32_t bits) { return int32_t(bits << 8) >> 8; }

/// Scope and temporal hint; the lowest bit of an atomic's hint says that it returns.
void cachePolicy(Decoder &d, const OpInfo &row) {
  d.out.scope = uint8_t(d.hi >> 18 & 3);
  d.out.th = uint8_t(d.hi >> 20 & 7);
  d.out.glc = hasFlag(row, 'r') && (d.out.th & 1);
}

/// The third dword.
bool third(Decoder &d, uint32_t &word) {
  constexpr size_t kBytes = 12;
  if (d.size < kBytes) {
    d.truncated = true;
    return false;
  }
  std::memcpy(&word, d.code + 8, sizeof word);
  d.out.size = kBytes;
  return true;
}

} // namespace

DecodeStatus decodeSmem12(Decoder &d) {
  const OpInfo *row = d.begin(Enc::SMEM, d.lo >> 13 & 0x3f, 8);
  if (!row)
    return DecodeStatus::unknown;
  if (!d.hasHi())
    return DecodeStatus::truncated;
  Inst &out = d.out;
  out.numSrc = 0;
  out.scope = uint8_t(d.lo >> 21 & 3);
  out.th = uint8_t(d.lo >> 23 & 3);
  const unsigned sdata = d.lo >> 6 & 0x7f;
  bool ok = true;
  if (hasFlag(*row, 'i')) {
    constexpr unsigned kEnd = 32; // the field has five bits here
    out.offset1 = int32_t(sdata);
    ok = sdata < kEnd;
  } else if (row->dst != Ty::none) {
    const unsigned dwords = tyInfo(row->dst).dwords;
    ok = d.sgpr(out.dst, sdata, dwords) &&
         (dwords <= 4 || sdata < d.sgprLimit() || (sdata >= Sgpr::ttmp0 && sdata < Sgpr::m0));
  }
  if (row->src[0] != Ty::none)
    ok = ok && d.sgpr(out.saddr, (d.lo & 0x3f) << 1, tyInfo(row->src[0]).dwords);
  if (!hasFlag(*row, 'o'))
    return d.finish(ok && out.scope == 0 && out.th == 0);
  if (d.scalarCode(d.hi >> 25) != Sgpr::null)
    ok = ok && d.sgpr(out.soffset, d.hi >> 25, 1);
  out.offset = offset24(d.hi);
  out.offen = true;
  return d.finish(ok);
}

/// Null as the scalar address is none; FLAT has none. A scratch instruction has a vector address
/// where `sve` is set.
DecodeStatus decodeFlat12(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  const uint32_t lo = d.lo, hi = d.hi;
  const bool flat = row.enc == Enc::FLAT, scratch = row.enc == Enc::SCRATCH;
  uint32_t last = 0;
  if (!third(d, last))
    return d.finish(false);
  cachePolicy(d, row);
  const bool scalar = d.scalarCode(lo & 0x7f) != Sgpr::null, sve = hi >> 17 & 1;
  if (hasFlag(row, 'c')) // cache control, no operands
    return d.finish(!scalar && (hi & ~0x7c0000u) == 0 && last == 0);
  out.offset = offset24(last >> 8);
  bool ok = !(flat && scalar) && !(sve && !scratch);
  if (scalar)
    ok = ok && d.sgpr(out.saddr, lo & 0x7f, scratch ? 1 : 2);
  if (scratch ? sve : !hasFlag(row, 'T'))
    ok = ok && d.vgpr(out.vaddr, last & 0xff, scratch || scalar ? 1 : 2);
  return d.finish(ok && dataRegisters(d, row, hi >> 23 & 0xff, hi & 0xff));
}

DecodeStatus decodeBuffer12(Decoder &d, const OpInfo &row) {
  Inst &out = d.out;
  const uint32_t lo = d.lo, hi = d.hi;
  uint32_t last = 0;
  if (!third(d, last))
    return d.finish(false);
  cachePolicy(d, row);
  out.offset = offset24(last >> 8);
  out.offen = hi >> 30 & 1;
  out.idxen = hi >> 31;
  out.tfe = lo >> 22 & 1;
  if (row.enc == Enc::MTBUF)
    out.format = uint8_t(hi >> 23 & 0x7f);
  bool ok = !out.tfe || (hasFlag(row, 't') && row.enc == Enc::MUBUF);
  if (out.offen || out.idxen)
    ok = ok && d.vgpr(out.vaddr, last & 0xff, out.offen && out.idxen ? 2 : 1);
  ok = ok && d.sgpr(out.srsrc, hi >> 9 & 0x1ff, 4) && d.sgprSource(out.soffset, lo & 0x7f, 1);
  const unsigned data = hi & 0xff, dwords = d.dwordsOf(row.dst != Ty::none ? row.dst : row.src[0]);
  ok = ok && !(out.tfe && data + dwords >= 256); // one more
  return d.finish(ok && dataRegisters(d, row, data, data));
}

} // namespace meld::softgpu::isa
