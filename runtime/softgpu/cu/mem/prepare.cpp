#include "runtime/softgpu/cu/gpu.h"
#include "runtime/softgpu/cu/mem/mem.h"
#include "runtime/softgpu/cu/mem/vmem.h"
#include "runtime/softgpu/isa/decoder.h"

namespace meld::softgpu {
bool prepareMemory(ExecInst &e, isa::Target target) {
  using isa::Enc;
  switch (e.inst->enc) {
  case Enc::SMEM:
    return mem::prepareSmem(e);
  case Enc::DS:
    return mem::prepareDs(e);
  case Enc::GLOBAL:
  case Enc::FLAT:
  case Enc::SCRATCH:
    return mem::prepareGlobal(e);
  case Enc::MUBUF:
  case Enc::MTBUF:
    return mem::prepareBuffer(e);
  default:
    return false;
  }
}

bool hostCanRunMemory() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"); }

bool writesMemory(const ExecInst *i) {
  const std::string_view name = isa::mnemonic(i->inst->op);
  return name.find("store") != name.npos || name.find("atomic") != name.npos ||
         (i->inst->enc == isa::Enc::DS && name.find("read") == name.npos);
}

int faultingLane(const ExecInst *i, const Wave &w, uint64_t address) {
  using namespace mem;
  const isa::Inst &in = *i->inst;
  if (in.enc != isa::Enc::GLOBAL && in.enc != isa::Enc::FLAT)
    return -1;
  const uint32_t bytes = laneOp(i).bytes;
  const VRow &lo = w.v[i->src[0]];
  for (uint64_t m = w.exec(); m; m &= m - 1) {
    const unsigned l = firstLane(m);
    uint64_t a = in.saddr.kind == isa::Operand::Kind::sgpr
                     ? w.s64(i->src[2]) + lo.u[l]
                     : lo.u[l] | uint64_t(w.v[i->src[0] + 1].u[l]) << 32;
    a += i->imm[0];
    if (w.mapper && !w.checkMemory)
      a = w.mapper->toHost(a);
    // A non-canonical address faults without saying where: si_addr is 0.
    const bool canonical = int64_t(a << 16) >> 16 == int64_t(a);
    if (address - a < bytes || (address == 0 && !canonical))
      return int(l);
  }
  return -1;
}

} // namespace meld::softgpu
