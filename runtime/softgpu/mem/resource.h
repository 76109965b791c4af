// GFX9 buffer resource (V#) and its addressing ("Vega" ISA, "Buffer Resource Descriptor" and
// "Buffer addressing").
//
//   index  = (idxen ? vgpr : 0) + (add_tid_enable ? lane : 0)
//   offset = (offen ? vgpr : 0) + instruction offset                    (32 bits, wraps)
//   linear:    bufferOffset = offset + stride * index
//   swizzled:  bufferOffset = ((index / S) * stride + (offset / 4) * 4) * S + (index % S) * 4 +
//   offset % 4 address = base + soffset + bufferOffset                             S =
//   index_stride: 8, 16, 32, 64
// GFX9 has no element_size field: elements are 4 bytes.
//
// Range: with stride != 0 and an index (idxen or add_tid) the record counts: index >= num_records
// is outside. Otherwise bytes: bufferOffset >= num_records - soffset is outside. Dwords of a
// multi-dword access are checked one by one, atomics and formatted accesses as a whole.
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include <cstdint>

namespace meld::softgpu::mem {

struct BufferResource {
  uint64_t base;
  uint32_t stride, records, indexStride;
  bool swizzle, addTid;
  uint8_t dstSel[4], nfmt, dfmt;

  BufferResource(const Wave &w, unsigned slot) {
    const uint32_t w1 = w.s[slot + 1], w3 = w.s[slot + 3];
    base = w.s[slot] | uint64_t(w1 & 0xffff) << 32;
    stride = (w1 >> 16) & 0x3fff;
    swizzle = w1 >> 31;
    records = w.s[slot + 2];
    for (unsigned k = 0; k < 4; ++k)
      dstSel[k] = (w3 >> (3 * k)) & 7;
    nfmt = (w3 >> 12) & 7;
    dfmt = (w3 >> 15) & 15;
    indexStride = 8u << ((w3 >> 21) & 3);
    addTid = (w3 >> 23) & 1;
  }

  uint64_t bufferOffset(uint32_t index, uint32_t offset) const {
    if (!swizzle)
      return offset + uint64_t(stride) * index;
    uint64_t row = uint64_t(index / indexStride) * stride + (offset & ~3u);
    return row * indexStride + (index % indexStride) * 4 + offset % 4;
  }

  bool structured(bool idxen) const { return stride != 0 && (idxen || addTid); }

  /// Bytes a raw access may reach, counted in bufferOffset.
  uint64_t limit(uint32_t soffset) const { return records > soffset ? records - soffset : 0; }
};

} // namespace meld::softgpu::mem
