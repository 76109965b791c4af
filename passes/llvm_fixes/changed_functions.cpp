#include "passes/llvm_fixes/changed_functions.h"
#include "passes/compat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr const char *changedMark = "meld-changed";

class Marker {
public:
  void mark(Function &function) {
    if (holdsChanges(function))
      return;
    function.addFnAttr(changedMark);
    if (!function.hasFnAttribute(Attribute::NoInline))
      work_.push_back(&function);
  }

  void run() {
    while (!work_.empty())
      for (User *user : work_.pop_back_val()->users())
        markUser(*user);
  }

private:
  void markUser(User &user) {
    if (auto *instruction = dyn_cast<Instruction>(&user))
      return mark(*instruction->getFunction());
    // A table that holds its address, say: any function may read it and call what it finds.
    if (auto *variable = dyn_cast<GlobalVariable>(&user)) {
      if (compat::startsWith(variable->getName(),
                             "llvm.")) // llvm.used and its kin, which no code reads
        return;
      for (Function &function : *variable->getParent())
        if (!function.isDeclaration())
          mark(function);
      return;
    }
    for (User *next : user.users()) // a cast, an alias
      markUser(*next);
  }

  SmallVector<Function *, 16> work_;
};

} // namespace

void markChanged(Function &function) {
  Marker marker;
  marker.mark(function);
  marker.run();
}

bool holdsChanges(const Function &function) { return function.hasFnAttribute(changedMark); }

bool dropChangedMark(Function &function) {
  const bool had = holdsChanges(function);
  function.removeFnAttr(changedMark);
  return had;
}

} // namespace meld::passes
