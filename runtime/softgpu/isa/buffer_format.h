// The formats of GFX10's buffers. GFX9 has a number for the layout of an element's components and one
// for their kind; GFX10 numbers the pairs that exist ("RDNA2" ISA, chapter "Vector Memory
// Instructions", the unified formats).
#pragma once

#include <cstdint>

namespace meld::softgpu::isa {

/// GFX9's two numbers (Inst::dfmt, Inst::nfmt).
struct BufferFormat {
  uint8_t data = 0; ///< 0: none, the format is invalid
  uint8_t number = 0;
};

/// What GFX10's number stands for.
constexpr BufferFormat bufferFormat(unsigned unified) {
  // Which kinds a layout has: all integers and fractions, floats, too, or no fractions.
  enum Kinds : uint8_t { noFloat = 6, all = 7, whole = 3 };
  struct Layout {
    uint8_t first, data;
    Kinds kinds;
  };
  constexpr Layout kLayouts[] = {
      {1, 1, noFloat}, {7, 2, all},   {14, 3, noFloat}, {20, 4, whole},   {23, 5, all},
      {30, 6, all},    {37, 7, all},  {44, 8, noFloat}, {50, 9, noFloat}, {56, 10, noFloat},
      {62, 11, whole}, {65, 12, all}, {72, 13, whole},  {75, 14, whole}};
  constexpr uint8_t kUint = 4, kFloat = 7;
  for (const Layout &layout : kLayouts) {
    if (unified < layout.first || unified >= unsigned(layout.first + layout.kinds))
      continue;
    unsigned kind = unified - layout.first;
    if (layout.kinds == whole)
      kind += kUint;
    return {layout.data, uint8_t(kind == 6 ? kFloat : kind)};
  }
  return {};
}

} // namespace meld::softgpu::isa
