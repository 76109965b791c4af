#include "jit/variant/reach.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace meld::jit {

bool Reached::has(const GlobalValue &value) const {
  auto *plain = const_cast<GlobalValue *>(&value);
  if (auto *function = dyn_cast<Function>(plain))
    return functions.count(function);
  if (auto *variable = dyn_cast<GlobalVariable>(plain))
    return variables.count(variable);
  return others.count(plain);
}

namespace {

class Walk {
public:
  Walk(Reached &reached, function_ref<bool(const GlobalVariable &)> follow)
      : reached_(reached), follow_(follow) {}

  void run(ArrayRef<Function *> kernels) {
    reached_.functions.insert(kernels.begin(), kernels.end());
    // Both sets grow meanwhile.
    for (size_t f = 0, v = 0; f < reached_.functions.size() || v < reached_.variables.size();) {
      if (f < reached_.functions.size()) {
        function(*reached_.functions[f++]);
      } else {
        GlobalVariable &variable = *reached_.variables[v++];
        if (variable.hasInitializer() && follow_(variable))
          constant(*variable.getInitializer());
      }
    }
  }

private:
  void function(Function &f) {
    for (Instruction &i : instructions(f)) {
      auto *call = dyn_cast<CallBase>(&i);
      if (call && !call->isInlineAsm()) {
        if (Function *callee = call->getCalledFunction())
          reached_.functions.insert(callee);
        else if (!reached_.indirectCall)
          reached_.indirectCall = call;
      }
      for (Use &use : i.operands())
        if (auto *value = dyn_cast<Constant>(use.get()))
          if (!call || !call->isCallee(&use) || !call->getCalledFunction())
            constant(*value);
    }
  }

  void constant(Constant &c) {
    SmallVector<Constant *, 8> work{&c};
    while (!work.empty()) {
      Constant *next = work.pop_back_val();
      if (auto *f = dyn_cast<Function>(next)) {
        reached_.functions.insert(f);
        reached_.addressTaken.insert(f);
      } else if (auto *variable = dyn_cast<GlobalVariable>(next)) {
        reached_.variables.insert(variable);
      } else if (auto *block = dyn_cast<BlockAddress>(next)) {
        reached_.functions.insert(block->getFunction());
        reached_.addressTaken.insert(block->getFunction());
      } else if (auto *other = dyn_cast<GlobalValue>(next)) {
        reached_.others.insert(other);
        for (Use &use : other->operands())
          work.push_back(cast<Constant>(use.get()));
      } else if (seen_.insert(next).second) {
        for (Use &use : next->operands())
          if (auto *operand = dyn_cast<Constant>(use.get()))
            work.push_back(operand);
      }
    }
  }

  Reached &reached_;
  function_ref<bool(const GlobalVariable &)> follow_;
  SmallPtrSet<Constant *, 32> seen_;
};

} // namespace

Reached reachedFrom(ArrayRef<Function *> kernels,
                    function_ref<bool(const GlobalVariable &)> follow) {
  Reached reached;
  Walk(reached, follow).run(kernels);
  return reached;
}

void eraseUnreached(const Reached &reached, Module &module) {
  SmallVector<GlobalValue *, 16> gone;
  for (GlobalValue &value : module.global_values())
    if (!reached.has(value))
      gone.push_back(&value);
  // First what they name, each other perhaps; then themselves.
  for (GlobalValue *value : gone) {
    if (auto *function = dyn_cast<Function>(value))
      function->dropAllReferences();
    else if (auto *variable = dyn_cast<GlobalVariable>(value))
      variable->dropAllReferences();
    else
      value->dropAllReferences();
  }
  for (GlobalValue *value : gone) {
    value->removeDeadConstantUsers();
    if (!value->use_empty()) // an alias without what it stood for: nothing that is left uses it
      value->replaceAllUsesWith(UndefValue::get(value->getType()));
    value->eraseFromParent();
  }
}

bool isOnlyRead(const GlobalVariable &variable) {
  SmallVector<const Value *, 8> work{&variable};
  SmallPtrSet<const Value *, 8> seen;
  while (!work.empty())
    for (const Use &use : work.pop_back_val()->uses()) {
      const User *user = use.getUser();
      if (isa<LoadInst>(user))
        continue;
      if (auto *copy = dyn_cast<MemTransferInst>(user);
          copy && copy->isArgOperand(&use) && copy->getArgOperandNo(&use) == 1)
        continue;
      if (!isa<GEPOperator, BitCastOperator, AddrSpaceCastOperator, PHINode, SelectInst>(user))
        return false;
      if (seen.insert(user).second)
        work.push_back(user);
    }
  return true;
}

} // namespace meld::jit
