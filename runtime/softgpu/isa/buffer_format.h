// The formats of the buffers of GFX10 and GFX11. GFX9 has a number for the layout of an element's
// components and one for their kind; later ones number the pairs that exist ("RDNA2" and "RDNA3" ISA,
// chapter "Vector Memory Instructions", the unified formats).
#pragma once

#include <cstdint>

namespace meld::softgpu::isa {

/// GFX9's two numbers (Inst::dfmt, Inst::nfmt).
struct BufferFormat {
  uint8_t data = 0; ///< 0: none, the format is invalid
  uint8_t number = 0;
};

/// What the number of GFX10 or GFX11 stands for.
constexpr BufferFormat bufferFormat(unsigned unified, unsigned generation) {
  // Which kinds a layout has, a bit for each: UNORM, SNORM, USCALED, SSCALED, UINT, SINT, -, FLOAT.
  enum Kinds : uint8_t {
    noFloat = 0x3f,
    all = 0xbf,
    whole = 0xb0,
    unscaled = 0x33,
    onlyFloat = 0x80
  };
  constexpr unsigned kLayouts = 14, kKinds = 8;
  constexpr Kinds kOf10[kLayouts] = {noFloat, all,     noFloat, whole, all, all,   all,
                                     noFloat, noFloat, noFloat, whole, all, whole, whole};
  constexpr Kinds kOf11[kLayouts] = {noFloat,  all,     noFloat, whole, all, onlyFloat, onlyFloat,
                                     unscaled, noFloat, noFloat, whole, all, whole,     whole};
  unsigned number = 1; // of the next pair
  for (unsigned layout = 0; layout < kLayouts; ++layout)
    for (unsigned kind = 0; kind < kKinds; ++kind)
      if ((generation >= 11 ? kOf11 : kOf10)[layout] >> kind & 1)
        if (number++ == unified)
          return {uint8_t(layout + 1), uint8_t(kind)};
  return {};
}

} // namespace meld::softgpu::isa
