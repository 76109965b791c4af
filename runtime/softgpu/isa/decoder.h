// AMDGPU instruction decoder (GFX9, GFX10.3, GFX11, GFX12): bytes -> isa::Inst. Hand-written,
// table-driven, no LLVM at run time.
//
// Thread rule: pure functions, any thread. Errors: DecodeStatus; never reads past `size` bytes.
#pragma once

#include "runtime/softgpu/isa/decode_status.h"
#include "runtime/softgpu/isa/inst.h"
#include "runtime/softgpu/isa/names.h"

#include <cstddef>
#include <string>

namespace meld::softgpu::isa {

/// Decodes the instruction at `code`. On ok (and unsupported) `out.size` is set.
DecodeStatus decode(const void *code, size_t size, Target target, Inst &out);

/// The text llvm-objdump prints for `inst` (mnemonic with its encoding suffix, operands), without
/// address and encoding comments. `pc` is the byte offset of the instruction, for branch targets.
std::string disassemble(const Inst &inst, Target target, uint64_t pc = 0);

/// Instruction classes in rocprof's terms. `branch` counts in SQ_INSTS_BRANCH and, as on hardware,
/// not in SALU.
enum class Category : uint8_t {
  valu,
  salu,
  smem,
  vmemRead,
  vmemWrite,
  flat,
  lds,
  branch,
  sendmsg,
  waitcnt,
  barrier,
  other
};
Category category(const Inst &inst);

/// Messages with an answer; the message is in place of src0 (Inst::simm).
inline bool sendsForResult(Op op) {
  return op == Op::s_sendmsg_rtn_b32 || op == Op::s_sendmsg_rtn_b64;
}

/// Issue class for the timing model.
enum class ValuRate : uint8_t { full, half, quarter, transcendental, f64, mulHi32, mfma };
ValuRate valuRate(Op op);

} // namespace meld::softgpu::isa
