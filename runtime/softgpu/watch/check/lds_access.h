// The bytes of LDS an instruction touches: DS instructions, and the lanes of a FLAT one whose
// address lies in the shared aperture.
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include <vector>

namespace meld::softgpu::check {

/// What an LDS or FLAT instruction does to memory.
struct LdsShape {
  enum class Action : uint8_t { none, load, store, atomic };
  Action action = Action::none;
  uint8_t bytes = 0;       ///< of each of the `parts`
  uint8_t parts = 1;       ///< two for read2, write2, wrxchg2
  uint16_t offset[2] = {}; ///< bytes
  bool addtid = false;     ///< the address is M0 plus 4 times the lane

  /// Action::none for every other instruction, and for those that only move data between lanes.
  static LdsShape of(const isa::Inst &inst);
};

struct LdsAccess {
  uint32_t at; ///< first byte
  uint8_t lane, part;
};

/// The accesses of active lanes that lie inside the workgroup's LDS (others read 0 and write
/// nothing), by lane.
void listLdsAccesses(const LdsShape &shape, const ExecInst *i, const Wave &w,
                     std::vector<LdsAccess> &out);

} // namespace meld::softgpu::check
