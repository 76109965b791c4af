// Where control goes from an instruction, as far as its opcode says ("Vega" ISA, chapter "Program
// Flow Control").
#pragma once

#include "runtime/softgpu/isa/inst.h"

namespace meld::softgpu::isa {

/// What decides whether a branch to an offset is taken.
struct Branch {
  enum On : uint8_t {
    none, ///< not such a branch
    always,
    never, ///< a debugger's flag: there is none
    scc,
    vcc,
    exec,
  } on = none;
  bool nonZero = false; ///< of scc, vcc, exec: taken when not 0, otherwise when 0

  bool exists() const { return on != none; }
  bool isConditional() const { return on >= scc; }
};

constexpr Branch branchOf(Op op) {
  switch (op) {
  case Op::s_branch:
    return {Branch::always};
  case Op::s_cbranch_scc0:
    return {Branch::scc, false};
  case Op::s_cbranch_scc1:
    return {Branch::scc, true};
  case Op::s_cbranch_vccz:
    return {Branch::vcc, false};
  case Op::s_cbranch_vccnz:
    return {Branch::vcc, true};
  case Op::s_cbranch_execz:
    return {Branch::exec, false};
  case Op::s_cbranch_execnz:
    return {Branch::exec, true};
  case Op::s_cbranch_cdbgsys:
  case Op::s_cbranch_cdbguser:
  case Op::s_cbranch_cdbgsys_or_user:
  case Op::s_cbranch_cdbgsys_and_user:
    return {Branch::never};
  default:
    return {};
  }
}

/// GFX12's waits, each for a counter or two, which it counts down to a constant.
inline constexpr Op kCounterWaits[] = {
    Op::s_wait_loadcnt, Op::s_wait_storecnt,      Op::s_wait_samplecnt,
    Op::s_wait_bvhcnt,  Op::s_wait_expcnt,        Op::s_wait_dscnt,
    Op::s_wait_kmcnt,   Op::s_wait_loadcnt_dscnt, Op::s_wait_storecnt_dscnt,
};
constexpr bool isCounterWait(Op op) {
  for (Op wait : kCounterWaits)
    if (op == wait)
      return true;
  return false;
}

/// The wave has arrived at its workgroup's barrier, and goes on (GFX12).
constexpr bool signalsBarrier(Op op) {
  return op == Op::s_barrier_signal || op == Op::s_barrier_signal_isfirst;
}

/// Nothing behind it is reached by falling through.
constexpr bool endsLine(Op op) {
  switch (op) {
  case Op::s_branch:
  case Op::s_endpgm:
  case Op::s_endpgm_saved:
  case Op::s_setpc_b64:
  case Op::s_rfe_b64:
  case Op::s_code_end: // fills what is behind a program
    return true;
  default:
    return false;
  }
}

} // namespace meld::softgpu::isa
