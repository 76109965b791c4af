// Which meldings may be done, by number: the way back when the machine code of a kernel has got
// worse and one melding of several is to blame.
//
// The meldings of a function are numbered as they come up, over all passes and both points of the
// pipeline. The same input and the same numbers left out give the same numbers again. A place that
// was left out carries a mark (metadata, of which code generation takes no notice), so that the
// passes after it do not take it up under a new number.
//
// It says, too, what came of the choice: which functions have changed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instruction.h"
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace meld::passes {

struct MeldOptions;

/// One compilation's. Any thread.
class MeldChoice {
public:
  /// Numbers, counted from 0.
  struct LeftOut {
    std::set<unsigned> numbers;
    unsigned from = ~0u; ///< and all from this one on
    bool has(unsigned number) const { return number >= from || numbers.count(number); }
  };
  using ByFunction = std::map<std::string, LeftOut>;
  /// `most`: the first so many of each function may be done.
  explicit MeldChoice(ByFunction leftOut = {}, unsigned most = ~0u)
      : leftOut_(std::move(leftOut)), most_(most) {}

  /// Gives the next melding of `function` its number; false when it is to be left out.
  bool next(llvm::StringRef function);
  /// How many have come up, those left out included.
  unsigned count(llvm::StringRef function) const;

  /// At the end of the pipeline: `function` may hold changed code (llvm_fixes/changed_functions.h).
  /// All others come out as they do without us.
  void noteChanged(llvm::StringRef function);
  std::set<std::string> changedFunctions() const;

private:
  mutable std::mutex mutex_;
  const ByFunction leftOut_;
  const unsigned most_;
  std::map<std::string, unsigned> counts_;
  std::set<std::string> changed_;
};

/// To be asked before a change that `place` (a branch, switch, or other end of a block) stands for,
/// once it is certain otherwise.
bool mayMeld(llvm::Instruction &place, const MeldOptions &options);

/// What a decision says where mayMeld() has refused.
inline constexpr const char *leftOutReason = "left out: it makes the machine code worse";

} // namespace meld::passes
