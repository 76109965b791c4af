// What a recorded run tells of a branch (docs/profile.md), on its way through the optimiser.
//
// Counts stand in metadata of ours at terminators: no pass of LLVM's reads them, so what is not melded
// comes out as without them. They are symmetric in the sides, as LLVM may exchange these without
// knowing that; copies of a branch (inlined, unrolled) keep the shares of all copies together.
//
// Thread rule: as LLVM's.
#pragma once

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace meld::passes {

struct BranchProfile {
  uint64_t executions = 0; ///< by waves with a lane left
  uint64_t both = 0;       ///< of these, in which both sides had lanes
  bool sampled = false;    ///< of samples in the place of executions; both: no more than that
  double bothShare() const {
    return executions ? std::min(1.0, double(both) / double(executions)) : 0;
  }
};

inline constexpr const char *branchProfileKind = "meld.profile";

inline void setBranchProfile(llvm::Instruction &terminator, const BranchProfile &profile) {
  llvm::LLVMContext &context = terminator.getContext();
  auto *word = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Metadata *, 3> counts;
  for (uint64_t count : {profile.executions, profile.both})
    counts.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, count)));
  if (profile.sampled)
    counts.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, 1)));
  terminator.setMetadata(branchProfileKind, llvm::MDNode::get(context, counts));
}

/// Nothing: nobody knows.
inline std::optional<BranchProfile> branchProfile(const llvm::Instruction &terminator) {
  const llvm::MDNode *node = terminator.getMetadata(branchProfileKind);
  if (!node || node->getNumOperands() < 2)
    return std::nullopt;
  const auto *executions =
      llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(0).get());
  const auto *both =
      llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(1).get());
  if (!executions || !both)
    return std::nullopt;
  return BranchProfile{executions->getZExtValue(), both->getZExtValue(),
                       node->getNumOperands() > 2};
}

} // namespace meld::passes
