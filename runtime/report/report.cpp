#include "runtime/report/report.h"

#include <cstdio>
#include <iterator>

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
  static constexpr const char *kNames[] = {"no bitcode", "unchanged", "replaced",          "failed",
                                           "late",       "observed",  "versions beside it"};
  static_assert(std::size(kNames) == kOutcomes);
  return kNames[unsigned(outcome)];
}

const char *sourceName(Source source) {
  static constexpr const char *kNames[] = {"-", "compiled", "memory", "cache"};
  return kNames[unsigned(source)];
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

void Report::addServed(const std::string &kernel, const std::string &recipe) noexcept {
  try {
    std::lock_guard guard(lock_);
    ++served_;
    if (servedLines_.size() < kMaxLines)
      servedLines_.push_back("  served as " + recipe + ": " + kernel + "\n");
  } catch (...) {
  }
}

std::string Report::text() const {
  std::lock_guard guard(lock_);
  std::string out = "libmeld report: " + std::to_string(loads_) + " code objects with bitcode, " +
                    std::to_string(passedThrough_) + " without\n";
  for (const ReportLine &line : lines_) {
    out += std::string("  ") + outcomeName(line.outcome) + " (" + sourceName(line.source) + ", " +
           number(line.milliseconds) + " ms, " + std::to_string(line.bytes) + " bytes" +
           (line.isa.empty() ? "" : ", ") + line.isa + ")";
    if (!line.reason.empty())
      out += ": " + line.reason;
    out += "\n";
    for (const std::string &kernel : line.kernels)
      out += "    " + kernel + "\n";
  }
  if (loads_ > lines_.size())
    out += "  and " + std::to_string(loads_ - lines_.size()) + " more\n";
  for (const std::string &line : servedLines_)
    out += line;
  if (served_ > servedLines_.size())
    out += "  and " + std::to_string(served_ - servedLines_.size()) + " more served\n";
  auto count = [&](Outcome outcome) {
    return std::to_string(byOutcome_[static_cast<size_t>(outcome)]);
  };
  out += "  replaced " + count(Outcome::replaced) + ", unchanged " + count(Outcome::unchanged) +
         ", failed " + count(Outcome::failed) + ", late " + count(Outcome::late);
  if (byOutcome_[static_cast<size_t>(Outcome::beside)])
    out += ", with versions beside " + count(Outcome::beside) + ", kernels served as a version " +
           std::to_string(served_);
  return out + "; cache hits " + std::to_string(hits_) + "\n";
}

} // namespace meld
