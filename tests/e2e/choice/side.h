// Two sides that are alike and that LLVM leaves apart: of sides whose last instructions correspond,
// LLVM 21 makes one by itself.
#pragma once

// Integers: what is computed does not depend on the order of anything.
#define SIDE(x, a, b, last)                                                                        \
  for (int k = 0; k < 24; ++k) {                                                                   \
    x = x * (a) + (b);                                                                             \
    x ^= x >> 7;                                                                                   \
    x = x * (b) + (x >> 3);                                                                        \
  }                                                                                                \
  x last 0x9e3779b9u;
#define ODD_SIDE(x) SIDE(x, 1664525u, 1013904223u, ^=)
#define EVEN_SIDE(x) SIDE(x, 22695477u, 12345u, +=)

/// What a launch makes of `x`.
static inline unsigned sideOf(unsigned x, bool odd) {
  if (odd) {
    ODD_SIDE(x)
  } else {
    EVEN_SIDE(x)
  }
  return x;
}
