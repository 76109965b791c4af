// ds_swizzle_b32, ds_permute_b32, ds_bpermute_b32: lanes exchange a dword through the LDS crossbar,
// no memory.
//
// EXEC counts twice: a lane that is switched off is not written, and one that is switched off gives
// 0 to the lanes that read from it ("Vega" ISA, DS_PERMUTE_B32, DS_BPERMUTE_B32, DS_SWIZZLE_B32).
//
// On GFX10 and GFX11 the permutes work on 32 lanes at a time: each half of a wave of 64 exchanges
// within itself ("RDNA 2" ISA, DS_PERMUTE_B32; Mesa's compiler goes around it, aco: p_bpermute). On
// GFX12 the whole wave exchanges ("RDNA4" ISA, DS_BPERMUTE_B32; LLVM: supportsWaveWideBPermute).
#include "runtime/softgpu/mem/lds.h"

namespace meld::softgpu::mem {
namespace {

void putRow(VRow &dst, const VRow &value, uint64_t exec) {
  for (unsigned k = 0; k < 8; ++k) {
    U32x8 m = maskVec(exec, k);
    storeVec(dst, k, (loadVec(dst, k) & ~m) | (loadVec(value, k) & m));
  }
}

/// `Off`: lanes that are switched off are read, too (GFX12).
template <bool Halves, bool Off = false> const ExecInst *bpermute(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec(), readable = Off ? kFullExec : exec;
  const VRow &addr = w.v[i->src[0]];
  const uint32_t add = uint32_t(i->imm[0]);
  VRow source, result;
  for (unsigned k = 0; k < 8; ++k)
    storeVec(source, k, loadVec(*dataRows(i, w), k) & maskVec(readable, k));
  for (unsigned k = 0; k < 8; ++k) {
    U32x8 at = (loadVec(addr, k) + add) & (4 * (kWaveSize - 1));
    if (Halves)
      at = (at & 4 * 31) | (k < 4 ? 0 : 4 * 32);
    storeVec(
        result, k,
        U32x8(_mm256_i32gather_epi32(reinterpret_cast<const int *>(source.u), __m256i(at), 1)));
  }
  putRow(*dstRows(i, w), result, exec);
  resetTrace(w);
  return following(i);
}

template <bool Halves> const ExecInst *permute(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  const VRow &addr = w.v[i->src[0]], &source = *dataRows(i, w);
  const uint32_t add = uint32_t(i->imm[0]);
  VRow result = {};
  forLanes(exec, [&](unsigned l) {
    const unsigned to = (addr.u[l] + add) / 4 % kWaveSize;
    result.u[Halves ? (l & 32) | (to & 31) : to] = source.u[l];
  });
  putRow(*dstRows(i, w), result, exec);
  resetTrace(w);
  return following(i);
}

/// The lane that lane `l` reads, for a swizzle pattern.
unsigned swizzleSource(uint32_t pattern, unsigned l) {
  const unsigned upper = l & 0x20, in = l & 0x1f;
  if (pattern >= 0xe000) { // FFT: bit-reversed, the low mask bits kept
    const unsigned mask = pattern & 0x1f;
    unsigned reversed = 0;
    for (unsigned b = 0; b < 5; ++b)
      reversed |= (in >> b & 1) << (4 - b);
    return upper | (reversed >> std::popcount(mask)) | (in & mask);
  }
  if (pattern >= 0xc000) { // rotate within the bits that the mask leaves free
    const unsigned mask = pattern & 0x1f, by = pattern >> 5 & 0x1f;
    const unsigned from = pattern & 0x400 ? in - by : in + by;
    return upper | (in & mask) | (from & ~mask & 0x1f);
  }
  if (pattern & 0x8000) // any permutation of four neighbours
    return (l & ~3u) | (pattern >> (2 * (l & 3)) & 3);
  return upper | ((((in & pattern) | (pattern >> 5)) ^ (pattern >> 10)) & 0x1f);
}

const ExecInst *swizzle(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  const VRow source = w.v[i->src[0]];
  VRow result;
  for (unsigned l = 0; l < kWaveSize; ++l) {
    unsigned from = swizzleSource(uint32_t(i->imm[0]), l);
    result.u[l] = exec >> from & 1 ? source.u[from] : 0;
  }
  putRow(*dstRows(i, w), result, exec);
  resetTrace(w);
  return following(i);
}

} // namespace

bool prepareLaneExchange(ExecInst &e, std::string_view name, bool halves) {
  e.run = name == "bpermute_b32"      ? halves ? bpermute<true> : bpermute<false>
               : name == "bpermute_fi_b32" ? halves ? bpermute<true, true> : bpermute<false, true>
               : name == "permute_b32" ? halves ? permute<true> : permute<false>
               : name == "swizzle_b32" ? swizzle
                                      : nullptr;
  return e.run != nullptr;
}

} // namespace meld::softgpu::mem
