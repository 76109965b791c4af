#include "passes/llvm_fixes/bit_test.h"
#include "passes/compat.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

bool isBitTestOfLlvm15(const Value &condition) {
  compat::MatchedPredicate predicate;
  const APInt *mask = nullptr, *bound = nullptr;
  return LLVM_VERSION_MAJOR < 17 &&
         match(&condition, m_ICmp(predicate, m_And(m_Value(), m_APInt(mask)), m_APInt(bound))) &&
         ICmpInst::isEquality(predicate) && mask->isPowerOf2() &&
         (bound->isZero() || *bound == *mask);
}

} // namespace meld::passes
