// Random kernel AST -> LLVM IR as clang would hand it over: allocas, no optimisation yet.
//
// Signature: amdgpu_kernel void @fuzz(ptr addrspace(1) in, ptr addrspace(1) out, ptr addrspace(1)
// acc, i32 n)
//   in:  KernelAst::inputWords words
//   out: outputsPerThread words per thread, plus all variables at the end
//   acc: accOps * accRegion words
#pragma once

#include "tests/fuzz/kernel_ast.h"

#include <llvm/IR/Module.h>
#include <memory>
#include <string>

namespace meld::fuzz {

inline constexpr uint32_t wordsPerThread = KernelAst::outputsPerThread + KernelAst::variables;

/// `cpu`: as in FuzzTarget. The data layout is the AMDGPU target's.
std::unique_ptr<llvm::Module> emitKernel(const KernelAst &ast, llvm::LLVMContext &context,
                                         const std::string &cpu);

} // namespace meld::fuzz
