#include "runtime/softgpu/mem/trace.h"

#include "runtime/softgpu/mem/lanes.h"

#include <algorithm>
#include <immintrin.h>
#include <iterator>

namespace meld::softgpu::mem {
namespace {

/// Distinct lines of one instruction: open addressing over a table that is never cleared. An entry
/// is a line and the number of the instruction that put it there, so others' entries are empty
/// slots; the table is wiped when the numbers start again. At most 64 lanes * 5 lines are inserted,
/// so it never fills up.
class LineSet {
public:
  LineSet() : table_(own_), instruction_(++table_.instruction & kInstructions) {
    if (!instruction_) {
      std::fill(std::begin(table_.entries), std::end(table_.entries), 0);
      table_.instruction = instruction_ = 1;
    }
  }
  /// True when `line` was not in the set.
  bool insert(uint64_t line) {
    const uint64_t entry = line << kBits | instruction_;
    unsigned h = unsigned((line * 0x9E3779B97F4A7C15ull) >> (64 - kLogSlots));
    for (;; h = (h + 1) % kSlots) {
      uint64_t &e = table_.entries[h];
      if ((e & kInstructions) != instruction_) {
        e = entry;
        return true;
      }
      if (e == entry)
        return false;
    }
  }

private:
  static constexpr unsigned kLogSlots = 10, kSlots = 1 << kLogSlots;
  static constexpr unsigned kBits = 64 - (48 - 6); ///< addresses have 48 bits, lines at most 42
  static constexpr uint64_t kInstructions = (1ull << kBits) - 1;
  struct Table {
    uint64_t entries[kSlots] = {};
    uint64_t instruction = 0;
  };
  static thread_local Table own_;
  Table &table_;
  uint64_t instruction_;
};
thread_local constinit LineSet::Table LineSet::own_;

void listLine(Wave &w, uint64_t line) {
  if (w.trace.numLines < std::size(w.trace.lines))
    w.trace.lines[w.trace.numLines++] = line << w.lineShift;
}

/// The lines of the lanes of `mask` join the trace, for accesses that may lie in several lines.
void addCrossing(Wave &w, const uint64_t *a, uint64_t mask, uint32_t bytes, uint32_t dwordStride) {
  const unsigned shift = w.lineShift;
  LineSet set;
  uint64_t previous = ~0ull;
  auto add = [&](uint64_t line) {
    if (line == previous)
      return;
    previous = line;
    if (!set.insert(line))
      return;
    ++w.trace.cacheLines;
    if (w.timing)
      listLine(w, line);
  };
  for (uint64_t m = mask; m; m &= m - 1) {
    const uint64_t p = a[firstLane(m)];
    if (dwordStride == 4) {
      for (uint64_t line = p >> shift; line <= (p + bytes - 1) >> shift; ++line)
        add(line);
    } else {
      for (uint32_t k = 0; k < bytes; k += 4)
        add((p + uint64_t(k / 4) * dwordStride) >> shift);
    }
  }
}

/// The same where every lane lies in one line. Two passes without a branch in the usual case: a
/// table of bytes chains the lanes of equal hash, newest first; then each lane that has others
/// before it in its chain (two of 64 random lines have) is compared with those. On the way the
/// lines are fetched: lanes that lie in no pattern seldom lie in the host's caches.
void addLaneLines(Wave &w, const uint64_t *a, uint64_t mask) {
  const unsigned shift = w.lineShift;
  constexpr unsigned kMostSlots = 1024;
  const unsigned vectors = vectorsOf(mask);
  const unsigned logSlots = vectors == 8 ? 10 : 9; // so many that few lanes meet
  alignas(64) uint64_t hash[kWaveSize];
  for (unsigned k = 0; k < 2 * vectors; ++k) {
    __m256i line =
        _mm256_srl_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(a + 4 * k)),
                         _mm_cvtsi32_si128(int(shift)));
    line = _mm256_slli_epi64(_mm256_mul_epu32(line, _mm256_set1_epi64x(0x9E3779B1)), 32);
    _mm256_store_si256(reinterpret_cast<__m256i *>(hash + 4 * k),
                       _mm256_srl_epi64(line, _mm_cvtsi32_si128(int(64 - logSlots))));
  }
  alignas(64) uint8_t newest[kMostSlots]; // lane + 1
  for (unsigned k = 0; k < 1u << logSlots; k += 32)
    _mm256_store_si256(reinterpret_cast<__m256i *>(newest + k), __m256i{});
  alignas(64) uint8_t before[kWaveSize] = {};
  forLanes(mask, [&](unsigned l) {
    __builtin_prefetch(host(a[l]));
    before[l] = newest[hash[l]];
    newest[hash[l]] = uint8_t(l + 1);
  });
  uint64_t chained = 0;
  for (unsigned k = 0; k < 2; ++k) {
    const __m256i none = _mm256_cmpeq_epi8(
        _mm256_load_si256(reinterpret_cast<const __m256i *>(before + 32 * k)), __m256i{});
    chained |= uint64_t(~unsigned(_mm256_movemask_epi8(none))) << (32 * k);
  }
  uint64_t fresh = mask;
  for (; chained; chained &= chained - 1) {
    const unsigned l = firstLane(chained);
    for (unsigned other = before[l]; other; other = before[other - 1])
      if ((a[other - 1] ^ a[l]) >> shift == 0) {
        fresh &= ~(1ull << l);
        break;
      }
  }
  w.trace.cacheLines += unsigned(std::popcount(fresh));
  if (!w.timing)
    return;
  const TagMemory tags = w.tags;
  uint64_t *const lines = w.trace.lines;
  uint32_t n = w.trace.numLines; // in a register
  const auto list = [&]<bool Fetch, bool Room>() {
    forLanes(fresh, [&](unsigned l) {
      const uint64_t line = a[l] >> shift;
      if (Fetch) // they lie in no cache of the host either
        __builtin_prefetch(tags.memory + 64 * (line & tags.mask), 1);
      if (Room || n < std::size(w.trace.lines))
        lines[n++] = line << shift;
    });
  };
  if (n > std::size(w.trace.lines) - kWaveSize)
    list.operator()<false, false>();
  else if (tags.memory)
    list.operator()<true, true>();
  else
    list.operator()<false, true>();
  w.trace.numLines = n;
}

void traceBySet(Wave &w, const uint64_t *a, uint64_t mask, uint32_t bytes, uint32_t dwordStride) {
  // Naturally aligned accesses of up to 64 bytes do not cross a line.
  U64x4 any = {};
  for (unsigned k = 0, n = 2 * vectorsOf(mask); k < n; ++k) {
    U64x4 p;
    std::memcpy(&p, a + 4 * k, 32);
    any |= p & maskVec64(mask, k);
  }
  if (std::has_single_bit(bytes) && !(orOf(any) & (bytes - 1)) && (dwordStride == 4 || bytes <= 4))
    addLaneLines(w, a, mask);
  else
    addCrossing(w, a, mask, bytes, dwordStride);
}

/// One bit per line of a 64-line window; false when a lane lies outside it.
bool traceInWindow(Wave &w, const uint64_t *a, uint64_t mask, uint32_t bytes) {
  const unsigned shift = w.lineShift;
  // The window starts a little below the first lane: descending patterns of a few lines fit as
  // well.
  const uint64_t first = a[firstLane(mask)], last = a[63 - std::countl_zero(mask)];
  const uint64_t start = (std::min(first, last) >> shift) - 4;
  if ((std::max(first, last) >> shift) - start > 63)
    return false;
  U64x4 bits = {}, outside = {};
  for (unsigned k = 0, n = 2 * vectorsOf(mask); k < n; ++k) {
    if (!(mask >> (4 * k) & 15))
      continue;
    U64x4 p;
    const U64x4 active = maskVec64(mask, k);
    std::memcpy(&p, a + 4 * k, 32);
    U64x4 low = (p >> shift) - start, high = ((p + (bytes - 1)) >> shift) - start;
    outside |= (low | high) & ~uint64_t(63) & active;
    bits |= ((1 << (low & 63)) | (1 << (high & 63))) & active;
  }
  if (orOf(outside))
    return false;
  w.trace.cacheLines = unsigned(std::popcount(orOf(bits)));
  return true;
}

/// The addresses of the wave's `lanes` lanes are `step` apart.
bool isStride(const uint64_t *a, unsigned lanes, uint64_t step) {
  if (a[lanes - 1] - a[0] != (lanes - 1) * step)
    return false;
  U64x4 want = U64x4{0, 1, 2, 3} * step + a[0], diff = {};
  for (unsigned k = 0; k < lanes / 4; ++k, want += 4 * step) {
    U64x4 p;
    std::memcpy(&p, a + 4 * k, 32);
    diff |= p ^ want;
  }
  return !orOf(diff);
}

/// All lanes a line or more apart, each within one line; false when not.
bool traceWideStride(Wave &w, const uint64_t *a, unsigned lanes, uint32_t bytes) {
  const unsigned shift = w.lineShift;
  const uint64_t step = a[1] - a[0], distance = int64_t(step) < 0 ? -step : step;
  if (distance >> shift == 0 || !std::has_single_bit(bytes) || ((a[0] | step) & (bytes - 1)) ||
      !isStride(a, lanes, step))
    return false;
  w.trace.cacheLines = lanes;
  return true;
}

/// All lanes a line or less apart: every line from the first to the last is touched. False when
/// not.
bool traceNarrowStride(Wave &w, const uint64_t *a, unsigned lanes, uint32_t bytes) {
  const unsigned shift = w.lineShift;
  const uint64_t step = a[1] - a[0];
  const bool up = int64_t(step) >= 0;
  if ((up ? step : -step) > 1ull << shift || !isStride(a, lanes, step))
    return false;
  const uint64_t first = a[up ? 0 : lanes - 1] >> shift;
  const uint64_t last = (a[up ? lanes - 1 : 0] + bytes - 1) >> shift;
  if (w.timing && !up && first != last)
    return false; // lines are listed in the order lanes touch them
  w.trace.cacheLines = uint32_t(last - first + 1);
  if (w.timing)
    listLines(w, first, w.trace.cacheLines);
  return true;
}

/// Counts line changes; false when lanes are not in ascending order.
bool traceAscending(Wave &w, const uint64_t *a, uint64_t mask, uint32_t bytes) {
  const unsigned shift = w.lineShift;
  uint64_t seen = 0; // one past the last line counted
  uint32_t count = 0;
  for (uint64_t m = mask; m; m &= m - 1) {
    uint64_t p = a[firstLane(m)];
    uint64_t first = p >> shift, last = (p + bytes - 1) >> shift;
    if (first + 1 < seen)
      return false;
    count += uint32_t(last + 1 - std::max(first, seen));
    seen = last + 1;
  }
  w.trace.cacheLines = count;
  return true;
}

} // namespace

void listLines(Wave &w, uint64_t firstLine, uint32_t count) {
  for (uint32_t k = 0; k < count && w.trace.numLines < std::size(w.trace.lines); ++k)
    w.trace.lines[w.trace.numLines++] = (firstLine + k) << w.lineShift;
}

void addLinearPartial(Wave &w, uint64_t base, uint32_t laneBytes, uint64_t exec) {
  const unsigned shift = w.lineShift;
  // Lanes that touch a line form a range; the line counts when one of them is active.
  const unsigned lo = firstLane(exec), hi = 63 - unsigned(std::countl_zero(exec));
  const uint64_t end = (base + uint64_t(hi + 1) * laneBytes - 1) >> shift;
  const uint64_t begin = (base + uint64_t(lo) * laneBytes) >> shift;
  if (const uint64_t run = exec >> lo; !(run & (run + 1))) { // no gap
    w.trace.cacheLines += uint32_t(end - begin + 1);
    if (w.timing)
      listLines(w, begin, uint32_t(end - begin + 1));
    return;
  }
  for (uint64_t line = begin; line <= end; ++line) {
    uint64_t start = line << shift;
    uint64_t from = start <= base ? 0 : (start - base) / laneBytes;
    uint64_t to = std::min<uint64_t>((start + (1u << shift) - 1 - base) / laneBytes, 63);
    if (!(exec >> from << from & (kFullExec >> (63 - to))))
      continue;
    ++w.trace.cacheLines;
    if (w.timing && w.trace.numLines < std::size(w.trace.lines))
      w.trace.lines[w.trace.numLines++] = start;
  }
}

void traceLanes(Wave &w, const uint64_t *address, uint64_t mask, uint32_t bytes) {
  resetTrace(w);
  if (!mask)
    return;
  const unsigned whole = wholeWave(mask);
  if (whole && traceNarrowStride(w, address, whole, bytes))
    return;
  // What the timing model wants is the list of lines, too.
  // An access of at most 16 bytes touches at most its first and its last line.
  if (!w.timing &&
      ((whole && traceWideStride(w, address, whole, bytes)) ||
       traceInWindow(w, address, mask, bytes) || traceAscending(w, address, mask, bytes)))
    return;
  traceBySet(w, address, mask, bytes, 4);
}

bool addPrivate(Wave &w, const uint32_t *offset, uint64_t mask, uint32_t dwords) {
  if (w.timing)
    return false;
  uint32_t low = UINT32_MAX, high = 0;
  forLanes(mask, [&](unsigned l) {
    low = std::min(low, offset[l]);
    high = std::max(high, offset[l]);
  });
  if ((high - low) / 4 + dwords > 64)
    return false;
  const unsigned quads = (1u << w.lineShift) / 16; // of lanes in a line
  for (unsigned first = 0; first < 2 * vectorsOf(mask); first += quads) {
    U64x4 rows = {};
    for (unsigned k = first; k < first + quads; ++k) {
      const U64x4 active = maskVec64(mask, k);
      const __m128i at = _mm_loadu_si128(reinterpret_cast<const __m128i *>(offset + 4 * k));
      const U64x4 row = (U64x4(_mm256_cvtepu32_epi64(at)) - low) >> 2;
      rows |= (((1ull << dwords) - 1) << (row & 63)) & active;
    }
    w.trace.cacheLines += unsigned(std::popcount(orOf(rows)));
  }
  return true;
}

void addSwizzled(Wave &w, const uint64_t *address, uint64_t mask, uint32_t bytes,
                 uint32_t dwordStride) {
  if (bytes <= 4 && !w.trace.cacheLines) {
    const uint32_t conflicts = w.trace.ldsBankConflicts;
    traceLanes(w, address, mask, bytes);
    w.trace.ldsBankConflicts = conflicts;
    return;
  }
  traceBySet(w, address, mask, bytes, bytes <= 4 ? 4 : dwordStride);
}

namespace {

/// Distinct values among n.
unsigned distinct(uint32_t *x, unsigned n) {
  unsigned kept = 1;
  for (unsigned k = 1; k < n; ++k) {
    unsigned at = 0;
    while (at < kept && x[at] != x[k])
      ++at;
    if (at == kept)
      x[kept++] = x[k];
  }
  return kept;
}

} // namespace

uint32_t bankConflicts(const uint32_t *address, uint64_t mask, uint32_t bytes) {
  const unsigned lanesPerPass = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  uint32_t extra = 0;
  uint32_t inBank[32]
                 [32]; // dwords per bank, repetitions included: a lane adds at most one to a bank
  for (unsigned pass = 0; pass < kWaveSize; pass += lanesPerPass) {
    uint64_t m = mask >> pass << pass & (kFullExec >> (64 - lanesPerPass) << pass);
    if (!(m & (m - 1)))
      continue;
    alignas(32) uint8_t count[32] = {};
    for (; m; m &= m - 1) {
      uint32_t a = address[firstLane(m)];
      for (uint32_t d = a / 4, end = (a + bytes - 1) / 4; d <= end; ++d)
        inBank[d % 32][count[d % 32]++] = d;
    }
    // Only a bank with more dwords than the worst so far can be worse.
    unsigned worst = 1;
    for (unsigned bank = 0; bank < 32; ++bank)
      if (count[bank] > worst)
        worst = std::max(worst, distinct(inBank[bank], count[bank]));
    extra += worst - 1;
  }
  return extra;
}

} // namespace meld::softgpu::mem
