// Control flow and the rest of the scalar unit: branches, calls, SOPP, hardware registers, VGPR
// indexing mode (GFX9), loops over the halves of a wave (GFX10).
//
// A taken backward branch or an indirect jump costs one unit of Wave::quantum; at zero the wave
// yields with Wave::next at the target, so every loop gives other waves a turn and notices a
// cancelled dispatch.
#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/hardware_registers.h"
#include "runtime/softgpu/execute/scalar.h"
#include "runtime/softgpu/execute/workgroup.h"
#include "runtime/softgpu/isa/control_flow.h"
#include "runtime/softgpu/isa/decoder.h"

namespace meld::softgpu::scalar {

using isa::Op;

namespace {

/// ExecFlags are free for scalar instructions.
enum : uint8_t { backward = 1 };

struct Field {
  unsigned id, offset;
  uint32_t low; ///< `size` ones
  explicit Field(uint32_t simm16)
      : id(simm16 & 63), offset(simm16 >> 6 & 31),
        low(uint32_t((1ull << ((simm16 >> 11 & 31) + 1)) - 1)) {}
};

const ExecInst *runGetReg(const ExecInst *i, Wave &w) {
  const Field f(uint32_t(i->imm[0]));
  w.s[i->dst] = readHardwareRegister(w, i->inst->target, f.id) >> f.offset & f.low;
  return following(i);
}
// The generation is part of the handler: numbers and fields of registers differ.
template <unsigned Generation> const ExecInst *setReg(const ExecInst *i, Wave &w, uint32_t value) {
  const Field f(uint32_t(i->imm[0]));
  writeHardwareRegister(w, Generation, f.id, f.low << f.offset, value << f.offset);
  return following(i);
}
template <unsigned Generation> const ExecInst *runSetReg(const ExecInst *i, Wave &w) {
  return setReg<Generation>(i, w, i->dst == isa::Sgpr::sink ? 0 : w.s[i->dst]); // null is 0
}
template <unsigned Generation> const ExecInst *runSetRegImm(const ExecInst *i, Wave &w) {
  return setReg<Generation>(i, w, i->inst->literalValue);
}

/// The rounding or denormal fields of MODE from a constant.
template <unsigned Shift> const ExecInst *runModeField(const ExecInst *i, Wave &w) {
  w.setMode((w.mode & ~(15u << Shift)) | uint32_t(i->imm[0] & 15) << Shift);
  return following(i);
}

// --- branches ---

inline const ExecInst *goTo(const ExecInst *target, Wave &w) {
  if (--w.quantum <= 0) [[unlikely]] {
    w.status = WaveStatus::yielded;
    w.next = target;
    return nullptr;
  }
  return target;
}

inline const ExecInst *take(const ExecInst *i, Wave &w) {
  const ExecInst *target = w.code->targetOf(i);
  return i->flags & backward ? goTo(target, w) : target;
}

template <auto Taken> const ExecInst *branch(const ExecInst *i, Wave &w) {
  return Taken(w) ? take(i, w) : following(i);
}

Handler branchHandler(Op op) {
  const isa::Branch b = isa::branchOf(op);
  switch (b.on) {
  case isa::Branch::always:
    return branch<[](Wave &) { return true; }>;
  case isa::Branch::never:
    return branch<[](Wave &) { return false; }>;
  case isa::Branch::scc:
    return b.nonZero ? branch<[](Wave &w) { return w.scc != 0; }>
                     : branch<[](Wave &w) { return w.scc == 0; }>;
  case isa::Branch::vcc:
    return b.nonZero ? branch<[](Wave &w) { return w.mask(isa::Sgpr::vcc) != 0; }>
                     : branch<[](Wave &w) { return w.mask(isa::Sgpr::vcc) == 0; }>;
  case isa::Branch::exec:
    return b.nonZero ? branch<[](Wave &w) { return w.s64(isa::Sgpr::exec) != 0; }>
                     : branch<[](Wave &w) { return w.s64(isa::Sgpr::exec) == 0; }>;
  case isa::Branch::none:
    break;
  }
  return nullptr;
}

uint64_t nextPc(const ExecInst *i) { return pcOf(i) + i->inst->size; }

const ExecInst *runCall(const ExecInst *i, Wave &w) {
  w.setS64(i->dst, nextPc(i));
  return take(i, w);
}
const ExecInst *runGetPc(const ExecInst *i, Wave &w) {
  w.setS64(i->dst, nextPc(i));
  return following(i);
}
const ExecInst *jump(const ExecInst *i, Wave &w, uint64_t pc) {
  if (pc & 3)
    return w.raise(i, FaultKind::illegalInstruction,
                   "jump to an address that is not a multiple of 4", pc);
  return goTo(w.code->lookup(pc), w);
}
const ExecInst *runSetPc(const ExecInst *i, Wave &w) {
  return jump(i, w, readSource<uint64_t, anySource>(i, w));
}
const ExecInst *runSwapPc(const ExecInst *i, Wave &w) {
  uint64_t to = readSource<uint64_t, anySource>(i, w);
  w.setS64(i->dst, nextPc(i));
  return jump(i, w, to);
}

// Code between these runs once for each half of EXEC that has a lane ("RDNA 2" ISA, SOPK): the
// first pass keeps the other half's lanes in an SGPR.
//
//   s_subvector_loop_begin s0, skip     EXEC = low lanes, s0 = high lanes
//   ...
//   s_subvector_loop_end s0, back       EXEC = high lanes, s0 = low lanes; then EXEC = all
const ExecInst *runSubvectorBegin(const ExecInst *i, Wave &w) {
  uint32_t &low = w.s[isa::Sgpr::exec], &high = w.s[isa::Sgpr::exec + 1];
  if (!w.exec())
    return take(i, w);
  if (low) {
    w.s[i->dst] = high;
    high = 0;
  } else {
    w.s[i->dst] = low;
  }
  return following(i);
}
const ExecInst *runSubvectorEnd(const ExecInst *i, Wave &w) {
  uint32_t &low = w.s[isa::Sgpr::exec], &high = w.s[isa::Sgpr::exec + 1], &other = w.s[i->dst];
  if (high) {
    low = other;
    return following(i);
  }
  if (!other)
    return following(i);
  high = other;
  other = low;
  low = 0;
  return take(i, w);
}

// --- the end, barriers, messages ---

const ExecInst *runNothing(const ExecInst *i, Wave &w) {
  ++w.passed[i->category];
  return chain(i, w);
}

const ExecInst *stop(const ExecInst *next, Wave &w, WaveStatus status) {
  w.status = status;
  w.next = next;
  return nullptr;
}
const ExecInst *runEnd(const ExecInst *i, Wave &w) { return stop(i, w, WaveStatus::ended); }
const ExecInst *runBarrier(const ExecInst *i, Wave &w) {
  return stop(following(i), w, WaveStatus::barrier);
}
const ExecInst *runSleep(const ExecInst *i, Wave &w) {
  return stop(following(i), w, WaveStatus::yielded);
}

// GFX12 splits the barrier: a wave says that it has arrived, and waits where it needs the others.
const ExecInst *runBarrierSignal(const ExecInst *i, Wave &w) {
  if (i->inst->op == Op::s_barrier_signal_isfirst)
    w.scc = w.group && w.group->numWaves > 1 && w.group->arrived == 0;
  if (w.group && !w.signalled) {
    w.signalled = true;
    ++w.group->arrived;
  }
  return following(i);
}
const ExecInst *runBarrierWait(const ExecInst *i, Wave &w) {
  if (!w.signalled) // it has opened meanwhile
    return following(i);
  return stop(following(i), w, WaveStatus::barrier);
}
/// How many waves have signalled, how many there are, and that the barrier exists ("RDNA4" ISA,
/// S_GET_BARRIER_STATE).
const ExecInst *runBarrierState(const ExecInst *i, Wave &w) {
  if (w.group)
    w.s[i->dst] = (w.group->arrived & 0x7f) << 16 | (w.group->numWaves & 0x7f) << 4 | 1;
  return following(i);
}
/// The workgroup's own barrier, which is the only one that there is here.
bool namesWorkgroupBarrier(const isa::Inst &in) {
  const isa::Operand &o = in.src[0];
  return o.kind == isa::Operand::Kind::imm && uint32_t(o.value) == ~0u;
}

/// How much of the constant says which message it is: GFX11 has more of them (and among them, to
/// nobody's use here, that a wave needs its VGPRs no longer).
template <unsigned Generation> constexpr uint32_t kMessageMask = Generation >= 11 ? 0xff : 0xf;

template <unsigned Generation> const ExecInst *runSendMsg(const ExecInst *i, Wave &w) {
  constexpr uint32_t msgInterrupt = 1;
  if ((i->imm[0] & kMessageMask<Generation>) == msgInterrupt && w.group && w.group->interrupt)
    w.group->interrupt(*w.group, w.m0() & 0xffffff);
  return following(i);
}

/// What the answer to a message is ("RDNA3" ISA, S_SENDMSG_RTN_B32). There is no trap handler, so that
/// its addresses are 0, and one doorbell, the first.
uint64_t answerTo(uint32_t message, const Wave &w) {
  constexpr uint32_t getDispatchId = 129, getRealTime = 131;
  switch (message) {
  case getDispatchId:
    return w.group && w.group->request ? w.group->request->dispatchId : 0;
  case getRealTime: // what s_memrealtime counts elsewhere
    return nanoseconds();
  default:
    return 0;
  }
}
const ExecInst *runSendMsgReturn32(const ExecInst *i, Wave &w) {
  w.s[i->dst] = uint32_t(answerTo(uint32_t(i->imm[0]) & 0xff, w));
  return following(i);
}
const ExecInst *runSendMsgReturn64(const ExecInst *i, Wave &w) {
  w.setS64(i->dst, answerTo(uint32_t(i->imm[0]) & 0xff, w));
  return following(i);
}

template <unsigned Generation> const ExecInst *runHalt(const ExecInst *i, Wave &w) {
  if (i->inst->op == Op::s_sethalt && !(i->imm[0] & 1))
    return following(i);
  runSendMsg<Generation>(i, w);
  return w.raise(i, FaultKind::trap, "the wave halted itself");
}
const ExecInst *runTrap(const ExecInst *i, Wave &w) {
  switch (i->imm[0] & 0xff) {
  case 2:
    return w.raise(i, FaultKind::trap, "s_trap 2 (abort or failed assertion)");
  case 3: // llvm.debugtrap: goes on when nobody debugs
    return following(i);
  default:
    return w.raise(i, FaultKind::trap, "s_trap");
  }
}

// --- VGPR indexing mode: M0[7:0] index, M0[15:12] which operands; the vector ALU obeys
// MODE.gprIdxEn ---

void setIdxMode(Wave &w, uint32_t operands) {
  uint32_t &m0 = w.s[isa::Sgpr::m0];
  m0 = (m0 & ~0xf000u) | (operands & 15) << 12;
}
void setIdx(Wave &w, uint32_t index) {
  uint32_t &m0 = w.s[isa::Sgpr::m0];
  m0 = (m0 & ~0xffu) | (index & 0xff);
}
const ExecInst *runIdxOn(const ExecInst *i, Wave &w) {
  setIdx(w, readSource<uint32_t, anySource>(i, w));
  setIdxMode(w, uint32_t(i->inst->simm)); // the second source field is a constant
  w.setMode(w.mode | Mode::gprIdxEn);
  return following(i);
}
const ExecInst *runIdxOff(const ExecInst *i, Wave &w) {
  w.setMode(w.mode & ~Mode::gprIdxEn);
  return following(i);
}
const ExecInst *runIdxMode(const ExecInst *i, Wave &w) {
  setIdxMode(w, uint32_t(i->imm[0]));
  return following(i);
}
const ExecInst *runIdxIdx(const ExecInst *i, Wave &w) {
  setIdx(w, readSource<uint32_t, anySource>(i, w));
  return following(i);
}

/// Handlers of opcodes whose registers or meaning depend on the generation.
template <unsigned Generation> void addRegisters(isa::OpMap<Handler> &t) {
  t[Op::s_getreg_b32] = runGetReg;
  t[Op::s_setreg_b32] = runSetReg<Generation>;
  t[Op::s_setreg_imm32_b32] = runSetRegImm<Generation>;
  t[Op::s_sendmsg] = runSendMsg<Generation>;
  t[Op::s_sethalt] = runHalt<Generation>;
  t[Op::s_sendmsghalt] = runHalt<Generation>;
}

template <unsigned Generation> Handler flowHandler(Op op) {
  static const auto handlers = [] {
    isa::OpMap<Handler> t;
    addRegisters<Generation>(t);
    t[Op::s_getpc_b64] = runGetPc;
    t[Op::s_setpc_b64] = runSetPc;
    t[Op::s_swappc_b64] = runSwapPc;
    t[Op::s_endpgm] = runEnd;
    t[Op::s_endpgm_saved] = runEnd;
    t[Op::s_barrier] = runBarrier;
    t[Op::s_barrier_signal] = runBarrierSignal;
    t[Op::s_barrier_signal_isfirst] = runBarrierSignal;
    t[Op::s_barrier_wait] = runBarrierWait;
    t[Op::s_get_barrier_state] = runBarrierState;
    t[Op::s_sleep] = runSleep;
    t[Op::s_sleep_var] = runSleep;
    t[Op::s_sendmsg_rtn_b32] = runSendMsgReturn32;
    t[Op::s_sendmsg_rtn_b64] = runSendMsgReturn64;
    t[Op::s_trap] = runTrap;
    t[Op::s_set_gpr_idx_on] = runIdxOn;
    t[Op::s_set_gpr_idx_off] = runIdxOff;
    t[Op::s_set_gpr_idx_mode] = runIdxMode;
    t[Op::s_set_gpr_idx_idx] = runIdxIdx;
    t[Op::s_round_mode] = runModeField<0>;
    t[Op::s_denorm_mode] = runModeField<4>;
    t[Op::s_subvector_loop_begin] = runSubvectorBegin;
    t[Op::s_subvector_loop_end] = runSubvectorEnd;
    // Memory operations are done when their instruction is; caches, priorities and profiling are
    // not modelled. s_version says what the code was made for, s_clause what belongs together,
    // s_delay_alu which results are not there yet.
    for (Op nothing : {Op::s_nop,
                       Op::s_waitcnt,
                       Op::s_setprio,
                       Op::s_wakeup,
                       Op::s_icache_inv,
                       Op::s_incperflevel,
                       Op::s_decperflevel,
                       Op::s_ttracedata,
                       Op::s_ttracedata_imm,
                       Op::s_waitcnt_vscnt,
                       Op::s_waitcnt_vmcnt,
                       Op::s_waitcnt_expcnt,
                       Op::s_waitcnt_lgkmcnt,
                       Op::s_waitcnt_depctr,
                       Op::s_wait_idle,
                       Op::s_version,
                       Op::s_clause,
                       Op::s_inst_prefetch,
                       Op::s_delay_alu,
                       Op::s_wait_event})
      t[nothing] = runNothing;
    for (Op wait : isa::kCounterWaits)
      t[wait] = runNothing;
    return t;
  }();
  return handlers[op];
}

} // namespace

bool prepareFlow(ExecInst &e, isa::Target target) {
  const isa::Inst &in = *e.inst;
  const auto setTarget = [&] {
    e.target = nullptr;
    e.targetPc = nextPc(&e) + uint64_t(int64_t(in.simm));
    e.flags = in.simm < 0 ? backward : 0;
  };
  Handler h = in.op == Op::s_call_b64 ? runCall : branchHandler(in.op);
  if (h) {
    e.run = h;
    setTarget();
    return true;
  }
  const unsigned generation = isa::traitsOf(target).generation;
  h = generation >= 12   ? flowHandler<12>(in.op)
      : generation == 11 ? flowHandler<11>(in.op)
      : generation == 10 ? flowHandler<10>(in.op)
                         : flowHandler<9>(in.op);
  if (!h)
    return false;
  e.run = h;
  if (h == runNothing)
    e.flags = chains;
  const bool signals = isa::signalsBarrier(in.op) || in.op == Op::s_get_barrier_state;
  if (signals && !namesWorkgroupBarrier(in))
    return false;
  if (in.op == Op::s_barrier_wait && (in.simm & 0xffff) != 0xffff)
    return false;
  if (in.op == Op::s_subvector_loop_begin || in.op == Op::s_subvector_loop_end) {
    setTarget();
    return true;
  }
  if (in.enc == isa::Enc::SOPK || in.enc == isa::Enc::SOPP || isa::sendsForResult(in.op))
    e.imm[0] = uint64_t(in.simm) & 0xffff;
  return true;
}

} // namespace meld::softgpu::scalar
