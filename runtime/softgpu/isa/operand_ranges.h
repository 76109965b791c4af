// The registers that an instruction's operands name, in a form in which "does it read this?" is one
// comparison of vectors: whoever asks that of every instruction that executes (the timing model) asks
// nothing else of most of them, and sizeof(Inst) is six cache lines.
//
//   v_fma_f64 v[4:5], s[2:3], v[6:7], v[4:5]      reads 2..4, 262..264, 260..262   writes 260..262
//
// SGPRs and VGPRs are numbers of one row, VGPR v0 behind the last SGPR; AGPRs, constants and what
// an opcode implies without an operand are left out (RegisterUse has all of it). Thread rule: plain
// data.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace meld::softgpu::isa {

/// Registers `begin` to `end` - 1. Those of no register are empty.
struct OperandRange {
  int16_t begin = 0, end = 0;
  bool empty() const { return end == 0; }
};

inline constexpr int16_t kFirstVgpr = 256;
static_assert(kFirstVgpr >= Sgpr::slots);

inline OperandRange rangeOf(const Operand &o) {
  if (o.kind != Operand::Kind::sgpr && o.kind != Operand::Kind::vgpr)
    return {};
  const int begin = o.index + (o.kind == Operand::Kind::vgpr ? kFirstVgpr : 0);
  return {int16_t(begin), int16_t(begin + std::max<int>(o.dwords, 1))};
}

class alignas(64) OperandRanges {
public:
  OperandRanges() = default;
  explicit OperandRanges(const Inst &in);

  /// Whether an operand that is read has a register of `r`, which is not empty.
  bool reads(OperandRange r) const {
    using Ranges = int16_t __attribute__((vector_size(16)));
    Ranges begin, end;
    std::memcpy(&begin, begin_.data(), sizeof begin);
    std::memcpy(&end, end_.data(), sizeof end);
    const Ranges both = (r.begin < end) & (begin < r.end);
    uint64_t any[2];
    std::memcpy(any, &both, sizeof any);
    return any[0] | any[1];
  }

  Op op = Op::invalid;
  bool writesSgpr = false; ///< as an operand of the first of two instructions
  /// Destinations that are registers come first.
  std::array<OperandRange, 3> writes;

private:
  void read(const Operand &o) {
    const OperandRange r = rangeOf(o);
    if (r.empty() || count_ == begin_.size()) // no instruction that runs has more
      return;
    begin_[count_] = r.begin;
    end_[count_++] = r.end;
  }

  /// Of those that are none nothing is before the end.
  std::array<int16_t, 8> begin_{}, end_{};
  uint8_t count_ = 0;
};
static_assert(sizeof(OperandRanges) == 64);

inline OperandRanges::OperandRanges(const Inst &in)
    : op(in.op),
      writesSgpr(in.dst.kind == Operand::Kind::sgpr || in.sdst.kind == Operand::Kind::sgpr) {
  // Four with a scale or with the three of a second instruction, or six of a memory instruction, which
  // has no others.
  for (const Operand &o : in.src)
    read(o);
  read(in.scaleB);
  if (in.enc == Enc::VOPD) {
    for (const Operand &o : in.dual.src)
      read(o);
  } else {
    for (const Operand *o : {&in.vaddr, &in.vdata, &in.vdata1, &in.saddr, &in.srsrc, &in.soffset})
      read(*o);
  }
  size_t written = 0;
  const Operand none;
  for (const Operand *o : {&in.dst, &in.sdst, in.enc == Enc::VOPD ? &in.dual.dst : &none})
    if (const OperandRange r = rangeOf(*o); !r.empty())
      writes[written++] = r;
}

} // namespace meld::softgpu::isa
