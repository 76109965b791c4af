// Our divergence analysis against LLVM's, value by value, and a check in the code for what only we
// call uniform.
//
//   %v = ...                            ours: one value per wave; LLVM: divergent
//   %first = readfirstlane(%v)          for each 32-bit word
//   %wrong = icmp ne %first, %v
//   atomicrmw add counter, 1 + (%wrong ? 1 << 32 : 0)
//
// The low half of the counter says how many lanes checked, the high half how many disagreed with
// the first active lane. The same is done for branch conditions, at the branch.
#pragma once

#include <cstdint>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <string>
#include <vector>

namespace meld::fuzz {

struct DivergenceCounts {
  uint64_t bothUniform = 0, bothDivergent = 0;
  uint64_t better = 0;         ///< ours uniform in a wave, LLVM divergent
  uint64_t worse = 0;          ///< the other way round
  uint64_t betterBranches = 0; ///< branches among them
  uint64_t unchecked = 0;      ///< better, but of a type the check cannot take (aggregates)
  DivergenceCounts &operator+=(const DivergenceCounts &other);
};

/// A value or branch that only we call uniform; for a branch its terminator.
struct UniformClaim {
  llvm::Instruction *at = nullptr;
  bool isBranch = false;
};

struct DivergenceComparison {
  DivergenceCounts counts;
  std::vector<UniformClaim> claims;
  std::vector<llvm::Instruction *> worse;
  std::vector<llvm::Instruction *> divergent; ///< by both
};

DivergenceComparison compareDivergence(llvm::Function &function, llvm::TargetMachine &machine);

/// Inserts the checks for `claims`; `counter` is a pointer to 64 bits that is valid in the entry
/// block. Returns how many claims were of a type that cannot be checked.
uint64_t insertChecks(llvm::Function &function, const std::vector<UniformClaim> &claims,
                      llvm::Value *counter);

} // namespace meld::fuzz
