#include "passes/transform/flatten/copies.h"
#include "passes/melder/legality.h"
#include "llvm/ADT/STLExtras.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t mostForALoop = 600, mostInAll = 1200;

} // namespace

size_t Copies::instructionsIn(ArrayRef<BasicBlock *> blocks) {
  size_t size = 0;
  for (const BasicBlock *block : blocks)
    size += size_t(
        count_if(*block, [](const Instruction &instruction) { return !isIgnorable(instruction); }));
  return size;
}

size_t Copies::left() const {
  return std::min(mostForALoop, mostInAll - std::min(mostInAll, made_));
}

unsigned Copies::steps(size_t body, unsigned wanted) const {
  return unsigned(std::min<size_t>(std::max(wanted, 1u), 1 + left() / std::max<size_t>(body, 1)));
}

} // namespace meld::passes
