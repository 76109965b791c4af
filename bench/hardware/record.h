// What `meld validate --hardware` writes down: one JSON file of a device's times. Nothing in it tells
// whose machine it was: no names of hosts or users, no paths, no serial numbers.
//
// Times are nanoseconds that the device stamped on its dispatches.
#pragma once

#include "runtime/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace meld::bench {

struct DeviceFacts {
  bool software = false; ///< the software GPU: modelled times
  std::string name;      ///< "AMD Instinct MI210"
  std::string arch;      ///< "gfx90a:sramecc+:xnack-"
  unsigned computeUnits = 0;
  double clockMhz = 0; ///< the highest, as the driver reports it
  std::string runtime; ///< HIP's version, a number
  std::string driver;  ///< HIP's driver version, a number
  std::string kernel;  ///< the host kernel's version numbers, "6.1.0"; empty: not known
  std::string gfx() const { return arch.substr(0, arch.find(':')); }
};

/// How the measurement was made. Two records compare where size is the same.
struct RecordOptions {
  unsigned rounds = 20;      ///< of each program, original and melded
  unsigned repeats = 2;      ///< of the program in a process; where there are several, the first is
                             ///< for warming up
  unsigned microTimes = 500; ///< --times of micro
  std::string size = "full"; ///< small, large, full
  std::string only;          ///< as casesCalled has it
  bool every = false;        ///< all block sizes of a program
};

/// One launch of micro.hip.
struct MicroTimes {
  std::string name;
  std::vector<double> operations; ///< of each round: those of "clock" differ
  std::vector<double> nanoseconds;
};

/// One kernel of a program: in each round the sum of its launches.
struct KernelTimes {
  unsigned launches = 0;
  std::vector<double> original, melded;
};

using Counters = std::map<std::string, std::map<std::string, uint64_t>>; ///< by kernel, by name

struct ProgramTimes {
  std::string benchmark; ///< the case's label
  std::string set;
  std::vector<std::string> arguments;
  bool replaced = false; ///< libmeld's code ran, at least for a part of the kernels
  std::string failure;   ///< why there are no times; empty: there are
  std::map<std::string, KernelTimes> kernels;
  Counters originalCounters, meldedCounters; ///< empty where nobody counted

  unsigned rounds() const; ///< that all kernels have in both codes
};

/// Clocks and power while a round ran: least, median, most of what was sampled.
struct Range {
  double least = 0, median = 0, most = 0;
};
struct PowerOfRound {
  std::map<std::string, Range> values; ///< "sclkMHz", "mclkMHz", "watts", "celsius"
  std::optional<double> busyBefore;    ///< percent, before the round began: another program's work
};

struct Record {
  DeviceFacts device;
  RecordOptions options;
  std::string date;                           ///< "2026-11-24"
  std::string performanceLevel, powerProfile; ///< of the driver; empty: not known
  std::string counterTool;                    ///< what counted, or why nothing did
  std::vector<MicroTimes> micro;              ///< in launch order
  std::vector<ProgramTimes> programs;
  std::vector<PowerOfRound> power;
  bool complete = false;

  /// The shader clock by its own counter, median over the rounds, MHz; the reported one where
  /// nothing measured it or the counter counts something else.
  double clockMhz() const;
  ProgramTimes *find(const std::string &benchmark);
  const ProgramTimes *find(const std::string &benchmark) const;
};

nlohmann::json toJson(const Record &record);

/// Errors: badInput, naming what is wrong and where.
Result<Record> recordOf(const std::string &text);
/// Errors: io, badInput; both begin with the file's name.
Result<Record> readRecord(const std::filesystem::path &file);
/// All or nothing: a file of that name is replaced when the new one is whole. Errors: io.
Result<void> writeRecord(const std::filesystem::path &file, const Record &record);

} // namespace meld::bench
