#include "passes/cost/estimate.h"

#include "passes/compat.h"
#include "passes/cost/rates.h"
#include "runtime/gpu/occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace llvm;

namespace meld::passes {

using compat::startsWith;

unsigned occupancy(const KernelResources &r, StringRef processor) {
  return wavesPerSimd(std::string_view(processor.data(), processor.size()), r.waveSize,
                      {r.vgprs, r.agprs, r.sgprs}, {r.ldsBytes, r.maxWorkgroup})
      .value_or(0);
}

namespace {

bool isAtomic(StringRef name) {
  if (name.contains("_ATOMIC_"))
    return true;
  if (!startsWith(name, "DS_"))
    return false;
  const StringRef operation = name.drop_front(3).split('_').first;
  static constexpr StringLiteral operations[] = {"ADD", "SUB", "RSUB", "INC", "DEC",
                                                 "MIN", "MAX", "AND",  "OR",  "XOR"};
  return is_contained(operations, operation);
}

bool isOfVectorUnit(InstructionKind kind) {
  return kind == InstructionKind::valu || kind == InstructionKind::vectorMemory ||
         kind == InstructionKind::lds;
}

/// Reading and writing lanes is how scalars are spilled, with whatever lanes are on.
bool isOfLanes(const MachineInstruction &instruction, const Rates &rates) {
  return isOfVectorUnit(costOf(instruction, rates).kind) &&
         !startsWith(instruction.name, "V_READLANE") &&
         !startsWith(instruction.name, "V_WRITELANE");
}

/// Lanes of another side are turned on, beside those that are (s_or) or in their place
/// (s_andn2_saveexec, before an else).
bool meets(StringRef name) {
  return startsWith(name, "S_OR_B") || startsWith(name, "S_OR_SAVEEXEC") ||
         startsWith(name, "S_ANDN2_SAVEEXEC") || startsWith(name, "S_AND_NOT1_SAVEEXEC");
}

/// Of that block, with what is done in whole waves left out.
uint32_t beforeLanesMeet(const MachineFunction &f, const MachineBlock &block, const Rates &rates) {
  uint32_t count = 0;
  bool allOn = false;
  for (size_t i = block.first; i < block.first + block.count; ++i) {
    const MachineInstruction &instruction = f.instructions[i];
    if (allOn)
      allOn = !instruction.writesExec;
    else if (instruction.turnsAllOn)
      allOn = true;
    else if (instruction.writesExec)
      return meets(instruction.name) ? count : 0;
    else
      count += isOfLanes(instruction, rates);
  }
  return 0;
}

/// The branch is for the lanes that the instruction before it has left on. A uniform branch by a
/// mask that LLVM knows to be all or nothing becomes one by EXEC, too; nothing has changed EXEC
/// there, and all lanes that are on are where it goes.
bool isByLanes(const MachineFunction &f, const MachineBlock &block, const Rates &rates) {
  for (size_t i = block.first + block.count - 1; i-- > block.first;) {
    const MachineInstruction &instruction = f.instructions[i];
    if (instruction.writesExec)
      return true;
    if (isOfLanes(instruction, rates))
      return false;
  }
  return false;
}

uint32_t beforeLanesMeet(const MachineFunction &f, const Rates &rates) {
  std::set<uint64_t> joins; // addresses: where a wave goes without lanes
  for (const MachineBlock &block : f.blocks) {
    const MachineInstruction &last = f.instructions[block.first + block.count - 1];
    if ((last.flow == Flow::branchIfLanes || last.flow == Flow::branchIfNoLanes) &&
        isByLanes(f, block, rates))
      joins.insert(last.flow == Flow::branchIfLanes ? last.address + last.size : last.target);
  }
  uint32_t count = 0;
  for (const MachineBlock &block : f.blocks)
    if (block.count && joins.count(f.instructions[block.first].address))
      count += beforeLanesMeet(f, block, rates);
  return count;
}

uint32_t endsWithoutBranch(const MachineFunction &f) {
  uint32_t count = 0;
  for (const MachineBlock &block : f.blocks) {
    bool without = false;
    for (size_t i = block.first; i < block.first + block.count; ++i) {
      const MachineInstruction &instruction = f.instructions[i];
      if (instruction.writesExec)
        without = startsWith(instruction.name, "S_ANDN2_B");
      else if (instruction.flow == Flow::branchIfLanes || instruction.flow == Flow::branchIfNoLanes)
        without = false;
    }
    count += without && block.loopDepth > 0;
  }
  return count;
}

} // namespace

Estimate estimate(const MachineFunction &f, const KernelResources &resources, StringRef processor,
                  double wavesPerSimd) {
  Estimate e;
  const Rates rates = ratesOf(processor, resources.waveSize);
  e.lanesMoved = f.lanesMoved;
  e.beforeLanesMeet = beforeLanesMeet(f, rates);
  e.endsWithoutBranch = endsWithoutBranch(f);
  uint32_t laneCounts = 0;
  for (const auto &block : f.blocks) {
    bool calls = false;
    uint32_t swaps = 0;
    for (size_t i = block.first; i < block.first + block.count; ++i) {
      StringRef name = f.instructions[i].name;
      calls |= startsWith(name, "S_SWAPPC") || startsWith(name, "S_CALL");
      swaps += startsWith(name, "V_SWAP_B32");
      e.signedUppers += startsWith(name, "V_MUL_HI_I32_I24");
      e.atomics += isAtomic(name);
      laneCounts += startsWith(name, "V_MBCNT_LO");
      ++e.instructions;
      switch (costOf(f.instructions[i], rates).kind) {
      case InstructionKind::valu:
        ++e.valu;
        break;
      case InstructionKind::salu:
        ++e.salu;
        break;
      case InstructionKind::scalarMemory:
        ++e.scalarMemory;
        break;
      case InstructionKind::vectorMemory:
        ++e.vectorMemory;
        break;
      case InstructionKind::lds:
        ++e.lds;
        break;
      case InstructionKind::branch:
        ++e.branches;
        break;
      case InstructionKind::wait:
      case InstructionKind::other:
        break;
      }
    }
    if (calls)
      e.swapsBesideCalls += swaps;
  }
  e.combinedAtomics = std::min(e.atomics, laneCounts);
  e.wavesPerSimd = occupancy(resources, processor);
  e.wave = waveTime(f, processor, resources.waveSize);
  if (wavesPerSimd > 0)
    e.cycles = e.among(wavesPerSimd);
  else
    e.cycles = std::sqrt(e.among(1) * e.among(e.wavesPerSimd ? e.wavesPerSimd : 8));
  return e;
}

double Estimate::among(double waves) const {
  return wave.among(wavesPerSimd ? std::min(waves, double(wavesPerSimd)) : waves);
}

std::string mayBeWrong(const Estimate &before, const Estimate &after) {
  if (after.swapsBesideCalls > before.swapsBesideCalls)
    return formatv("swaps beside calls, which LLVM may have got wrong, {0} -> {1}",
                   before.swapsBesideCalls, after.swapsBesideCalls);
  if (LLVM_VERSION_MAJOR >= 18 && after.lanesMoved > before.lanesMoved)
    return formatv("moves of spilled SGPRs, which LLVM may lose, {0} -> {1}", before.lanesMoved,
                   after.lanesMoved);
  if (LLVM_VERSION_MAJOR < 19 && after.signedUppers)
    return formatv("{0} signed products of 24 bits, which LLVM may have made of unsigned ones",
                   after.signedUppers);
  if (after.beforeLanesMeet)
    return formatv("{0} vector instructions before lanes meet, which LLVM may have misplaced",
                   after.beforeLanesMeet);
  if (after.endsWithoutBranch)
    return formatv("{0} ends of loops without a branch, which LLVM takes away",
                   after.endsWithoutBranch);
  return {};
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
  if (v.reason.empty())
    v.reason = mayBeWrong(before, after);
  if (v.reason.empty() && !force &&
      after.combinedAtomics < std::min(before.combinedAtomics, after.atomics))
    v.reason = formatv("atomics that a wave does as one {0} -> {1}", before.combinedAtomics,
                       after.combinedAtomics);
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
