// Expressions of 64 bits, and divisions of few bits, of random kernels (generator 6).
#pragma once

#include "tests/fuzz/kernel_ast.h"

#include <llvm/IR/IRBuilder.h>

namespace meld::fuzz {

/// ExprKind::wide of its three kids; its 32 bits hang on all 64 of the result. Defined for any kids.
llvm::Value *wideValue(llvm::IRBuilder<> &builder, const Expr &expression,
                       llvm::Value *const (&kids)[3]);

} // namespace meld::fuzz
