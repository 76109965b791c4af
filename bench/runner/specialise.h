// `meld-bench specialise`: what launch-time specialisation (MELD_SPECIALIZE=on) comes to, beside the
// same facts written into the program's source.
//
// Each program has a run that a specialised version helps (always the same options) and one that it
// cannot (other options at each launch). Modelled cycles of the second half of the launches:
//
//   general      as the program is
//   on           the measured choice, MELD_ADAPT=on, without specialised versions
//   specialised  with them
//   next run     the first launches of a process that begins with what was found out
//   source       the facts written into the source, without libmeld
//   reached      what specialised saves of general's cycles, of what source saves
//   lost         cycles by which launches took longer than general's, of all of general's
#pragma once

#include "bench/runner/band.h"
#include "bench/runner/measure.h"

#include <string>
#include <vector>

namespace meld::bench {

/// Programs with a run whose options are always the same (--pattern helped).
const std::vector<std::string> &specialisedPrograms();

struct SpecialiseOptions {
  std::string only;           ///< programs with this in the name; empty: all
  std::string size = "large"; ///< what a program's --size takes
  unsigned launches = 400;    ///< of each kernel, at least
  bool json = false;
  bool bands = false; ///< of the next run, as in choice.h
  unsigned jobs = 0;  ///< runs at a time, with bands; 0: one for each core
};

struct SpecialiseRow {
  std::string program, run; ///< "helped" or "other"
  uint64_t launches = 0;
  double general = 0, chosen = 0, specialised = 0, nextRun = 0; ///< cycles a launch
  double source = 0;                                            ///< 0: there is none
  double lost = 0;
  /// Cycles of the next run's launches: of the general code, and of what ran.
  uint64_t same = 0, next = 0;
  std::vector<uint64_t> sameUnder, nextUnder; ///< in the design's runs; empty without bands
  unsigned vgprs = 0, vgprsSpecialised = 0, waves = 0, wavesSpecialised = 0;

  Band nextRunBand() const { return bandOf(same, next, sameUnder, nextUnder); }
  double gain() const { return specialised > 0 ? general / specialised : 0; }
  double sourceGain() const { return source > 0 ? general / source : 0; }
  /// Of what source saves; 0 where it saves nothing.
  double reached() const {
    return source > 0 && source < general ? (general - specialised) / (general - source) : 0;
  }
};

/// From the dispatches of one run in each configuration; `source` may be empty. Those of general,
/// chosen and specialised are the same launches.
SpecialiseRow specialiseRow(const std::string &program, const std::string &run,
                            const std::vector<Dispatch> &general,
                            const std::vector<Dispatch> &chosen,
                            const std::vector<Dispatch> &specialised,
                            const std::vector<Dispatch> &next, const std::vector<Dispatch> &source);

/// The next run's launches under the parameters of one run of the design; nothing where their numbers
/// differ.
void addUnder(SpecialiseRow &row, const std::vector<Dispatch> &general,
              const std::vector<Dispatch> &next);

std::string specialiseText(const std::vector<SpecialiseRow> &rows);

/// 0 when every run passed.
int runSpecialise(const Paths &paths, const SpecialiseOptions &options);

} // namespace meld::bench
