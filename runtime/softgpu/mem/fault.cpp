// Finding the lane behind a SIGSEGV: addresses are computed again from the registers.
#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/mem/resource.h"
#include "runtime/softgpu/mem/vmem.h"

namespace meld::softgpu {
namespace {

using namespace mem;

/// Whether handlers keep a LaneOp in `aux`: typed buffer accesses do not.
uint32_t accessBytes(const ExecInst *i) {
  const bool typed = isa::mnemonic(i->inst->op).find("_format_") != std::string_view::npos;
  return typed ? 16 : laneOp(i).bytes;
}

uint64_t deviceAddress(const ExecInst *i, const Wave &w, unsigned lane) {
  const isa::Inst &in = *i->inst;
  const VRow *v = i->src[0] == kImmSlot ? nullptr : &w.v[i->src[0]];
  switch (in.enc) {
  case isa::Enc::GLOBAL:
  case isa::Enc::FLAT:
    if (!v) // the lane is the address
      return (i->src[2] == kImmSlot ? 0 : w.s64(i->src[2])) + i->imm[0] + 4 * lane;
    if (i->src[2] != kImmSlot)
      return w.s64(i->src[2]) + v->u[lane] + i->imm[0];
    return (v->u[lane] | uint64_t(v[1].u[lane]) << 32) + i->imm[0];
  case isa::Enc::MUBUF:
  case isa::Enc::MTBUF: {
    const BufferResource r(w, i->src[2], generationOf(i), scalarOffsetOf(i, w));
    const uint32_t index = (in.idxen ? v->u[lane] : 0) + (r.addTid ? lane : 0);
    const uint32_t offset = (in.offen ? v[in.idxen].u[lane] : 0) + uint32_t(in.offset);
    return r.base + r.outer + r.bufferOffset(index, offset);
  }
  default:
    return 0;
  }
}

bool hasLanes(const ExecInst *i) {
  const isa::Enc enc = i->inst->enc;
  return enc == isa::Enc::GLOBAL || enc == isa::Enc::FLAT || enc == isa::Enc::MUBUF ||
         enc == isa::Enc::MTBUF;
}

} // namespace

bool writesMemory(const ExecInst *i) {
  const std::string_view name = isa::mnemonic(i->inst->op);
  const bool dsRead = i->inst->enc == isa::Enc::DS && name.find("read") != name.npos;
  return name.find("store") != name.npos || name.find("atomic") != name.npos ||
         (i->inst->enc == isa::Enc::DS && !dsRead);
}

uint64_t laneAddress(const ExecInst *i, const Wave &w, unsigned lane) {
  return hasLanes(i) ? deviceAddress(i, w, lane) : 0;
}

int faultingLane(const ExecInst *i, const Wave &w, uint64_t address) {
  if (!hasLanes(i))
    return -1;
  // Row copies and gathers may touch a later lane's memory first: the lane is the first one with a
  // byte in the page that faulted, provided that some lane has the very byte.
  constexpr uint64_t kPage = 4096;
  const uint64_t page = address & -kPage;
  const uint32_t bytes = accessBytes(i);
  int first = -1;
  for (uint64_t m = w.exec(); m; m &= m - 1) {
    const unsigned l = firstLane(m);
    uint64_t a = deviceAddress(i, w, l);
    if (w.mapper)
      a = w.mapper->toHost(a);
    // A non-canonical address faults without saying where: si_addr is 0.
    if (address == 0 && int64_t(a << 16) >> 16 != int64_t(a))
      return int(l);
    if (first < 0 && a < page + kPage && a + bytes > page)
      first = int(l);
    if (address - a < bytes)
      return first;
  }
  return -1;
}

} // namespace meld::softgpu
