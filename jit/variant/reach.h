// What a kernel's code reaches: the functions it calls, the variables it names, and what those name
// in turn; and taking everything else out of a module.
//
//   kernel --calls--> helper --names--> @table --its initial value names--> @text
//
// Ends: every global is looked at once. Linear. Thread rule: as LLVM's, one thread per context.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace meld::jit {

/// A work-group's own memory: every version has its own.
constexpr unsigned ldsAddressSpace = 3;

/// In the order in which they are met, which the module alone decides.
struct Reached {
  llvm::SetVector<llvm::Function *> functions; ///< the kernels are the first
  llvm::SetVector<llvm::GlobalVariable *> variables;
  llvm::SetVector<llvm::Function *> addressTaken; ///< used other than by calling them
  llvm::SetVector<llvm::GlobalValue *> others;    ///< aliases, resolved functions
  /// A call of which nobody can say where it goes; null: there is none.
  const llvm::CallBase *indirectCall = nullptr;

  bool has(const llvm::GlobalValue &value) const;
};

/// `follow`: whether what a variable's initial value names counts.
Reached reachedFrom(llvm::ArrayRef<llvm::Function *> kernels,
                    llvm::function_ref<bool(const llvm::GlobalVariable &)> follow);

/// Takes out of the module what is not in `reached`, the lists of what is used included.
void eraseUnreached(const Reached &reached, llvm::Module &module);

/// Whether all uses of the variable in its module are loads of it or copies out of it: nobody
/// writes to it, nobody keeps its address.
bool isOnlyRead(const llvm::GlobalVariable &variable);

} // namespace meld::jit
