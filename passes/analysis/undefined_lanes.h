// Where threads of one wave may hold different bits although nothing divergent has made them.
//
//   %v = phi [%n, then], [undef, else]     who came by else has what its register held before
//   %f = freeze undef                      the same, and it has to stay that
//
// In a scalar register the first is no harm: those without a value find the others'. To read the
// first lane is, since it may be one of them. Thread rule: none; nothing is kept.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// An operand of a phi that is undefined, or one of a freeze that is made of undefined constants,
/// also by phis that all lanes come to by one way, at most six other instructions away; further is
/// taken for undefined.
bool mayBeUndefined(const llvm::Value *operand, const llvm::Instruction &user);

/// Some phi or freeze in `function` has such an operand.
bool hasUndefinedLanes(const llvm::Function &function);

} // namespace meld::passes
