#include "runtime/softgpu/verify/results.h"

#include "runtime/softgpu/counters/output_file.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace meld::softgpu::verify {

namespace {

/// Differences described in full; the rest is only counted.
constexpr size_t kDescribed = 100;

std::string hex(uint64_t x) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%" PRIx64, x);
  return text;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) >= 32)
      out += c;
    else
      out += ' ';
  }
  return out + '"';
}

template <class List, class Text> std::string joined(const List &list, Text &&text) {
  std::string out;
  for (const auto &x : list)
    out += (out.empty() ? "" : ",\n    ") + text(x);
  return out;
}

std::string wordJson(const ReportedWord &w) {
  return "{\"address\": " + quoted(hex(w.address)) +
         ", \"allocation\": " + quoted(hex(w.allocation)) +
         ", \"size\": " + std::to_string(w.size) + ", \"offset\": " + std::to_string(w.offset) +
         ", \"variable\": " + quoted(w.variable) + ", \"original\": " + quoted(hex(w.original)) +
         ", \"replacement\": " + quoted(hex(w.replacement)) + "}";
}

std::string differenceJson(const Difference &d) {
  return "{\"kernel\": " + quoted(d.judged.kernel) + ", \"facts\": " + quoted(d.judged.facts) +
         ", \"dispatch\": " + std::to_string(d.dispatch) + ", \"device\": " + quoted(d.device) +
         ", \"what\": " + quoted(d.what) + ", \"bytes\": " + std::to_string(d.bytes) +
         ",\n     \"words\": [" + joined(d.words, wordJson) + "],\n     \"captures\": [" +
         joined(d.captures, quoted) + "]}";
}

} // namespace

std::string Difference::text() const {
  std::string out = "kernel " + judged.kernel + ", dispatch " + std::to_string(dispatch) +
                    (device.empty() ? "" : ", " + device) + ": " + what + "\n";
  for (const ReportedWord &w : words) {
    char line[256];
    std::snprintf(line, sizeof(line), "  0x%" PRIx64 ": original %08x, replacement %08x", w.address,
                  w.original, w.replacement);
    out += line;
    if (!w.variable.empty())
      out += "  (variable " + w.variable + ")";
    else if (w.size)
      out += "  (allocation " + hex(w.allocation) + ", " + std::to_string(w.size) +
             " bytes, offset " + std::to_string(w.offset) + ")";
    out += "\n";
  }
  for (const std::string &file : captures)
    out += "  meld-gpu replay " + file + "\n";
  return out;
}

Results &results() {
  static auto *r = [] {
    std::atexit([] { results().flush(); });
    return new Results;
  }();
  return *r;
}

void Results::open(const std::string &folder) {
  std::lock_guard lock(mutex_);
  folder_ = folder;
  if (!pid_)
    pid_ = getpid();
  write(true); // that there is a file says that verification was on
}

/// The caller holds the lock.
Results::Counts &Results::counts(const Judged &judged) { return kernels_[judged]; }

uint64_t Results::dispatched(const Judged &judged) {
  std::lock_guard lock(mutex_);
  return ++counts(judged).dispatches;
}

void Results::equal(const Judged &judged) {
  std::lock_guard lock(mutex_);
  ++counts(judged).equal;
  write(false);
}

void Results::notRepeatable(const Judged &judged) {
  std::lock_guard lock(mutex_);
  ++counts(judged).notRepeatable;
  write(false);
}

void Results::notVerified(const Judged &judged, const std::string &why) {
  std::lock_guard lock(mutex_);
  ++counts(judged).notVerified[why];
  write(false);
}

void Results::different(Difference difference) {
  std::lock_guard lock(mutex_);
  ++counts(difference.judged).different;
  if (differences_.size() < kDescribed)
    differences_.push_back(std::move(difference));
  write(true);
}

uint64_t Results::differences(const Judged &judged) const {
  std::lock_guard lock(mutex_);
  const auto it = kernels_.find(judged);
  return it == kernels_.end() ? 0 : it->second.different;
}

std::string Results::json() const {
  return "{\"pid\": " + std::to_string(pid_) + ",\n \"kernels\": [" +
         joined(kernels_,
                [](const auto &entry) {
                  const auto &[judged, c] = entry;
                  return "{\"name\": " + quoted(judged.kernel) +
                         ", \"facts\": " + quoted(judged.facts) +
                         ", \"dispatches\": " + std::to_string(c.dispatches) +
                         ", \"equal\": " + std::to_string(c.equal) +
                         ", \"different\": " + std::to_string(c.different) +
                         ", \"notRepeatable\": " + std::to_string(c.notRepeatable) +
                         ", \"notVerified\": {" +
                         joined(c.notVerified,
                                [](const auto &reason) {
                                  return quoted(reason.first) + ": " +
                                         std::to_string(reason.second);
                                }) +
                         "}}";
                }) +
         "],\n \"differences\": [" + joined(differences_, differenceJson) + "]}";
}

/// The caller holds the lock.
void Results::write(bool now) {
  const auto time = std::chrono::steady_clock::now();
  if (folder_.empty() || (!now && time - written_ < std::chrono::milliseconds(100)))
    return;
  written_ = time;
  writeWholeFile(folder_ + "/" + std::to_string(pid_) + ".json", json(), "what was verified");
}

void Results::flush() noexcept {
  if (pid_ != getpid()) // a forked child, where the lock may be held for ever
    return;
  try {
    std::lock_guard lock(mutex_);
    write(true);
  } catch (...) {
  }
}

} // namespace meld::softgpu::verify
