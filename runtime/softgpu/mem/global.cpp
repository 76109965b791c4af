// GLOBAL, FLAT and SCRATCH instructions ("Vega" ISA, chapter "Flat Memory Instructions").
//
// What: addresses of the lanes, then a LaneOp. GLOBAL: 64-bit VGPR pair + offset, or SGPR pair +
// 32-bit VGPR offset + offset. FLAT: the same pair, where the apertures send lanes to LDS or to
// scratch. SCRATCH: a 32-bit offset from a VGPR or an SGPR (gfx942 and from GFX11 on: or their sum;
// from GFX10 on: or none) into the lane's private memory, which lies where Wave::scratch says
// (GFX9: FLAT_SCRATCH in SGPRs, GFX10 and GFX11: the register FLAT_SCR). Fast paths: dword loads
// and stores whose lanes are consecutive (row copies, also under a partial EXEC) and loads of one
// address by all lanes. Unsafe: nothing is checked unless Wave::mapper is set; wild addresses end
// in SIGSEGV (see mem.h).
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/mem/vmem.h"

#include <string>

namespace meld::softgpu::mem {
namespace {

enum class Segment : uint8_t { global, globalSaddr, flat };

/// Of a wave's first `lanes` lanes: eight at a time.
template <bool SAddr>
void laneAddresses(const ExecInst *i, const Wave &w, unsigned lanes, uint64_t *a) {
  const VRow &lo = w.v[i->src[0]];
  if constexpr (SAddr) {
    const uint64_t base = w.s64(i->src[2]) + i->imm[0];
    for (unsigned first = 0; first < lanes; first += 8)
      for (unsigned l = first; l < first + 8; ++l)
        a[l] = base + lo.u[l];
  } else {
    const VRow &hi = w.v[i->src[0] + 1];
    for (unsigned first = 0; first < lanes; first += 8)
      for (unsigned l = first; l < first + 8; ++l)
        a[l] = (lo.u[l] | uint64_t(hi.u[l]) << 32) + i->imm[0];
  }
}

template <bool SAddr> const ExecInst *globalLanes(const ExecInst *i, Wave &w) {
  w.next = i;
  alignas(64) uint64_t a[kWaveSize];
  laneAddresses<SAddr>(i, w, 8 * vectorsOf(w.exec()), a);
  return runMemory(i, w, a, w.exec());
}

/// LDS lanes of a FLAT instruction: offsets past the allocation read 0 and drop writes.
void runShared(const ExecInst *i, Wave &w, const uint32_t *offset, uint64_t mask, uint64_t *a) {
  const LaneOp &op = laneOp(i);
  // Denormals: LDS follows MODE where memory flushes. GFX12 does neither.
  static const LaneOp &addF32 = *findLdsOp("add_f32");
  const LaneOp &inLds = op.name == "atomic_add_f32" ? addF32 : op;
  uint64_t outside = 0;
  for (uint64_t m = mask; m; m &= m - 1) {
    unsigned l = firstLane(m);
    if (uint64_t(offset[l]) + op.bytes > w.ldsSize) {
      outside |= 1ull << l;
      a[l] = zeroAddress();
    } else {
      a[l] = addressOf(w.lds) + offset[l];
    }
  }
  w.trace.ldsBankConflicts = bankConflicts(offset, mask & ~outside, op.bytes);
  LaneJob j = makeJob(i, w, a, op.action == Action::load ? mask : mask & ~outside);
  if (op.action == Action::atomic && i->flags & kReturns)
    zeroLanes(j.dst, op.dwords, outside);
  (i->flags & kReturns ? inLds.returning : inLds.run)(j);
}

const ExecInst *flatLanes(const ExecInst *i, Wave &w) {
  w.next = i;
  const uint64_t exec = w.exec();
  const VRow &lo = w.v[i->src[0]], &hi = w.v[i->src[0] + 1];
  uint64_t shared = 0, priv = 0;
  for (uint64_t m = exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    shared |= uint64_t(hi.u[l] == kSharedAperture >> 32) << l;
    priv |= uint64_t(hi.u[l] == kPrivateAperture >> 32) << l;
  }
  alignas(64) uint64_t a[kWaveSize];
  if (!(shared | priv)) [[likely]] {
    laneAddresses<false>(i, w, 8 * vectorsOf(exec), a);
    return runMemory(i, w, a, exec);
  }
  // Offsets are taken before any destination is written: it may overlap the address registers.
  uint32_t offset[kWaveSize];
  for (unsigned l = 0; l < kWaveSize; ++l)
    offset[l] = lo.u[l] + uint32_t(i->imm[0]);
  laneAddresses<false>(i, w, kWaveSize, a);
  resetTrace(w);
  if (uint64_t global = exec & ~(shared | priv))
    if (!runMemory(i, w, a, global))
      return nullptr;
  if (priv) {
    if (!runPrivate(i, w, offset, priv, a))
      return nullptr;
    addSwizzled(w, a, priv, laneOp(i).bytes, scratchStride(w));
  }
  if (shared)
    runShared(i, w, offset, shared, a);
  return following(i);
}

template <Segment S> const ExecInst *slowPath(const ExecInst *i, Wave &w) {
  if constexpr (S == Segment::flat)
    return flatLanes(i, w);
  else
    return globalLanes<S == Segment::globalSaddr>(i, w);
}

/// The 64-bit address of lane `l`.
template <Segment S> uint64_t oneAddress(const ExecInst *i, const Wave &w, unsigned l) {
  const uint64_t lo = w.v[i->src[0]].u[l];
  if constexpr (S == Segment::globalSaddr)
    return w.s64(i->src[2]) + lo + i->imm[0];
  else
    return (lo | uint64_t(w.v[i->src[0] + 1].u[l]) << 32) + i->imm[0];
}

/// Lane `l` is neither in the shared nor in the private aperture. Both lie above every user-space
/// address. Its register says which, without the offset, which may reach below an aperture.
template <Segment S> bool isOrdinary(const ExecInst *i, const Wave &w, unsigned l) {
  return S != Segment::flat || w.v[i->src[0] + 1].u[l] < kSharedAperture >> 32;
}

/// Loads and stores of N dwords by all L lanes, which are exec's.
template <Segment S, unsigned N, bool Store, unsigned L>
const ExecInst *wholeWave(const ExecInst *i, Wave &w, uint64_t exec) {
  const VRow &lo = w.v[i->src[0]], &hi = w.v[i->src[0] + 1];
  if (!isOrdinary<S>(i, w, 0) || !(S == Segment::globalSaddr || isUniform<L>(hi)))
    return slowPath<S>(i, w);
  const uint64_t base = oneAddress<S>(i, w, 0);
  // Vectors of memory would take apart the aligned halves of every other lane's three dwords.
  if (N != 3 && isLinear<L>(lo, 4 * N)) [[likely]] {
    traceLinear(w, base, 4 * N, exec);
    if constexpr (Store && N == 1)
      std::memcpy(host(base), dataRows(i, w)->u, 4 * L);
    else if constexpr (Store)
      sharedGroupsOut<N, L>(host(base), dataRows(i, w));
    else if constexpr (N == 1)
      wholeRowIn<L>(*dstRows(i, w), host(base));
    else
      sharedGroupsIn<N, L>(dstRows(i, w), host(base));
    return following(i);
  }
  if (!Store && isUniform<L>(lo)) {
    traceOne(w, base, 4 * N);
    uint32_t x[N];
    peekDwords<N>(x, host(base));
    VRow *dst = dstRows(i, w);
    for (unsigned k = 0; k < N; ++k)
      fillRow(dst[k], x[k], exec);
    return following(i);
  }
  return slowPath<S>(i, w);
}

/// Loads and stores of N dwords.
template <Segment S, unsigned N, bool Store> const ExecInst *dwords(const ExecInst *i, Wave &w) {
  w.next = i;
  const uint64_t exec = w.exec();
  const VRow &lo = w.v[i->src[0]], &hi = w.v[i->src[0] + 1];
  if (exec == kFullExec && !w.mapper) [[likely]]
    return wholeWave<S, N, Store, kWaveSize>(i, w, exec);
  if (exec == kLowExec && !w.mapper) [[likely]]
    return wholeWave<S, N, Store, kWaveSize / 2>(i, w, exec);
  if (!exec) {
    resetTrace(w);
    return following(i);
  }
  if constexpr (N != 3) {
    uint32_t low;
    if (!w.mapper && (S == Segment::globalSaddr || isUniformUnder(hi, exec)) &&
        isLinearUnder(lo, 4 * N, exec, low)) {
      if (isOrdinary<S>(i, w, firstLane(exec))) {
        const uint64_t base = oneAddress<S>(i, w, firstLane(exec)) - 4 * N * firstLane(exec);
        traceLinear(w, base, 4 * N, exec);
        if constexpr (Store && N == 1)
          rowOut(host(base), *dataRows(i, w), exec);
        else if constexpr (Store)
          groupsOutUnder<N>(host(base), dataRows(i, w), exec);
        else if constexpr (N == 1)
          rowIn(*dstRows(i, w), host(base), exec);
        else
          groupsInUnder<N>(dstRows(i, w), host(base), exec);
        return following(i);
      }
    }
  }
  return slowPath<S>(i, w);
}

/// Elements side by side, by all L lanes, which are exec's; false, and nothing has happened, where
/// they do not lie so.
template <Segment S, unsigned L>
bool denseElements(const ExecInst *i, Wave &w, uint64_t exec, DenseFn dense) {
  const LaneOp &op = laneOp(i);
  if (!dense || w.mapper || !isLinear<L>(w.v[i->src[0]], op.bytes) ||
      !(S == Segment::globalSaddr || isUniform<L>(w.v[i->src[0] + 1])))
    return false;
  if (!isOrdinary<S>(i, w, 0))
    return false;
  const uint64_t base = oneAddress<S>(i, w, 0);
  w.next = i;
  traceLinear(w, base, op.bytes, exec);
  dense(op.action == Action::load ? *dstRows(i, w) : *dataRows(i, w), host(base));
  return true;
}

/// Sub-dword loads and stores, atomics.
template <Segment S> const ExecInst *otherOps(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  const LaneOp &op = laneOp(i);
  if (exec == kFullExec  ? denseElements<S, kWaveSize>(i, w, exec, op.dense)
      : exec == kLowExec ? denseElements<S, kWaveSize / 2>(i, w, exec, op.dense32)
                         : false)
    return following(i);
  if (exec)
    return slowPath<S>(i, w);
  resetTrace(w);
  return following(i);
}

/// Loads with the lds bit.
template <Segment S> const ExecInst *loadToLds(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  if (!w.exec())
    return following(i);
  alignas(64) uint64_t a[kWaveSize];
  laneAddresses<S == Segment::globalSaddr>(i, w, kWaveSize, a);
  LdsRows value = {};
  return runMemory(i, w, a, w.exec(), value.data()) ? storeToLds(i, w, value, laneOp(i).dwords)
                                                    : nullptr;
}

/// global_*_dword_addtid: the lane is the vector address, 4 bytes each.
template <bool SAddr> const ExecInst *addTid(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  const uint64_t exec = w.exec();
  if (!exec)
    return following(i);
  alignas(64) uint64_t a[kWaveSize];
  const uint64_t base = (SAddr ? w.s64(i->src[2]) : 0) + i->imm[0];
  for (unsigned l = 0; l < kWaveSize; ++l)
    a[l] = base + 4 * l;
  return runMemory(i, w, a, exec);
}

// --- scratch_* ---
/// Byte offsets into the lanes' private memory: vector and scalar address, where there are, and the
/// instruction's offset.
void privateOffsets(const ExecInst *i, const Wave &w, uint32_t *offset) {
  const uint32_t add = uint32_t(i->imm[0]) + (i->src[2] == kImmSlot ? 0 : w.s[i->src[2]]);
  const VRow *vaddr = i->src[0] == kImmSlot ? nullptr : &w.v[i->src[0]];
  for (unsigned l = 0; l < kWaveSize; ++l)
    offset[l] = add + (vaddr ? vaddr->u[l] : 0);
}

const ExecInst *scratchToLds(const ExecInst *i, Wave &w) {
  w.next = i;
  resetTrace(w);
  const uint64_t exec = w.exec();
  if (!exec)
    return following(i);
  uint32_t offset[kWaveSize];
  privateOffsets(i, w, offset);
  alignas(64) uint64_t a[kWaveSize];
  LdsRows value = {};
  if (!runPrivate(i, w, offset, exec, a, value.data()))
    return nullptr;
  addSwizzled(w, a, exec, laneOp(i).bytes, scratchStride(w));
  return storeToLds(i, w, value);
}

const ExecInst *scratchOps(const ExecInst *i, Wave &w) {
  w.next = i;
  const uint64_t exec = w.exec();
  resetTrace(w);
  if (!exec)
    return following(i);
  const LaneOp &op = laneOp(i);
  const uint32_t add = uint32_t(i->imm[0]) + (i->src[2] == kImmSlot ? 0 : w.s[i->src[2]]);
  const VRow *vaddr = i->src[0] == kImmSlot ? nullptr : &w.v[i->src[0]];
  const bool dwords = op.bytes >= 4 && op.action != Action::atomic;
  if (dwords && (!vaddr || isUniformUnder(*vaddr, exec))) {
    uint32_t b = add + (vaddr ? vaddr->u[firstLane(exec)] : 0);
    if (b % 4 == 0 && uint64_t(b) + op.bytes <= w.scratchPerLane) {
      uint8_t *p = host(scratchByte(w, 0, b));
      for (unsigned k = 0; k < op.dwords; ++k, p += scratchStride(w)) {
        addLinear(w, addressOf(p), 4,
                  exec); // rows lie in lines of their own: none is counted twice
        if (op.action == Action::store)
          rowOut(p, dataRows(i, w)[k], exec);
        else
          rowIn(dstRows(i, w)[k], p, exec);
      }
      return following(i);
    }
  } else if (dwords && gatherPrivate(i, w, *vaddr, add, addressOf(w.scratch), scratchBytes(w))) {
    return following(i);
  }
  uint32_t offset[kWaveSize];
  privateOffsets(i, w, offset);
  alignas(64) uint64_t a[kWaveSize];
  if (!runPrivate(i, w, offset, exec, a))
    return nullptr;
  addSwizzled(w, a, exec, op.bytes, scratchStride(w));
  return following(i);
}

const ExecInst *cacheOp(const ExecInst *i, Wave &w) {
  resetTrace(w);
  return following(i);
}

template <Segment S> Handler pick(const LaneOp &op) {
  static constexpr Handler loads[] = {dwords<S, 1, false>, dwords<S, 2, false>, dwords<S, 3, false>,
                                      dwords<S, 4, false>};
  static constexpr Handler stores[] = {dwords<S, 1, true>, dwords<S, 2, true>, dwords<S, 3, true>,
                                       dwords<S, 4, true>};
  if (op.action == Action::atomic || op.bytes < 4)
    return otherOps<S>;
  return (op.action == Action::load ? loads : stores)[op.dwords - 1];
}

} // namespace

bool prepareGlobal(ExecInst &e) {
  const isa::Inst &in = *e.inst;
  std::string_view name = isa::mnemonic(in.op);
  const size_t prefix = name.find('_');
  std::string opName(name.substr(prefix == name.npos ? 0 : prefix + 1));
  if (opName.starts_with("load_lds_")) // the lds bit is in the opcode
    opName.erase(5, 4);
  if (opName == "inv" || opName == "wb" ||
      opName == "wbinv") { // GFX12's cache control: nothing to do in any scope
    e.run = cacheOp;
    return true;
  }
  const bool addsTid = opName.ends_with("_addtid");
  if (addsTid)
    opName.resize(opName.size() - std::string_view("_addtid").size());
  if (!fillVectorOperands(e, opName))
    return false;
  const bool saddr = in.saddr.kind == isa::Operand::Kind::sgpr;
  e.src[2] = saddr ? in.saddr.index : kImmSlot;
  if (saddr && in.saddr.index + (in.enc == isa::Enc::SCRATCH ? 1u : 2u) > isa::Sgpr::slots)
    return false;
  const LaneOp &op = laneOp(&e);
  if (addsTid) {
    e.src[0] = kImmSlot;
    e.run = saddr ? addTid<true> : addTid<false>;
    return in.enc == isa::Enc::GLOBAL && !in.lds;
  }
  if (in.lds && in.enc == isa::Enc::SCRATCH) {
    e.run = scratchToLds;
    return op.action == Action::load && op.bytes <= 4;
  }
  if (in.lds) {
    e.run = saddr ? loadToLds<Segment::globalSaddr> : loadToLds<Segment::global>;
    return in.enc == isa::Enc::GLOBAL && op.action == Action::load && op.bytes != 8;
  }
  switch (in.enc) {
  case isa::Enc::SCRATCH:
    e.run = scratchOps;
    return true;
  case isa::Enc::FLAT:
    e.run = pick<Segment::flat>(op);
    return true;
  case isa::Enc::GLOBAL:
    e.run = saddr ? pick<Segment::globalSaddr>(op) : pick<Segment::global>(op);
    return true;
  default:
    return false;
  }
}

} // namespace meld::softgpu::mem
