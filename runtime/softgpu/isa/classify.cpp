// Instruction classes: which counter an instruction bumps and which issue rate it has.
//
// Counters follow rocprof: global and scratch accesses count as vector memory reads or writes, only
// flat ones as flat; an atomic that returns a value counts as a read. s_setpc/s_swappc/s_call are
// executed by the scalar ALU and count there; SOPP branches count in `branch` alone. Rates follow
// the scheduling classes of "Vega"/"MI200" (64-bit integer work half rate, SAD quarter rate).
#include "runtime/softgpu/isa/control_flow.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/opcodes.h"

#include <array>

namespace meld::softgpu::isa {

namespace {

using Kind = Operand::Kind;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

Category soppCategory(Op op) {
  switch (op) {
  case Op::s_waitcnt:
  case Op::s_waitcnt_depctr:
  case Op::s_wait_idle:
  case Op::s_wait_event:
  case Op::s_barrier_wait: // where a wave arrives is s_barrier_signal
    return Category::waitcnt;
  case Op::s_barrier:
    return Category::barrier;
  case Op::s_sendmsg:
  case Op::s_sendmsghalt:
    return Category::sendmsg;
  default:
    return isCounterWait(op)       ? Category::waitcnt
           : branchOf(op).exists() ? Category::branch
                                   : Category::other;
  }
}

/// GFX10 has those that wait for one counter, whose value is a register's plus a constant.
bool waits(Op op) {
  return op == Op::s_waitcnt_vscnt || op == Op::s_waitcnt_vmcnt || op == Op::s_waitcnt_expcnt ||
         op == Op::s_waitcnt_lgkmcnt;
}

ValuRate rateOf(std::string_view name) {
  if (name.starts_with("v_mfma") || name.starts_with("v_smfmac") || name.starts_with("v_wmma") ||
      name.starts_with("v_swmmac"))
    return ValuRate::mfma;
  for (std::string_view part :
       {"v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_", "v_log_", "v_sin_", "v_cos_", "v_s_"})
    if (name.starts_with(part))
      return ValuRate::transcendental;
  if (contains(name, "f64"))
    return ValuRate::f64;
  for (std::string_view whole :
       {"v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32", "v_mad_u64_u32", "v_mad_i64_i32"})
    if (name == whole)
      return ValuRate::mulHi32;
  if (contains(name, "sad_"))
    return ValuRate::quarter;
  for (std::string_view part : {"_b64", "_i64", "_u64"})
    if (name.ends_with(part))
      return ValuRate::half;
  return ValuRate::full;
}

} // namespace

Category category(const Inst &inst) {
  switch (familyOf(inst.enc)) {
  case Family::scalar:
    return inst.enc == Enc::SOPP     ? soppCategory(inst.op)
           : waits(inst.op)          ? Category::waitcnt
           : sendsForResult(inst.op) ? Category::sendmsg
           : signalsBarrier(inst.op) ? Category::barrier
                                     : Category::salu;
  case Family::scalarMemory:
    return Category::smem;
  case Family::vector:
  case Family::interpolation:
    return inst.enc == Enc::LDSDIR ? Category::lds : Category::valu;
  case Family::lds:
    return Category::lds;
  case Family::flat:
    return Category::flat;
  case Family::vectorMemory:
  case Family::image:
    return inst.dst.kind != Kind::none || inst.lds ? Category::vmemRead : Category::vmemWrite;
  case Family::exports:
    break;
  }
  return Category::other;
}

ValuRate valuRate(Op op) {
  static const std::array<ValuRate, size_t(Op::count)> rates = [] {
    std::array<ValuRate, size_t(Op::count)> r{};
    for (size_t i = 0; i < r.size(); ++i)
      r[i] = rateOf(mnemonic(Op(i)));
    return r;
  }();
  return op < Op::count ? rates[size_t(op)] : ValuRate::full;
}

} // namespace meld::softgpu::isa
