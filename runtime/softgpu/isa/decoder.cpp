// Entry point of the decoder: which encoding, and the operand fields all encodings share.
//
// The encoding is in the top bits of the first dword ("Vega" ISA, chapter "Microcode formats"):
//   0........ VOP2 (opcode 62: VOPC, 63: VOP1)     10....... SOP2 (and SOPK, SOP1, SOPC, SOPP
//   inside it) 110000 SMEM  110001 EXP  110100 VOP3/VOP3P  110101 VINTRP  110110 DS  110111 FLAT
//   111000 MUBUF 111010 MTBUF  111100 MIMG
// GFX10 ("RDNA2" ISA, same chapter) differs in
//   111101 SMEM  111110 EXP  110101 VOP3  110011 VOP3P  110010 VINTRP
// and GFX11 ("RDNA3" ISA) from that in
//   110010 VOPD  11001101 VINTERP  11001110 LDSDIR
// and GFX12 ("RDNA4" ISA) from that in
//   110001 VBUFFER (MUBUF, MTBUF)  110100 VIMAGE  111001 VSAMPLE  111011 VFLAT, VSCRATCH, VGLOBAL
// Every opcode has a row in the table; the row names operand types, and types decide how many
// registers a field names and how an inline constant expands. Constant time, no allocation.
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/decode_common.h"

namespace meld::softgpu::isa {

bool Decoder::sgpr(Operand &o, unsigned raw, unsigned dwords) {
  const unsigned field = scalarCode(raw);
  if (dwords > 16) { // MFMA accumulators cannot be scalar; LLVM prints the first register
    reserved = true;
    dwords = field < sgprLimit() || (field >= Sgpr::ttmp0 && field < Sgpr::m0) ? 1 : 2;
  }
  unsigned align = dwords >= 3 ? 4 : dwords;
  o.kind = Operand::Kind::sgpr;
  o.dwords = uint8_t(dwords);
  o.encoded = uint16_t(field);
  if (field < sgprLimit()) {
    unsigned index = field / align * align; // the hardware ignores the low bits
    o.index = uint16_t(index);
    return index + dwords <= 106;
  }
  if (field >= Sgpr::ttmp0 && field < Sgpr::m0) {
    unsigned index = (field - Sgpr::ttmp0) / align * align;
    o.index = uint16_t(Sgpr::ttmp0 + index);
    return index + dwords <= 16;
  }
  o.index = uint16_t(field);
  if (field >= kSgprCodes || (field == Sgpr::m0 && dwords != 1))
    return false;
  if (field == Sgpr::null && gfx10()) {
    o.index = Sgpr::sink;
    reserved |= dwords > 2; // more than the sink holds; nobody writes this
    return true;
  }
  if (field == Sgpr::null) { // later generations read zero here
    o.kind = Operand::Kind::special;
    reserved = true;
    return true;
  }
  if (dwords > 2) { // e.g. a resource in VCC: assemblers take it, the hardware has no such tuple
    o.dwords = 2;
    reserved = true;
  }
  return dwords == 1 || field % 2 == 0;
}

bool Decoder::sgprSource(Operand &o, unsigned field, unsigned dwords) {
  if (!gfx10() || scalarCode(field) != Sgpr::null)
    return sgpr(o, field, dwords);
  o.kind = Operand::Kind::imm;
  o.dwords = uint8_t(dwords);
  o.encoded = Sgpr::null;
  o.value = 0;
  return true;
}

bool Decoder::vgpr(Operand &o, unsigned index, unsigned dwords, bool acc) {
  o.kind = acc ? Operand::Kind::agpr : Operand::Kind::vgpr;
  o.dwords = uint8_t(dwords);
  o.index = uint16_t(index);
  o.encoded = uint16_t(256 + index);
  return index + dwords <= 256;
}

bool Decoder::vgprOrHalf(Operand &o, unsigned index, Ty ty, unsigned half, bool acc) {
  if (gfx11() && isHalf(ty)) {
    out.opSel |= uint8_t((index >> 7) << half);
    index &= 0x7f;
  }
  return vgpr(o, index, dwordsOf(ty), acc);
}

bool Decoder::literal() {
  if (!out.literal) {
    if (size < literalAt + 4) {
      truncated = true;
      return false;
    }
    std::memcpy(&out.literalValue, code + literalAt, 4);
    out.literal = true;
    out.size = uint8_t(literalAt + 4);
  }
  return true;
}

bool Decoder::constant(Operand &o, unsigned field, Ty ty) {
  static constexpr uint16_t kHalf[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                       0xc000, 0x4400, 0xc400, 0x3118};
  static constexpr uint16_t kBrain[] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000,
                                        0xc000, 0x4080, 0xc080, 0x3e22};
  static constexpr uint32_t kSingle[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                         0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
  static constexpr uint64_t kDouble[] = {
      0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
      0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
      0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
  TyInfo info = tyInfo(ty);
  bool wide = info.imm == ImmKind::i64 || info.imm == ImmKind::f64;
  o.kind = Operand::Kind::imm;
  o.dwords = info.dwords;
  o.encoded = uint16_t(field);
  if (field >= 128 && field <= 208) {
    int64_t x = field <= 192 ? int64_t(field) - 128 : 192 - int64_t(field);
    o.value = wide ? uint64_t(x) : uint32_t(x);
    return true;
  }
  if (field >= 240 && field <= 248) {
    unsigned k = field - 240;
    const bool single = gfx12() && ty == Ty::pki16; // pairs of integers: both halves are of one f32
    o.value = single                                                 ? kSingle[k]
              : wide                                                 ? kDouble[k]
              : info.imm == ImmKind::i16 || info.imm == ImmKind::f16 ? kHalf[k]
              : info.imm == ImmKind::bf16                            ? kBrain[k]
                                                                     : kSingle[k];
    return true;
  }
  if (field != 255 || !literal())
    return false;
  uint32_t raw = out.literalValue;
  o.value = ty == Ty::f64   ? uint64_t(raw) << 32
            : ty == Ty::i64 ? uint64_t(int64_t(int32_t(raw)))
                            : raw;
  return true;
}

bool Decoder::source(Operand &o, unsigned field, Ty ty, bool acc) {
  unsigned dwords = dwordsOf(ty);
  if (field >= 256)
    return vgpr(o, field - 256, dwords, acc);
  if (field < kSgprCodes)
    return sgprSource(o, field, dwords);
  if (field <= 208 || (field >= 240 && field <= 248) || field == 255) {
    reserved |= tyInfo(ty).imm == ImmKind::none;
    return constant(o, field, ty);
  }
  o.kind = Operand::Kind::special;
  o.dwords = uint8_t(dwords);
  o.index = o.encoded = uint16_t(field);
  reserved |= dwords > 2;
  return (field >= 235 && field <= 239) || (field >= 251 && field <= (dwords == 1 ? 254u : 253u));
}

bool Decoder::scalarDest(Operand &o, unsigned field, unsigned dwords) {
  if (field < kSgprCodes)
    return sgpr(o, field, dwords);
  if (field == 255 && out.enc != Enc::VOP1 && !gfx10())
    return false;
  reserved = true; // eight bits, but only 0..127 are registers
  return source(o, field, dwords == 2 ? Ty::r64 : Ty::r32);
}

namespace {

using Part = DecodeStatus (*)(Decoder &);

/// The decoder of encodings with the top bits 11, by the six top bits.
Part part9(unsigned top) {
  switch (top) {
  case 0x30:
    return decodeScalar;
  case 0x34:
    return decodeVop3;
  case 0x36:
  case 0x37:
  case 0x38:
  case 0x3a:
    return decodeMemory;
  case 0x31:
  case 0x35:
  case 0x3c:
    return decodeGraphics;
  default:
    return nullptr;
  }
}
Part part10(unsigned top) {
  switch (top) {
  case 0x3d:
    return decodeScalar;
  case 0x33:
  case 0x35:
    return decodeVop3;
  case 0x36:
  case 0x37:
  case 0x38:
  case 0x3a:
    return decodeMemory;
  case 0x32:
  case 0x3c:
  case 0x3e:
    return decodeGraphics;
  default:
    return nullptr;
  }
}

Part part11(uint32_t word) {
  const unsigned top = word >> 26;
  return top == 0x32                            ? decodeVopd
         : top == 0x33 && (word >> 24 & 3) != 0 ? decodeGraphics
                                                : part10(top);
}

Part part12(uint32_t word) {
  switch (word >> 26) {
  case 0x31:
  case 0x3b:
  case 0x36:
    return decodeMemory;
  case 0x34:
  case 0x39:
  case 0x3e:
    return decodeGraphics;
  case 0x32:
  case 0x33:
  case 0x35:
  case 0x3d:
    return part11(word);
  default:
    return nullptr;
  }
}

} // namespace

DecodeStatus decode(const void *code, size_t size, Target target, Inst &out) {
  out = Inst{};
  Decoder d{static_cast<const uint8_t *>(code), size, target, out};
  if (size < 4)
    return DecodeStatus::truncated;
  std::memcpy(&d.lo, code, 4);
  if (size >= 8)
    std::memcpy(&d.hi, d.code + 4, 4);
  if (d.lo >> 31 == 0)
    return decodeVop(d);
  if (d.lo >> 30 == 2)
    return decodeScalar(d);
  const unsigned top = d.lo >> 26;
  const Part part = d.gfx12()   ? part12(d.lo)
                    : d.gfx11() ? part11(d.lo)
                    : d.gfx10() ? part10(top)
                                : part9(top);
  return part ? part(d) : DecodeStatus::unknown;
}

} // namespace meld::softgpu::isa
