#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/mem/vmem.h"

namespace meld::softgpu {
bool prepareMemory(ExecInst &e, isa::Target target) {
  using isa::Enc;
  switch (e.inst->enc) {
  case Enc::SMEM:
    return mem::prepareSmem(e);
  case Enc::DS:
    return mem::prepareGws(e) || mem::prepareDs(e, target);
  case Enc::GLOBAL:
  case Enc::FLAT:
  case Enc::SCRATCH:
    return mem::prepareGlobal(e);
  case Enc::MUBUF:
  case Enc::MTBUF:
    return mem::prepareBuffer(e, target);
  default:
    return false;
  }
}

} // namespace meld::softgpu
