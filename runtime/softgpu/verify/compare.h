// What two runs of a dispatch, both from the same memory, left in it.
//
// The first ran in place under a Journal, the second in an Overlay. Only bytes that one of them
// wrote are compared: whatever else changed in the same pages was not theirs. Bytes that only one
// of them wrote are compared with what was there before.
//
// Two values may differ and mean the same: an address in the original's code object and the one of
// the same thing in the replacement's (ObjectPair::sameMeaning), found at a multiple of 8.
//
// Costs: 8 KiB read for each page written. Thread rule: pure, while nothing else runs.
#pragma once

#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/verify/page_store.h"
#include "runtime/softgpu/verify/pairs.h"

#include <cstdint>
#include <vector>

namespace meld::softgpu::verify {

/// The aligned dword at `address`, of which at least one byte differs.
struct DifferentWord {
  uint64_t address = 0; ///< host
  uint32_t original = 0, other = 0;
};

struct Comparison {
  uint64_t bytesWritten = 0; ///< by one or both
  uint64_t bytesDifferent = 0;
  std::vector<DifferentWord> first; ///< the first few, ascending
  bool equal() const { return bytesDifferent == 0; }
};

/// How many DifferentWords are kept.
inline constexpr size_t kWordsKept = 8;

/// `object`: the other run was the replacement's; null: the original's own.
Comparison compare(const PageStore &before, const PageStore &other, const ObjectPair *object);

} // namespace meld::softgpu::verify
