// What the checkers of the software GPU (MELD_GPU_CHECKED) found in this process.
//
// A finding is a place in a kernel: it is printed once, when first seen, and counted after that.
// The counters' JSON has them under "checks". Thread rule: any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace meld::softgpu {

struct Finding {
  std::string check;       ///< hazard, undefined, race, barrier
  std::string kernel;      ///< name
  int64_t offset = 0;      ///< of the instruction, from the kernel's first
  std::string text;        ///< its disassembly
  std::string detail;      ///< what is wrong and where it was first seen: register, wave, lane
  uint64_t count = 0;      ///< how often
  std::string device = {}; ///< "device 1 (gfx900)"; empty where the process has only one
};

class CheckSink {
public:
  static CheckSink &instance();
  CheckSink();
  ~CheckSink();

  /// Which checkers run, for the report; called when a device is created.
  void enable(const std::vector<std::string> &checks);
  std::vector<std::string> enabled() const;

  /// Counts one more of the finding; true the first time. `finding.detail` may be empty then.
  bool seen(const std::string &check, const std::string &kernel, int64_t offset,
            const std::string &device = {});
  /// Adds the words of a finding seen for the first time and prints its line.
  void describe(const Finding &finding);

  std::vector<Finding> findings() const; ///< by check, kernel, offset, device
  void clear();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace meld::softgpu
