// What IR costs on the machine, before there is machine code.
//
// Unit: cycles of issue plus a share of latency for one wave of 64 on a GCN/CDNA SIMD (a plain VALU
// or SALU instruction is 4, see "Vega ISA" and "CDNA2 ISA", chapter 1 and the rates in the MI200
// optimisation notes). The numbers rank alternatives; they are not a promise. Decisions on
// generated code overrule them.
//
// A target is a table of a few hooks; AMDGPU is tuned, NVPTX and others get the same shape with
// 32-lane rates.
#pragma once

#include "passes/analysis/gpu_info.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

class CostModel {
public:
  CostModel(const llvm::Function &function, const GpuInfo &gpu);

  /// One execution of the instruction; terminators by branch().
  int instruction(const llvm::Instruction &instruction) const;
  /// One instruction for both, where operands that differ have become selects (not counted here):
  /// what was cheap because an operand is a constant is so no more when the constants differ.
  int merged(const llvm::Instruction &left, const llvm::Instruction &right, bool swapped) const;
  /// v_cndmask per 32 bits; for i1 three mask operations; a 64-bit pointer is two.
  int select(llvm::Type *type) const;
  /// An if-else that may diverge: saveexec, branch if empty, flip, restore, and the branch's
  /// latency.
  int divergentIfElse() const { return 40; }
  /// An if without else around a few instructions.
  int guard() const { return 24; }
  /// A jump or a wave-uniform conditional jump.
  int uniformBranch(bool conditional) const { return conditional ? 12 : 4; }

  /// 32-bit registers that a value of this type takes.
  int words(llvm::Type *type) const;

private:
  int call(const llvm::CallBase &call) const;
  int multiply(const llvm::Instruction &instruction, const llvm::Value *factor) const;
  int divide(const llvm::Instruction &instruction, const llvm::Value *divisor) const;
  int memory(unsigned addressSpace, llvm::Type *type, bool store) const;

  const llvm::DataLayout &layout_;
  const GpuInfo &gpu_;
};

} // namespace meld::passes
