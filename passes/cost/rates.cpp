#include "passes/cost/rates.h"

#include "passes/compat.h"
#include "passes/cost/processor.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace meld::passes {

using compat::startsWith;

namespace {

bool startsWithAny(StringRef name, std::initializer_list<StringRef> beginnings) {
  return any_of(beginnings, [&](StringRef b) { return startsWith(name, b); });
}

/// "_B64" as the type of the operation, not the "e64" of its encoding.
bool isOf64Bits(StringRef name) {
  return any_of(std::initializer_list<StringRef>{"_B64", "_I64", "_U64"},
                [&](StringRef type) { return name.contains(type); });
}

double vectorIssue(StringRef name, const Rates &r) {
  if (startsWithAny(name, {"V_RCP_", "V_RSQ_", "V_SQRT_", "V_EXP_", "V_LOG_", "V_SIN_", "V_COS_"}))
    return name.contains("_F64") ? 2 * r.quarter : r.quarter;
  if (startsWithAny(name, {"V_MUL_LO_U32", "V_MUL_HI_", "V_MAD_U64", "V_MAD_I64"}))
    return r.quarter;
  if (startsWithAny(name, {"V_MFMA", "V_WMMA"}))
    return name.contains("_IU4") ? r.mfma / 2 : r.mfma;
  if (name.contains("_F64"))
    return r.f64;
  if (name.contains("SAD_"))
    return r.quarter;
  return isOf64Bits(name) ? r.half : r.valu;
}

double wordsOf(StringRef name) {
  constexpr std::pair<StringLiteral, double> wide[] = {
      {"X4", 4}, {"B128", 4}, {"X3", 3}, {"B96", 3}, {"X2", 2}};
  for (const auto &[part, words] : wide)
    if (name.contains(part))
      return words;
  if (name.contains("BYTE") || name.contains("_U8") || name.contains("_I8") || name.contains("_B8"))
    return 0.25;
  if (name.contains("SHORT") || name.contains("16"))
    return 0.5;
  const double one = isOf64Bits(name) ? 2 : 1;
  const bool two = name.contains("READ2") || name.contains("WRITE2") || name.contains("_2ADDR_");
  return two ? 2 * one : one;
}

} // namespace

Rates ratesOf(StringRef target, unsigned waveSize) {
  const StringRef processor = processorOf(target);
  Rates r;
  if (startsWithAny(processor, {"gfx10", "gfx11", "gfx12"})) {
    const double passes = waveSize / 32.0;
    r.valu = r.ldsWord = r.vectorMemoryWord = passes;
    r.half = 2 * passes;
    r.quarter = 4 * passes;
    r.f64 = 16 * passes;
    r.salu = r.internal = 1;
    r.barrier = 2;
    r.branch = 9; // 1, and 16 for code from elsewhere
    r.ldsWrite = 0;
    r.memoryBytesPerCycle = 2.844;
    r.valuResult = 2;
    r.vectorLatency = 130;
    r.ldsLatency = 23;
    r.simdsOfMemory = 2;
    r.storesApart = true;
    if (!startsWith(processor, "gfx10")) { // a Radeon RX 7900 XTX's
      r.memoryBytesPerCycle = 4;
      r.vectorLatency = 100;
      r.scalarLatency = 20;
    }
    return r;
  }
  if (processor == "gfx90a" || startsWith(processor, "gfx94") || startsWith(processor, "gfx95"))
    r.f64 = 4;
  if (processor == "gfx900")
    r.f64 = 64;
  if (processor == "gfx900" || processor == "gfx906")
    r.memoryBytesPerCycle = 4.892;
  return r;
}

InstructionCost costOf(const MachineInstruction &inst, const Rates &r) {
  using Kind = InstructionKind;
  const StringRef name = inst.name;
  if (inst.flow != Flow::next)
    return {Kind::branch, inst.flow == Flow::end ? r.internal : r.branch};
  if (startsWith(name, "V_"))
    return {Kind::valu, vectorIssue(name, r)};
  if (startsWith(name, "DS_")) {
    const double words = wordsOf(name);
    const bool reads = name.contains("READ") || name.contains("LOAD") || // GFX11's name
                       name.contains("PERMUTE") || name.contains("SWIZZLE");
    return {Kind::lds, r.ldsWord * std::max(1.0, words) + (reads ? 0 : r.ldsWrite), words};
  }
  if (startsWithAny(name, {"GLOBAL_", "FLAT_", "BUFFER_", "SCRATCH_", "TBUFFER_", "IMAGE_"})) {
    const double words = wordsOf(name);
    return {Kind::vectorMemory, r.vectorMemoryWord * std::max(1.0, words), words,
            startsWith(name, "FLAT_"),
            name.contains("STORE") || (name.contains("ATOMIC") && !name.contains("_RTN"))};
  }
  if (startsWithAny(name, {"S_LOAD_", "S_STORE_", "S_BUFFER_", "S_ATOMIC_", "S_SCRATCH_",
                           "S_DCACHE_", "S_MEMTIME"}))
    return {Kind::scalarMemory, r.salu};
  if (startsWith(name, "S_BARRIER"))
    return {Kind::other, r.barrier};
  if (startsWith(name, "S_WAIT"))
    return {Kind::wait, r.internal};
  if (startsWith(name, "S_DELAY_ALU")) // goes beside the instruction before it ("RDNA3" ISA, 5.7)
    return {Kind::other, 0};
  if (startsWithAny(name, {"S_NOP", "S_SLEEP", "S_SENDMSG"}))
    return {Kind::other, r.internal};
  if (startsWithAny(name, {"S_SWAPPC", "S_CALL"}))
    return {Kind::branch, r.branch};
  if (startsWith(name, "S_"))
    return {Kind::salu, r.salu};
  return {Kind::other, r.internal};
}

// S_WAITCNT. GFX9 ("Vega" ISA, 12.4): vmcnt in bits 15:14 and 3:0, lgkmcnt in 11:8; GFX10 has two more
// bits of lgkmcnt, GFX6 to GFX8 fewer of vmcnt. GFX11: vmcnt in 15:10, lgkmcnt in 9:4. GFX12 has an
// instruction for each counter and for two pairs, the second of which is in 5:0 ("RDNA4" ISA, 4.5).
WaitCounts waitCountsOf(const MachineInstruction &inst) {
  const StringRef name = inst.name;
  const unsigned simm = inst.immediate;
  const auto bits = [&](unsigned low, unsigned count) -> size_t {
    return simm >> low & ((1u << count) - 1);
  };
  WaitCounts w;
  if (startsWith(name, "S_WAIT_")) {
    const bool two = name.contains("CNT_DSCNT");
    if (name.contains("_LOADCNT"))
      w.vector = two ? bits(8, 6) : bits(0, 6);
    if (name.contains("_STORECNT"))
      w.stores = two ? bits(8, 6) : bits(0, 6);
    if (name.contains("DSCNT") || name.contains("_KMCNT"))
      w.local = bits(0, 6);
    return w;
  }
  if (startsWith(name, "S_WAITCNT_VSCNT"))
    w.stores = bits(0, 6);
  else if (startsWith(name, "S_WAITCNT_VMCNT"))
    w.vector = bits(0, 6);
  else if (startsWith(name, "S_WAITCNT_LGKMCNT"))
    w.local = bits(0, 6);
  else if (name.contains("DEPCTR") || name.contains("EXPCNT"))
    return w;
  else if (name.contains("gfx11"))
    w.vector = bits(10, 6), w.local = bits(4, 6);
  else
    w.vector = bits(0, 4) | bits(14, 2) << 4, w.local = bits(8, name.contains("gfx10") ? 6 : 4);
  return w;
}

} // namespace meld::passes
