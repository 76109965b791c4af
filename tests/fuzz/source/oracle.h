// Plain -O0, plain -O3 and melded code of the same kernels, on the same memory: they have to agree.
//
// Who is wrong when they do not: where the plain compilations of the targets differ among
// themselves, LLVM (or the generator) is, and the kernel is counted as ambiguous; where they agree,
// melding is.
#pragma once

#include "tests/fuzz/source/build.h"
#include "tests/fuzz/source/memory_image.h"

#include <map>

namespace meld::fuzz::source {

struct Finding {
  uint64_t seed = 0;
  std::string cpu, mode,
      what; ///< what: the first word that differs, a fault, a hang, a refusal to compile
};

/// Of one feature, or of all kernels.
struct Count {
  uint64_t kernels = 0, melded = 0, findings = 0;
};

/// Executed, over all runs that count: of kernels in which loops were flattened.
struct Work {
  uint64_t instructions = 0, vector = 0, lanes = 0; ///< lanes: active in the vector ones, summed
  void add(const Work &w) { instructions += w.instructions, vector += w.vector, lanes += w.lanes; }
};

struct Tally {
  Count all;
  uint64_t flat = 0; ///< nests that were flattened, loops whose side waits
  Work nestedWork, flatWork;
  uint64_t meldings = 0;                     ///< over all modes and targets
  std::map<uint64_t, std::string> ambiguous; ///< seed: what disagreed without melding
  std::vector<Finding> findings;
  std::array<Count, featureCount> features{};
  std::map<std::string, double> seconds; ///< of processor time, by what was done
  void add(const Tally &other);
};

struct Settings {
  std::vector<std::string> cpus{"gfx90a", "gfx900"};
  std::vector<std::string> modes; ///< empty: all but flattened and delayed
  bool nests = false;             ///< kernels made of nests of loops
  std::string folder;             ///< for the files of the front end
  std::string keep;               ///< where findings leave their source; empty: nowhere
  unsigned meldings = ~0u;        ///< of a kernel, only the first so many
  bool unoptimised = true;        ///< plain -O0, too
  std::function<void(const std::string &)> stage = [](const std::string &) {}; ///< told what begins
};

/// Compiles and runs all kernels of `program` every way that `settings` name.
Tally examine(const Program &program, const Settings &settings);

} // namespace meld::fuzz::source
