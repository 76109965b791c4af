// Builds the lookup tables from the .def rows.
#include "runtime/softgpu/isa/opcodes.h"
#include "runtime/softgpu/isa/names.h"

#include <array>
#include <cstring>
#include <vector>

namespace meld::softgpu::isa {

namespace {

// Sets of targets, a bit for each Target.
constexpr unsigned setOf(isa::Target target) { return 1u << unsigned(target); }
constexpr unsigned ofGeneration(unsigned generation) {
  unsigned set = 0;
  for (Target target : kTargets)
    if (traitsOf(target).generation == generation)
      set |= setOf(target);
  return set;
}
constexpr unsigned waves32 = [] {
  unsigned set = 0;
  for (Target target : kTargets)
    if (traitsOf(target).waveSize == 32)
      set |= setOf(target);
  return set;
}();
// The sets of the .def files choose among GFX9's.
constexpr unsigned all10 = ofGeneration(10), all11 = ofGeneration(11), all12 = ofGeneration(12);
constexpr unsigned all = ofGeneration(9), g900 = setOf(Target::gfx900),
                   g90a = setOf(Target::gfx90a), g942 = setOf(Target::gfx942),
                   g950 = setOf(Target::gfx950), g906up = all & ~g900,
                   g908up = g906up & ~setOf(Target::gfx906),
                   g90aup = g908up & ~setOf(Target::gfx908), g942up = g942 | g950,
                   no90a = all & ~g90aup, no942 = all & ~g942up, g908to90a = g908up & no942;

constexpr int no = -1; ///< in place of a number: not on that generation

/// A row of the .def files.
struct Row {
  OpInfo info;      ///< of GFX9
  int numbers[4];   ///< of GFX9, GFX10, GFX11, GFX12
  const char *vop3; ///< VOP: the modifier bits of the VOP3 form, empty where there is none
};

constexpr Row row(Op op, Enc enc, int number9, int number10, int number11, int number12,
                  unsigned targets, Ty dst, std::array<Ty, 3> src, const char *flags,
                  bool e64 = false, const char *dpp = "", const char *vop3 = "") {
  return {{op, enc, 0, uint16_t(targets), dst, {src[0], src[1], src[2]}, flags, dpp, e64},
          {number9, number10, number11, number12},
          vop3};
}

// `form` in opcodes_vop3.def: does the mnemonic carry the suffix _e64?
constexpr bool only = false, plain = false, e64 = true;

constexpr Row kRows[] = {
#define SCALAR(enc, number, number10, number11, number12, name, dst, src0, src1, flags)            \
  row(Op::name, Enc::enc, number, number10, number11, number12, all, Ty::dst,                      \
      {Ty::src0, Ty::src1}, flags),
#include "runtime/softgpu/isa/opcodes_scalar.def"
#undef SCALAR
#define VOP(enc, number, number10, number11, number12, name, targets, dst, src0, src1, src2, sdwa, \
            dpp, e64)                                                                              \
  row(Op::name, Enc::enc, number, number10, number11, number12, targets, Ty::dst,                  \
      {Ty::src0, Ty::src1, Ty::src2}, sdwa, false, dpp, e64),
#define VOP_AGAIN VOP
#define VOPD(...)
#include "runtime/softgpu/isa/opcodes_vop.def"
#undef VOPD
#undef VOP_AGAIN
#undef VOP
#define VOP3(enc, number, number10, number11, number12, name, targets, dst, src0, src1, src2,      \
             bits, form)                                                                           \
  row(Op::name, Enc::enc, number, number10, number11, number12, targets, Ty::dst,                  \
      {Ty::src0, Ty::src1, Ty::src2}, bits, form),
#define VOP3_AGAIN VOP3
#include "runtime/softgpu/isa/opcodes_vop3.def"
#undef VOP3_AGAIN
#undef VOP3
#define MEMORY(enc, number, number10, number11, number12, name, targets, vdst, data, data1, flags) \
  row(Op::name, Enc::enc, number, number10, number11, number12, targets, Ty::vdst,                 \
      {Ty::data, Ty::data1}, flags),
#define MEMORY_AGAIN MEMORY
#include "runtime/softgpu/isa/opcodes_memory.def"
#undef MEMORY_AGAIN
#undef MEMORY
#define GRAPHICS(enc, number, number10, number11, number12, name, targets)                         \
  row(Op::name, Enc::enc, number, number10, number11, number12, targets, Ty::none, {}, ""),
#define GRAPHICS_AGAIN GRAPHICS
#include "runtime/softgpu/isa/opcodes_graphics.def"
#undef GRAPHICS_AGAIN
#undef GRAPHICS
};

/// The types of a half of a VOPD are those of the 32-bit form.
struct Half {
  int number11, number12;
  Op op;
};
constexpr Half kHalves[] = {
#define VOP(...)
#define VOP_AGAIN(...)
#define VOPD(number, number12, name) {number, number12, Op::name},
#include "runtime/softgpu/isa/opcodes_vop.def"
#undef VOPD
#undef VOP_AGAIN
#undef VOP
};

constexpr unsigned kEncs = unsigned(Enc::LDSDIR) + 1, kNumbers = 1024;
constexpr uint16_t kNone = 0xffff;

/// A row as one generation has it.
OpInfo ofGeneration(const Row &row, unsigned generation) {
  OpInfo info = row.info;
  info.number = uint16_t(row.numbers[generation - 9]);
  if (generation >= 10)
    info.targets = uint16_t(generation == 10 ? all10 : generation == 11 ? all11 : all12);
  return info;
}

/// The VOP3 form of a 32-bit instruction ("Microcode formats", VOP3: the opcode ranges).
OpInfo vop3Form(OpInfo form, const char *bits, unsigned generation) {
  form.number += form.enc == Enc::VOP2   ? 256
                 : form.enc == Enc::VOP1 ? (generation >= 10 ? 384 : 320)
                                         : 0;
  form.enc = Enc::VOP3;
  form.flags = bits;
  form.dpp = "";
  form.e64 = true;
  return form;
}

struct Tables {
  std::vector<OpInfo> rows;
  uint16_t byNumber[std::size(kTargets)][kEncs][kNumbers];
  uint16_t byOp[std::size(kTargets)][kEncs][size_t(Op::count)];

  Tables() {
    std::memset(byNumber, 0xff, sizeof byNumber);
    std::memset(byOp, 0xff, sizeof byOp);
    for (const Row &row : kRows)
      for (unsigned generation : {9u, 10u, 11u, 12u}) {
        if (row.numbers[generation - 9] == no)
          continue;
        const OpInfo info = ofGeneration(row, generation);
        add(info);
        if (*row.vop3)
          add(vop3Form(info, row.vop3, generation));
      }
    for (const Half &half : kHalves) {
      if (half.number11 != no)
        addHalf(half.op, half.number11, Target::gfx1100, all11);
      if (half.number12 != no)
        addHalf(half.op, half.number12, Target::gfx1201, all12);
    }
  }

private:
  void addHalf(Op op, int number, Target target, unsigned generation) {
    const auto &ofOp = byOp[unsigned(target)];
    const uint16_t one = ofOp[unsigned(Enc::VOP1)][unsigned(op)],
                   two = ofOp[unsigned(Enc::VOP2)][unsigned(op)];
    OpInfo info;
    if (one != kNone || two != kNone)
      info = rows[one != kNone ? one : two];
    else
      for (const Row &row : kRows) // no such instruction by itself
        if (row.info.op == op)
          info = row.info;
    info.enc = Enc::VOPD;
    info.number = uint16_t(number);
    info.targets = uint16_t(generation & waves32);
    info.flags = info.dpp = "";
    info.flagBits = 0;
    info.numSrc = 0;
    add(info);
  }
  void add(OpInfo row) {
    for (const char *flag = row.flags; *flag; ++flag)
      row.flagBits |= uint64_t(1) << (*flag & 63);
    for (Ty ty : row.src)
      row.numSrc += ty != Ty::none;
    row.writesExec = mnemonic(row.op).starts_with("v_cmpx");
    if (row.enc == Enc::VOP3 || row.enc == Enc::VOP3P)
      for (unsigned bit = 0; bit < 13; ++bit) {
        row.bitsUsed |= (row.flags[12 - bit] == 'x') << bit;
        row.bitsZero |= (row.flags[12 - bit] == '0') << bit;
      }
    for (unsigned t = 0; t < std::size(kTargets); ++t)
      if (row.targets >> t & 1) {
        byNumber[t][unsigned(row.enc)][row.number] = uint16_t(rows.size());
        byOp[t][unsigned(row.enc)][unsigned(row.op)] = uint16_t(rows.size());
      }
    rows.push_back(row);
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
