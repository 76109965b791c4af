// What the executor and libmeld-softgpu-translate.so agree on.
//
// The library turns a *unit* (a few hundred instructions of a kernel, whole basic blocks) into one
// host function. It sees only prepared instructions (ExecInst) and never calls back into the
// executor except through their handlers, so it can be loaded, and fail, on its own.
//
//   const ExecInst *next = fn(&wave, &counters, entry);
//
// runs the wave from instruction `entry` of the unit until control leaves the unit: `next` is the
// instruction to go on with (interpreted, or the start of another unit), nullptr when the wave
// stopped exactly as a handler stops it (Wave::status, Wave::next). All architectural state is in
// the Wave whenever the function returns, calls a handler or touches memory; counters are what the
// interpreter's loop would have counted by then. A unit assumes the usual MODE (kUsualMode) and
// device addresses that are host addresses (no Wave::mapper); the caller interprets other waves.
//
// Thread rule: compile() one call at a time; compiled code runs in any number of threads.
#pragma once

#include "runtime/softgpu/execute/translated.h"

namespace meld::softgpu::translate {

enum UnitInstFlags : uint8_t {
  startsBlock = 1, ///< may be entered from elsewhere: becomes an entry of the unit
  onlyHandler = 2, ///< raises, or is unknown: never looked into
};

struct UnitInst {
  const ExecInst *exec = nullptr;
  uint64_t pc = 0;
  const ExecInst *target = nullptr; ///< direct branches
  const ExecInst *link =
      nullptr; ///< what follows is the core's link to this: costs quantum, is no instruction
  int32_t targetIndex = -1; ///< of `target`, when it is in the unit
  int32_t linkIndex = -1;   ///< of `link`
  int32_t nextIndex = -1;   ///< of the instruction that follows, when it is in the unit
  uint8_t flags = 0;
};

/// A wave may stop behind it, come back there, or find another MODE: the handler runs, and the unit
/// is left.
constexpr bool suspends(isa::Op op) {
  using isa::Op;
  switch (op) {
  case Op::s_barrier:
  case Op::s_barrier_wait:
  case Op::s_sleep:
  case Op::s_sleep_var:
  case Op::s_swappc_b64:
  case Op::s_call_b64:
  case Op::s_setreg_b32:
  case Op::s_setreg_imm32_b32:
  case Op::s_round_mode:
  case Op::s_denorm_mode:
  case Op::s_set_gpr_idx_on:
  case Op::s_set_gpr_idx_off:
    return true;
  default:
    return false;
  }
}

struct Compiled {
  UnitFn code = nullptr;
  void *handle = nullptr; ///< for release()
  uint32_t covered = 0;   ///< instructions with code of their own, not the interpreter's handler
};

/// What the library exports under the name kLibrarySymbol. Messages are one line.
struct Library {
  uint32_t version;
  uint32_t waveBytes, execInstBytes; ///< must equal the executor's
  /// False, with a message, when the unit could not be compiled (nothing is leaked).
  bool (*compile)(const UnitInst *insts, uint32_t count, isa::Target target, Compiled &out,
                  char *message, uint32_t messageSize) noexcept;
  void (*release)(void *handle) noexcept;
};
inline constexpr uint32_t kLibraryVersion = 1;
inline constexpr const char *kLibrarySymbol = "meldSoftgpuTranslateLibrary";

} // namespace meld::softgpu::translate
