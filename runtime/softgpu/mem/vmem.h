// Shared parts of the vector memory handlers: operand rows, row copies, and the last step
// (translate, check, count, run) once every lane's address is known.
//
// Use of ExecInst by vector memory instructions:
//   src[0]  vaddr row                      dst     destination row
//   src[1]  data row                       sdst    soffset slot (MUBUF)
//   src[2]  saddr or srsrc slot            imm[0]  byte offset (sign-extended)
//           (kImmSlot: none)               aux     LaneOp
#pragma once

#include "runtime/softgpu/mem/lane_ops.h"
#include "runtime/softgpu/mem/trace.h"

#include <array>
#include <immintrin.h>

namespace meld::softgpu::mem {

/// Bits of ExecInst::flags that belong to memory instructions; not `chains`.
enum : uint8_t {
  kAgprData = 0x80,   ///< data and destination rows are AGPRs
  kReturns = 0x40,    ///< atomic that returns the old value
  kGeneration = 0x03, ///< buffers: whose the resource is, less nine
  kInOrder = 0x04,    ///< LDS: a comparing store takes the new value first
};

inline unsigned generationOf(const ExecInst *i) {
  return 9 + (i->flags & kGeneration) / (kGeneration / 3);
}
/// A buffer instruction's soffset.
inline uint32_t scalarOffsetOf(const ExecInst *i, const Wave &w) {
  return i->sdst == kImmSlot ? uint32_t(i->imm[1]) : w.s[i->sdst];
}

inline const LaneOp &laneOp(const ExecInst *i) { return *reinterpret_cast<const LaneOp *>(i->aux); }

inline unsigned agprBase(const ExecInst *i, const Wave &w) {
  return i->flags & kAgprData ? w.accOffset : 0;
}
inline VRow *dstRows(const ExecInst *i, const Wave &w) { return w.v + i->dst + agprBase(i, w); }
inline VRow *dataRows(const ExecInst *i, const Wave &w) { return w.v + i->src[1] + agprBase(i, w); }

/// A job with the instruction's rows filled in.
inline LaneJob makeJob(const ExecInst *i, Wave &w, uint64_t *address, uint64_t mask) {
  const LaneOp &op = laneOp(i);
  LaneJob j{address, mask};
  j.mode = w.mode;
  j.dst = dstRows(i, w);
  j.data = dataRows(i, w);
  j.data2 = j.data + op.dwords;
  return j;
}

inline LaneFn laneFn(const ExecInst *i) {
  const LaneOp &op = laneOp(i);
  return i->flags & kReturns ? op.returning : op.run;
}

// --- copies between rows and memory; lanes of a row are consecutive dwords ---
/// The first L lanes. All of it is read before the row changes: where that faults, the row may hold
/// the addresses.
template <unsigned L> inline void wholeRowIn(VRow &dst, const uint8_t *p) {
  __m256i x[L / 8];
  for (unsigned k = 0; k < L / 8; ++k)
    x[k] = peek32(p + 32 * k);
  for (unsigned k = 0; k < L / 8; ++k)
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(dst.u + 8 * k), x[k]);
}
inline void rowIn(VRow &dst, const uint8_t *p, uint64_t exec) {
  if (exec == kFullExec)
    return wholeRowIn<kWaveSize>(dst, p);
  if (exec == kLowExec)
    return wholeRowIn<kWaveSize / 2>(dst, p);
  for (unsigned k = 0, n = vectorsOf(exec); k < n; ++k) {
    U32x8 m = maskVec(exec, k);
    // Masked-off elements do not fault.
    U32x8 x = U32x8(_mm256_maskload_epi32(reinterpret_cast<const int *>(p) + 8 * k, __m256i(m)));
    storeVec(dst, k, (loadVec(dst, k) & ~m) | (x & m));
  }
}
inline void rowOut(uint8_t *p, const VRow &src, uint64_t exec) {
  if (exec == kFullExec) {
    std::memcpy(p, src.u, sizeof(src.u));
    return;
  }
  if (exec == kLowExec) {
    std::memcpy(p, src.u, sizeof(src.u) / 2);
    return;
  }
  for (unsigned k = 0, n = vectorsOf(exec); k < n; ++k)
    _mm256_maskstore_epi32(reinterpret_cast<int *>(p) + 8 * k, __m256i(maskVec(exec, k)),
                           __m256i(loadVec(src, k)));
}
inline void fillRow(VRow &dst, uint32_t x, uint64_t exec) {
  for (unsigned k = 0, n = vectorsOf(exec); k < n; ++k) {
    U32x8 m = maskVec(exec, k);
    storeVec(dst, k, (loadVec(dst, k) & ~m) | (splat(x) & m));
  }
}

typedef uint32_t __attribute__((may_alias, aligned(1))) AnyU32;

/// L consecutive groups of N dwords <-> N rows.
template <unsigned N, unsigned L = kWaveSize>
inline void groupsIn(VRow *__restrict dst, const uint8_t *__restrict memory) {
  const AnyU32 *p = reinterpret_cast<const AnyU32 *>(memory);
  for (unsigned l = 0; l < L; ++l)
    for (unsigned k = 0; k < N; ++k)
      dst[k].u[l] = p[l * N + k];
}
template <unsigned N, unsigned L = kWaveSize>
inline void groupsOut(uint8_t *__restrict memory, const VRow *__restrict src) {
  AnyU32 *p = reinterpret_cast<AnyU32 *>(memory);
  for (unsigned l = 0; l < L; ++l)
    for (unsigned k = 0; k < N; ++k)
      p[l * N + k] = src[k].u[l];
}

/// The same for memory that other threads may read and write: in vectors, so that none sees half of
/// an aligned group.
template <unsigned N, unsigned L> inline void sharedGroupsIn(VRow *dst, const uint8_t *memory) {
  alignas(64) uint32_t dense[N * L];
  for (unsigned k = 0; k < L / 8 * N; ++k)
    _mm256_store_si256(reinterpret_cast<__m256i *>(dense + 8 * k), peek32(memory + 32 * k));
  groupsIn<N, L>(dst, reinterpret_cast<const uint8_t *>(dense));
}
template <unsigned N, unsigned L> inline void sharedGroupsOut(uint8_t *memory, const VRow *src) {
  alignas(64) uint32_t dense[N * L];
  groupsOut<N, L>(reinterpret_cast<uint8_t *>(dense), src);
  for (unsigned k = 0; k < L / 8 * N; ++k)
    poke32(memory + 32 * k, _mm256_load_si256(reinterpret_cast<const __m256i *>(dense + 8 * k)));
}

/// The same under a partial EXEC for N = 2 and 4: inactive lanes' memory is not touched.
template <unsigned N> inline U32x8 groupMask(uint64_t exec, unsigned k) {
  constexpr U32x8 bit = N == 2 ? U32x8{1, 1, 2, 2, 4, 4, 8, 8} : U32x8{1, 1, 1, 1, 2, 2, 2, 2};
  return U32x8((splat(uint32_t(exec >> (8 / N * k)) & 0xff) & bit) == bit);
}
template <unsigned N> inline void groupsInUnder(VRow *dst, const uint8_t *memory, uint64_t exec) {
  alignas(64) uint32_t dense[N * kWaveSize];
  const unsigned vectors = vectorsOf(exec);
  for (unsigned k = 0; k < vectors * N; ++k) {
    __m256i x = _mm256_maskload_epi32(reinterpret_cast<const int *>(memory) + 8 * k,
                                      __m256i(groupMask<N>(exec, k)));
    _mm256_store_si256(reinterpret_cast<__m256i *>(dense + 8 * k), x);
  }
  VRow rows[N];
  if (vectors == 8)
    groupsIn<N>(rows, reinterpret_cast<const uint8_t *>(dense));
  else
    groupsIn<N, kWaveSize / 2>(rows, reinterpret_cast<const uint8_t *>(dense));
  for (unsigned r = 0; r < N; ++r)
    for (unsigned k = 0; k < vectors; ++k) {
      U32x8 m = maskVec(exec, k);
      storeVec(dst[r], k, (loadVec(dst[r], k) & ~m) | (loadVec(rows[r], k) & m));
    }
}
template <unsigned N> inline void groupsOutUnder(uint8_t *memory, const VRow *src, uint64_t exec) {
  alignas(64) uint32_t dense[N * kWaveSize];
  const unsigned vectors = vectorsOf(exec);
  if (vectors == 8)
    groupsOut<N>(reinterpret_cast<uint8_t *>(dense), src);
  else
    groupsOut<N, kWaveSize / 2>(reinterpret_cast<uint8_t *>(dense), src);
  constexpr unsigned groups = 8 / N; // in a vector
  constexpr uint64_t all = (1u << groups) - 1;
  for (unsigned k = 0; k < vectors * N; ++k) {
    const uint64_t active = exec >> (groups * k) & all;
    uint8_t *to = memory + 32 * k;
    const uint32_t *from = dense + 8 * k;
    if (active == all) {
      poke32(to, _mm256_load_si256(reinterpret_cast<const __m256i *>(from)));
      continue;
    }
    // Not by a masked store, which AMD's Zen 3 does in parts (e2e.whole_values).
    for (unsigned g = 0; g < groups; ++g) {
      if (!(active >> g & 1))
        continue;
      if constexpr (N == 2)
        poke8(to + 8 * g, peek<uint64_t>(from + 2 * g));
      else
        poke16(to + 16 * g, _mm_load_si128(reinterpret_cast<const __m128i *>(from + 4 * g)));
    }
  }
}

/// Device to host addresses and checked mode; false: `w` has been faulted. `span`: how far apart
/// the ends of a lane's bytes lie, where they do not lie together.
bool translate(const ExecInst *i, Wave &w, uint64_t *address, uint64_t mask, uint32_t bytes,
               bool write, uint64_t span = 0);

/// Last step for lanes in ordinary memory: translate, atomics' alignment, trace, run. `dst`
/// replaces the destination rows when not null.
const ExecInst *runMemory(const ExecInst *i, Wave &w, uint64_t *address, uint64_t mask,
                          VRow *dst = nullptr);

/// Rows of registers that a load to LDS may need.
using LdsRows = std::array<VRow, 4>;
/// Second half of a load with the lds bit: a dword goes to LDS at M0[15:0] + instruction offset +
/// lane * 4, and what is three or four dwords at lane * 16 instead. gfx950, which has more than 64 KiB,
/// takes M0[17:0].
const ExecInst *storeToLds(const ExecInst *i, Wave &w, const LdsRows &rows, unsigned dwords = 1);

/// Runs the op on lanes of `mask` whose private byte offsets are `offset`, without tracing; writes
/// their host addresses to `address`. `dst` replaces the destination rows when not null. False: the
/// wave has been faulted.
bool runPrivate(const ExecInst *i, Wave &w, const uint32_t *offset, uint64_t mask,
                uint64_t *address, VRow *dst = nullptr);

/// Dword loads and stores of private memory, each active lane at its own offset v + add (an indexed
/// array), in the `end` bytes of rows from `base`. False, and nothing has happened, where a lane's
/// offset is no dword's or its dwords end behind.
bool gatherPrivate(const ExecInst *i, Wave &w, const VRow &v, uint32_t add, uint64_t base,
                   uint64_t end);

/// Runs the op lane by lane through a small buffer; byteAt(lane, k) is the host address of byte k,
/// nullptr where the access is out of range (reads 0, writes dropped). For misaligned or partly
/// out-of-range swizzled lanes.
template <class ByteAt>
void runBytewise(const LaneOp &op, LaneFn fn, LaneJob j, uint64_t mask, ByteAt byteAt) {
  alignas(64) uint64_t address[kWaveSize];
  j.address = address;
  j.dwordStride = 4;
  for (; mask; mask &= mask - 1) {
    unsigned l = firstLane(mask);
    alignas(16) uint8_t buffer[16] = {};
    for (unsigned k = 0; k < op.bytes; ++k)
      if (const uint8_t *p = byteAt(l, k))
        buffer[k] = *p;
    address[l] = addressOf(buffer);
    j.mask = 1ull << l;
    fn(j);
    if (op.action != Action::load)
      for (unsigned k = 0; k < op.bytes; ++k)
        if (uint8_t *p = byteAt(l, k))
          *p = buffer[k];
  }
}

/// Sixteen zero bytes that out-of-range loads read.
uint64_t zeroAddress();
/// Writes 0 to the destination of the lanes in `mask` (out-of-range returning atomics).
void zeroLanes(VRow *dst, unsigned dwords, uint64_t mask);

bool prepareGlobal(ExecInst &e);                     ///< GLOBAL, FLAT, SCRATCH
bool prepareBuffer(ExecInst &e, isa::Target target); ///< MUBUF, MTBUF
bool prepareSmem(ExecInst &e);
bool prepareDs(ExecInst &e, isa::Target target);
bool prepareGws(ExecInst &e); ///< ds_gws_*
bool prepareTyped(
    ExecInst &e); ///< buffer_*_format_*, tbuffer_*; after prepareBuffer has set the resource
/// Fills dst, src[0..1], flags and imm[0] from the instruction.
void fillDataRows(ExecInst &e);
/// The same, and aux and the return flag for the op of that name. False: no such op.
bool fillVectorOperands(ExecInst &e, std::string_view opName);

} // namespace meld::softgpu::mem
