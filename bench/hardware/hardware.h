// `meld-bench hardware`, which is what `meld validate` runs.
#pragma once

#include "bench/runner/measure.h"

#include <string>
#include <vector>

namespace meld::bench {

struct HardwareOptions {
  bool hardware = false;            ///< measure
  std::vector<std::string> compare; ///< records to compare with the model
  std::string device = "gpu";       ///< gpu; software: a rehearsal, marked as such in the file
  std::string output;               ///< of the measurement, or of the model's part of a comparison
  std::string model;                ///< compare with this record instead of running the model
  std::string only;                 ///< as casesCalled has it
  unsigned rounds = 0;              ///< 0: 20; 3 with `quick`; 2 of the software GPU
  bool quick = false, every = false, json = false;
};

/// 0 fine, 1 a problem was found, which it has said; 2 wrong usage.
int runHardware(const Paths &paths, const HardwareOptions &options);

} // namespace meld::bench
