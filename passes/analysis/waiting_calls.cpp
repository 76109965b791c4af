#include "passes/analysis/waiting_calls.h"
#include "passes/analysis/waiting_cycles.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

static bool hasEffectsBeyondValues(const CallBase &call) {
  return !call.doesNotAccessMemory() || call.mayHaveSideEffects();
}

static bool mayWaitInAssembly(const CallBase &call) {
  const auto &assembly = *cast<InlineAsm>(call.getCalledOperand());
  return !assembly.getAsmString().empty() &&
         (assembly.hasSideEffects() || call.isConvergent() || hasEffectsBeyondValues(call));
}

static bool containsAny(StringRef name, ArrayRef<StringRef> parts) {
  return any_of(parts, [&](StringRef part) { return name.contains(part); });
}

// Intrinsics of the target that end by themselves whatever others do: accesses to memory (to GWS
// there are semaphores), and what only asks for time or a place in line.
static bool isKnownToEnd(const CallBase &call, StringRef name) {
  if (name.contains(".gws."))
    return false;
  return call.onlyReadsMemory() || call.onlyAccessesArgMemory() ||
         containsAny(name, {".atomic", ".buffer.", ".ds.", ".image.", ".flat.", ".global.",
                            ".membar", ".s.sleep", ".s.setprio", ".s.memtime", ".s.memrealtime",
                            ".s.getreg", ".s.setreg", ".s.waitcnt", ".s.dcache", ".s.nop"});
}

static bool mayWaitInIntrinsic(const CallBase &call, const Function &intrinsic) {
  const StringRef name = intrinsic.getName();
  // Orders to the scheduler, which are no instructions.
  if (!hasEffectsBeyondValues(call) || containsAny(name, {".wave.barrier", ".sched.", ".iglp."}))
    return false;
  return call.isConvergent() || (intrinsic.isTargetIntrinsic() && !isKnownToEnd(call, name));
}

bool WaitingCalls::mayWait(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return false;
  if (call->isInlineAsm())
    return mayWaitInAssembly(*call);
  const Function *callee = call->getCalledFunction();
  if (callee && callee->isIntrinsic())
    return mayWaitInIntrinsic(*call, *callee);
  if (!hasEffectsBeyondValues(*call) && !call->isConvergent())
    return false;
  if (callee && !callee->isDeclaration() && !callee->isInterposable())
    return mayWait(*callee);
  return !call->hasFnAttr(Attribute::WillReturn) || call->isConvergent();
}

bool WaitingCalls::mayWait(const Function &callee) {
  return known_.ask(callee, [&] {
    if (any_of(instructions(callee), [&](const Instruction &i) { return mayWait(i); }))
      return true;
    auto &body = const_cast<Function &>(callee); // LLVM's trees take no const
    const DominatorTree dominators(body);
    CycleInfo cycles;
    cycles.compute(body);
    const GpuInfo gpu(callee);
    for (const Cycle *outermost : cycles.toplevel_cycles())
      for (const Cycle *cycle : depth_first(outermost))
        if (goesRoundForOthers(*cycle, cycles, dominators, gpu))
          return true;
    return false;
  });
}

} // namespace meld::passes
