#include "jit/profile/runs.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace llvm;

namespace meld::jit {

namespace {

/// The scalar instructions that control the wave: none is reported as issued ("internal
/// instructions"), or not as one of the kinds that are counted here.
bool isIssued(const passes::MachineInstruction &instruction) {
  constexpr const char *others[] = {"S_NOP",     "S_SLEEP",   "S_WAIT",       "S_BARRIER",
                                    "S_BRANCH",  "S_CBRANCH", "S_ENDPGM",     "S_SETPC",
                                    "S_SWAPPC",  "S_CALL",    "S_SENDMSG",    "S_SETPRIO",
                                    "S_SETHALT", "S_TRAP",    "S_ICACHE_INV", "S_INST_PREFETCH",
                                    "S_CLAUSE",  "S_DELAY",   "S_CODE_END",   "S_INCPERFLEVEL",
                                    "S_DECPERF", "S_WAKEUP",  "S_TTRACEDATA", "S_SET_GPR_IDX"};
  const StringRef name(instruction.name);
  return none_of(
      others, [&](const char *other) { return name.substr(0, StringRef(other).size()) == other; });
}

bool isMarker(const passes::MachineInstruction &instruction) {
  return StringRef(instruction.name).substr(0, 5) == "S_NOP" && instruction.immediate >= firstMark;
}

} // namespace

std::vector<MarkedRun> markedRuns(const passes::MachineFunction &kernel) {
  std::vector<MarkedRun> runs;
  if (kernel.instructions.empty())
    return runs;
  for (const auto &instruction : kernel.instructions)
    if (instruction.name.empty() || StringRef(instruction.name).substr(0, 7) == "S_SETPC")
      return {};
  const uint64_t first = kernel.instructions.front().address;
  for (const auto &block : kernel.blocks) {
    MarkedRun run;
    const auto close = [&](uint64_t end) {
      run.end = end;
      if (!run.marks.empty())
        runs.push_back(run);
      run = {end, end, 0, {}};
    };
    run.begin = kernel.instructions[block.first].address - first;
    for (size_t i = block.first; i < block.first + block.count; ++i) {
      const auto &instruction = kernel.instructions[i];
      if (isMarker(instruction))
        run.marks.push_back(instruction.immediate);
      run.issued += isIssued(instruction);
      const uint64_t end = instruction.address + instruction.size - first;
      if (instruction.writesExec || i + 1 == block.first + block.count)
        close(end);
    }
  }
  return runs;
}

} // namespace meld::jit
