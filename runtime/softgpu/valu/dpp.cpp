// DPP: lanes of source 0 read other lanes of a row ("Vega" ISA, 4.5; "RDNA 2" ISA, 6.9).
//
//   16-lane forms   dpp_ctrl says which lane; rows and banks may be masked out. A source lane that
//                   does not exist or is off gives 0 with bound_ctrl, else the destination stays.
//                   GFX10's fi reads lanes that are off, too.
//   8-lane forms    (GFX10) three bits for each of eight lanes. A source lane that is off gives 0,
//                   or with fi its value; nothing is masked out.
#include "runtime/softgpu/valu/lanes.h"
#include "runtime/softgpu/valu/slow.h"

namespace meld::softgpu::valu {

using isa::Inst;

namespace {

/// Of a 16-lane form.
int rowSource(unsigned ctrl, int n) {
  const int inRow = n & 15, row = n & 48, k = ctrl & 15;
  if (ctrl <= 0xff)
    return (n & ~3) | (ctrl >> (2 * (n & 3)) & 3);
  switch (ctrl & 0x1f0) {
  case 0x100: // row_shl: data moves to lower lanes
    return k && inRow + k < 16 ? n + k : (k ? -1 : -2);
  case 0x110:
    return k && inRow - k >= 0 ? n - k : (k ? -1 : -2);
  case 0x120:
    return k ? row | ((inRow - k) & 15) : -2;
  case 0x150: // row_newbcast (gfx90a), row_share (GFX10)
    return row | k;
  case 0x160: // row_xmask (GFX10)
    return n ^ k;
  default:
    break;
  }
  switch (ctrl) {
  case 0x130:
    return n < 63 ? n + 1 : -1;
  case 0x134:
    return (n + 1) & 63;
  case 0x138:
    return n - 1;
  case 0x13c:
    return (n - 1) & 63;
  case 0x140:
    return row | (15 - inRow);
  case 0x141:
    return (n & ~7) | (7 - (n & 7));
  case 0x142:
    return n >= 16 ? row - 1 : -1;
  case 0x143:
    return n >= 32 ? 31 : -1;
  default:
    return -2;
  }
}

/// What each DPP control does, worked out once: source lanes and which lanes have one.
struct DppPattern {
  uint64_t valid;
  bool halves; ///< no lane reads one of the wave's other half
  uint8_t lane[kWaveSize];
};
struct DppTable {
  DppPattern of[512];
  DppTable() {
    for (unsigned ctrl = 0; ctrl < 512; ++ctrl) {
      DppPattern &p = of[ctrl];
      p.valid = 0;
      p.halves = true;
      for (int n = 0; n < (int)kWaveSize; ++n) {
        const int s = rowSource(ctrl, n);
        p.lane[n] = (uint8_t)(s >= 0 ? s : 0);
        p.valid |= (uint64_t)(s >= 0) << n;
        p.halves &= s < 0 || (s ^ n) < 32;
      }
    }
  }
};
const DppPattern &patternOf(unsigned ctrl) {
  static const DppTable table;
  return table.of[ctrl & 511];
}
/// Lanes whose source lane exists and is in `readable`.
uint64_t lanesWithSource(const DppPattern &p, uint64_t readable) {
  if (readable == kFullExec)
    return p.valid;
  if (readable == kLowExec && p.halves)
    return p.valid & kLowExec;
  uint64_t bits = 0;
  for (unsigned n = 0; n < kWaveSize; ++n)
    bits |= (readable >> p.lane[n] & 1) << n;
  return bits & p.valid;
}
unsigned sourceOf8(const Inst &in, unsigned n) {
  return (n & ~7u) | (in.dpp8Sel >> (3 * (n & 7)) & 7);
}
void gather8(uint32_t *to, const uint32_t *from, const Inst &in, uint64_t readable) {
  for (unsigned n = 0; n < kWaveSize; ++n) {
    const unsigned lane = sourceOf8(in, n);
    to[n] = readable >> lane & 1 ? from[lane] : 0;
  }
}

} // namespace

int dppSource(const Inst &in, int n) {
  return in.dpp8 ? (int)sourceOf8(in, (unsigned)n) : rowSource(in.dppCtrl, n);
}

uint64_t dppEnabled(const Inst &in, uint64_t exec) {
  if (in.dpp8)
    return kFullExec;
  uint64_t enabled = 0;
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned bank = 0; bank < 4; ++bank)
      if ((in.dppRowMask >> row & 1) && (in.dppBankMask >> bank & 1))
        enabled |= 0xfull << (16 * row + 4 * bank);
  if (in.dppBoundCtrl)
    return enabled;
  return enabled & lanesWithSource(patternOf(in.dppCtrl), in.dppFi ? kFullExec : exec);
}

void dppGather(uint32_t *to, const uint32_t *from, const Inst &in, uint64_t exec) {
  const uint64_t readable = in.dppFi ? kFullExec : exec;
  if (in.dpp8)
    return gather8(to, from, in, readable);
  const DppPattern &p = patternOf(in.dppCtrl);
  for (unsigned n = 0; n < kWaveSize; ++n)
    to[n] = from[p.lane[n]];
  const uint64_t have = lanesWithSource(p, readable);
  if (have != kFullExec)
    for (unsigned c = 0; c < kChunks; ++c)
      store(to + 8 * c, load(to + 8 * c) & maskOf((uint32_t)(have >> (8 * c))));
}

} // namespace meld::softgpu::valu
