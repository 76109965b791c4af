// Launches of one kernel that are decided about together: the work-group's size, the number of
// work-groups and the dynamic LDS, each as a power of two.
//
//   grid 100,000 x 1 x 1 in groups of 256 x 1 x 1, no dynamic LDS: {8, 9, 0}
//   grid  70,000 x 1 x 1 in the same groups:                       {8, 9, 0}, the same class
//   grid  70,000 x 1 x 1 in groups of 64 x 1 x 1:                  {6, 11, 0}
#pragma once

#include <bit>
#include <cstdint>

namespace meld::adapt {

struct LaunchShape {
  uint16_t workgroup[3] = {1, 1, 1};
  uint32_t grid[3] = {1, 1, 1}; ///< in work-items, as in the packet
  uint32_t dynamicLds = 0;      ///< bytes
};

// Work-groups mostly have a power of two of work-items, and what is asked here is asked at each launch,
// some of it for each version: a division takes longer than the rest.

/// std::has_single_bit is a call on the oldest processors, for which this is compiled.
constexpr bool isPowerOfTwo(uint64_t x) { return x != 0 && (x & (x - 1)) == 0; }
/// `by` is not 0.
constexpr uint64_t quotient(uint64_t x, uint64_t by) {
  return isPowerOfTwo(by) ? x >> std::countr_zero(by) : x / by;
}
/// Is the grid whole work-groups in dimension `d`?
constexpr bool isFull(const LaunchShape &shape, int d) {
  const uint32_t size = shape.workgroup[d];
  return isPowerOfTwo(size) ? (shape.grid[d] & (size - 1)) == 0
                            : size != 0 && shape.grid[d] % size == 0;
}

/// Never 0.
constexpr uint32_t launchClass(const LaunchShape &shape) {
  auto powerOfTwo = [](uint64_t x) { return static_cast<uint32_t>(std::bit_width(x)); };
  uint64_t items = 1, groups = 1;
  for (int d = 0; d < 3; ++d) {
    const uint64_t size = shape.workgroup[d] ? shape.workgroup[d] : 1;
    items *= size;
    // Three grids of 2^32 are more than 64 bits hold.
    const uint64_t count = quotient(shape.grid[d] + size - 1, size);
    const uint64_t product = groups * (count ? count : 1);
    groups = std::bit_width(groups) + std::bit_width(count) > 63 ? UINT64_MAX : product;
  }
  return 1u << 24 | powerOfTwo(items) << 16 | powerOfTwo(groups) << 8 |
         powerOfTwo(shape.dynamicLds);
}

} // namespace meld::adapt
