// Runs a HIP program on the software GPU in one configuration and reads its counters back.
//
// A configuration is a set of environment variables on top of `meld run`; the plain one runs
// without libmeld. Counters are summed over the application's own kernels; the HIP runtime's copy
// and fill kernels
// (__amd_rocclr_*, unnamed blit kernels) are left out, since no configuration changes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace meld::bench {

struct Configuration {
  std::string name;
  bool plain = false;                             ///< without libmeld
  std::map<std::string, std::string> environment; ///< MELD_* settings
};

/// libmeld with scalarization alone.
Configuration scalarization();

/// Where the built programs lie.
struct Paths {
  std::filesystem::path meld;     ///< the command
  std::filesystem::path programs; ///< build/bin/hip
  std::filesystem::path scratch;  ///< for counter files and the cache of this run
  /// From the path of the running executable (build/bin/meld-bench).
  static Paths fromExecutable();
};

/// One dispatch of an application kernel, in launch order.
struct Dispatch {
  std::string kernel;
  uint64_t cycles = 0;
  unsigned vgprs = 0, occupancy = 0;
  std::map<std::string, uint64_t> counters;
  std::string workgroup = {}; ///< "16x16x1"
  unsigned computeUnits = 0;  ///< of the device that ran it
  bool replaced = false;      ///< its code came from libmeld
  /// In which measured choices are made (runtime/adapt/launch_class.h; the LDS is all of it); 0: not known.
  uint32_t launchClass = 0;

  uint64_t counter(const std::string &name) const {
    auto it = counters.find(name);
    return it == counters.end() ? 0 : it->second;
  }
  /// Launched waves for each SIMD of the device, whether or not so many fit at once.
  double wavesPerSimd() const;
};

struct Measurement {
  bool pass = false;
  int exitCode = -1;
  std::string output;                       ///< the program's standard output and error
  bool replaced = false;                    ///< every application kernel came from libmeld
  std::map<std::string, uint64_t> counters; ///< rocprof names, summed
  double valuUtilization = 0;               ///< percent
  uint64_t cycles = 0;
  unsigned vgprs = 0;     ///< the most of any application kernel
  unsigned occupancy = 0; ///< the least, in waves per SIMD
  std::vector<Dispatch> dispatches;

  uint64_t counter(const std::string &name) const {
    auto it = counters.find(name);
    return it == counters.end() ? 0 : it->second;
  }
  /// Launched waves per SIMD of the main launches: half of the cycles pass in launches with at least
  /// so many (half of the instructions, where no cycles were modelled).
  double wavesPerSimd() const;
  /// Instructions issued per wave, all classes.
  double perWave() const {
    uint64_t waves = counter("SQ_WAVES");
    return waves ? static_cast<double>(counter("SQ_INSTS")) / static_cast<double>(waves) : 0;
  }
};

/// A kernel of the HIP runtime's own: copies and fills.
bool isRuntimeKernel(const std::string &name);

/// What the compiler says of one program in one configuration.
struct Compilation {
  double milliseconds = 0;                ///< all of it: bitcode in, code object out
  unsigned melded = 0;                    ///< decisions that changed something
  unsigned kernels = 0;                   ///< kernels whose code was replaced
  std::map<std::string, unsigned> byPass; ///< the decisions, by the pass that took them

  /// "cfm 3, tail-merge 1"; "-" for nothing.
  std::string what() const;
};

/// From what `meld compile --format json` prints; empty from anything else.
Compilation compilationOf(const std::string &report);

/// Compiles the program's kernels offline (`meld compile`), without the cache.
Compilation compileAlone(const Paths &paths, const std::string &program,
                         const Configuration &configuration);

/// Runs `program` with `arguments`. The verdict is PASS when it exits 0; a crash or a FAIL keeps
/// its output. Any thread.
Measurement measure(const Paths &paths, const std::string &program,
                    const std::vector<std::string> &arguments, const Configuration &configuration,
                    bool timing);

} // namespace meld::bench
