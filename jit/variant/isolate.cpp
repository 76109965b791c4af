#include "jit/variant/isolate.h"

#include "jit/variant/reach.h"

using namespace llvm;

namespace meld::jit {

std::string isolateKernel(Module &module, StringRef kernel) {
  Function *function = module.getFunction(kernel);
  if (!function || function->isDeclaration())
    return "the bitcode does not have it";
  if (!module.getModuleInlineAsm().empty())
    return "its module has assembly outside of functions";
  const Reached reached = reachedFrom(function, [](const GlobalVariable &) { return true; });
  for (const GlobalVariable *variable : reached.variables)
    if (variable->hasLocalLinkage() && !variable->isConstant() &&
        variable->getAddressSpace() != ldsAddressSpace && !isOnlyRead(*variable))
      return "it uses " + variable->getName().str() +
             ", which only the original object can name and which is written to";
  eraseUnreached(reached, module);
  return "";
}

} // namespace meld::jit
