// Whole registers for 16-bit values in functions that have been changed.
//
// From LLVM 20 on, 16-bit values of GFX11 and GFX12 lie in halves of registers. LLVM 21 loses which
// half where a copy of the upper one is folded (llvm/llvm-project#157032; another such fault was
// mended in #211848 in 2026):
//
//     v25 holds four flags of a byte each           v_and_b32 v25, 1, v25
//     the first and the third are asked for    =>   v_cmp_eq_u32 s0, 1, v25     first
//                                                   v_cmp_eq_u32 s0, 1, v25     third: should be v25.h
//
// Programs are hit without libmeld, too (rocPRIM's select and merge sort as Debian ships them for
// gfx1100). What melding makes of 16-bit values is new code, and need not be hit where the original
// is not: without the feature it has none of it.
//
// The last pass of the pipeline sets it wherever something of ours was changed (changed_code.h).
// Cost: linear; moves of halves become shifts, as before LLVM 20. What it does not reach: an
// unchanged kernel of another unit that inlines a changed function when it is linked (-fgpu-rdc);
// within a module such callers are marked. To be deleted when the oldest such LLVM that is
// supported has both mended.
#pragma once

#include "passes/compat.h"
#include "passes/cost/processor.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Function.h"

#include <string>

namespace meld::passes {

inline void useWholeRegisters(llvm::Function &function) {
  if (LLVM_VERSION_MAJOR < 20)
    return;
  const llvm::StringRef processor = processorOf(function);
  if (!compat::startsWith(processor, "gfx11") && !compat::startsWith(processor, "gfx12"))
    return;
  std::string features = function.getFnAttribute("target-features").getValueAsString().str();
  features += features.empty() ? "-real-true16" : ",-real-true16";
  function.addFnAttr("target-features", features);
}

} // namespace meld::passes
