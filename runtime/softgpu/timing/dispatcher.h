// The dispatcher: which workgroup starts on which compute unit, and when.
//
//   queue -> dispatcher -> shader engine 0 .. n-1 (initial registers) -> compute unit with room
//
// One queue's kernel is cut into waves by one asynchronous compute engine: a wave per
// `dispatchWave` cycles, a workgroup in no less than `dispatchGroup`. Workgroups start in order.
// They are dealt to the compute units in turns, over the shader engines first (unit k belongs to
// engine k mod `shaderEngines`), and a unit without room is passed over; a unit in which a
// workgroup has ended takes the next one. An engine writes the initial vector registers of its
// waves (work-item ids) in `dispatchVgpr` cycles each. A device of fewer than `dispatchUnits` compute
// units stands for a part of it and has its share of all this. Sources: docs/timing-model.md.
//
// With dispatchWave = 0 there is no such thing: workgroup g starts on unit g mod n as soon as there
// is room.
#pragma once

#include "runtime/softgpu/execute/launch.h"
#include "runtime/softgpu/timing/parameters.h"
#include "runtime/softgpu/timing/shared_rate.h"

#include <optional>
#include <vector>

namespace meld::softgpu::timing {

class Dispatcher {
public:
  struct Start {
    uint64_t group = 0, at = 0;
  };

  /// For a dispatch on a device of `units` compute units, of which it uses the first `unitsUsed`.
  Dispatcher(const TimingParameters &p, const Launch &launch, unsigned units, unsigned unitsUsed);

  bool modelled() const { return modelled_; }
  /// Workgroups that have not been taken are left, for some unit or for this one.
  bool left(unsigned unit) const {
    return (modelled_ ? next_ : nextOf_[unit]) < launch_.totalGroups;
  }
  /// A turn begins: nothing will be asked for before `now` any more.
  void begin(uint64_t now);
  /// The next workgroup for `unit`, which has room from `now` on. None: none is left, or the
  /// dispatcher is busy until `end` (then the unit asks in the next turn).
  std::optional<Start> take(unsigned unit, uint64_t now, uint64_t end);
  /// The unit that is dealt to first in a turn.
  unsigned firstUnit() const { return first_; }
  /// After `unit` was dealt a workgroup.
  void dealt(unsigned unit) { first_ = unit + 1 < units_ ? unit + 1 : 0; }

private:
  const Launch &launch_;
  const bool modelled_;
  const unsigned units_;
  uint64_t groupWork_ = 0, registerWork_ = 0; ///< of one workgroup
  uint64_t next_ = 0;
  std::optional<uint64_t> ready_; ///< when next_ has passed the dispatcher, if it has
  unsigned first_ = 0;
  SharedRate rate_;
  std::vector<SharedRate> engines_;
  std::vector<uint64_t> nextOf_; ///< of each unit, where the dispatcher is not modelled
};

} // namespace meld::softgpu::timing
