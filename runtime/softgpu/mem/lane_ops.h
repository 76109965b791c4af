// What one memory instruction does for each lane, once its lanes' addresses are known: the part
// that FLAT, GLOBAL, SCRATCH, MUBUF and DS instructions share.
//
// A LaneOp is found by the mnemonic without its prefix ("load_dwordx2", "atomic_add_x2",
// "read_u8_d16_hi"), so an instruction that exists in several encodings has one implementation.
#pragma once

#include "runtime/softgpu/mem/lanes.h"

#include <string_view>

namespace meld::softgpu::mem {

/// The lanes of one instruction: where their data lies (host addresses) and which registers it
/// moves between.
struct LaneJob {
  uint64_t *address;           ///< [kWaveSize]; only active lanes' entries mean something
  uint64_t mask;               ///< lanes to serve, in ascending order
  uint32_t dwordStride = 4;    ///< from a lane's dword k to k+1; 4 except in swizzled memory
  uint32_t mode = 0;           ///< Wave::mode (denormals of LDS float atomics)
  VRow *dst = nullptr;         ///< loads, atomics that return
  const VRow *data = nullptr;  ///< stored value / atomic operand
  const VRow *data2 = nullptr; ///< second atomic operand: compare value of cmpswap, OR mask, wrap
};
using LaneFn = void (*)(const LaneJob &);
using DenseFn = void (*)(VRow &row, uint8_t *memory);

enum class Action : uint8_t { load, store, atomic };

struct LaneOp {
  std::string_view name;
  Action action;
  uint8_t bytes;  ///< memory bytes a lane touches
  uint8_t dwords; ///< rows of `dst` written (loads, returning atomics) or of `data` read (stores)
  LaneFn run;
  LaneFn returning; ///< atomics: also writes the old value to dst
  /// 1- and 2-byte loads and stores of consecutive elements by all lanes of a wave of 64 or of 32.
  DenseFn dense = nullptr, dense32 = nullptr;
};

/// Ops of FLAT / GLOBAL / SCRATCH / BUFFER instructions: "load_dword", "atomic_cmpswap_x2", ...
/// nullptr: unknown.
const LaneOp *findMemoryOp(std::string_view name);

/// Ops of DS instructions on one address, without the "rtn_" infix: "read_b32", "add_u32",
/// "wrxchg_b64", ... Their atomics are plain read-modify-writes, since one host thread runs a
/// workgroup.
const LaneOp *findLdsOp(std::string_view name);

} // namespace meld::softgpu::mem
