// How much of what a program does is the same in all threads of a wave, and how much of that is
// known before it runs: the table of Lee, Krashinsky, Grover, Keckler, Asanovic, "Convergence and
// Scalarization for Data-Parallel Architectures" (CGO 2013), for AMD machine code.
//
//   machine code        line   known when compiled       seen by the software GPU
//   v_lshlrev_b64       25     ours: no, LLVM's: no      4096 executions, 0 with equal operands
//   v_addc_co_u32       25                               4096 executions, 4096 with equal operands
//   s_add_u32           33     ours: yes, LLVM's: yes    scalar: equal by construction
//
// What is counted: executions of vector and scalar arithmetic and of memory instructions, per wave.
// Branches, waits, barriers, what only computes lane masks and copies that the backend adds are
// left out, and vector instructions executed without any active lane. One instruction of the IR
// becomes several machine instructions; it was uniform as often as the least uniform of them. What
// our analysis calls uniform although its operands are not (thread id / 64) counts for the oracle,
// too, when its result always was. Code that the backend itself adds (rewritten loop counters,
// copies) has no instruction of the IR: where it is scalar, it counts as known to both analyses,
// where it is vector, to neither. Proven convergent counts where it ran so: the backend moves
// comparisons to where they are used, out of the blocks of which something was proven.
//
// Thread rule: pure functions.
#pragma once

#include "bench/runner/scalar_gap.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace meld::bench {

/// What was known of an instruction of the IR before the program ran.
struct Claim {
  bool ours = false;         ///< the same in all threads of a wave, by our analysis
  bool oursOperands = false; ///< so are all its operands
  bool llvm = false;         ///< uniform by LLVM's divergence analysis
  bool convergent = false;   ///< in a block that all threads of a wave run together
  bool blockOnly = false;    ///< nothing but that
  // Of what is not `ours`:
  Cause cause = Cause::none;         ///< where a difference may come from
  bool extension = false;            ///< a 32-bit value made one of 64
  bool floating = false;             ///< floating-point arithmetic
  std::set<std::string> shapes = {}; ///< workgroups with which it would be ours: "64x1x1"
};

/// One machine instruction of a profile (docs/counters.md).
struct TracedInstruction {
  std::string text, kind;
  uint32_t line = 0; ///< key of its claim; 0: none
  uint64_t executions = 0, execZero = 0, lanes = 0, uniformSources = 0, uniformResult = 0;
  uint64_t oneLane = 0;
  uint64_t converged = 0; ///< executions by all lanes with anything left to do
  bool vector = false;
  unsigned vectorReads = 0, vectorWrites = 0, scalarReads = 0, scalarWrites = 0;
};

/// Executed instructions, and the shares of them, in the sense of the table.
struct UniformShares {
  double executed = 0;   ///< all of those below are parts of this
  double converged = 0;  ///< by all threads of the wave together: the oracle of convergence
  double convergent = 0; ///< of these in blocks proven convergent
  double scalar = 0;     ///< executed as scalar instructions
  double llvm = 0, ours = 0, oracle = 0;
  double operands = 0; ///< the oracle as the paper has it: equal operands, not equal results
  double traced = 0;   ///< with a known instruction of the IR
  Gap gap;             ///< oracle without ours
  /// Claims of ours that the run contradicts: a wrong analysis. Empty in a sound table.
  std::vector<std::string> contradictions;

  void add(const UniformShares &other);
};

/// `shape`: of the kernel's workgroups, "64x1x1"; empty where it has no one shape.
UniformShares sharesOf(const std::vector<TracedInstruction> &code,
                       const std::map<uint32_t, Claim> &claims, const std::string &shape = "");

/// Register accesses and addresses, as the paper counts them: one for each active lane of a vector
/// register, one for a scalar register; an address for each lane of a vector access, one for a
/// scalar load.
struct Accesses {
  double vectorReads = 0, vectorWrites = 0, scalarReads = 0, scalarWrites = 0, addresses = 0;
  double registers() const { return vectorReads + vectorWrites + scalarReads + scalarWrites; }
};
Accesses accessesOf(const std::vector<TracedInstruction> &code);

} // namespace meld::bench
