// Typed buffer elements: the data formats and number formats of GFX9 buffer resources and MTBUF
// instructions ("Vega" ISA, "Buffer Resource Descriptor": data format, num format). What GFX10's and GFX11's
// numbers for both together stand for is in isa/buffer_format.h.
//
// A texel has 1 to 4 components, packed from the lowest bit. Register values are f32 (or integers
// for UINT and SINT). Components a format lacks read as 0, 0, 0, 1. Conversions to fewer bits round
// to nearest even. Pure functions, any thread.
#pragma once

#include <cstdint>

namespace meld::softgpu::mem {

enum NumFormat : uint8_t { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kSnormOgl, kFloat };

struct TexelLayout {
  uint8_t bytes, components, bits[4];
};

/// Layout of data format `dfmt` (0..15); bytes = 0: invalid.
const TexelLayout &texelLayout(unsigned dfmt);

inline bool isIntegerFormat(unsigned nfmt) { return nfmt == kUint || nfmt == kSint; }

/// Texel at `memory` to four register values.
void decodeTexel(const uint8_t *memory, unsigned dfmt, unsigned nfmt, uint32_t value[4]);
/// Four register values to the texel's bytes; components the format lacks are ignored.
void encodeTexel(uint8_t *memory, unsigned dfmt, unsigned nfmt, const uint32_t value[4]);

/// f32 <-> f16 bits, round to nearest even.
uint32_t halfToFloat(uint32_t half);
uint32_t floatToHalf(uint32_t single);
/// The same towards zero.
uint32_t truncatedToHalf(uint32_t single);

} // namespace meld::softgpu::mem
