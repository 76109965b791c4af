#include "passes/llvm_fixes/scalar_operands.h"

#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/melder/first_lane.h"
#include "passes/preserved.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// As SITargetLowering::getRegForInlineAsmConstraint has it: "s" and "r" are any scalar register, "{s4}" or "{vcc}" that one; "v",
/// "{v0}" and "{a[0:1]}" are vector registers.
bool isScalarCode(StringRef code) {
  if (code == "s" || code == "r")
    return true;
  if (!code.consume_front("{") || code.size() < 2)
    return false;
  return (code[0] != 'v' && code[0] != 'a') || (!isDigit(code[1]) && code[1] != '[');
}

bool isScalarInput(const InlineAsm::ConstraintInfo &info,
                   const InlineAsm::ConstraintInfoVector &all) {
  unsigned output = 0;
  const bool isTied = !StringRef(info.Codes.front()).getAsInteger(10, output);
  const auto &codes = isTied ? all[output].Codes : info.Codes;
  return !info.isIndirect && !info.isMultipleAlternative && all_of(codes, isScalarCode);
}

using Operands = SmallVectorImpl<Use *>;

/// Constants, and arguments of kernels, are in no vector register.
void add(Use &operand, Operands &operands) {
  if (isa<Instruction>(operand))
    operands.push_back(&operand);
}

void addStatement(CallBase &call, Operands &operands) {
  const auto constraints = cast<InlineAsm>(call.getCalledOperand())->ParseConstraints();
  unsigned argument = 0;
  for (const auto &info : constraints) {
    const bool input = info.Type == InlineAsm::isInput;
    if (!input && !(info.Type == InlineAsm::isOutput && info.isIndirect))
      continue; // no argument
    Use &operand = call.getArgOperandUse(argument++);
    if (input && isScalarInput(info, constraints))
      add(operand, operands);
  }
}

/// Of other functions code generation has "inreg" arguments in vector registers, or reads them itself.
void addGraphicsCall(CallBase &call, Operands &operands) {
  for (unsigned i = 0; i != call.arg_size(); ++i)
    if (call.paramHasAttr(i, Attribute::InReg))
      add(call.getArgOperandUse(i), operands);
}

/// What is read is hidden: to LLVM's GVN (before 17) a reading is a function of its operand alone, and the program may read the same where
/// other lanes run.
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

PreservedAnalyses ScalarOperandsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || hasConvergenceTokens(function) ||
      GpuInfo(function).kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  SmallVector<Use *, 8> operands;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isInlineAsm())
      addStatement(*call, operands);
    else if (call && call->getCallingConv() == CallingConv::AMDGPU_Gfx)
      addGraphicsCall(*call, operands);
  if (operands.empty())
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  const BackendView backend(function, analyses, divergence);
  erase_if(operands, [&](const Use *operand) { return backend.isScalar(*operand->get()); });
  bool changed = false;
  for (Use *operand : operands) {
    IRBuilder<> builder(cast<Instruction>(operand->getUser()));
    if (Value *scalar = read(builder, *operand->get())) {
      operand->set(scalar);
      changed = true;
    }
  }
  return blocksKept(changed);
}

} // namespace meld::passes
