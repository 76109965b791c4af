#include "jit/cut.h"

#include "jit/variant/reach.h"
#include "passes/transform/fp_choices.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace meld::jit {

namespace {

/// Whether code that is about to go names the variable.
bool isUsedOutside(const GlobalVariable &variable, const Reached &reached) {
  SmallVector<const Value *, 8> work{&variable};
  SmallPtrSet<const Value *, 8> seen;
  while (!work.empty())
    for (const User *user : work.pop_back_val()->users()) {
      if (auto *instruction = dyn_cast<Instruction>(user)) {
        if (!reached.has(*instruction->getFunction()))
          return true;
      } else if (seen.insert(user).second) { // a constant, or another variable that holds it
        work.push_back(user);
      }
    }
  return false;
}

} // namespace

bool cutDown(Module &module, const std::set<std::string> &kernels, bool contractAll) {
  SmallVector<Function *, 8> kept;
  for (Function &function : module)
    if (!function.isDeclaration() && kernels.count(function.getName().str()))
      kept.push_back(&function);
  const Reached reached = reachedFrom(kept, [](const GlobalVariable &) { return true; });

  bool choices = false;
  for (const Function &function : module)
    choices |= !function.isDeclaration() && !reached.has(function) &&
               passes::leavesFpChoices(function, contractAll);

  SmallVector<GlobalValue *, 4> written;
  for (GlobalVariable *variable : reached.variables)
    if (variable->hasLocalLinkage() && !variable->isConstant() &&
        variable->getAddressSpace() != ldsAddressSpace && !isOnlyRead(*variable) &&
        isUsedOutside(*variable, reached))
      written.push_back(variable);
  eraseUnreached(reached, module);
  if (!written.empty())
    appendToCompilerUsed(module, written);
  return choices;
}

} // namespace meld::jit
