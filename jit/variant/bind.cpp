#include "jit/variant/bind.h"

#include "jit/variant/reach.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/Support/Alignment.h"

using namespace llvm;

namespace meld::jit {

namespace {

constexpr unsigned globalAddressSpace = 1, constantAddressSpace = 4;
/// A loaded object keeps its addresses up to this.
constexpr uint64_t pageBytes = 4096;

const DynamicSymbol *find(const DynamicSymbols &originals, const GlobalVariable &variable) {
  const auto it = originals.find(variable.getName().str());
  return it != originals.end() && it->second.defined && !it->second.code ? &it->second : nullptr;
}

/// The version's own: LDS, and what nobody else can name.
bool isOwn(const GlobalVariable &variable, const DynamicSymbols &originals) {
  return variable.getAddressSpace() == ldsAddressSpace || variable.hasLocalLinkage() ||
         !find(originals, variable);
}

bool canBeCopied(const GlobalVariable &variable) {
  if (!variable.hasDefinitiveInitializer())
    return false;
  if (variable.isConstant() && variable.hasGlobalUnnamedAddr())
    return true;
  return isOnlyRead(variable);
}

std::string whyNotBound(const GlobalVariable &variable, const DynamicSymbol &original) {
  const DataLayout &layout = variable.getParent()->getDataLayout();
  const std::string name = variable.getName().str();
  if (layout.getTypeAllocSize(variable.getValueType()).getFixedValue() != original.size)
    return name + " has another size in the original";
  const Align counted = variable.getPointerAlignment(layout);
  if (counted.value() > pageBytes || !isAligned(counted, original.address))
    return name + " is less aligned in the original than this code counts on";
  return "";
}

std::string whyNot(const Reached &reached, const DynamicSymbols &originals) {
  if (reached.indirectCall)
    return "it calls a function through a pointer";
  if (!reached.addressTaken.empty())
    return "it takes the address of " + reached.addressTaken[0]->getName().str();
  if (!reached.others.empty())
    return "it uses the alias " + reached.others[0]->getName().str();
  for (const Function *function : reached.functions)
    if (function->isDeclaration() && !function->isIntrinsic())
      return "it calls " + function->getName().str() + ", whose code is not in the bitcode";
  for (const GlobalVariable *variable : reached.variables) {
    const unsigned space = variable->getAddressSpace();
    if (space == ldsAddressSpace)
      continue;
    const std::string name = variable->getName().str();
    if (space != globalAddressSpace && space != constantAddressSpace)
      return name + " is in address space " + std::to_string(space);
    if (variable->isThreadLocal())
      return name + " is thread-local";
    if (!isOwn(*variable, originals)) {
      if (std::string why = whyNotBound(*variable, *find(originals, *variable)); !why.empty())
        return why;
    } else if (!canBeCopied(*variable)) {
      return "it uses " + name + ", which only the original object can name";
    }
  }
  return "";
}

void declare(GlobalVariable &variable) {
  variable.setInitializer(nullptr);
  variable.setExternallyInitialized(false);
  variable.setComdat(nullptr);
  variable.setSection("");
  variable.setLinkage(GlobalValue::ExternalWeakLinkage); // lld is asked to refuse others
  variable.setVisibility(GlobalValue::DefaultVisibility);
  variable.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
  variable.setDSOLocal(false);
}

void makeLocal(GlobalObject &object) {
  object.setComdat(nullptr);
  object.setVisibility(GlobalValue::DefaultVisibility); // the only one that local linkage knows
  object.setLinkage(GlobalValue::InternalLinkage);
}

} // namespace

std::string bindVariables(Module &module, StringRef kernel, const DynamicSymbols &originals) {
  Function *entry = module.getFunction(kernel);
  if (!entry || entry->isDeclaration())
    return "the bitcode does not have it";
  const Reached reached = reachedFrom(entry, [&](const GlobalVariable &variable) {
    return isOwn(variable, originals); // what is bound has its value in the original
  });
  if (std::string why = whyNot(reached, originals); !why.empty())
    return why;
  for (GlobalVariable *variable : reached.variables) {
    if (!isOwn(*variable, originals))
      declare(*variable);
    else if (variable->getAddressSpace() != ldsAddressSpace && !variable->hasLocalLinkage())
      makeLocal(*variable);
  }
  for (Function *function : reached.functions)
    if (function != entry && !function->isDeclaration() && !function->hasLocalLinkage())
      makeLocal(*function);
  eraseUnreached(reached, module);
  return "";
}

} // namespace meld::jit
