// Global wave sync: the grid-wide barriers and semaphores behind cooperative launches (ds_gws_*).
//
// A resource has a counter (semaphores) and a barrier. A barrier of value v lets its waves go when
// v + 1 of them have arrived; ROCclr sets it up with ds_gws_init and the device library makes one
// wave per workgroup arrive. A wave that has to wait yields and executes the instruction again on
// its next turn:
//
//   wave 0  barrier: arrives, yields .......... again: generation changed, goes on
//   wave 1            barrier: arrives, yields . again: goes on
//   wave 2                      barrier: last one, generation += 1, goes on
//
// Terminates when all waves of the barrier are resident, which a cooperative launch promises and
// the scheduler keeps (it makes workgroups resident up to the device's occupancy). Source: Vega ISA
// manual, DS instructions with GDS; LLVM's comment on llvm.amdgcn.ds.gws.* (the value is the number
// of waves minus one; the resource is (M0[21:16] + offset) mod 64).
//
// Thread rule: any worker; one lock for all resources (grid barriers are rare).
#include "runtime/softgpu/execute/workgroup.h"
#include "runtime/softgpu/mem/vmem.h"

#include <bit>
#include <map>
#include <mutex>

namespace meld::softgpu::mem {

namespace {

using isa::Op;

struct Resource {
  int64_t counter = 0;
  uint64_t arrived = 0, generation = 0;
  std::map<const Wave *, uint64_t> waiting; ///< wave -> generation it arrived in (looked up only)
};

struct Gws {
  std::mutex mutex;
  std::map<std::pair<uint64_t, unsigned>, Resource> resources; ///< by queue and resource id
};
Gws &gws() {
  static auto *g = new Gws; // lives as long as the process
  return *g;
}

/// True when the wave may go on.
bool step(Resource &r, Op op, uint32_t value, const Wave *wave) {
  const auto mine = r.waiting.find(wave);
  if (mine != r.waiting.end() && mine->second != r.generation) {
    r.waiting.erase(mine);
    return true;
  }
  switch (op) {
  case Op::ds_gws_init:
    r = Resource{};
    r.counter = value;
    return true;
  case Op::ds_gws_sema_v:
    ++r.counter;
    return true;
  case Op::ds_gws_sema_br:
    r.counter += value;
    return true;
  case Op::ds_gws_sema_release_all:
    r.counter = 0;
    ++r.generation;
    return true;
  case Op::ds_gws_sema_p:
    if (r.counter > 0) {
      --r.counter;
      r.waiting.erase(wave);
      return true;
    }
    r.waiting.emplace(wave, r.generation);
    return false;
  default: // ds_gws_barrier
    if (mine != r.waiting.end())
      return false;
    if (++r.arrived > value) {
      r.arrived = 0;
      ++r.generation;
      return true;
    }
    r.waiting.emplace(wave, r.generation);
    return false;
  }
}

const ExecInst *runGws(const ExecInst *i, Wave &w) {
  if (!w.exec())
    return following(i);
  const isa::Inst &in = *i->inst;
  uint32_t value = 0;
  if (in.vdata.kind != isa::Operand::Kind::none) {
    const unsigned base = in.vdata.kind == isa::Operand::Kind::agpr ? w.accOffset : 0;
    value = w.v[base + in.vdata.index].u[std::countr_zero(w.exec())];
  }
  const unsigned id = ((w.m0() >> 16 & 63) + static_cast<uint32_t>(in.offset)) & 63;
  const uint64_t queue = w.group && w.group->request ? w.group->request->queueAddress : 0;
  bool go;
  {
    Gws &g = gws();
    std::lock_guard lock(g.mutex);
    go = step(g.resources[{queue, id}], in.op, value, &w);
  }
  if (go)
    return following(i);
  w.next = i;
  w.status = WaveStatus::yielded;
  return nullptr;
}

} // namespace

bool prepareGws(ExecInst &e) {
  switch (e.inst->op) {
  case Op::ds_gws_init:
  case Op::ds_gws_barrier:
  case Op::ds_gws_sema_v:
  case Op::ds_gws_sema_p:
  case Op::ds_gws_sema_br:
  case Op::ds_gws_sema_release_all:
    e.run = runGws;
    return true;
  default:
    return false;
  }
}

} // namespace meld::softgpu::mem
