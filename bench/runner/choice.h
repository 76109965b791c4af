// `meld-bench choice`: what the measured choice (MELD_ADAPT=on) comes to, launch by launch.
//
// A program runs again and again in one process, until each of its kernels has been launched so
// often; the same launches are known of the original code. Of each kernel:
//
//   after     cycles of the original / what ran, in the second half of the launches
//   class     the same of the launch class (runtime/adapt/launch_class.h) where it is least
//   lost      cycles by which launches took longer than the original's, of all the original's: what
//             trials cost, and what was chosen wrongly
//   next run  cycles of the original / what ran, in a process that begins with what was found out
//
// With bands, `next run` is repeated under the other parameters of the timing model (design.h): what was
// chosen under the model's own values, against the original, both under those. Its band says whether what
// was chosen here gains there, too; nothing is tried anew for it but by the rules of the choice.
//
// Modelled times are the same in every run, so the figures are, too.
#pragma once

#include "bench/runner/band.h"
#include "bench/runner/measure.h"

#include <string>
#include <vector>

namespace meld::bench {

struct ChoiceOptions {
  std::string only;           ///< as casesCalled has it
  bool all = false;           ///< all block sizes of each program, not only one
  std::string size = "small"; ///< small, large or full
  unsigned launches = 500;    ///< of each kernel, at least
  std::string noise;          ///< as MELD_GPU_NOISE
  bool json = false;
  bool bands = false; ///< of the next run
  unsigned jobs = 0;  ///< runs at a time, with bands; 0: one for each core
  bool keep = false;  ///< begin with what the last time has found out
};

/// One kernel of one program.
struct ChoiceRow {
  std::string program, kernel;
  uint64_t launches = 0;
  double wavesPerSimd = 0;
  double staticRatio = 0, after = 0, lost = 0, nextRun = 0;
  bool version = false;  ///< another version than the original ran at the end
  unsigned classes = 1;  ///< launch classes that its launches are in
  double leastClass = 0; ///< the least `after` of any of them
  /// Cycles that nextRun is the ratio of, and those of the design's runs: empty without bands.
  uint64_t original = 0, next = 0;
  std::vector<uint64_t> originalUnder = {}, nextUnder = {};

  Band nextRunBand() const { return bandOf(original, next, originalUnder, nextUnder); }
};

/// Rows of one program from its runs, each a list of dispatches in order: `original` of two
/// repetitions, `replaced` of two, `chosen` of any number, `next` of two. A kernel whose launches
/// do not repeat (other numbers of them) is left out.
std::vector<ChoiceRow> choiceRows(const std::string &program, const std::vector<Dispatch> &original,
                                  const std::vector<Dispatch> &replaced,
                                  const std::vector<Dispatch> &chosen,
                                  const std::vector<Dispatch> &next);

/// The same two runs under the parameters of one run of the design, for the rows of this program. A
/// kernel that is missing has 0 cycles there, and no band.
void addUnder(std::vector<ChoiceRow> &rows, const std::vector<Dispatch> &original,
              const std::vector<Dispatch> &next);

/// Launches that fill the device first; geometric means and the worst.
std::string choiceText(const std::vector<ChoiceRow> &rows);

/// 0 when every run passed.
int runChoice(const Paths &paths, const ChoiceOptions &options);

} // namespace meld::bench
