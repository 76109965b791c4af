// Random kernel AST -> LLVM IR as clang would hand it over: allocas, no optimisation yet.
//
// Signature: amdgpu_kernel void @fuzz(ptr addrspace(1) in, ptr addrspace(1) out, ptr addrspace(1)
// acc, i32 n)
//   in:  KernelAst::inputWords words
//   out: outputsPerThread words per thread, plus all variables at the end
//   acc: accOps * accRegion words
#pragma once

#include "tests/fuzz/kernel_ast.h"
#include "tests/fuzz/kernel_inputs.h"

#include <llvm/IR/Module.h>
#include <memory>
#include <string>

namespace meld::fuzz {

/// `cpu`: as in FuzzTarget, or an NVIDIA processor ("sm_75"); the data layout is its target's. For
/// NVIDIA's there are no operations across lanes: a kernel with one (usesLanes) is not for it.
std::unique_ptr<llvm::Module> emitKernel(const KernelAst &ast, llvm::LLVMContext &context,
                                         const std::string &cpu);

/// Of a target's name in FuzzTarget: "gfx1030" of "gfx1030-wave64", and the features of its functions.
std::string processorOf(const std::string &cpu);
std::string waveFeatures(const std::string &cpu);

/// Whether the kernel asks what other lanes of its wave have.
bool usesLanes(const KernelAst &ast);

} // namespace meld::fuzz
