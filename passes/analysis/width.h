// How far a value is known to be the same: the lattice thread < wave < workgroup < all (Timofeev
// 2016).
//
// A value has width W when all threads of one W that execute the same dynamic instance of its
// definition compute the same value. The meet is the minimum; an analysis starts optimistically at
// `all`.
#pragma once

#include <algorithm>
#include <cstdint>

namespace meld::passes {

enum class Width : uint8_t { thread, wave, workgroup, all };

inline Width meet(Width a, Width b) { return std::min(a, b); }

inline const char *name(Width width) {
  switch (width) {
  case Width::thread:
    return "thread";
  case Width::wave:
    return "wave";
  case Width::workgroup:
    return "workgroup";
  case Width::all:
    return "all";
  }
  return "?";
}

} // namespace meld::passes
