// Where in clang's pipeline a pass of ours runs.
#pragma once

#include <cstdint>

namespace meld::passes {

enum class Point : uint8_t {
  byName, ///< by its own name alone, as in `opt -passes=meld-cfm`
  early,  ///< in the function simplification: after inlining, before loops are unrolled
  late    ///< at the end of the optimiser, behind unrolling
};

/// "early", "late"; "" by name. For the log and for people.
constexpr const char *nameOf(Point point) {
  return point == Point::early ? "early" : point == Point::late ? "late" : "";
}

} // namespace meld::passes
