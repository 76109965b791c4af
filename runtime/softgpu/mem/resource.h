// Buffer resource (V#) of GFX9 to GFX11 and its addressing ("Vega" ISA, "Buffer Resource Descriptor"
// and "Buffer addressing").
//
//   index  = (idxen ? vgpr : 0) + (add_tid_enable ? lane : 0)
//   offset = (offen ? vgpr : 0) + instruction offset                    (32 bits, wraps; what an access has
//            behind its first byte does not: rocBLAS turns the lanes at a matrix's edge off by an offset of -1)
//   linear:    bufferOffset = offset + stride * index
//   swizzled:  bufferOffset = ((index / S) * stride + (offset / E) * E) * S + (index % S) * E + offset % E
//              S = index_stride: 8, 16, 32, 64;  E = size of an element
//   address = base + soffset + bufferOffset; GFX12: where the buffer is swizzled, soffset is part of offset instead
//            ("RDNA4" ISA, 9.4.2)
// Elements are 4 bytes; GFX11's swizzle_enable has two bits, of which 3 makes them 16 bytes ("RDNA3" ISA,
// 9.4.2). Otherwise all generations compute addresses alike.
//
// Range, GFX9: with stride != 0 and an index (idxen or add_tid) the record counts: index >=
// num_records is outside. Otherwise bytes: bufferOffset >= num_records - soffset is outside. GFX10: the
// resource says (OOB_SELECT) what is outside:
//   0  index >= num_records, or the payload ends behind the record: offset + bytes > stride
//   1  index >= num_records
//   2  nothing, but everything when num_records = 0
//   3  the payload ends behind the buffer: bufferOffset + bytes > num_records - soffset. GFX11, where the
//      buffer is swizzled and has a stride: as 0, with num_records - soffset ("RDNA3" ISA, 9.4.1)
// Dwords of a multi-dword access are checked one by one, atomics and formatted accesses as a whole.
// Sources for GFX10: "RDNA 2" ISA, 8.1.5 and 8.1.8; Mesa's comment on OOB_SELECT (radeonsi, ac_descriptors).
// GFX12 multiplies the stride by what the resource says ("RDNA4" ISA, 9.6).
// Its one field FORMAT stands for both of GFX9's; GFX11's has six bits and other numbers
// (isa/buffer_format.h).
#pragma once

#include "runtime/softgpu/execute/wave.h"
#include "runtime/softgpu/isa/buffer_format.h"

#include <algorithm>
#include <cstdint>

namespace meld::softgpu::mem {

struct BufferResource {
  uint64_t base;
  uint32_t stride, records, indexStride;
  uint32_t element; ///< bytes of a swizzled buffer that lie together
  bool swizzle, addTid;
  uint32_t inner, outer;  ///< soffset, as far as it is swizzled and not
  bool byRecords = false; ///< Range::bytes counts records after all
  uint8_t dstSel[4], nfmt, dfmt;
  enum class Range : uint8_t {
    record,
    index,
    nothing,
    bytes,
    gfx9
  } range; ///< the first four as OOB_SELECT

  BufferResource(const Wave &w, unsigned slot, unsigned generation, uint32_t soffset) {
    const uint32_t w1 = w.s[slot + 1], w3 = w.s[slot + 3];
    base = w.s[slot] | uint64_t(w1 & 0xffff) << 32;
    static constexpr uint8_t kScale[] = {0, 2, 3, 5};
    stride = ((w1 >> 16) & 0x3fff) << (generation >= 12 ? kScale[w3 >> 18 & 3] : 0);
    const unsigned enable = generation >= 11 ? w1 >> 30 : w1 >> 31;
    swizzle = enable;
    inner = generation >= 12 && swizzle ? soffset : 0;
    outer = soffset - inner;
    element = enable == 3 ? 16 : 4;
    records = w.s[slot + 2];
    for (unsigned k = 0; k < 4; ++k)
      dstSel[k] = (w3 >> (3 * k)) & 7;
    nfmt = (w3 >> 12) & 7;
    dfmt = (w3 >> 15) & 15;
    range = Range::gfx9;
    if (generation >= 10) {
      const isa::BufferFormat format =
          isa::bufferFormat(w3 >> 12 & (generation >= 11 ? 0x3f : 0x7f), generation);
      nfmt = format.number;
      dfmt = format.data;
      range = Range(w3 >> 28 & 3);
      byRecords = generation >= 11 && range == Range::bytes && swizzle && stride;
    }
    indexStride = 8u << ((w3 >> 21) & 3);
    addTid = (w3 >> 23) & 1;
  }

  /// From the base on, without the part of soffset that is not swizzled.
  uint64_t bufferOffset(uint32_t index, uint64_t offset) const {
    return linearOrSwizzled(index, offset + inner);
  }
  uint64_t linearOrSwizzled(uint32_t index, uint64_t offset) const {
    if (!swizzle)
      return offset + uint64_t(stride) * index;
    uint64_t row = uint64_t(index / indexStride) * stride + (offset & ~uint64_t(element - 1));
    return row * indexStride + (index % indexStride) * element + offset % element;
  }
  /// From one dword of an access to the next, where they lie apart.
  uint32_t dwordStride() const { return swizzle && element == 4 ? 4 * indexStride : 4; }
  /// How far an access of `bytes` bytes reaches from where it begins, at the most.
  uint64_t span(uint32_t bytes) const {
    if (!swizzle || !bytes)
      return bytes;
    const uint32_t end =
        element == 4 ? bytes - 1 : bytes + element - 2; // may begin anywhere in one
    return linearOrSwizzled(0, end & ~(element - 1)) + element;
  }
  /// The bytes of an access of `bytes` bytes lie neither together nor in whole dwords `dwordStride()` apart.
  bool crosses(uint32_t offset, uint32_t bytes) const {
    const uint32_t together = element == 4 ? std::min(bytes, 4u) : bytes;
    return swizzle && (offset + inner) % element + together > element;
  }

  /// Whether `bytes` bytes from `offset` on, in a record of which the instruction gave the index or not
  /// (idxen), lie in the buffer.
  bool inRange(bool idxen, uint32_t index, uint64_t offset, uint32_t bytes) const {
    switch (range) {
    case Range::record:
      return index < records && offset + bytes <= stride;
    case Range::index:
      return index < records;
    case Range::nothing:
      return records != 0;
    case Range::gfx9:
      if (stride != 0 && (idxen || addTid))
        return index < records;
      break;
    case Range::bytes:
      break;
    }
    const uint32_t soffset = inner + outer, left = records > soffset ? records - soffset : 0;
    if (byRecords)
      return index < left && offset + bytes <= stride;
    return linearOrSwizzled(index, offset) + bytes <= left;
  }
  /// What of one dword of an access of `bytes` bytes has to lie there: on GFX9 where it begins.
  uint32_t payload(uint32_t bytes) const { return range == Range::gfx9 ? 1 : std::min(bytes, 4u); }
};

} // namespace meld::softgpu::mem
