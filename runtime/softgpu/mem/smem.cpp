// Scalar memory instructions ("Vega" and "RDNA 2" ISA, chapter "Scalar Memory Operations").
//
// What: dwords between SGPRs and memory at (sbase + offset) with the two low address bits cleared.
// The buffer forms take base, stride and num_records from four SGPRs: dwords past the end read 0
// and are not written. Scalar atomics are the vector ones for one lane. Caches are not modelled, so
// dcache instructions do nothing. Unsafe: no register range check; a destination past SGPR slot 127
// is refused when the instruction is prepared.
#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/mem/vmem.h"

namespace meld::softgpu::mem {
namespace {

// Use of ExecInst: src[0] sbase slot (kImmSlot: null, which is 0), src[1] soffset slot (kImmSlot:
// none), dst data slot, imm[0] offset, aux the dword count (loads, stores) or the LaneOp (atomics).

uint64_t scalarOffset(const ExecInst *i, const Wave &w) {
  return i->imm[0] + (i->src[1] == kImmSlot ? 0 : uint64_t(w.s[i->src[1]]));
}

/// False: the wave has been faulted.
inline bool mapScalar(const ExecInst *i, Wave &w, uint64_t &address, uint32_t bytes, bool write) {
  if (!w.mapper) [[likely]]
    return true;
  if (w.checkMemory && !w.mapper->mapped(address, bytes)) {
    w.raise(i, FaultKind::memory, "address outside every allocation", address, -1, write);
    return false;
  }
  address = w.mapper->access(address, bytes, write);
  return true;
}

template <unsigned N> const ExecInst *load(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  const uint64_t base = i->src[0] == kImmSlot ? 0 : w.s64(i->src[0]);
  uint64_t a = (base + scalarOffset(i, w)) & ~3ull;
  if (!mapScalar(i, w, a, 4 * N, false)) [[unlikely]]
    return nullptr;
  std::memcpy(&w.s[i->dst], host(a), 4 * N);
  return following(i);
}

/// What an address of a T is made of has its lowest bits cleared: that of halves one, that of bytes
/// none ("RDNA4" ISA, 8.1.1).
template <class T> constexpr uint64_t kWhole = ~uint64_t(sizeof(T) - 1);
template <class T> uint64_t smallOffset(const ExecInst *i, const Wave &w) {
  const uint64_t add = i->src[1] == kImmSlot ? 0 : w.s[i->src[1]];
  return (i->imm[0] & kWhole<T>)+(add & kWhole<T>);
}

/// Bytes and halves (GFX12); the register has them extended as T says.
template <class T> const ExecInst *loadSmall(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  const uint64_t base = i->src[0] == kImmSlot ? 0 : w.s64(i->src[0]);
  uint64_t a = (base & kWhole<T>)+smallOffset<T>(i, w);
  if (!mapScalar(i, w, a, sizeof(T), false)) [[unlikely]]
    return nullptr;
  T x;
  std::memcpy(&x, host(a), sizeof x);
  w.s[i->dst] = uint32_t(int32_t(x));
  return following(i);
}

template <unsigned N> const ExecInst *store(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  uint64_t a = (w.s64(i->src[0]) + scalarOffset(i, w)) & ~3ull;
  if (!mapScalar(i, w, a, 4 * N, true)) [[unlikely]]
    return nullptr;
  std::memcpy(host(a), &w.s[i->dst], 4 * N);
  return following(i);
}

/// The dwords of [offset, + 4n) that lie inside the buffer resource at SGPR `slot`; sets its base.
struct ScalarBuffer {
  uint64_t base, bytes;
  ScalarBuffer(const Wave &w, unsigned slot, uint64_t whole = kWhole<uint32_t>) {
    base = (w.s64(slot) & 0xffff'ffff'ffffull) & whole;
    const uint64_t stride = (w.s[slot + 1] >> 16) & 0x3fff;
    bytes = stride ? stride * w.s[slot + 2] : w.s[slot + 2];
  }
  unsigned dwordsInside(uint64_t offset, unsigned n) const {
    unsigned k = 0;
    while (k < n && offset + 4 * k + 4 <= bytes)
      ++k;
    return k;
  }
};

template <bool Store> const ExecInst *bufferAccess(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  const unsigned n = unsigned(i->aux);
  const ScalarBuffer buffer(w, i->src[0]);
  const uint64_t offset = uint32_t(scalarOffset(i, w)) & ~3u;
  const unsigned inside = buffer.dwordsInside(offset, n);
  uint64_t a = buffer.base + offset;
  if (inside && !mapScalar(i, w, a, 4 * inside, Store))
    return nullptr;
  uint32_t x[16] = {};
  if constexpr (Store) {
    std::memcpy(host(a), &w.s[i->dst], 4 * inside);
  } else {
    std::memcpy(x, host(a), 4 * inside);
    std::memcpy(&w.s[i->dst], x, 4 * n);
  }
  return following(i);
}

template <class T> const ExecInst *bufferLoadSmall(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  const ScalarBuffer buffer(w, i->src[0], kWhole<T>);
  const uint64_t offset = uint32_t(smallOffset<T>(i, w));
  T x = 0;
  if (offset + sizeof(T) <= buffer.bytes) {
    uint64_t a = buffer.base + offset;
    if (!mapScalar(i, w, a, sizeof(T), false))
      return nullptr;
    std::memcpy(&x, host(a), sizeof x);
  }
  w.s[i->dst] = uint32_t(int32_t(x));
  return following(i);
}

template <bool Buffer> const ExecInst *atomic(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  const LaneOp &op = laneOp(i);
  uint64_t a;
  if constexpr (Buffer) {
    const ScalarBuffer buffer(w, i->src[0]);
    const uint64_t offset = uint32_t(scalarOffset(i, w)) & ~3u;
    if (buffer.dwordsInside(offset, op.dwords) != op.dwords) {
      if (i->flags & kReturns)
        std::memset(&w.s[i->dst], 0, op.bytes);
      return following(i);
    }
    a = buffer.base + offset;
  } else {
    a = (w.s64(i->src[0]) + scalarOffset(i, w)) & ~3ull;
  }
  if (!mapScalar(i, w, a, op.bytes, true))
    return nullptr;
  if (a & (op.bytes - 1))
    return w.raise(i, FaultKind::memory, "misaligned atomic", a, -1, true);
  // One lane of the vector op, its registers in lane 0 of temporary rows.
  VRow data[4], old[2];
  for (unsigned k = 0; k < 2u * op.dwords && i->dst + k < isa::Sgpr::slots; ++k)
    data[k].u[0] = w.s[i->dst + k];
  LaneJob j{&a, 1};
  j.dst = old;
  j.data = data;
  j.data2 = data + op.dwords;
  laneFn(i)(j);
  if (i->flags & kReturns)
    for (unsigned k = 0; k < op.dwords; ++k)
      w.s[i->dst + k] = old[k].u[0];
  return following(i);
}

/// Private memory of the wave as scalars: not lane-interleaved, straight from the wave's base.
template <bool Store> const ExecInst *scratchAccess(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  const unsigned n = unsigned(i->aux);
  // The SGPR offset counts in units of 64 bytes, the immediate in bytes.
  uint64_t a =
      w.s64(i->src[0]) + i->imm[0] + (i->src[1] == kImmSlot ? 0 : uint64_t(w.s[i->src[1]]) * 64);
  a &= ~3ull;
  if (!mapScalar(i, w, a, 4 * n, Store))
    return nullptr;
  if constexpr (Store)
    std::memcpy(host(a), &w.s[i->dst], 4 * n);
  else
    std::memcpy(&w.s[i->dst], host(a), 4 * n);
  return following(i);
}

const ExecInst *readClock(const ExecInst *i, Wave &w) {
  resetTrace(w);
  w.setS64(i->dst, nanoseconds());
  return following(i);
}

const ExecInst *nothing(const ExecInst *i, Wave &w) {
  resetTrace(w);
  return following(i);
}

/// "_dword", "_dwordx2" ... after a known stem; 0: not that.
unsigned dwordCount(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem))
    return 0;
  std::string_view rest = name.substr(stem.size());
  return rest == "dword"      ? 1
         : rest == "dwordx2"  ? 2
         : rest == "b96"      ? 3
         : rest == "dwordx4"  ? 4
         : rest == "dwordx8"  ? 8
         : rest == "dwordx16" ? 16
                              : 0;
}

Handler pickLoad(unsigned n) {
  return n == 1   ? load<1>
         : n == 2 ? load<2>
         : n == 3 ? load<3>
         : n == 4 ? load<4>
         : n == 8 ? load<8>
                  : load<16>;
}
/// Of the type behind a known stem, or none.
Handler pickSmall(std::string_view type, bool buffer) {
  return type == "u8"    ? buffer ? bufferLoadSmall<uint8_t> : loadSmall<uint8_t>
            : type == "i8" ? buffer ? bufferLoadSmall<int8_t> : loadSmall<int8_t>
            : type == "u16" ? buffer ? bufferLoadSmall<uint16_t> : loadSmall<uint16_t>
            : type == "i16" ? buffer ? bufferLoadSmall<int16_t> : loadSmall<int16_t>
                            : nullptr;
}
Handler pickStore(unsigned n) { return n == 1 ? store<1> : n == 2 ? store<2> : store<4>; }

} // namespace

bool prepareSmem(ExecInst &e) {
  const isa::Inst &in = *e.inst;
  using Kind = isa::Operand::Kind;
  const std::string_view name = isa::mnemonic(in.op);
  if (name.starts_with("s_dcache_") || name == "s_gl1_inv" || name.starts_with("s_atc_probe") ||
      name.find("_prefetch_") != name.npos) {
    e.run = nothing;
    return true;
  }
  const isa::Operand &data = in.dst.kind == Kind::sgpr ? in.dst : in.vdata;
  if (data.kind != Kind::sgpr)
    return false;
  e.dst = data.index;
  if (name == "s_memtime" || name == "s_memrealtime") {
    e.run = readClock;
    return e.dst + 2 <= isa::Sgpr::slots;
  }
  const unsigned baseSlots = name.starts_with("s_buffer_") ? 4 : 2;
  if (in.saddr.kind != Kind::sgpr || in.saddr.index + baseSlots > isa::Sgpr::slots)
    return false;
  const bool null = in.saddr.index == isa::Sgpr::sink; // GFX11, which has only loads
  e.src[0] = null ? kImmSlot : in.saddr.index;
  e.src[1] = in.soffset.kind == Kind::sgpr ? in.soffset.index : kImmSlot;
  e.imm[0] = uint64_t(int64_t(in.offset));
  e.flags = 0;
  const std::string_view stem = baseSlots == 4 ? "s_buffer_load_" : "s_load_";
  if (name.starts_with(stem))
    if (Handler small = pickSmall(name.substr(stem.size()), baseSlots == 4)) {
      e.run = small;
      return e.dst + 1 <= isa::Sgpr::slots && !(null && baseSlots == 4);
    }
  unsigned n = 0;
  if ((n = dwordCount(name, "s_load_"))) {
    e.run = pickLoad(n);
  } else if (null) {
    return false;
  } else if ((n = dwordCount(name, "s_buffer_load_"))) {
    e.run = bufferAccess<false>;
  } else if ((n = dwordCount(name, "s_scratch_load_"))) {
    e.run = scratchAccess<false>;
  } else if ((n = dwordCount(name, "s_store_"))) {
    e.run = pickStore(n);
  } else if ((n = dwordCount(name, "s_buffer_store_"))) {
    e.run = bufferAccess<true>;
  } else if ((n = dwordCount(name, "s_scratch_store_"))) {
    e.run = scratchAccess<true>;
  } else {
    const bool buffer = name.starts_with("s_buffer_");
    const LaneOp *op = findMemoryOp(name.substr(buffer ? 9 : 2));
    if (!op || op->action != Action::atomic)
      return false;
    e.aux = reinterpret_cast<uint64_t>(op);
    e.flags = in.glc ? kReturns : 0;
    e.run = buffer ? atomic<true> : atomic<false>;
    return e.dst + op->dwords <= isa::Sgpr::slots;
  }
  e.aux = n;
  return e.dst + n <= isa::Sgpr::slots;
}

} // namespace meld::softgpu::mem
