// VOPD: two 32-bit vector instructions in one of 64 bits, for waves of 32 lanes ("RDNA3" ISA, chapter
// "Dual Issue VALU").
//
//   63   56 55   49 48   41 40   32 31  26 25  22 21   17 16    9 8     0
//   vdstX   vdstY   vsrc1Y  src0Y   110010  opX    opY   vsrc1X   src0X
//
// Of the second destination the lowest bit is missing: it is the opposite of the first's. A literal is
// one for both. That the registers of both come from different banks is not asked here: assemblers
// see to it, and so does the hardware, with an exception that nobody expects to get.
#include "runtime/softgpu/isa/decode_common.h"

namespace meld::softgpu::isa {

namespace {

struct Half {
  unsigned src0, vsrc1, vdst;
};

/// The operands of one half.
bool decodeHalf(Decoder &d, const OpInfo &row, const Half &h, Operand &dst, Operand *src) {
  bool ok = d.source(src[0], h.src0, row.src[0]) && d.vgpr(dst, h.vdst, 1);
  if (isMadmk(row.op))
    ok = ok && d.constant(src[1], 255, row.src[1]) && d.vgpr(src[2], h.vsrc1, 1);
  else if (row.src[1] != Ty::none)
    ok = ok && d.vgpr(src[1], h.vsrc1, 1);
  else
    ok = ok && h.vsrc1 == 0;
  if (isMadak(row.op))
    ok = ok && d.constant(src[2], 255, row.src[2]);
  if (readsDst(row.op))
    src[2] = dst;
  if (row.src[2] == Ty::mask)
    d.vcc(src[2]);
  return ok;
}

} // namespace

DecodeStatus decodeVopd(Decoder &d) {
  constexpr unsigned kFirstOps = 16; // the first half has four bits for its opcode
  const uint32_t lo = d.lo, hi = d.hi;
  const OpInfo *first = d.begin(Enc::VOPD, lo >> 22 & (kFirstOps - 1), 8);
  const OpInfo *second = findOpcode(Enc::VOPD, lo >> 17 & 31, d.target);
  if (!first || !second)
    return DecodeStatus::unknown;
  if (!d.hasHi())
    return DecodeStatus::truncated;
  d.literalAt = 8;
  Inst &out = d.out;
  out.dual.op = second->op;
  out.dual.numSrc = second->numSrc;
  const unsigned dst = hi >> 24, dst2 = (hi >> 17 & 0x7f) << 1 | (~dst & 1);
  const bool ok =
      decodeHalf(d, *first, {lo & 0x1ff, lo >> 9 & 0xff, dst}, out.dst, out.src) &&
      decodeHalf(d, *second, {hi & 0x1ff, hi >> 9 & 0xff, dst2}, out.dual.dst, out.dual.src);
  return d.finish(ok);
}

} // namespace meld::softgpu::isa
