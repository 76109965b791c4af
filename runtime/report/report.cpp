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
    if (line.outcome == Outcome::noBitcode)
      ++passedThrough_;
    else if (lines_.size() < kMaxLines)
      lines_.push_back(std::move(line));
    else
      ++dropped_;
  } catch (...) {
  }
}

std::string Report::text() const {
  std::lock_guard guard(lock_);
  std::string out = "libmeld report: " + std::to_string(lines_.size() + dropped_) +
                    " code objects with bitcode, " + std::to_string(passedThrough_) + " without\n";
  unsigned replaced = 0, unchanged = 0, failed = 0, late = 0, hits = 0;
  for (const ReportLine &line : lines_) {
    out += std::string("  ") + outcomeName(line.outcome) + " (" + sourceName(line.source) + ", " +
           number(line.milliseconds) + " ms, " + std::to_string(line.bytes) + " bytes, " +
           line.isa + ")";
    if (!line.reason.empty())
      out += ": " + line.reason;
    out += "\n";
    for (const std::string &kernel : line.kernels)
      out += "    " + kernel + "\n";
    replaced += line.outcome == Outcome::replaced;
    unchanged += line.outcome == Outcome::unchanged;
    failed += line.outcome == Outcome::failed;
    late += line.outcome == Outcome::late;
    hits += line.source == Source::disk || line.source == Source::memory;
  }
  if (dropped_)
    out += "  and " + std::to_string(dropped_) + " more\n";
  out += "  replaced " + std::to_string(replaced) + ", unchanged " + std::to_string(unchanged) +
         ", failed " + std::to_string(failed) + ", late " + std::to_string(late) + "; cache hits " +
         std::to_string(hits) + "\n";
  return out;
}

} // namespace meld
