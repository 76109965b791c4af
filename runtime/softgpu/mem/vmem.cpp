#include "runtime/softgpu/mem/vmem.h"

#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/mem/mem.h"

namespace meld::softgpu::mem {

uint64_t zeroAddress() {
  alignas(16) static const uint8_t zeros[16] = {};
  return addressOf(zeros);
}

void zeroLanes(VRow *dst, unsigned dwords, uint64_t mask) {
  for (unsigned k = 0; k < dwords; ++k)
    fillRow(dst[k], 0, mask);
}

bool translate(const ExecInst *i, Wave &w, uint64_t *address, uint64_t mask, uint32_t bytes,
               bool write, uint64_t span) {
  for (; mask; mask &= mask - 1) {
    unsigned l = firstLane(mask);
    if (w.checkMemory && !w.mapper->mapped(address[l], bytes)) {
      w.raise(i, FaultKind::memory, "address outside every allocation", address[l], int(l), write);
      return false;
    }
    address[l] = w.mapper->access(address[l], span ? span : bytes, write);
  }
  return true;
}

const ExecInst *runMemory(const ExecInst *i, Wave &w, uint64_t *address, uint64_t mask, VRow *dst) {
  const LaneOp &op = laneOp(i);
  if (w.mapper && !translate(i, w, address, mask, op.bytes, op.action != Action::load)) [[unlikely]]
    return nullptr;
  if (op.action == Action::atomic) {
    uint64_t low = 0;
    forLanes(mask, [&](unsigned l) { low |= address[l]; });
    if (low & (op.bytes - 1)) {
      for (uint64_t m = mask; m; m &= m - 1)
        if (unsigned l = firstLane(m); address[l] & (op.bytes - 1))
          return w.raise(i, FaultKind::memory, "misaligned atomic", address[l], int(l), true);
    }
  }
  traceLanes(w, address, mask, op.bytes);
  LaneJob j = makeJob(i, w, address, mask);
  if (dst)
    j.dst = dst;
  laneFn(i)(j);
  return following(i);
}

const ExecInst *storeToLds(const ExecInst *i, Wave &w, const LdsRows &rows, unsigned dwords) {
  const uint32_t mask = isa::traitsOf(i->inst->target).ocp ? 0x3ffff : 0xffff;
  const uint32_t at = (w.m0() & mask) + uint32_t(i->imm[0]), stride = dwords > 1 ? 16 : 4;
  forLanes(w.exec(), [&](unsigned l) {
    for (unsigned k = 0; k < dwords; ++k)
      if (const uint64_t to = uint64_t(at) + stride * l + 4 * k; to + 4 <= w.ldsSize)
        poke<uint32_t>(w.lds + to, rows[k].u[l]);
  });
  return following(i);
}

bool runPrivate(const ExecInst *i, Wave &w, const uint32_t *offset, uint64_t mask,
                uint64_t *address, VRow *dst) {
  const LaneOp &op = laneOp(i);
  uint64_t misaligned = 0;
  for (uint64_t m = mask; m; m &= m - 1) {
    unsigned l = firstLane(m);
    if (uint64_t(offset[l]) + op.bytes > w.scratchPerLane) {
      w.raise(i, FaultKind::aperture, "private address outside the wave's scratch", offset[l],
              int(l), op.action != Action::load);
      return false;
    }
    address[l] = scratchByte(w, l, offset[l]);
    if (offset[l] % 4 + (op.bytes < 4 ? op.bytes : 4) > 4)
      misaligned |= 1ull << l;
  }
  LaneJob j = makeJob(i, w, address, mask & ~misaligned);
  if (dst)
    j.dst = dst;
  j.dwordStride = scratchStride(w);
  if (op.action == Action::atomic && op.bytes == 8)
    misaligned = mask, j.mask = 0; // the two dwords of a private 64-bit atomic are not adjacent
  if (j.mask)
    laneFn(i)(j);
  if (misaligned)
    runBytewise(op, laneFn(i), j, misaligned,
                [&](unsigned l, unsigned k) { return host(scratchByte(w, l, offset[l] + k)); });
  return true;
}

bool gatherPrivate(const ExecInst *i, Wave &w, const VRow &v, uint32_t add, uint64_t base,
                   uint64_t end) {
  const LaneOp &op = laneOp(i);
  const uint64_t exec = w.exec();
  const uint32_t stand = v.u[firstLane(exec)] + add; // for lanes that are off
  U32x8 low = {};
  __m256i high = _mm256_setzero_si256();
  alignas(64) uint32_t offset[kWaveSize];
  const unsigned vectors = vectorsOf(exec);
  for (unsigned k = 0; k < vectors; ++k) {
    const U32x8 m = maskVec(exec, k), x = ((loadVec(v, k) + add) & m) | (splat(stand) & ~m);
    low |= x;
    high = _mm256_max_epu32(high, __m256i(x));
    std::memcpy(offset + 8 * k, &x, 32);
  }
  uint32_t largest = 0;
  for (uint32_t x : std::bit_cast<std::array<uint32_t, 8>>(high))
    largest = std::max(largest, x);
  if (!allZero(low & 3) || (uint64_t(largest / 4) + op.dwords) * scratchStride(w) > end)
    return false;
  alignas(64) uint64_t a[kWaveSize];
  for (unsigned first = 0; first < 8 * vectors; first += 8)
    for (unsigned l = first; l < first + 8; ++l)
      a[l] = base + uint64_t(offset[l]) * w.waveSize + 4 * l;
  resetTrace(w);
  if (base & ((1u << w.lineShift) - 1) || !addPrivate(w, offset, exec, op.dwords))
    addSwizzled(w, a, exec, op.bytes, scratchStride(w));
  LaneJob j = makeJob(i, w, a, exec);
  j.dwordStride = scratchStride(w);
  op.run(j);
  return true;
}

void fillDataRows(ExecInst &e) {
  const isa::Inst &in = *e.inst;
  const isa::Operand &data = in.vdata.kind != isa::Operand::Kind::none ? in.vdata : in.dst;
  const isa::Operand &dst = in.dst.kind != isa::Operand::Kind::none ? in.dst : in.vdata;
  e.src[0] = in.vaddr.kind == isa::Operand::Kind::vgpr ? in.vaddr.index : kImmSlot;
  e.src[1] = data.index;
  e.dst = dst.index;
  e.flags = 0;
  if (data.kind == isa::Operand::Kind::agpr || dst.kind == isa::Operand::Kind::agpr)
    e.flags |= kAgprData;
  e.imm[0] = uint64_t(int64_t(in.offset));
}

bool fillVectorOperands(ExecInst &e, std::string_view name) {
  const isa::Inst &in = *e.inst;
  // GFX12 has others under the names that are GFX10's.
  static constexpr std::string_view kOthers[][2] = {{"atomic_fmin", "atomic_fmin_num"},
                                                    {"atomic_fmax", "atomic_fmax_num"},
                                                    {"atomic_add_f32", "atomic_add_f32_kept"}};
  if (isa::traitsOf(in.target).generation >= 12)
    for (const auto &[before, now] : kOthers)
      if (name == before) {
        name = now;
        break;
      }
  const LaneOp *op = findMemoryOp(name);
  if (!op || in.tfe)
    return false;
  fillDataRows(e);
  if (op->action == Action::atomic && in.glc)
    e.flags |= kReturns;
  e.aux = reinterpret_cast<uint64_t>(op);
  return true;
}

} // namespace meld::softgpu::mem
