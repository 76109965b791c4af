// meld-xor-address: the partner of an element, x ^ 2^k, where a branch has told whether bit k of x
// is set, lies 2^k above or below x. Written as that, the distance goes into the offset field of an
// LDS access, and accesses of both elements become one instruction.
//
//   partner = tid ^ 4                             partner = tid ^ 4
//   if (partner > tid)                            if (partner > tid)          // bit 2 is clear
//     a = shared[tid], b = shared[partner]   =>     a = shared[tid], b = shared[tid + 4]
//
//   v_lshl_add_u32 v3, v2, 2, 0
//   ds_read_b32 v4, v1
//   ds_read_b32 v5, v3                            ds_read2_b32 v[4:5], v1 offset1:4
//
// Sorting networks, butterflies and scans are made of this; only where loops are unrolled is the
// bit a constant. What tells it:
//
//   x ^ 2^k > x, >=     clear where it holds; signed, too, unless k is the sign
//   x ^ 2^k < x, <=     clear elsewhere
//   (x & 2^k) == 0, != 2^k
//
// under `and`, `or` and `not`, of a branch one edge of which dominates the use. Exact for any x:
// adding 2^k to a value whose bit k is clear carries nothing, so that it may change places with
// extensions and truncations. Where the bit is set the partner lies below, and offsets do not go
// there. An x that is undefined makes any address do, before and after; no new sum claims not to
// wrap, and none to lie in bounds.
//
// Threads of a wave run in lockstep, and programs hand values over through LDS without a barrier.
// The language does not promise that, and LLVM takes it away where it can tell the addresses apart
// (shared[tid + 4]); with ^ it cannot, so such a program works, and has to go on working. So a
// kernel is left alone in which an access of LDS follows another one with no barrier or fence in
// between, one of them a store, unless both are of one pair, behind the edge that tells its bit:
// such pairs of different threads have nothing in common.
//
// It stands beside scalarization's passes for addresses since it is of their kind: nothing is
// melded or made scalar. Only LDS: global memory has no such pairs, and its offsets are found by
// affine-address.
//
// Terminates: one look at each LDS address. Costs a walk up the dominator tree for each, and for
// each access one through what follows it up to a barrier, within a limit.
// Would be unsafe: a sign extension of a sum that reaches the sign bit: k is below it there.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class XorAddressPass : public LoggedPass<XorAddressPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
