// What a recorded run tells of how kernels run: a .meldprof file (docs/profile.md).
//
//   {"meldprof": 1, "tool": "libmeld 0.1.0", "objects": [
//     {"hash": "1f...", "isa": "amdgcn-amd-amdhsa--gfx90a:...", "kernels": [
//       {"name": "_Z4walkPf", "launches": 12, "waves": 480, "wavesPerSimd": 0.1, "functions": [
//         {"name": "_Z4walkPf", "cfg": "9c41e0...", "blocks": [[480, 30720], ...],
//          "branches": [{"block": 2, "edges": [[3, 470, 15000], [7, 100, 15720]]}, ...,
//                       {"block": 5, "edges": [[5, ...], [6, ...]], "exitsLoop": true}],
//          "loops": [{"header": 5, "depth": 1, "entries": 480, "rounds": 9000, "laneEntries": 30000, "laneRounds": 90000}]}]}]}]}
//
// With numbers from samples (sampled.h) the version is 2, and a kernel has in the place of "functions"
//
//   "sampled": {"method": "host_trap", "samples": 91234, "functions": [
//     {"name", "cfg", "blocks": [[SAMPLES, LANES, LOW, HIGH], ...], "branches": [{"block", "edges": [[TO, SAMPLES, ...]]}],
//      "loops": [{"header", "depth", "entries": [SAMPLES, ...]}]}]}
//
// where each list goes on with RATE and STEP when the method tells executions.
//
// Blocks are numbered in the order of the IR at the point where counts were taken (jit/profile/marks.h);
// `cfg` is a hash of the function's control flow there. Pairs and triples end with executions by
// waves, and the sum of their active lanes. Executions without any lane are none.
//
// Untrusted input: what is missing, of another kind or of another version is an error.
// Thread rule: plain values and pure functions.
#pragma once

#include "runtime/profile/sampled.h"
#include "runtime/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meld::profile {

inline constexpr unsigned kFormat = 1, kSampledFormat = 2;

struct Count {
  uint64_t executions = 0; ///< by waves
  uint64_t lanes = 0;      ///< summed over them
  double meanLanes() const { return executions ? double(lanes) / double(executions) : 0; }
  void add(const Count &other);
  bool operator==(const Count &) const = default;
};

struct Edge {
  uint32_t to = 0; ///< block
  Count count;
  bool operator==(const Edge &) const = default;
};

/// A block that ends with a choice between two blocks or more.
struct Branch {
  uint32_t block = 0;
  std::vector<Edge> edges; ///< in the terminator's order
  /// An edge leaves the innermost loop: lanes that take it wait for those that go round, and take it
  /// together.
  bool exitsLoop = false;
  uint64_t executions = 0; ///< of the block; not in the file, the reader fills it in
  /// By samples (sampled.h): executions are then those samples, and edges have no counts.
  std::optional<double> bothAtMost = {};
  /// Is it known in how many executions both sides had lanes? Not with more than two sides, where sums
  /// do not tell, and not where a loop is left.
  bool knowsBoth() const { return bothAtMost || (edges.size() == 2 && !exitsLoop); }
  uint64_t both() const; ///< 0 where that is not known
  uint64_t onlyOne() const { return knowsBoth() ? executions - both() : 0; }
  bool operator==(const Branch &) const = default;
};

/// A wave goes round until its last lane is through, so the two means are how far trips spread.
struct Loop {
  uint32_t header = 0;
  unsigned depth = 1;               ///< in its function; 1: in no other loop
  uint64_t entries = 0, rounds = 0; ///< of the header by waves, from outside and in all
  uint64_t laneEntries = 0, laneRounds = 0;
  double waveMean() const { return entries ? double(rounds) / double(entries) : 0; }
  double laneMean() const { return laneEntries ? double(laneRounds) / double(laneEntries) : 0; }
  /// How much longer a wave goes round than its lanes do; 1: all alike.
  double spread() const { return laneMean() > 0 ? waveMean() / laneMean() : 0; }
  bool operator==(const Loop &) const = default;
};

struct Function {
  std::string name, cfg;
  std::vector<Count> blocks;
  std::vector<Branch> branches; ///< by block
  std::vector<Loop> loops;      ///< by header
  bool operator==(const Function &) const = default;
};

enum class SampleMethod : uint8_t { hostTrap, stochastic };

struct SampledKernel {
  SampleMethod method = SampleMethod::hostTrap;
  uint64_t samples = 0; ///< in the kernel, wherever
  std::vector<SampledFunction> functions;
  bool operator==(const SampledKernel &) const = default;
};

struct Kernel {
  std::string name;
  uint64_t launches = 0, waves = 0;
  double wavesPerSimd = 0; ///< of a launch, on the recorded device; 0: unknown
  /// The kernel and what it calls; empty: only its launches are known, or its blocks from samples.
  std::vector<Function> functions;
  std::optional<SampledKernel> sampled = {};
  bool ran() const { return launches != 0; }
  bool operator==(const Kernel &) const = default;
};

struct Object {
  std::string hash, isa;
  std::vector<Kernel> kernels;
  const Kernel *find(std::string_view kernel) const;
  bool operator==(const Object &) const = default;
};

struct Profile {
  std::string tool;
  std::vector<Object> objects;
  const Object *find(std::string_view hash) const;
  bool operator==(const Profile &) const = default;
};

/// Errors: badInput (no profile, or not all of one), unsupported (of another version).
Result<Profile> parseProfile(std::string_view text);
std::string profileText(const Profile &profile);

/// One object alone, as the compiler gets it. The same errors; "" is badInput.
Result<Object> parseObject(std::string_view text);
std::string objectText(const Object &object);

} // namespace meld::profile
