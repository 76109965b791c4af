#include "passes/melder/meld_choice.h"
#include "passes/options.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

namespace meld::passes {

using namespace llvm;

static constexpr const char *mark = "meld.left.out";

bool MeldChoice::next(StringRef function) {
  std::lock_guard lock(mutex_);
  const unsigned number = counts_[function.str()]++;
  auto found = leftOut_.find(function.str());
  return number < most_ && (found == leftOut_.end() || !found->second.has(number));
}

unsigned MeldChoice::count(StringRef function) const {
  std::lock_guard lock(mutex_);
  auto found = counts_.find(function.str());
  return found == counts_.end() ? 0 : found->second;
}

void MeldChoice::noteChanged(StringRef function) {
  std::lock_guard lock(mutex_);
  changed_.insert(function.str());
}

std::set<std::string> MeldChoice::changedFunctions() const {
  std::lock_guard lock(mutex_);
  return changed_;
}

bool mayMeld(Instruction &place, const MeldOptions &options) {
  if (!options.choice)
    return true;
  if (place.hasMetadata(mark))
    return false;
  if (options.choice->next(place.getFunction()->getName()))
    return true;
  place.setMetadata(mark, MDNode::get(place.getContext(), {}));
  return false;
}

} // namespace meld::passes
