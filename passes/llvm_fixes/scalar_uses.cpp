#include "passes/llvm_fixes/scalar_uses.h"
#include "passes/compat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace meld::passes {

using namespace llvm;

namespace {

using Uses = SmallVector<Use *, 8>;

void add(Use &operand, Uses &uses) {
  if (isa<Instruction>(operand))
    uses.push_back(&operand);
}

/// "v", "a", "VA", "{v0}", "{A[0:1]}".
bool isVectorCode(StringRef code) {
  if (code == "v" || code == "a" || code == "VA")
    return true;
  const std::string name = code.lower();
  return name.size() > 2 && name[0] == '{' && (name[1] == 'v' || name[1] == 'a') &&
         (isDigit(name[2]) || name[2] == '[');
}

bool mayTakeVector(const InlineAsm::ConstraintInfo &info,
                   const InlineAsm::ConstraintInfoVector &all) {
  const auto isVector = [&](StringRef code) {
    unsigned output = 0; // that it is tied to, which is tied to none
    return code.getAsInteger(10, output) ? isVectorCode(code) : mayTakeVector(all[output], all);
  };
  return any_of(info.Codes, isVector) ||
         any_of(info.multipleAlternatives,
                [&](const auto &alternative) { return any_of(alternative.Codes, isVector); });
}

void addStatement(CallBase &call, Uses &uses) {
  const auto constraints = cast<InlineAsm>(call.getCalledOperand())->ParseConstraints();
  unsigned argument = 0;
  for (const auto &info : constraints) {
    const bool input = info.Type == InlineAsm::isInput;
    if (!input && !(info.Type == InlineAsm::isOutput && info.isIndirect))
      continue; // no argument
    Use &operand = call.getArgOperandUse(argument++);
    if (input && !info.isIndirect && !mayTakeVector(info, constraints))
      add(operand, uses);
  }
}

void addIntrinsic(IntrinsicInst &call, Uses &uses) {
  if (call.getIntrinsicID() == Intrinsic::amdgcn_s_setreg)
    add(call.getArgOperandUse(1), uses);
  const StringRef name = call.getCalledFunction()->getName();
  if (LLVM_VERSION_MAJOR >= 17 || (!compat::startsWith(name, "llvm.amdgcn.raw.") &&
                                   !compat::startsWith(name, "llvm.amdgcn.struct.")))
    return;
  // ..., scalar offset, cache policy; with a format, or an offset of its own for LDS, between them.
  const unsigned behind = name.contains("tbuffer") || name.contains(".lds") ? 3 : 2;
  add(call.getArgOperandUse(call.arg_size() - behind), uses);
}

} // namespace

SmallVector<Use *, 8> scalarUses(Function &function) {
  Uses uses;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      continue;
    if (call->isInlineAsm())
      addStatement(*call, uses);
    else if (auto *intrinsic = dyn_cast<IntrinsicInst>(call))
      addIntrinsic(*intrinsic, uses);
    else
      for (unsigned i = 0; i != call->arg_size(); ++i)
        if (call->paramHasAttr(i, Attribute::InReg))
          add(call->getArgOperandUse(i), uses);
  }
  return uses;
}

} // namespace meld::passes
