#pragma once
#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

class DivergenceInfo;

/// llvm.amdgcn.readfirstlane of 32 bits: the value of the first active lane, in a scalar register.
/// A constant stays what it is. Only where EXEC is not empty, and only of what the active lanes
/// have in common ("RDNA and CDNA ISA", V_READFIRSTLANE_B32: lane 0 when EXEC is 0).
/// Marked.
llvm::Value *firstLane(llvm::IRBuilder<> &builder, llvm::Value *word);

/// The same of an integer or floating-point number of any width, or a vector of them, word by word.
llvm::Value *fromFirstLane(llvm::IRBuilder<> &builder, llvm::Value *value);

/// Marks a call that asks which lanes run as put there by us.
void markReading(llvm::CallInst &call);
bool isReading(const llvm::CallBase &call);

/// Whether the program itself reads the first lane, or a mask of lanes, where the answer depends on
/// which lanes run. To LLVM's GVN and EarlyCSE (before 17) these are functions of their operand
/// alone: a reading of ours that dominates the program's, with more lanes running, would be taken
/// for it. No new ones then.
bool asksForLanes(llvm::Function &function, const DivergenceInfo &divergence);

/// Why a pass that asks does nothing, for its decision.
inline constexpr char lanesAskedFor[] =
    "the kernel itself asks which lanes run: LLVM would take our reading for its";

} // namespace meld::passes
