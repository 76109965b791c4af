// Text of a decoded instruction, the same that LLVM's disassembler prints.
//
// Example: {op=v_add_f32, enc=VOP2, dst=v1, src0=1.0, src1=v2} -> "v_add_f32_e32 v1, 1.0, v2".
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/print_common.h"

#include <array>
#include <charconv>
#include <utility>

namespace meld::softgpu::isa {

Text &Text::hex(uint64_t n) {
  char buffer[20];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, n, 16).ptr;
  text_ += "0x";
  text_.append(buffer, end);
  return *this;
}

namespace {

std::string_view specialName(unsigned code) {
  static constexpr std::pair<unsigned, std::string_view> kNames[] = {
      {125, "null"},
      {235, "src_shared_base"},
      {236, "src_shared_limit"},
      {237, "src_private_base"},
      {238, "src_private_limit"},
      {239, "src_pops_exiting_wave_id"},
      {251, "src_vccz"},
      {252, "src_execz"},
      {253, "src_scc"},
      {254, "src_lds_direct"},
  };
  for (const auto &[special, name] : kNames)
    if (special == code)
      return name;
  return "?";
}

} // namespace

void printRegister(Text &t, const Operand &o) {
  if (o.encoded == Sgpr::null && t.gfx10()) {
    t << "null";
    return;
  }
  if (o.kind == Operand::Kind::special || o.kind == Operand::Kind::imm) { // reserved codes
    t << (o.kind == Operand::Kind::imm ? "/*invalid immediate*/" : specialName(o.index));
    return;
  }
  unsigned index = o.index, n = o.dwords;
  std::string_view file = o.kind == Operand::Kind::agpr ? "a" : "v";
  if (o.kind == Operand::Kind::sgpr) {
    static constexpr std::array<std::string_view, 6> kNames = {
        "flat_scratch", "xnack_mask", "vcc", "", "m0", "exec"};
    file = "s";
    if (index >= Sgpr::ttmp0 && index < Sgpr::m0) {
      file = "ttmp";
      index -= Sgpr::ttmp0;
    } else if (index == Sgpr::m0) {
      t << "m0";
      return;
    } else if (index >= Sgpr::vcc || (index >= Sgpr::flatScratch && !t.gfx10())) {
      t << (index >= Sgpr::exec ? kNames[5] : kNames[(index - Sgpr::flatScratch) / 2]);
      if (n == 1)
        t << (index & 1 ? "_hi" : "_lo");
      return;
    }
  }
  t << file;
  if (n <= 1)
    t << int64_t(index);
  else
    t << "[" << int64_t(index) << ":" << int64_t(index + n - 1) << "]";
}

namespace {

/// Constants print as the shortest form that has these bits, whether they were inline or literal.
void printConstant(Text &t, uint64_t bits, ImmKind kind) {
  static constexpr std::string_view kNames[] = {"0.5", "-0.5", "1.0", "-1.0",
                                                "2.0", "-2.0", "4.0", "-4.0"};
  static constexpr uint16_t kHalf[] = {0x3800, 0xb800, 0x3c00, 0xbc00,
                                       0x4000, 0xc000, 0x4400, 0xc400};
  int64_t value = 0;
  unsigned width = 32;
  switch (kind) {
  case ImmKind::i16:
  case ImmKind::f16:
  case ImmKind::bf16:
    width = 16;
    bits &= 0xffff;
    value = int16_t(bits);
    break;
  case ImmKind::none:
    break;
  case ImmKind::i32:
    bits &= 0xffffffff;
    value = int32_t(bits);
    break;
  case ImmKind::i64:
  case ImmKind::f64:
    width = 64;
    value = int64_t(bits);
    break;
  }
  if (value >= -16 && value <= 64) {
    t << value;
    return;
  }
  if (kind != ImmKind::i16) {
    for (unsigned k = 0; k < 8; ++k) {
      uint64_t h = kHalf[k]; // widen sign and exponent; the mantissas are zero
      uint64_t sign = h >> 15, exponent = h >> 10 & 31;
      uint64_t want = kind == ImmKind::bf16 ? sign << 15 | (exponent + 112) << 7
                      : width == 16         ? h
                      : width == 32         ? sign << 31 | (exponent + 112) << 23
                                            : sign << 63 | (exponent + 1008) << 52;
      if (bits == want) {
        t << kNames[k];
        return;
      }
    }
    if (bits == (kind == ImmKind::bf16 ? 0x3e22
                 : width == 16         ? 0x3118
                 : width == 32         ? 0x3e22f983
                                       : 0x3fc45f306dc9c882)) {
      t << (width == 64 ? "0.15915494309189532" : "0.15915494");
      return;
    }
  }
  t.hex(bits);
}

} // namespace

void printOperand(Text &t, const Operand &o, const Inst &inst, ImmKind kind) {
  switch (o.kind) {
  case Operand::Kind::none:
    break;
  case Operand::Kind::sgpr:
  case Operand::Kind::vgpr:
  case Operand::Kind::agpr:
    printRegister(t, o);
    break;
  case Operand::Kind::special:
    t << specialName(o.index);
    break;
  case Operand::Kind::imm:
    if (o.encoded == Sgpr::null) {
      t << "null";
      break;
    }
    if (kind == ImmKind::none) {
      t << "/*invalid immediate*/";
      break;
    }
    printConstant(t, o.encoded == 255 ? inst.literalValue : o.value, kind);
    break;
  }
}

std::string disassemble(const Inst &inst, Target target, uint64_t) {
  const OpInfo *row = findOp(inst.op, inst.enc, target);
  if (!row)
    return "<invalid>";
  Text t(mnemonic(inst.op, target), target);
  switch (familyOf(inst.enc)) {
  case Family::scalar:
  case Family::scalarMemory:
    printScalar(t, inst, *row);
    break;
  case Family::vector:
    printVector(t, inst, *row, target);
    break;
  case Family::lds:
  case Family::flat:
  case Family::vectorMemory:
    printMemory(t, inst, *row, target);
    break;
  case Family::interpolation:
  case Family::image:
  case Family::exports:
    break;
  }
  return t.take();
}

} // namespace meld::softgpu::isa
