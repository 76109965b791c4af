// Which values of a kernel are constants where certain facts hold.
//
//   define amdgpu_kernel void @k(ptr %p, i32 %n, { i32, float } %options)
//                                  0       8        12  16               offsets of the arguments
//
//   argument 8 4 0x3     %n is 3
//   argument 16 4 0x0    extractvalue %options, 1 is 0.0
//   workgroup 64 2 1     loads of the dispatch packet's work-group sizes; the work-item ids have
//                        ranges, and the third one is 0
//   full-groups          with it, what is left of the grid for a group is a whole group: blockDim
//   grid 0 4096          loads of the grid's size; with work-groups of that size there is one, whose
//                        id is 0
//   nonnull 0            icmp eq %p, null is false; true, where the bytes are known to be 0
//
// Arguments lie in the kernarg segment one behind the other, each at its ABI alignment (or that of
// its byref attribute), as LLVM's AMDGPULowerKernelArguments reads them and its metadata tells the
// host. NVPTX's lie so, too, and structures by value (byval) are the kernel's own copies: something
// is known of one that is only loaded from; the launch's sizes are registers there. A value of
// which one byte is not known is not known. Pointers never are: an address as a constant gains
// nothing; but whether they are null. Neither are NaNs, since folding may change what bits they
// have.
//
// Source: LLVM's AMDGPU usage, "Kernel Argument ABI"; HSA runtime specification 2.9 (packet).
#pragma once

#include "passes/specialize/facts.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include <vector>

namespace meld::passes {

struct KnownValue {
  llvm::Value *value; ///< an argument, or an instruction of the kernel
  llvm::Constant *constant;
  Facts from;
};

/// In the order of the arguments, then of the instructions. Changes nothing.
std::vector<KnownValue> knownValues(llvm::Function &kernel, const Facts &facts);

/// The shape that a work-group fact gives, or nothing.
const Fact *workgroupFact(const Facts &facts);

} // namespace meld::passes
