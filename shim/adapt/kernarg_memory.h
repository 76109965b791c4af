// How much of a launch's argument block the launching thread may read at no great cost.
//
//   argument block in the host's memory (fine-grained, a pool of HIP's)   all up to the pool's end
//   in the device's memory (HIP_FORCE_DEV_KERNARG, MI300's default)       nothing: each read would go
//                                                                         over the bus
//   in memory that ROCr does not know                                     nothing
//
// ROCr is asked once for each of its allocations, and after kTrust launches again: an allocation may
// have gone, and its address been given to another.
//
// Thread rule: one thread at a time, as a queue's handler. No allocation; the question takes a lock
// of ROCr's for a look-up (0.1 us).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace meld::adapt {

/// An allocation.
struct HostRange {
  uintptr_t begin = 0, end = 0;
  bool host = false; ///< in the host's memory
};

class KernargMemory {
public:
  /// False: nothing is known of the address.
  using Ask = bool (*)(const void *address, HostRange &range);
  static constexpr unsigned kRanges = 8, kTrust = 4096;

  /// Forgets what it knows. Null: nothing is readable.
  void begin(Ask ask) noexcept;
  /// Bytes from there on.
  size_t readable(const void *address) noexcept;

private:
  struct Known {
    HostRange range;
    unsigned looks = 0;
  };
  Ask ask_ = nullptr;
  std::array<Known, kRanges> known_{};
  unsigned next_ = 0;
};

} // namespace meld::adapt
