#include "passes/llvm_fixes/scalar_operands.h"

#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/llvm_fixes/scalar_uses.h"
#include "passes/melder/first_lane.h"
#include "passes/preserved.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// At an instruction, the numbers of its operands that are scalars.
constexpr char noteKind[] = "meld.scalar.operands";

bool isNoted(const Use &operand) {
  const MDNode *node = cast<Instruction>(operand.getUser())->getMetadata(noteKind);
  return node && any_of(node->operands(), [&](const MDOperand &number) {
           return mdconst::extract<ConstantInt>(number)->equalsInt(operand.getOperandNo());
         });
}

void note(const Use &operand) {
  auto &instruction = *cast<Instruction>(operand.getUser());
  Type *type = Type::getInt32Ty(instruction.getContext());
  auto *number = ConstantAsMetadata::get(ConstantInt::get(type, operand.getOperandNo()));
  MDNode *one = MDNode::get(instruction.getContext(), number);
  instruction.setMetadata(noteKind, MDNode::concatenate(instruction.getMetadata(noteKind), one));
}

/// What an instruction takes from scalar registers, also where some lanes have no value: a phi of
/// one scalar and undef, and what is computed from it, or loaded, which our own analysis may call
/// divergent, and LLVM's does not. Not what lanes have left a loop with in different rounds.
class Scalars {
public:
  Scalars(const BackendView &backend, const DivergenceInfo &divergence)
      : backend_(backend), divergence_(divergence) {}

  bool has(const Value &value, const Instruction &user) {
    auto *instruction = dyn_cast<Instruction>(&value);
    if (backend_.isScalar(value))
      return !instruction || divergence_.widthAtUse(&value, &user) != Width::thread;
    if (!instruction || !backend_.isUniformToLlvm(value))
      return false;
    const Loop *loop = divergence_.loops().getLoopFor(instruction->getParent());
    return (!loop || loop->contains(&user)) && isScalar(*instruction);
  }

private:
  bool isScalar(const Instruction &instruction) {
    // In a cycle: no.
    if (auto [at, isNew] = known_.try_emplace(&instruction, false); !isNew)
      return at->second;
    auto *phi = dyn_cast<PHINode>(&instruction);
    auto isTaken = [&](const Value *operand) { return has(*operand, instruction); };
    const bool all = phi ? hasOnly(*phi) : all_of(instruction.operand_values(), isTaken);
    return known_[&instruction] = all;
  }

  bool hasOnly(const PHINode &phi) {
    const Value *only = nullptr;
    for (const Value *incoming : phi.incoming_values()) {
      if (isa<UndefValue>(incoming))
        continue;
      if (only && only != incoming)
        return false;
      only = incoming;
    }
    return only && has(*only, phi);
  }

  const BackendView &backend_;
  const DivergenceInfo &divergence_;
  DenseMap<const Instruction *, bool> known_;
};

bool isLookedAt(Function &function) {
  return !function.isDeclaration() && !hasConvergenceTokens(function) &&
         GpuInfo(function).kind() == GpuKind::amdgpu;
}

/// What is read is hidden: to LLVM's GVN (before 17) a reading is a function of its operand alone,
/// and the program may read the same where other lanes run.
Value *read(IRBuilder<> &builder, Value &value) {
  Type *type = value.getType();
  const DataLayout &layout = builder.GetInsertBlock()->getModule()->getDataLayout();
  const bool isPointer = type->isPointerTy() && !layout.isNonIntegralPointerType(type);
  if (!isPointer && !type->isIntOrIntVectorTy() && !type->isFPOrFPVectorTy())
    return nullptr;
  Value *own = hiddenForReading(builder, value);
  if (!own || !isPointer)
    return own ? fromFirstLane(builder, own) : nullptr;
  Value *number = builder.CreatePtrToInt(own, layout.getIntPtrType(type));
  return builder.CreateIntToPtr(fromFirstLane(builder, number), type);
}

} // namespace

PreservedAnalyses MarkScalarOperandsPass::run(Function &function,
                                              FunctionAnalysisManager &analyses) {
  if (!isLookedAt(function))
    return PreservedAnalyses::all();
  const auto uses = scalarUses(function);
  if (uses.empty())
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  const BackendView backend(function, analyses, divergence);
  Scalars scalars(backend, divergence);
  for (const Use *operand : uses)
    if (scalars.has(*operand->get(), *cast<Instruction>(operand->getUser())))
      note(*operand);
  return PreservedAnalyses::all(); // no analysis reads notes
}

PreservedAnalyses ScalarOperandsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!isLookedAt(function))
    return PreservedAnalyses::all();
  auto uses = scalarUses(function);
  erase_if(uses, [](const Use *operand) { return !isNoted(*operand); });
  for (Instruction &instruction : instructions(function))
    instruction.setMetadata(noteKind, nullptr);
  if (uses.empty())
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  const BackendView backend(function, analyses, divergence);
  erase_if(uses, [&](const Use *operand) { return backend.isScalar(*operand->get()); });
  bool changed = false;
  for (Use *operand : uses) {
    IRBuilder<> builder(cast<Instruction>(operand->getUser()));
    if (Value *scalar = read(builder, *operand->get())) {
      operand->set(scalar);
      changed = true;
    }
  }
  return blocksKept(changed);
}

} // namespace meld::passes
