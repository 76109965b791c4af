// What libmeld did in this process, for MELD_REPORT. Thread-safe; never throws.
#pragma once

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
};
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
  /// Plain text, one line per code object that carries bitcode, then totals.
  std::string text() const;

private:
  mutable std::mutex lock_;
  std::vector<ReportLine> lines_;
  uint64_t dropped_ = 0; ///< lines past the limit are only counted
  uint64_t passedThrough_ = 0;
};

} // namespace meld
