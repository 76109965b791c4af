// Machine code of one kernel as a control-flow graph with static execution frequencies.
//
//   entry --> B1 --s_cbranch_execz--> B3        a divergent branch: B1 and B2 both run, frequency
//              \--> B2 ----------------^         almost 1, B2 with half of the lanes
//   entry --> B1 --s_cbranch_scc1--> B3         a wave-uniform branch: each side half of the time
//
// What lies behind s_cbranch_execz is skipped when no lane is left. Each such branch is taken to
// halve the lanes, each lane for itself: some lane of n is left under d branches with a probability
// of 1 - (1 - 2^-d)^n. That is 1 for an if and its else, 0.87 for the fifth arm of an else-if chain
// in a wave of 64 and 0.39 for the seventh, which mostly cost their branch alone.
//
// A loop multiplies by `loopTrips` per level, or by what a profile tells of it. Edges that leave a
// loop are not charged to the blocks inside. Loops are natural loops (back edge to a dominator);
// irreducible cycles count as straight code. Terminates: every step is a fixed number of sweeps
// over the blocks. Costs O(blocks * edges) at worst.
//
// Thread rule: a Disassembler belongs to one thread.
#pragma once

#include "passes/cost/kernel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace meld::passes {

constexpr double loopTrips = 8;

/// What is known of how the kernel runs, from a profile. Without any of it: loopTrips, any launch.
struct RunFacts {
  std::vector<double> trips; ///< of loops, by depth from the outermost on
  double wavesPerSimd = 0;   ///< in a launch; 0: unknown
  double tripsAt(unsigned depth) const { return depth < trips.size() ? trips[depth] : loopTrips; }
};

/// How an instruction ends or leaves its block.
enum class Flow : uint8_t { next, jump, uniformBranch, branchIfNoLanes, branchIfLanes, end };

struct MachineInstruction {
  uint64_t address = 0;
  uint32_t size = 0;
  std::string name; ///< LLVM's opcode name: "V_ADD_F32_e32_vi"; empty: not decodable
  Flow flow = Flow::next;
  uint64_t target = 0;     ///< of a branch
  uint16_t immediate = 0;  ///< the low half of the first word: SOPP's and SOPK's simm16
  bool writesExec = false; ///< what follows may run with other lanes
  /// s_or_saveexec or s_xor_saveexec of -1: for a whole wave, or for the lanes that are off, up to
  /// the next writer.
  bool turnsAllOn = false;
};

struct MachineBlock {
  size_t first = 0, count = 0; ///< instructions
  std::vector<size_t> successors;
  unsigned loopDepth = 0;
  double frequency = 0; ///< executions per wave
  double lanes = 1;     ///< the share of a wave's that are active
};

struct MachineFunction {
  std::vector<MachineInstruction> instructions;
  std::vector<MachineBlock> blocks; ///< in address order, the first is the entry
  std::vector<size_t> order;        ///< those that are reachable, in reverse post-order
  /// Uses of vector registers in whose lanes v_writelane keeps scalars, as LLVM's spills of them
  /// are, by anything but v_writelane and v_readlane; but not where a function saves the lanes that
  /// are off (s_xor_saveexec of -1), as each must that uses such a register.
  uint32_t lanesMoved = 0;
};

/// Reads one processor's code ("gfx90a"); the error names the processor that LLVM does not know.
class Disassembler {
public:
  static llvm::Expected<Disassembler> create(llvm::StringRef processor);
  Disassembler(Disassembler &&) noexcept;
  Disassembler &operator=(Disassembler &&) noexcept;
  ~Disassembler();

  MachineFunction decode(const MachineKernel &kernel,
                         const RunFacts &known = {}) const; ///< for waves as the kernel has them
  /// Assembly text with addresses, one line per instruction; for dumps.
  std::string print(const MachineKernel &kernel) const;

private:
  struct State;
  explicit Disassembler(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The graph in Graphviz's language; for dumps.
std::string toDot(const MachineFunction &function, llvm::StringRef title);

} // namespace meld::passes
