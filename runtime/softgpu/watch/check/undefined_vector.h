// What of a wave's registers is defined, and how packed pairs pass that on. Private to the checker
// of undefined registers.
#pragma once

#include "runtime/softgpu/isa/opcodes.h"
#include "runtime/softgpu/isa/register_use.h"

#include <array>
#include <cstdint>

namespace meld::softgpu::check {

/// Defined bits of a wave's registers.
struct DefinedRegisters {
  std::array<uint32_t, isa::Sgpr::slots> sgpr{}; ///< bit by bit
  std::array<uint64_t, 768> vgpr{};              ///< lane by lane; AGPRs from 512
  bool scc = false;

  using Range = isa::RegisterRange;
  static size_t rowOf(const Range &r, unsigned index) {
    return r.file == Range::File::agpr ? 512 + (index & 255) : index & 511;
  }
  uint64_t &row(const Range &r, unsigned index) { return vgpr[rowOf(r, index)]; }
  uint32_t &scalar(unsigned slot) { return sgpr[slot % isa::Sgpr::slots]; }
  uint32_t scalar(unsigned slot) const { return sgpr[slot % isa::Sgpr::slots]; }
  uint64_t pair(unsigned slot) const { return scalar(slot) | uint64_t(scalar(slot + 1)) << 32; }
  /// Of a lane mask; what a wave of 32 has no lanes for is defined.
  uint64_t mask(unsigned slot, unsigned waveSize) const {
    return waveSize == 64 ? pair(slot) : scalar(slot) | ~0ull << 32;
  }

  /// Lanes in which one of `count` dwords of `r` from dword `first` on is undefined; `relative` is
  /// added to the number of a vector register.
  uint64_t undefinedLanes(const Range &r, unsigned relative, unsigned first, unsigned count) const {
    if (r.laneMask)
      return ~pair(r.index);
    uint64_t u = 0;
    for (unsigned k = first; k < r.dwords && k < first + count; ++k)
      if (r.isVector())
        u |= ~vgpr[rowOf(r, r.index + relative + k)];
      else if (~scalar(r.index + k))
        return ~0ull;
    return u;
  }
};

/// Two dwords at once, each from the dword of each source that op_sel (low result) and op_sel_hi
/// (high result) say; v_mov_b64: from the same.
inline bool isPackedPair(isa::Op op) {
  using isa::Op;
  return op == Op::v_pk_add_f32 || op == Op::v_pk_mul_f32 || op == Op::v_pk_fma_f32 ||
         op == Op::v_pk_mov_b32 || op == Op::v_mov_b64;
}

struct UndefinedPair {
  uint64_t low = 0, high = 0; ///< lanes in which the dword of the result is undefined
};

/// `undefined(range, k)`: lanes in which dword k of a source is.
template <class Undefined>
UndefinedPair packedPair(const isa::Inst &in, const isa::RegisterUse &use, Undefined undefined) {
  using Role = isa::RegisterRange::Role;
  UndefinedPair out;
  for (const isa::RegisterRange &r : use.reads()) {
    if (r.role > Role::source2)
      continue;
    const unsigned k = unsigned(r.role), last = r.dwords - 1u;
    const bool move = in.op == isa::Op::v_mov_b64;
    const unsigned first = in.opSel >> k & 1, second = move || (in.opSelHi >> k & 1);
    if (in.op == isa::Op::v_pk_mov_b32) { // a dword of source 0, then one of source 1
      (k == 0 ? out.low : out.high) |= undefined(r, first);
      continue;
    }
    out.low |= undefined(r, first < last ? first : last);
    out.high |= undefined(r, second < last ? second : last);
  }
  return out;
}

} // namespace meld::softgpu::check
