#include "jit/search_budget.h"

#include <algorithm>

namespace meld::jit {

SearchBudget::SearchBudget(uint64_t instructions)
    : ofObject_(std::max(instructions, leastForObject)) {}

uint64_t SearchBudget::allowance(double gainPercent) {
  // A gain that is no number is no gain.
  const double percent = gainPercent > 0 ? std::min(gainPercent, mostPercent) : 0;
  return perKernel + uint64_t(double(perPercent) * percent);
}

uint64_t SearchBudget::spentOn(const std::string &kernel) const {
  const auto found = byKernel_.find(kernel);
  return found == byKernel_.end() ? 0 : found->second;
}

bool SearchBudget::pay(const std::string &kernel, uint64_t instructions, double gainPercent) {
  const uint64_t price = std::max<uint64_t>(instructions, 1);
  if (price > ofObject_ - spent_ || price + spentOn(kernel) > allowance(gainPercent))
    return false;
  spent_ += price;
  byKernel_[kernel] += price;
  return true;
}

} // namespace meld::jit
