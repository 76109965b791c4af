#include "passes/decision_log.h"

namespace meld::passes {

void DecisionLog::add(Decision decision) {
  std::lock_guard lock(mutex_);
  if (!decision.melded &&
      !rejected_
           .insert(decision.kernel + '\n' + decision.location + '\n' + decision.pass + '\n' +
                   nameOf(decision.point) + '\n' + decision.reason)
           .second)
    return;
  entries_.push_back(std::move(decision));
}

std::vector<Decision> DecisionLog::entries() const {
  std::lock_guard lock(mutex_);
  return entries_;
}

size_t DecisionLog::meldedCount() const {
  std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const Decision &decision : entries_)
    count += decision.melded;
  return count;
}

void DecisionLog::clear() {
  std::lock_guard lock(mutex_);
  entries_.clear();
  rejected_.clear();
}

} // namespace meld::passes
