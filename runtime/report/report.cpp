#include "runtime/report/report.h"

#include <cstdio>

namespace meld {
namespace {

constexpr size_t kMaxLines = 10000;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

} // namespace

const char *outcomeName(Outcome outcome) {
  switch (outcome) {
  case Outcome::noBitcode:
    return "no bitcode";
  case Outcome::unchanged:
    return "unchanged";
  case Outcome::replaced:
    return "replaced";
  case Outcome::failed:
    return "failed";
  case Outcome::late:
    return "late";
  case Outcome::disabled:
    return "observed";
  }
  return "?";
}

const char *sourceName(Source source) {
  switch (source) {
  case Source::none:
    return "-";
  case Source::compiled:
    return "compiled";
  case Source::memory:
    return "memory";
  case Source::disk:
    return "cache";
  }
  return "?";
}

void Report::add(ReportLine line) noexcept {
  try {
    std::lock_guard guard(lock_);
    if (line.outcome == Outcome::noBitcode) {
      ++passedThrough_;
      return;
    }
    // Before what takes memory.
    ++loads_;
    ++byOutcome_[static_cast<size_t>(line.outcome)];
    hits_ += line.source == Source::disk || line.source == Source::memory;
    if (lines_.size() < kMaxLines)
      lines_.push_back(std::move(line));
  } catch (...) {
  }
}

std::string Report::text() const {
  std::lock_guard guard(lock_);
  std::string out = "libmeld report: " + std::to_string(loads_) + " code objects with bitcode, " +
                    std::to_string(passedThrough_) + " without\n";
  for (const ReportLine &line : lines_) {
    out += std::string("  ") + outcomeName(line.outcome) + " (" + sourceName(line.source) + ", " +
           number(line.milliseconds) + " ms, " + std::to_string(line.bytes) + " bytes, " +
           line.isa + ")";
    if (!line.reason.empty())
      out += ": " + line.reason;
    out += "\n";
    for (const std::string &kernel : line.kernels)
      out += "    " + kernel + "\n";
  }
  if (loads_ > lines_.size())
    out += "  and " + std::to_string(loads_ - lines_.size()) + " more\n";
  auto count = [&](Outcome outcome) {
    return std::to_string(byOutcome_[static_cast<size_t>(outcome)]);
  };
  out += "  replaced " + count(Outcome::replaced) + ", unchanged " + count(Outcome::unchanged) +
         ", failed " + count(Outcome::failed) + ", late " + count(Outcome::late) + "; cache hits " +
         std::to_string(hits_) + "\n";
  return out;
}

} // namespace meld
