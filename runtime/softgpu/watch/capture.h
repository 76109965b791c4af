// A dispatch saved with all memory it may touch, so that it can be run again alone.
//
//   MELD_GPU_CAPTURE=DIR[,REGEX[,N]]
//
// The N-th (default: first) dispatch of each kernel whose name matches goes to
// DIR/<kernel>-<N>.mgc; with several devices each counts its own, DIR/<kernel>-<N>-device<I>.mgc.
//
// What: before the dispatch every allocation of the process is copied, pages of zeros left out;
// after it the pages that changed are. `meld-gpu replay` puts the memory back at its addresses,
// runs the packet and compares what it left with what was recorded. Memory that the host or another
// queue writes while the dispatch runs counts as changed by it. Without a driver (tests) the
// writable memory of the process stands in for the allocations.
//
// Costs: three copies of the process's device memory or more, zstd. Thread rule: any thread; one
// dispatch is captured at a time.
#pragma once

#include "runtime/result.h"
#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/execute/launch.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace meld::softgpu {

inline constexpr uint64_t kCapturePage = 4096;
using CapturePage = std::array<uint8_t, kCapturePage>;

struct CapturedRange {
  uint64_t address = 0, size = 0;         ///< device addresses, multiples of the page
  uint64_t host = 0;                      ///< where it was; only while capturing
  std::map<uint64_t, CapturePage> before; ///< by page number within the range; absent: zeros
  std::map<uint64_t, CapturePage> after;  ///< pages that changed
};

struct Capture {
  std::string device, kernel;
  std::string fileSuffix; ///< "-device1" of several; only while capturing
  uint32_t computeUnits = 0;
  uint64_t ldsBase = 0, scratchBase = 0;
  AqlPacket packet{};
  uint64_t descriptor = 0, queueAddress = 0, packetAddress = 0, dispatchId = 0;
  DispatchCode code = DispatchCode::ok;
  std::string message;
  uint64_t instructions = 0, waves = 0; ///< counted
  std::vector<CapturedRange> ranges;

  Result<uint64_t> write(const std::string &file) const; ///< bytes written
  /// Errors: io; badInput names the file and what is wrong with it.
  static Result<Capture> read(const std::string &file);
};

/// A capture of this dispatch with no memory yet: its ranges are those of `mapper`, which may be
/// null.
std::unique_ptr<Capture> describeDispatch(const DispatchRequest &request, const Launch &launch,
                                          const DeviceConfig &config, const AddressMapper *mapper);
/// Memory as it is now becomes the capture's `before`; false when it was that already.
bool takePicture(Capture &capture);
/// The name of a kernel as part of a file's.
std::string kernelFileName(const std::string &kernel);

/// Which dispatches are captured, and the file of each.
class CaptureControl {
public:
  /// nullptr when `setting` names nothing, or is malformed (one
  /// line).
  static std::unique_ptr<CaptureControl> open(const std::string &setting);
  ~CaptureControl();

  /// The memory before the dispatch; nullptr when this one is not wanted.
  std::unique_ptr<Capture> begin(const DispatchRequest &request, const Launch &launch,
                                 const DeviceConfig &config, const AddressMapper *mapper);
  /// Adds what changed and writes the file; says so on stderr.
  void finish(std::unique_ptr<Capture> capture, const DispatchResult &result) noexcept;

private:
  CaptureControl();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace meld::softgpu
