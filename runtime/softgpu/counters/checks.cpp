#include "runtime/softgpu/counters/checks.h"

#include "runtime/host/stderr.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

namespace meld::softgpu {

struct CheckSink::State {
  mutable std::mutex mutex;
  std::vector<std::string> checks;
  std::map<std::tuple<std::string, std::string, int64_t, std::string>, Finding> findings;
};

CheckSink::CheckSink() : state_(std::make_unique<State>()) {}
CheckSink::~CheckSink() = default;

CheckSink &CheckSink::instance() {
  static auto *sink = new CheckSink; // lives as long as the process: kernels may run at exit
  return *sink;
}

void CheckSink::enable(const std::vector<std::string> &checks) {
  std::lock_guard lock(state_->mutex);
  state_->checks = checks;
}

std::vector<std::string> CheckSink::enabled() const {
  std::lock_guard lock(state_->mutex);
  return state_->checks;
}

bool CheckSink::seen(const std::string &check, const std::string &kernel, int64_t offset,
                     const std::string &device) {
  std::lock_guard lock(state_->mutex);
  Finding &f = state_->findings[{check, kernel, offset, device}];
  return f.count++ == 0;
}

void CheckSink::describe(const Finding &finding) {
  {
    std::lock_guard lock(state_->mutex);
    Finding &f = state_->findings[{finding.check, finding.kernel, finding.offset, finding.device}];
    const uint64_t count = f.count;
    f = finding;
    f.count = count;
  }
  char offset[32];
  std::snprintf(offset, sizeof(offset), "%s0x%" PRIx64, finding.offset < 0 ? "-" : "+",
                uint64_t(finding.offset < 0 ? -finding.offset : finding.offset));
  writeToStderr("meld-softgpu: " + finding.check + " in kernel " + finding.kernel +
                (finding.device.empty() ? "" : " on " + finding.device) + " at " + offset + ": " +
                finding.text + ": " + finding.detail + "\n");
}

std::vector<Finding> CheckSink::findings() const {
  std::lock_guard lock(state_->mutex);
  std::vector<Finding> list;
  for (const auto &[key, finding] : state_->findings)
    list.push_back(finding);
  return list;
}

void CheckSink::clear() {
  std::lock_guard lock(state_->mutex);
  state_->findings.clear();
}

} // namespace meld::softgpu
