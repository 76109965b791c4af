// What libmeld did in this process, for MELD_REPORT. Thread-safe; never throws.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace meld {

enum class Outcome : uint8_t {
  noBitcode, ///< passed through: nothing to work with
  unchanged, ///< compiled, nothing worth a change (or the gate said no)
  replaced,
  failed,   ///< something went wrong; the original runs
  late,     ///< the compile was not done in time; the next run has it
  disabled, ///< observing only
  beside,   ///< loaded as it is; its kernels may run as versions that are loaded beside it
};
inline constexpr size_t kOutcomes = 7;
const char *outcomeName(Outcome outcome);

enum class Source : uint8_t { none, compiled, memory, disk };
const char *sourceName(Source source);

struct ReportLine {
  Outcome outcome = Outcome::noBitcode;
  Source source = Source::none;
  std::string isa;                  ///< target id, may be empty
  std::string reason;               ///< why not
  std::vector<std::string> kernels; ///< demangled by nobody: as in the code object
  uint64_t bytes = 0;               ///< of the original
  double milliseconds = 0;          ///< from the load call to the decision
};

class Report {
public:
  void add(ReportLine line) noexcept;
  /// In the place of the kernel a version of it runs, made by that recipe.
  void addServed(const std::string &kernel, const std::string &recipe) noexcept;
  /// Plain text: a line for each of the first 10000 loads of an object with bitcode, and each of as
  /// many kernels that are served, then totals of all.
  std::string text() const;

private:
  mutable std::mutex lock_;
  std::vector<ReportLine> lines_;
  std::vector<std::string> servedLines_;
  /// Of every load, whether its line is kept or not.
  uint64_t loads_ = 0, passedThrough_ = 0, hits_ = 0, served_ = 0;
  std::array<uint64_t, kOutcomes> byOutcome_{};
};

} // namespace meld
