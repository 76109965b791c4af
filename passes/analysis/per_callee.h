// What is known of the functions that are called, looked into once each, callees before callers.
//
// Recursion, a chain of more than 16 calls, and functions of more than 4,000 instructions count as
// unknown, so the walk ends and is linear in the functions that are called.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace meld::passes {

inline constexpr unsigned maxChainOfCalls = 16;
inline constexpr unsigned maxInstructionsOfCallee = 4000;

template <typename Answer> class PerCallee {
public:
  explicit PerCallee(Answer unknown) : unknown_(unknown) {}

  /// look() may ask of other functions.
  Answer ask(const llvm::Function &callee, llvm::function_ref<Answer()> look) {
    auto [known, isNew] = known_.try_emplace(&callee, unknown_); // what recursion finds
    if (!isNew)
      return known->second;
    if (depth_ == maxChainOfCalls || callee.getInstructionCount() > maxInstructionsOfCallee)
      return unknown_;
    ++depth_;
    const Answer answer = look();
    --depth_;
    return known_[&callee] = answer;
  }

private:
  const Answer unknown_;
  unsigned depth_ = 0;
  llvm::DenseMap<const llvm::Function *, Answer> known_;
};

} // namespace meld::passes
