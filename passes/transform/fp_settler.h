// The choices themselves, made: what fp_choices.h says of products and sums. Internal to it.
#pragma once

#include "llvm/IR/Function.h"

namespace meld::passes {

/// What tells code generation that any result will do, for the function as a whole.
inline constexpr const char *looseFpAttributes[] = {"unsafe-fp-math", "no-infs-fp-math",
                                                    "no-nans-fp-math", "no-signed-zeros-fp-math",
                                                    "approx-func-fp-math"};

/// Writes out each fusion that code generation would make, and drops all flags. True when anything
/// was changed. `contractAll` as in fp_choices.h.
bool writeOutFpChoices(llvm::Function &function, bool contractAll);

/// Takes away the annotations that hold negations where they are.
void dropKeptNegations(llvm::Function &function);

} // namespace meld::passes
