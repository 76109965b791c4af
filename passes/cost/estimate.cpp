#include "passes/cost/estimate.h"

#include "passes/compat.h"
#include "runtime/gpu/occupancy.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace meld::passes {

using compat::startsWith;

namespace {

using namespace cycles;

enum class Class { valu, salu, scalarMemory, vectorMemory, lds, branch, other };

struct Cost {
  Class kind;
  double issue;
};

Cost vectorCost(StringRef name) {
  for (StringRef t : {"V_RCP_", "V_RSQ_", "V_SQRT_", "V_EXP_", "V_LOG_", "V_SIN_", "V_COS_"})
    if (startsWith(name, t))
      return {Class::valu, name.contains("_F64") ? 2 * transcendental : transcendental};
  if (startsWith(name, "V_MUL_LO_U32") || startsWith(name, "V_MUL_HI_") ||
      startsWith(name, "V_MAD_U64") || startsWith(name, "V_MAD_I64"))
    return {Class::valu, multiply32};
  if (name.contains("_F64") || startsWith(name, "V_LSHLREV_B64") ||
      startsWith(name, "V_LSHRREV_B64") || startsWith(name, "V_ASHRREV_I64"))
    return {Class::valu, doublePrecision};
  return {Class::valu, plain};
}

Cost costOf(const MachineInstruction &inst) {
  StringRef name = inst.name;
  if (inst.flow != Flow::next)
    return {Class::branch, inst.flow == Flow::end ? plain : branch};
  if (startsWith(name, "V_"))
    return vectorCost(name);
  if (startsWith(name, "DS_"))
    return {Class::lds, startsWith(name, "DS_READ") ? ldsRead : ldsWrite};
  for (StringRef p : {"GLOBAL_", "FLAT_", "BUFFER_", "SCRATCH_", "TBUFFER_", "IMAGE_"})
    if (startsWith(name, p))
      return {Class::vectorMemory, vectorMemory};
  for (StringRef p :
       {"S_LOAD_", "S_STORE_", "S_BUFFER_", "S_ATOMIC_", "S_SCRATCH_", "S_DCACHE_", "S_MEMTIME"})
    if (startsWith(name, p))
      return {Class::scalarMemory, scalarMemory};
  if (startsWith(name, "S_BARRIER"))
    return {Class::other, barrier};
  if (startsWith(name, "S_WAITCNT") || startsWith(name, "S_NOP") || startsWith(name, "S_SLEEP"))
    return {Class::other, plain};
  if (startsWith(name, "S_SWAPPC") || startsWith(name, "S_CALL"))
    return {Class::branch, branch};
  if (startsWith(name, "S_"))
    return {Class::salu, plain};
  return {Class::other, plain};
}

} // namespace

unsigned occupancy(const KernelResources &r, StringRef processor) {
  return wavesPerSimd(std::string_view(processor.data(), processor.size()), r.waveSize,
                      {r.vgprs, r.agprs, r.sgprs}, {r.ldsBytes, r.maxWorkgroup})
      .value_or(0);
}

Estimate estimate(const MachineFunction &f, const KernelResources &resources, StringRef processor) {
  Estimate e;
  for (const auto &block : f.blocks) {
    bool called = false;
    for (size_t i = block.first; i < block.first + block.count; ++i) {
      StringRef name = f.instructions[i].name;
      called |= startsWith(name, "S_SWAPPC") || startsWith(name, "S_CALL");
      e.swapsBehindCalls += called && startsWith(name, "V_SWAP_B32");
      Cost c = costOf(f.instructions[i]);
      e.cycles += c.issue * block.frequency;
      ++e.instructions;
      switch (c.kind) {
      case Class::valu:
        ++e.valu;
        break;
      case Class::salu:
        ++e.salu;
        break;
      case Class::scalarMemory:
        ++e.scalarMemory;
        break;
      case Class::vectorMemory:
        ++e.vectorMemory;
        break;
      case Class::lds:
        ++e.lds;
        break;
      case Class::branch:
        ++e.branches;
        break;
      case Class::other:
        break;
      }
    }
  }
  e.wavesPerSimd = occupancy(resources, processor);
  return e;
}

Verdict judge(const Estimate &before, const KernelResources &rb, const Estimate &after,
              const KernelResources &ra, double minProfit, bool force) {
  Verdict v;
  v.gain = before.cycles > 0 ? (before.cycles - after.cycles) / before.cycles * 100 : 0;
  auto more = [&](const char *what, uint32_t b, uint32_t a) {
    if (a <= b || !v.reason.empty())
      return;
    v.reason = formatv("{0} {1} -> {2}", what, b, a);
  };
  more("LDS bytes", rb.ldsBytes, ra.ldsBytes);
  more("scratch bytes", rb.scratchBytes, ra.scratchBytes);
  more("VGPR spills", rb.vgprSpills, ra.vgprSpills);
  more("swaps behind calls, which LLVM may have got wrong,", before.swapsBehindCalls,
       after.swapsBehindCalls);
  if (v.reason.empty() && !force && after.wavesPerSimd < before.wavesPerSimd)
    v.reason =
        formatv("occupancy {0} -> {1} waves per SIMD (VGPRs {2} -> {3}, SGPRs {4} -> {5})",
                before.wavesPerSimd, after.wavesPerSimd, rb.vgprs, ra.vgprs, rb.sgprs, ra.sgprs);
  if (v.reason.empty() && !force && !before.wavesPerSimd && !after.wavesPerSimd &&
      (ra.vgprs > rb.vgprs || ra.agprs > rb.agprs || ra.sgprs > rb.sgprs))
    v.reason = formatv("more registers on a processor of unknown size (VGPRs {0} -> {1}, SGPRs {2} "
                       "-> {3})",
                       rb.vgprs, ra.vgprs, rb.sgprs, ra.sgprs);
  if (v.reason.empty() && !force && !(after.cycles < before.cycles && v.gain >= minProfit))
    v.reason = formatv("estimated cycles {0:f0} -> {1:f0}, gain {2:f1} % of {3:f1} % asked",
                       before.cycles, after.cycles, v.gain, minProfit);
  if (v.reason.empty()) {
    v.better = true;
    v.reason = formatv("estimated cycles {0:f0} -> {1:f0}", before.cycles, after.cycles);
  }
  return v;
}

} // namespace meld::passes
