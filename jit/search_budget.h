// How much code may be made to find out which meldings of a kernel to leave out (meld_search.h).
//
// Each try of a search compiles the kernel once more, and its price is the kernel's size: the
// number of machine instructions of the original. So the whole search is paid for in instructions,
// never in time: the same input is searched equally far on every machine.
//
//   a kernel   4,000, and as many again for each percent that it has gained at the first look, at
//              most ten times: 8 tries of one with 500 instructions that has gained nothing yet,
//              none of one with 15,000, two of that one when it has gained 7 %
//   an object  what all its kernels have together, at least 8,000: all searches together cost no
//              more than generating the object once more
//
// Who has gained most is served first. When the allowance is used up, the best that was seen is the
// answer. Terminates: what is taken is never given back, and a kernel has at least one instruction.
// Cost: a few additions. Nothing here can make a result wrong; a smaller allowance melds less.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace meld::jit {

class SearchBudget {
public:
  static constexpr uint64_t perKernel = 4000, perPercent = 4000, leastForObject = 8000;
  static constexpr double mostPercent = 10;

  /// `instructions`: of all kernels of the object.
  explicit SearchBudget(uint64_t instructions);

  /// What tries of a kernel with that gain may cost together, as long as the object has so much.
  static uint64_t allowance(double gainPercent);

  /// Pays for one try; false, and nothing is paid, where the kernel or the object has not so much
  /// left. The gain is the first look's; what is below zero counts as zero.
  bool pay(const std::string &kernel, uint64_t instructions, double gainPercent);

  uint64_t spent() const { return spent_; }
  uint64_t spentOn(const std::string &kernel) const;

private:
  uint64_t ofObject_, spent_ = 0;
  std::map<std::string, uint64_t> byKernel_;
};

} // namespace meld::jit
