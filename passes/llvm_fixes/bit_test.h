// A fault of LLVM 15: two opposite tests of one bit become one.
//
//   %bit = and i32 %x, 2
//   %c = icmp eq i32 %bit, 0         s_bitcmp0_b32 x, 1      scc = the bit is 0
//   br i1 %c, ...                    s_cselect_b64 m, -1, 0  m is to be "the bit is 1"
//   elsewhere: br i1 %c, ...         s_cbranch_scc1
//
// Where a scalar branch tests a bit and its condition is used elsewhere too, instruction selection makes a
// comparison for each, of opposite sense. SIInstrInfo::optimizeCompareInstr() drops the first one (the AND
// has set SCC alike) and then makes the AND a bit test that sets SCC to the opposite, which the first one's
// user still reads. Whether a test is used elsewhere can change in any pass behind ours, so no scalar branch
// of ours tests one bit. LLVM 17 and 21 keep both comparisons. Delete with support for LLVM 15 and 16.
#pragma once

#include "llvm/IR/Value.h"

namespace meld::passes {

/// Whether a scalar branch on `condition` could be such a one; never where LLVM is sound.
bool isBitTestOfLlvm15(const llvm::Value &condition);

} // namespace meld::passes
