// Which executions of a wave had all of its threads together: the dynamic oracle of convergence of
// Lee, Krashinsky, Grover, Keckler, Asanovic, "Convergence and Scalarization for Data-Parallel
// Architectures" (CGO 2013), section 4.1, without reordering.
//
//   v_cmp, s_and_saveexec      lanes 0..63    together
//   v_add                      lanes 0..15    not: lanes 16..63 come back
//   s_or exec
//   v_mul                      lanes 0..63    together
//   s_and_saveexec
//   v_sub, global_store        lanes 0..9     together: the others have nothing more to do
//   s_endpgm
//
// Whether lanes have left for good is known only later. An execution waits until a vector
// instruction runs with a lane that it lacked (then it was not together) or the wave ends (then it
// was). All that matters of it is its EXEC, so those that wait are kept by EXEC, as counts.
//
// Cost: a hash table entry for each instruction executed since the lanes last came together.
// Thread rule: belongs to one worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace meld::softgpu {

class ConvergedExecutions {
public:
  /// One execution under `exec`; none when that is 0. `site` names the instruction.
  void ran(uint32_t site, uint64_t exec, bool vector) {
    if (!exec)
      return;
    if (waiting_.empty() || waiting_[current_].exec != exec) {
      current_ = placeOf(exec);
      if (current_ == waiting_.size())
        waiting_.push_back({exec, {}});
      settled_ = false;
    }
    if (vector && !settled_) {
      std::erase_if(waiting_, [&](const Waiting &w) { return exec & ~w.exec; });
      current_ = placeOf(exec);
      settled_ = true;
    }
    ++waiting_[current_].executions[site];
  }

  /// The wave has ended: `add(site, executions)` for what was together.
  template <class Add> void end(Add add) const {
    for (const Waiting &w : waiting_)
      for (const auto &[site, executions] : w.executions)
        add(site, executions);
  }

private:
  struct Waiting {
    uint64_t exec;
    std::unordered_map<uint32_t, uint64_t> executions;
  };
  size_t placeOf(uint64_t exec) const {
    return size_t(std::ranges::find(waiting_, exec, &Waiting::exec) - waiting_.begin());
  }

  std::vector<Waiting> waiting_;
  size_t current_ = 0;   ///< the one that executions went to last
  bool settled_ = false; ///< what its lanes end has been taken out
};

} // namespace meld::softgpu
