// MUBUF instructions ("Vega", "RDNA 2" and "RDNA3" ISA, chapter "Vector Memory Buffer Instructions");
// addressing in resource.h.
//
// What: lanes fall into three classes: whole and ordinary (run as one LaneOp), wholly out of range
// (loads give 0, stores nothing), and odd (partly out of range, or misaligned in a swizzled buffer:
// byte by byte). Fast path: private memory as compilers spill it, all lanes at the same offset of a
// swizzle of as many lanes as the wave has: row copies. The lds bit: dwords go to LDS instead of VGPRs.
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/mem/resource.h"
#include "runtime/softgpu/mem/vmem.h"

#include <algorithm>
#include <array>
#include <utility>

namespace meld::softgpu::mem {
namespace {

/// Index and offset of each lane.
struct Lanes {
  uint32_t index[kWaveSize], offset[kWaveSize];

  Lanes(const ExecInst *i, const Wave &w, const BufferResource &r) {
    const isa::Inst &in = *i->inst;
    const VRow *v = i->src[0] == kImmSlot ? nullptr : &w.v[i->src[0]];
    const VRow *indexRow = in.idxen ? v : nullptr,
               *offsetRow = in.offen ? v + (in.idxen ? 1 : 0) : nullptr;
    for (unsigned l = 0; l < kWaveSize; ++l) {
      index[l] = (indexRow ? indexRow->u[l] : 0) + (r.addTid ? l : 0);
      offset[l] = (offsetRow ? offsetRow->u[l] : 0) + uint32_t(in.offset);
    }
  }
};

/// The wave's private memory ends with its scratch block, whatever num_records says: past it lies
/// memory of the host or of another wave.
bool insideScratch(const Wave &w, const BufferResource &r, uint32_t index, uint64_t offset,
                   uint32_t bytes) {
  const uint64_t last = r.bufferOffset(index, offset + bytes - 1);
  return r.outer + last < scratchBytes(w);
}

/// Loads, stores and atomics, any resource. `dst` replaces the destination rows when not null.
const ExecInst *runBuffer(const ExecInst *i, Wave &w, VRow *dst) {
  const LaneOp &op = laneOp(i);
  const BufferResource r(w, i->src[2], generationOf(i), scalarOffsetOf(i, w));
  const bool idxen = i->inst->idxen;
  const uint64_t start = r.base + r.outer, exec = w.exec();
  const Lanes lanes(i, w, r);
  const unsigned parts = op.action == Action::atomic ? 1 : (op.bytes + 3) / 4;
  const uint32_t payload = op.action == Action::atomic ? op.bytes : r.payload(op.bytes);
  const bool isPrivate = r.base == addressOf(w.scratch);

  alignas(64) uint64_t a[kWaveSize];
  uint64_t whole = 0, odd = 0;
  for (uint64_t m = exec; m; m &= m - 1) {
    const unsigned l = firstLane(m);
    const uint64_t first = r.bufferOffset(lanes.index[l], lanes.offset[l]);
    unsigned inside = 0;
    for (unsigned k = 0; k < parts; ++k)
      inside += r.inRange(idxen, lanes.index[l], uint64_t(lanes.offset[l]) + 4 * k, payload);
    a[l] = start + first;
    if (isPrivate && inside && !insideScratch(w, r, lanes.index[l], lanes.offset[l], op.bytes))
      return w.raise(i, FaultKind::aperture, "private address outside the wave's scratch",
                     lanes.offset[l], int(l), op.action != Action::load);
    const bool crosses = r.crosses(lanes.offset[l], op.bytes) ||
                         (r.dwordStride() != 4 && op.action == Action::atomic && op.bytes == 8);
    if (inside == parts && !crosses)
      whole |= 1ull << l;
    else if (inside)
      odd |= 1ull << l;
  }
  const uint64_t outside = exec & ~(whole | odd);
  if (odd && op.action == Action::store)
    odd |= std::exchange(whole, 0); // one pass, so that of overlapping lanes the highest still wins
  const uint64_t span = r.span(op.bytes);
  if (w.mapper && !isPrivate &&
      !translate(i, w, a, whole | odd, op.bytes, op.action != Action::load, span)) [[unlikely]]
    return nullptr;
  if (op.action == Action::atomic)
    for (uint64_t m = whole; m; m &= m - 1)
      if (unsigned l = firstLane(m); a[l] & (op.bytes - 1))
        return w.raise(i, FaultKind::memory, "misaligned atomic", a[l], int(l), true);

  const uint32_t dwordStride = r.dwordStride();
  if (dwordStride == 4 || op.bytes <= 4) {
    traceLanes(w, a, whole | odd, op.bytes);
  } else {
    resetTrace(w);
    addSwizzled(w, a, whole | odd, op.bytes, dwordStride);
  }
  LaneJob j = makeJob(i, w, a, whole);
  if (dst)
    j.dst = dst;
  j.dwordStride = dwordStride;
  laneFn(i)(j);
  if (odd) {
    auto byteAt = [&](unsigned l, unsigned k) -> uint8_t * {
      const uint64_t offset = lanes.offset[l];
      const uint64_t part = offset + (op.action == Action::atomic ? 0 : k / 4 * 4);
      if (!r.inRange(idxen, lanes.index[l], part, payload))
        return nullptr;
      uint64_t x = start + r.bufferOffset(lanes.index[l], offset + k);
      return host(w.mapper ? x - (start + r.bufferOffset(lanes.index[l], offset)) + a[l] : x);
    };
    runBytewise(op, laneFn(i), j, odd, byteAt);
  }
  if (outside && op.action == Action::load) {
    forLanes(outside, [&](unsigned l) { a[l] = zeroAddress(); });
    j.mask = outside;
    j.dwordStride = 4;
    laneFn(i)(j);
  } else if (outside && i->flags & kReturns) {
    zeroLanes(j.dst, op.dwords, outside);
  }
  return following(i);
}

const ExecInst *bufferOps(const ExecInst *i, Wave &w) {
  w.next = i;
  if (w.exec())
    return runBuffer(i, w, nullptr);
  resetTrace(w);
  return following(i);
}

/// Bytes from the resource's base that a spill may reach: its own range, or the wave's scratch
/// block.
uint64_t reach(const Wave &w, unsigned slot) {
  const bool isPrivate =
      (w.s[slot] | uint64_t(w.s[slot + 1] & 0xffff) << 32) == addressOf(w.scratch);
  const uint64_t records = w.s[slot + 2], block = scratchBytes(w);
  return isPrivate && block < records ? block : records;
}

/// Dword loads and stores, offen or no VGPR address: tries the spill pattern first.
template <unsigned N, bool Store> const ExecInst *privateDwords(const ExecInst *i, Wave &w) {
  w.next = i;
  const uint64_t exec = w.exec();
  if (!exec) {
    resetTrace(w);
    return following(i);
  }
  const unsigned slot = i->src[2];
  const uint32_t soffset = scalarOffsetOf(i, w);
  if (w.mapper || !isPrivateResource(w, slot, generationOf(i)) ||
      (soffset && generationOf(i) >= 12)) // which is swizzled there
    return runBuffer(i, w, nullptr);
  const uint64_t end = reach(w, slot);
  if (soffset > end)
    return runBuffer(i, w, nullptr);
  const uint64_t base = (w.s[slot] | uint64_t(w.s[slot + 1] & 0xffff) << 32) + soffset;
  uint32_t offset = uint32_t(i->imm[0]);
  if (i->src[0] != kImmSlot) {
    const VRow &v = w.v[i->src[0]];
    if (!isUniformUnder(v, exec)) // an indexed array
      return gatherPrivate(i, w, v, offset, base, end - soffset) ? following(i)
                                                                 : runBuffer(i, w, nullptr);
    offset += v.u[firstLane(exec)];
  }
  const uint32_t stride = scratchStride(w);
  const uint64_t first = uint64_t(offset / 4) * stride;
  if (offset % 4 || first + N * uint64_t(stride) > end - soffset)
    return runBuffer(i, w, nullptr);
  uint8_t *p = host(base + first);
  VRow *rows = Store ? dataRows(i, w) : dstRows(i, w);
  resetTrace(w);
  for (unsigned k = 0; k < N; ++k, p += stride) {
    addLinear(w, addressOf(p), 4, exec); // rows lie in lines of their own: none is counted twice
    if constexpr (Store)
      rowOut(p, rows[k], exec);
    else
      rowIn(rows[k], p, exec);
  }
  return following(i);
}

const ExecInst *loadToLds(const ExecInst *i, Wave &w) {
  w.next = i;
  const uint64_t exec = w.exec();
  resetTrace(w);
  if (!exec)
    return following(i);
  LdsRows value = {};
  if (!runBuffer(i, w, value.data()))
    return nullptr;
  return storeToLds(i, w, value, laneOp(i).dwords);
}

/// The LaneOp of a buffer instruction. GFX11's loads that have LDS as their destination say so in
/// their names.
std::string_view laneOpName(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kToLds[] = {{"u8", "load_ubyte"},
                                                                      {"i8", "load_sbyte"},
                                                                      {"u16", "load_ushort"},
                                                                      {"i16", "load_sshort"},
                                                                      {"b32", "load_dword"}};
  constexpr std::string_view start = "buffer_load_lds_";
  if (name.starts_with(start))
    for (const auto &[type, op] : kToLds)
      if (name.substr(start.size()) == type)
        return op;
  return name.substr(std::string_view("buffer_").size());
}

const ExecInst *cacheOp(const ExecInst *i, Wave &w) {
  resetTrace(w);
  return following(i);
}

} // namespace

bool prepareBuffer(ExecInst &e, isa::Target target) {
  const isa::Inst &in = *e.inst;
  using Kind = isa::Operand::Kind;
  const std::string_view name = isa::mnemonic(in.op);
  if (name == "buffer_wbl2" || name == "buffer_inv" || name == "buffer_invl2" ||
      name == "buffer_gl0_inv" || name == "buffer_gl1_inv" || name.starts_with("buffer_wbinvl1")) {
    // Nothing to do in any scope: all waves, the copies and the host use the same host memory, and
    // an access has happened when its instruction is done.
    e.run = cacheOp;
    return true;
  }
  if (in.srsrc.kind != Kind::sgpr || in.srsrc.index + 4u > isa::Sgpr::slots)
    return false;
  e.src[2] = in.srsrc.index;
  e.sdst = kImmSlot;
  const uint32_t constant = uint32_t(in.soffset.kind == Kind::imm ? in.soffset.value : 0);
  if (in.soffset.kind == Kind::sgpr)
    e.sdst = in.soffset.index;
  else if (in.soffset.kind == Kind::special)
    return false;
  const bool typed = prepareTyped(e);
  if (!typed && (!name.starts_with("buffer_") || !fillVectorOperands(e, laneOpName(name))))
    return false;
  e.flags |= (isa::traitsOf(target).generation - 9) * (kGeneration / 3);
  e.imm[1] = constant;
  if (!in.idxen && !in.offen)
    e.src[0] = kImmSlot;
  else if (e.src[0] == kImmSlot)
    return false;
  if (typed)
    return true;
  const LaneOp &op = laneOp(&e);
  if (in.lds) {
    e.run = loadToLds;
    return op.action == Action::load && op.bytes != 8;
  }
  static constexpr Handler loads[] = {privateDwords<1, false>, privateDwords<2, false>,
                                      privateDwords<3, false>, privateDwords<4, false>};
  static constexpr Handler stores[] = {privateDwords<1, true>, privateDwords<2, true>,
                                       privateDwords<3, true>, privateDwords<4, true>};
  if (op.action == Action::atomic || op.bytes < 4 || in.idxen)
    e.run = bufferOps;
  else
    e.run = (op.action == Action::load ? loads : stores)[op.dwords - 1];
  return true;
}

} // namespace meld::softgpu::mem
