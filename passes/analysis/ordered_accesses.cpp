#include "passes/analysis/ordered_accesses.h"
#include "passes/analysis/call_limits.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

static unsigned ofIntrinsic(const IntrinsicInst &intrinsic) {
  if (auto *copy = dyn_cast<AnyMemIntrinsic>(&intrinsic))
    return copy->isVolatile() || isa<AtomicMemIntrinsic>(copy) ? OrderedAccesses::anything
                                                               : OrderedAccesses::none;
  // Of LLVM's own the others are plain accesses, or none.
  if (!intrinsic.getCalledFunction()->isTargetIntrinsic())
    return OrderedAccesses::none;
  const StringRef name = intrinsic.getCalledFunction()->getName();
  if (name.contains(".ldg.") || name.contains(".ldu."))
    return OrderedAccesses::none; // NVPTX: of memory that nobody writes meanwhile
  const bool hasPolicy =
      name.contains(".raw.") || name.contains(".struct.") || name.contains(".image.");
  if (hasPolicy && !name.contains("atomic")) {
    auto *policy = dyn_cast<ConstantInt>(intrinsic.getArgOperand(intrinsic.arg_size() - 1));
    return policy && policy->isZero() ? OrderedAccesses::none : OrderedAccesses::anything;
  }
  return intrinsic.onlyReadsMemory()    ? OrderedAccesses::reads
         : intrinsic.onlyWritesMemory() ? OrderedAccesses::stores
                                        : OrderedAccesses::updates;
}

unsigned OrderedAccesses::of(const Instruction &instruction) {
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return ofCall(*call);
  if (!instruction.isAtomic() && !instruction.isVolatile())
    return none;
  return isa<LoadInst>(instruction) ? reads : isa<StoreInst>(instruction) ? stores : updates;
}

bool OrderedAccesses::areIn(const BasicBlock &block) {
  return any_of(block, [&](const Instruction &instruction) { return of(instruction) != none; });
}

unsigned OrderedAccesses::ofCall(const CallBase &call) {
  if (call.doesNotAccessMemory())
    return none;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return ofIntrinsic(*intrinsic);
  if (call.isInlineAsm())
    return cast<InlineAsm>(call.getCalledOperand())->getAsmString().empty() ? none : anything;
  const Function *callee = call.getCalledFunction();
  return callee && !callee->isDeclaration() && !callee->isInterposable() ? ofBody(*callee)
                                                                         : anything;
}

unsigned OrderedAccesses::ofBody(const Function &callee) {
  // What recursion finds while we are at work: anything.
  auto [known, isNew] = known_.try_emplace(&callee, anything);
  if (!isNew)
    return known->second;
  if (depth_ == maxChainOfCalls || callee.getInstructionCount() > maxInstructionsOfCallee)
    return anything;
  ++depth_;
  unsigned kinds = none;
  for (const Instruction &instruction : instructions(callee))
    kinds |= of(instruction);
  --depth_;
  known_[&callee] = kinds;
  return kinds;
}

} // namespace meld::passes
