// DS instructions on LDS ("Vega" and "MI200" ISA, chapter "Data Share Operations").
//
// What: every lane's offset is ADDR + instruction offset (32 bits, wraps). An access with a byte at
// or past the workgroup's LDS size reads 0 and writes nothing; M0 does not clamp from GFX9 on.
// Two-address forms are two accesses, offsets counted in elements (times 64 for st64). Lanes go in
// ascending order: of several lanes that write one address the highest wins, and atomics return the
// values that order gives. GFX11's ds_cmpstore has its operands in the order of memory atomics,
// where ds_cmpst of those before has them the other way round ("RDNA3" ISA, 16.15). Not here: GDS,
// GWS and ds_ordered_count (refused when prepared). Minima of GFX12 are others under the same names
// (rmw::MinNumF).
//
// Use of ExecInst: src[0] ADDR row, src[1] DATA0 row, src[2] DATA1 row, dst; imm[0] byte offsets
// (first in the low half, second in the high half); aux the LaneOp.
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/lds.h"

#include <string>

namespace meld::softgpu::mem {
namespace {

VRow *data0(const ExecInst *i, const Wave &w) { return w.v + i->src[1] + agprBase(i, w); }
VRow *data1(const ExecInst *i, const Wave &w) { return w.v + i->src[2] + agprBase(i, w); }
uint32_t offset0(const ExecInst *i) { return uint32_t(i->imm[0]); }
uint32_t offset1(const ExecInst *i) { return uint32_t(i->imm[0] >> 32); }

const ExecInst *finish(const ExecInst *i, Wave &w, uint32_t conflicts) {
  resetTrace(w);
  w.trace.ldsBankConflicts = conflicts;
  return following(i);
}

template <unsigned N> const ExecInst *read(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return finish(i, w, 0);
  return finish(i, w, readLds<N>(w, w.v[i->src[0]], offset0(i), exec, dstRows(i, w)));
}

template <unsigned N> const ExecInst *write(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return finish(i, w, 0);
  return finish(i, w, writeLds<N>(w, w.v[i->src[0]], offset0(i), exec, data0(i, w)));
}

template <unsigned N> const ExecInst *read2(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return finish(i, w, 0);
  VRow *dst = dstRows(i, w);
  const VRow *row = &w.v[i->src[0]];
  VRow copy; // the first result may land on the address register
  if (row >= dst && row < dst + N) {
    copy = *row;
    row = &copy;
  }
  uint32_t conflicts = readLds<N>(w, *row, offset0(i), exec, dst);
  return finish(i, w, conflicts + readLds<N>(w, *row, offset1(i), exec, dst + N));
}

template <unsigned N> const ExecInst *write2(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return finish(i, w, 0);
  const VRow &row = w.v[i->src[0]];
  uint32_t conflicts = writeLds<N>(w, row, offset0(i), exec, data0(i, w));
  return finish(i, w, conflicts + writeLds<N>(w, row, offset1(i), exec, data1(i, w)));
}

/// Host addresses of the lanes of `exec` that are in range; returns those lanes.
uint64_t ldsAddresses(const Wave &w, const LaneOffsets &offsets, uint64_t exec, uint32_t bytes,
                      uint64_t *a) {
  uint64_t inside = 0;
  forLanes(exec, [&](unsigned l) {
    const bool ok = uint64_t(offsets.a[l]) + bytes <= w.ldsSize;
    inside |= uint64_t(ok) << l;
    a[l] = ok ? addressOf(w.lds) + offsets.a[l] : zeroAddress();
  });
  return inside;
}

/// First lane whose offset is not a multiple of `bytes`, or -1: atomics must be aligned.
int misalignedLane(const LaneOffsets &offsets, uint64_t mask, uint32_t bytes) {
  if (!offsets.misaligned(bytes)) [[likely]]
    return -1;
  for (; mask; mask &= mask - 1)
    if (offsets.a[firstLane(mask)] & (bytes - 1))
      return int(firstLane(mask));
  return -1;
}

/// Sub-dword reads and writes, atomics.
const ExecInst *general(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return finish(i, w, 0);
  const LaneOp &op = laneOp(i);
  const LaneOffsets offsets(w.v[i->src[0]], offset0(i), exec);
  alignas(64) uint64_t a[kWaveSize];
  const uint64_t inside = ldsAddresses(w, offsets, exec, op.bytes, a);
  LaneJob j{a, op.action == Action::load ? exec : inside};
  j.mode = w.mode;
  j.dst = dstRows(i, w);
  j.data = data0(i, w);
  j.data2 = data1(i, w);
  if (op.action == Action::atomic) {
    if (int l = misalignedLane(offsets, inside, op.bytes); l >= 0)
      return w.raise(i, FaultKind::memory, "misaligned LDS atomic", offsets.a[l], l, true);
    // cmpst: DATA0 is compared with, DATA1 is the new value; the LaneOp has them as in memory
    // atomics. So has cmpstore.
    if (op.name.starts_with("cmpst") && !(i->flags & kInOrder))
      std::swap(j.data, j.data2);
  }
  laneFn(i)(j);
  if (i->flags & kReturns && inside != exec)
    zeroLanes(j.dst, op.dwords, exec & ~inside);
  return finish(i, w,
                inside == exec ? offsets.conflicts(exec, op.bytes)
                               : bankConflicts(offsets.a, inside, op.bytes));
}

/// ds_wrxchg2*: two exchanges. Results wait in spare rows, for the destination may overlap the
/// operands.
const ExecInst *exchange2(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return finish(i, w, 0);
  const LaneOp &op = laneOp(i);
  VRow result[4] = {};
  uint32_t conflicts = 0;
  const LaneOffsets offsets[2] = {{w.v[i->src[0]], offset0(i), exec},
                                  {w.v[i->src[0]], offset1(i), exec}};
  alignas(64) uint64_t a[kWaveSize];
  for (unsigned h = 0; h < 2; ++h) {
    const uint64_t inside = ldsAddresses(w, offsets[h], exec, op.bytes, a);
    if (int l = misalignedLane(offsets[h], inside, op.bytes); l >= 0)
      return w.raise(i, FaultKind::memory, "misaligned LDS atomic", offsets[h].a[l], l, true);
    LaneJob j{a, inside};
    j.dst = result + h * op.dwords;
    j.data = h ? data1(i, w) : data0(i, w);
    op.returning(j);
    conflicts += bankConflicts(offsets[h].a, inside, op.bytes);
  }
  VRow *dst = dstRows(i, w);
  forLanes(exec, [&](unsigned l) {
    for (unsigned k = 0; k < 2u * op.dwords; ++k)
      dst[k].u[l] = result[k].u[l];
  });
  return finish(i, w, conflicts);
}

/// ds_append / ds_consume: one counter for the wave, at M0[15:0] + offset.
template <bool Append> const ExecInst *appendConsume(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  const uint32_t at = ((w.m0() & 0xffff) + offset0(i)) & ~3u;
  uint32_t old = 0;
  if (uint64_t(at) + 4 <= w.ldsSize) {
    old = peek<uint32_t>(w.lds + at);
    const uint32_t n = uint32_t(std::popcount(exec));
    poke<uint32_t>(w.lds + at, Append ? old + n : old - n);
  }
  fillRow(*dstRows(i, w), old, exec);
  return finish(i, w, 0);
}

/// ds_read_addtid / ds_write_addtid: at M0[15:0] + offset + lane * 4.
template <bool Store> const ExecInst *addTid(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  const uint32_t at = (w.m0() & 0xffff) + offset0(i);
  forLanes(exec, [&](unsigned l) {
    const bool ok = uint64_t(at) + 4 * l + 4 <= w.ldsSize;
    if constexpr (Store) {
      if (ok)
        poke<uint32_t>(w.lds + at + 4 * l, data0(i, w)->u[l]);
    } else {
      dstRows(i, w)->u[l] = ok ? peek<uint32_t>(w.lds + at + 4 * l) : 0;
    }
  });
  return finish(i, w, 0); // 64 consecutive dwords
}

/// ds_*_src2_*: the second operand is LDS too, at A + 4 * distance; the distance is in the offset
/// field or, with offset bit 15 set, in the upper half of ADDR. Gone on gfx90a.
const ExecInst *source2(const ExecInst *i, Wave &w) {
  const LaneOp &op = laneOp(i);
  const uint32_t field = offset0(i), align = ~uint32_t(op.bytes - 1);
  const uint64_t exec = w.exec();
  for (uint64_t m = exec; m; m &= m - 1) {
    const unsigned l = firstLane(m);
    const uint32_t addr = w.v[i->src[0]].u[l];
    const bool far = field & 0x8000;
    const uint32_t a = (far ? addr & 0x1ffff : addr) & align;
    const int32_t distance = int16_t(far ? addr >> 17 | (addr >> 16 & 0x8000)
                                         : (field & 0x7fff) | (field << 1 & 0x8000));
    const uint32_t b = (a + uint32_t(distance) * 4) & align;
    VRow data[2];
    uint64_t x = uint64_t(b) + op.bytes > w.ldsSize ? 0
                 : op.bytes == 8                    ? peek<uint64_t>(w.lds + b)
                                                    : peek<uint32_t>(w.lds + b);
    data[0].u[l] = uint32_t(x);
    data[1].u[l] = uint32_t(x >> 32);
    if (uint64_t(a) + op.bytes > w.ldsSize)
      continue;
    uint64_t address[kWaveSize];
    address[l] = addressOf(w.lds + a);
    LaneJob j{address, 1ull << l};
    j.mode = w.mode;
    j.data = data;
    op.run(j);
  }
  return finish(i, w, 0);
}

/// ds_condxchg32_rtn_b64: two dwords side by side; of each whose datum has its highest bit set, the
/// rest of the datum is stored ("RDNA3" ISA, 16.15; the manuals before have no pseudo code). Both
/// are returned.
const ExecInst *conditionalExchange(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return finish(i, w, 0);
  LaneOffsets offsets(w.v[i->src[0]], offset0(i), exec);
  for (unsigned l = 0; l < 8 * offsets.vectors; ++l)
    offsets.a[l] &= 0xfff8;
  const VRow data[2] = {data0(i, w)[0], data0(i, w)[1]};
  VRow *dst = dstRows(i, w);
  forLanes(exec, [&](unsigned l) {
    const bool inside = offsets.a[l] + 8 <= w.ldsSize;
    for (unsigned k = 0; k < 2; ++k) {
      uint8_t *const p = w.lds + offsets.a[l] + 4 * k;
      dst[k].u[l] = inside ? peek<uint32_t>(p) : 0;
      if (inside && data[k].u[l] >> 31)
        poke<uint32_t>(p, data[k].u[l] & 0x7fffffff);
    }
  });
  return finish(i, w, bankConflicts(offsets.a, exec, 8));
}

/// ds_read_b64_tr_*, ds_read_b96_tr_b6: 16 lanes read 16 columns of a matrix, in all 16 numbers of
/// `Bits` for each number that a lane holds, and each gets a row of it: lane l's number j is number
/// 16 * j + l of what the lanes have read, one behind the other ("CDNA4" ISA, 11.4).
template <unsigned Bits> const ExecInst *transposed(const ExecInst *i, Wave &w) {
  constexpr unsigned kBlock = 16, dwords = Bits == 6 ? 3 : 2, perLane = 32 * dwords / Bits;
  if (w.exec() != kFullExec)
    return w.raise(i, FaultKind::illegalInstruction, "a transposed read needs all lanes");
  const LaneOffsets offsets(w.v[i->src[0]], offset0(i), w.exec());
  uint32_t read[kWaveSize][dwords + 1] = {};
  for (unsigned l = 0; l < kWaveSize; ++l)
    if (uint64_t(offsets.a[l]) + 4 * dwords <= w.ldsSize)
      std::memcpy(read[l], w.lds + offsets.a[l], 4 * dwords);
  const auto number = [&](unsigned lane, unsigned n) {
    const unsigned at = n * Bits;
    const uint64_t x = read[lane][at / 32] | uint64_t(read[lane][at / 32 + 1]) << 32;
    return uint32_t(x >> (at % 32)) & ((1u << Bits) - 1);
  };
  VRow *dst = dstRows(i, w);
  for (unsigned l = 0; l < kWaveSize; ++l) {
    uint32_t row[dwords + 1] = {};
    for (unsigned j = 0; j < perLane; ++j) {
      const unsigned n = kBlock * j + l % kBlock, to = j * Bits;
      const uint64_t x = uint64_t(number(l / kBlock * kBlock + n / perLane, n % perLane))
                         << (to % 32);
      row[to / 32] |= uint32_t(x);
      row[to / 32 + 1] |= uint32_t(x >> 32);
    }
    for (unsigned d = 0; d < dwords; ++d)
      dst[d].u[l] = row[d];
  }
  return finish(i, w, bankConflicts(offsets.a, w.exec(), 4 * dwords));
}
/// Of the number of bits that the name ends with.
Handler transposedRead(std::string_view name) {
  return name == "read_b64_tr_b4"    ? transposed<4>
         : name == "read_b96_tr_b6"  ? transposed<6>
         : name == "read_b64_tr_b8"  ? transposed<8>
         : name == "read_b64_tr_b16" ? transposed<16>
                                     : nullptr;
}

const ExecInst *nothing(const ExecInst *i, Wave &w) { return finish(i, w, 0); }

Handler dwordHandler(const LaneOp &op) {
  static constexpr Handler reads[] = {read<1>, read<2>, read<3>, read<4>};
  static constexpr Handler writes[] = {write<1>, write<2>, write<3>, write<4>};
  if (op.action == Action::atomic || op.bytes < 4)
    return general;
  return (op.action == Action::load ? reads : writes)[op.dwords - 1];
}

/// "read2st64_b64" -> {"read_b64", element size 8, times 64}.
struct TwoAddress {
  std::string name;
  uint32_t scale = 0;
  explicit TwoAddress(std::string_view s) {
    for (std::string_view stem : {"read2", "write2", "wrxchg2"}) {
      if (!s.starts_with(stem))
        continue;
      std::string_view rest = s.substr(stem.size());
      const bool st64 = rest.starts_with("st64");
      rest = rest.substr(st64 ? 4 : 0);
      name = std::string(stem.substr(0, stem.size() - 1)) + std::string(rest);
      scale = (rest == "_b64" ? 8 : 4) * (st64 ? 64 : 1);
    }
  }
};

} // namespace

bool prepareDs(ExecInst &e, isa::Target target) {
  const isa::Inst &in = *e.inst;
  using Kind = isa::Operand::Kind;
  const std::string_view full = isa::mnemonic(in.op);
  if (in.gds || !full.starts_with("ds_"))
    return false;
  std::string_view name = full.substr(3);
  e.src[0] = in.vaddr.index;
  e.src[1] = in.vdata.index;
  e.src[2] = in.vdata1.index;
  e.dst = in.dst.index;
  const bool agpr =
      in.dst.kind == Kind::agpr || in.vdata.kind == Kind::agpr || in.vdata1.kind == Kind::agpr;
  e.flags = agpr ? kAgprData : 0;
  // One 16-bit offset, or two of 8 bits in the same place.
  const uint32_t wide = uint32_t(in.offset) | uint32_t(in.offset1) << 8;
  e.imm[0] = wide & 0xffff;

  if (name == "nop") {
    e.run = nothing;
    return true;
  }
  const isa::TargetTraits traits = isa::traitsOf(target);
  const bool gfx12 = traits.generation >= 12;
  if (prepareLaneExchange(e, name, gfx12 ? traits.waveSize == 32 : traits.generation >= 10))
    return true;
  if (name == "append" || name == "consume") {
    e.run = name == "append" ? appendConsume<true> : appendConsume<false>;
    return true;
  }
  if (name == "read_addtid_b32" || name == "write_addtid_b32") {
    e.run = name == "read_addtid_b32" ? addTid<false> : addTid<true>;
    return true;
  }
  if (name == "condxchg32_rtn_b64") {
    e.run = conditionalExchange;
    return true;
  }
  if (Handler run = transposedRead(name)) {
    e.run = run;
    return true;
  }
  std::string stem(name);
  if (size_t at = stem.find("_rtn_"); at != std::string::npos) {
    stem.erase(at, 4);
    e.flags |= kReturns;
  }
  if (stem.starts_with("cmpstore")) {
    stem.erase(5, 3);
    e.flags |= kInOrder;
  }
  if (gfx12 && (stem.ends_with("_f32") || stem.ends_with("_f64")) &&
      (stem.starts_with("min_") || stem.starts_with("max_")))
    stem.insert(4, "num_");
  if (gfx12 && stem.starts_with("pk_add_"))
    stem += "_by_mode";
  if (TwoAddress two(stem); two.scale) {
    const LaneOp *op = findLdsOp(two.name);
    if (!op)
      return false;
    e.aux = reinterpret_cast<uint64_t>(op);
    e.imm[0] = (wide & 0xff) * two.scale | uint64_t((wide >> 8 & 0xff) * two.scale) << 32;
    const bool b64 = op->bytes == 8;
    if (op->action == Action::atomic)
      e.run = exchange2;
    else if (op->action == Action::load)
      e.run = b64 ? read2<2> : read2<1>;
    else
      e.run = b64 ? write2<2> : write2<1>;
    return true;
  }
  if (size_t at = stem.find("_src2_"); at != std::string::npos) {
    stem.erase(at, 5);
    const LaneOp *op = findLdsOp(stem);
    if (!op)
      return false;
    e.aux = reinterpret_cast<uint64_t>(op);
    e.run = source2;
    return true;
  }
  const LaneOp *op = findLdsOp(stem);
  if (!op)
    return false;
  e.aux = reinterpret_cast<uint64_t>(op);
  e.run = dwordHandler(*op);
  return true;
}

} // namespace meld::softgpu::mem
