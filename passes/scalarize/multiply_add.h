// meld-multiply-add-address: an address whose lane part does not fit into a 32-bit offset of the
// scalar base is one multiply-add of the base, which stays in scalar registers.
//
//   i = wg * 100 + tid                    i = wg * 100 + tid
//   p = a + 4 * sext(i)              =>   p = a + sext(i) * scale     scale = wavefrontsize >> 4
//
//   v_ashrrev_i32 v1, 31, v0
//   v_lshlrev_b64 v[0:1], 2, v[0:1]
//   v_mov_b32 v2, s1
//   v_add_co_u32 v0, vcc, s0, v0
//   v_addc_co_u32 v1, vcc, v2, v1, vcc    v_mad_i64_i32 v[0:1], s[2:3], v0, 4, s[0:1]
//
// affine_address.h comes first and takes what provably fits. Here nothing has to be proven: a
// multiplication by 2^k is a shift by k, and both are modulo 2^64. LLVM knows the instruction, but
// turns a multiplication by a power of two into a shift before it looks for one. So the power is
// written as the wave's size shifted down, which is a constant to the instruction's operand and
// none to what simplifies IR and DAGs. Should a later LLVM see through it, it comes to the same.
//
// Only GFX9 before 940 (waves always have 64 lanes there; 940 adds shifted indices to 64-bit sums
// in one instruction, later ones have other prices). Only global and constant memory (a flat
// pointer may yet turn out to be one of 32 bits) and indices of at most 32 bits under an extension,
// or sums of such. The multiply-add takes 16 cycles, shift and sums 24 for one address and 12 for
// each further one of the same index: what would not be fewer is left, and kernels in which all of
// it saves less than two of these do: another schedule can lose as much. Addresses that advance
// with a loop are left to LLVM, which adds the step to them, and so is what such a loop begins
// with.
//
// Terminates: one look at each address computation and at the uses of its index. Costs the passes
// for addresses in a row that code generation runs anyway, and scalar evolution of what stands in
// loops. Would be unsafe: a wave size that is not 64: hence the machines that have no other. With
// LLVM 17 SI Fold Operands, which ends by itself on most code, does not on some of this
// (tests/e2e/programs/device_heap.hip): there it runs by its own name only.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class MultiplyAddPass : public LoggedPass<MultiplyAddPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Whether its machine has the instruction and profits from it.
bool hasMultiplyAddAddresses(const llvm::Function &function);

} // namespace meld::passes
