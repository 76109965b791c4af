#include "passes/llvm_fixes/fold_conditions.h"

#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/KnownBits.h"

#include <optional>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr uint32_t mostThreads = 1024;

/// As code generation will say it of the same calls.
bool sayRanges(Function &function, const GpuInfo &gpu) {
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    const auto dimension = gpu.workItemId(instruction);
    if (!dimension || !isa<CallBase>(instruction) || instruction.hasMetadata(LLVMContext::MD_range))
      continue;
    uint32_t size = gpu.maxWorkgroup() ? gpu.maxWorkgroup() : mostThreads;
    if (const auto shape = gpu.workgroupShape())
      size = (*shape)[*dimension];
    MDBuilder builder(function.getContext());
    const unsigned bits = instruction.getType()->getIntegerBitWidth();
    instruction.setMetadata(LLVMContext::MD_range,
                            builder.createRange(APInt(bits, 0), APInt(bits, size)));
    changed = true;
  }
  return changed;
}

std::optional<bool> outcome(const ICmpInst &comparison, const KnownBits &a, const KnownBits &b) {
  const auto known = [](auto result) {
    return result ? std::optional<bool>(*result) : std::nullopt;
  };
  switch (comparison.getPredicate()) {
  case ICmpInst::ICMP_EQ:
    return known(KnownBits::eq(a, b));
  case ICmpInst::ICMP_NE:
    return known(KnownBits::ne(a, b));
  case ICmpInst::ICMP_UGT:
    return known(KnownBits::ugt(a, b));
  case ICmpInst::ICMP_UGE:
    return known(KnownBits::uge(a, b));
  case ICmpInst::ICMP_ULT:
    return known(KnownBits::ult(a, b));
  case ICmpInst::ICMP_ULE:
    return known(KnownBits::ule(a, b));
  case ICmpInst::ICMP_SGT:
    return known(KnownBits::sgt(a, b));
  case ICmpInst::ICMP_SGE:
    return known(KnownBits::sge(a, b));
  case ICmpInst::ICMP_SLT:
    return known(KnownBits::slt(a, b));
  case ICmpInst::ICMP_SLE:
    return known(KnownBits::sle(a, b));
  default:
    return std::nullopt;
  }
}

/// Whether operands reach one value twice by what their block computes: only then can anything cancel.
bool mayCancel(const ICmpInst &comparison) {
  constexpr unsigned enough = 64;
  SmallPtrSet<const Value *, 16> reached;
  SmallVector<const Value *, 16> open(comparison.operands());
  while (!open.empty()) {
    const Value *value = open.pop_back_val();
    if (isa<Constant>(value))
      continue;
    if (!reached.insert(value).second || reached.size() > enough)
      return true;
    const auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != comparison.getParent() ||
        isa<PHINode>(instruction) || instruction->mayReadOrWriteMemory())
      continue; // instruction selection sees one block at a time
    open.append(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

/// Whether conditions of other blocks are made of it.
bool joinedElsewhere(const ICmpInst &comparison) {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Instruction *, 16> open{&comparison};
  while (!open.empty())
    for (const User *user : open.pop_back_val()->users()) {
      const auto *instruction = cast<Instruction>(user);
      if (!instruction->getType()->isIntegerTy(1) || !seen.insert(instruction).second)
        continue;
      if (instruction->getParent() != comparison.getParent())
        return true;
      open.push_back(instruction);
    }
  return false;
}

bool keepComparison(ICmpInst &comparison) {
  if (!mayCancel(comparison) || !joinedElsewhere(comparison))
    return false;
  const unsigned operand = isa<Constant>(comparison.getOperand(0)) ? 1 : 0;
  IRBuilder<> builder(&comparison);
  Value *same = hidden(builder, *comparison.getOperand(operand));
  if (!same)
    return false;
  comparison.setOperand(operand, same);
  return true;
}

} // namespace

PreservedAnalyses FoldConditionsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || !options_.wantsKernel(function.getName()) ||
      hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  const GpuInfo gpu(function);
  if (gpu.kind() != GpuKind::amdgpu || gpu.waveSize() != 32)
    return PreservedAnalyses::all();
  bool changed = sayRanges(function, gpu);
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<WeakTrackingVH, 32> comparisons; // one may go with another
  for (Instruction &instruction : instructions(function))
    if (isa<ICmpInst>(instruction) && instruction.getOperand(0)->getType()->isIntegerTy())
      comparisons.push_back(&instruction);
  for (const WeakTrackingVH &handle : comparisons) {
    auto *comparison = dyn_cast_or_null<ICmpInst>(handle);
    if (!comparison || comparison->use_empty())
      continue;
    const auto bitsOf = [&](unsigned operand) {
      const Value *value = comparison->getOperand(operand);
#if LLVM_VERSION_MAJOR >= 21 // the depth comes last
      return computeKnownBits(value, layout, &assumptions, comparison, &tree);
#else
      return computeKnownBits(value, layout, 0, &assumptions, comparison, &tree);
#endif
    };
    const KnownBits a = bitsOf(0), b = bitsOf(1);
    if (a.hasConflict() || b.hasConflict()) // code that does not run
      continue;
    if (const auto known = outcome(*comparison, a, b)) {
      replaceAndRecursivelySimplify(comparison,
                                    ConstantInt::getBool(comparison->getContext(), *known), nullptr,
                                    &tree, &assumptions);
      changed = true;
    }
  }
  for (const WeakTrackingVH &handle : comparisons) // when no more become constants
    if (auto *comparison = dyn_cast_or_null<ICmpInst>(handle))
      changed |= keepComparison(*comparison);
  return blocksKept(changed);
}

} // namespace meld::passes
