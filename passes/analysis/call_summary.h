// What a call to a function of the same module gives back, without looking into it at every call:
// how wide the result is, which arguments it hangs on, and whether all threads come back.
//
//   define internal i32 @scale(i32 %v, i32 %unused) { %r = mul i32 %v, 3  ret i32 %r }
//     own width all, hangs on argument 0: as wide as the first argument at the call
//
// Bottom-up over the call graph: a callee is summarised when first asked for, its own callees
// before it. A function is analysed once with all arguments alike, and once more for each argument
// with that one differing between threads; the result hangs on those that make it narrower. Inside
// a strongly connected component nothing is known (thread wide, everything may happen), so the
// recursion ends; so does a chain of more than 16 calls or a function of more than 4,000
// instructions. Costs (arguments + 1) sweeps per function and machine.
//
// Only exact definitions count: one that the linker may replace says nothing. A summary is made for
// the machine (wave size, workgroup shape) of the caller, because ids in the callee are dealt as in
// the kernel.
#pragma once

#include "passes/analysis/gpu_info.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Function.h"
#include <memory>

namespace meld::passes {

struct CallSummary {
  Width own = Width::thread; ///< of the result when every argument is `all`
  llvm::BitVector hangsOn;   ///< arguments whose width the result meets
  bool mayDiverge = true;    ///< a branch inside may divide a wave even if the arguments do not
  bool mayNotReturn = true;  ///< threads may end or stay inside
  bool mayReadMemory = true, mayWriteMemory = true;
};

/// The divergence analysis asks for them, and they are made by it (summarise_calls.cpp).
class CallSummaries {
public:
  virtual ~CallSummaries() = default;
  /// Null for what has no exact definition here.
  virtual const CallSummary *find(const llvm::Function &callee) = 0;
};
std::unique_ptr<CallSummaries> newCallSummaries(GpuInfo machine);

} // namespace meld::passes
