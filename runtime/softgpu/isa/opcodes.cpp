// Builds the lookup tables from the .def rows.
#include "runtime/softgpu/isa/opcodes.h"

#include <cstring>
#include <iterator>

namespace meld::softgpu::isa {

namespace {

constexpr uint8_t all = 15, g900 = 1, g906up = 14, g908up = 12, g90a = 8, no90a = 7;

constexpr OpInfo kRows[] = {
#define SCALAR(enc, number, name, dst, src0, src1, flags)                                          \
  {Op::name, Enc::enc, number, all, Ty::dst, {Ty::src0, Ty::src1, Ty::none}, flags, "", false},
#include "runtime/softgpu/isa/opcodes_scalar.def"
#undef SCALAR
#define VOP(enc, number, name, targets, dst, src0, src1, src2, sdwa, dpp)                          \
  {Op::name, Enc::enc, number, targets, Ty::dst, {Ty::src0, Ty::src1, Ty::src2}, sdwa, dpp, false},
#include "runtime/softgpu/isa/opcodes_vop.def"
#undef VOP
#define VOP3(enc, number, name, targets, dst, src0, src1, src2, bits, e64)                         \
  {Op::name, Enc::enc, number, targets, Ty::dst, {Ty::src0, Ty::src1, Ty::src2}, bits, "", e64},
#include "runtime/softgpu/isa/opcodes_vop3.def"
#undef VOP3
#define MEMORY(enc, number, name, targets, vdst, data, data1, flags)                               \
  {Op::name, Enc::enc, number, targets, Ty::vdst, {Ty::data, Ty::data1, Ty::none},                 \
   flags,    "",       false},
#include "runtime/softgpu/isa/opcodes_memory.def"
#undef MEMORY
#define GRAPHICS(enc, number, name, targets)                                                       \
  {Op::name, Enc::enc, number, targets, Ty::none, {Ty::none, Ty::none, Ty::none}, "", "", false},
#include "runtime/softgpu/isa/opcodes_graphics.def"
#undef GRAPHICS
};

constexpr unsigned kEncs = 20, kNumbers = 1024, kTargets = 4;
constexpr uint16_t kNone = 0xffff;

struct Tables {
  std::array<OpInfo, std::size(kRows)> rows;
  uint16_t byNumber[kTargets][kEncs][kNumbers];
  uint16_t byOp[kTargets][kEncs][size_t(Op::count)];

  Tables() {
    std::memset(byNumber, 0xff, sizeof byNumber);
    std::memset(byOp, 0xff, sizeof byOp);
    for (size_t i = 0; i < rows.size(); ++i) {
      OpInfo &row = rows[i] = kRows[i];
      for (const char *flag = row.flags; *flag; ++flag)
        row.flagBits |= uint64_t(1) << (*flag & 63);
      for (Ty ty : row.src)
        row.numSrc += ty != Ty::none;
      if (row.enc == Enc::VOP3 || row.enc == Enc::VOP3P)
        for (unsigned bit = 0; bit < 13; ++bit) {
          row.bitsUsed |= (row.flags[12 - bit] == 'x') << bit;
          row.bitsZero |= (row.flags[12 - bit] == '0') << bit;
        }
      for (unsigned t = 0; t < kTargets; ++t)
        if (row.targets >> t & 1) {
          byNumber[t][unsigned(row.enc)][row.number] = uint16_t(i);
          byOp[t][unsigned(row.enc)][unsigned(row.op)] = uint16_t(i);
        }
    }
  }
};

const Tables &tables() {
  // Never freed: queues may still be decoding while the process ends.
  static const Tables &instance = *new Tables;
  return instance;
}

} // namespace

const OpInfo *findOpcode(Enc enc, unsigned number, Target target) {
  const Tables &t = tables();
  uint16_t row = number < kNumbers ? t.byNumber[unsigned(target)][unsigned(enc)][number] : kNone;
  return row == kNone ? nullptr : &t.rows[row];
}

const OpInfo *findOp(Op op, Enc enc, Target target) {
  const Tables &t = tables();
  uint16_t row = op < Op::count ? t.byOp[unsigned(target)][unsigned(enc)][unsigned(op)] : kNone;
  return row == kNone ? nullptr : &t.rows[row];
}

std::span<const OpInfo> allOpcodes() { return tables().rows; }

} // namespace meld::softgpu::isa
