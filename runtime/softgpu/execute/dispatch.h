// What a dispatch is made of: the device's configuration, the request, its memory and its result.
//
// Errors: DispatchResult. Thread rule: plain data; AddressMapper and `interrupt` are called by the
// threads that run the dispatch.
#pragma once

#include "runtime/settings/kinds.h"
#include "runtime/softgpu/counters/counters.h"
#include "runtime/softgpu/isa/inst.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace meld::softgpu {

struct DeviceConfig {
  isa::Target target = isa::Target::gfx90a;
  unsigned computeUnits = 104; ///< gfx90a (one GCD); gfx900: 64
  uint64_t vramBytes = 16ull << 30;
  unsigned hostThreads = 0; ///< workers; 0 = number of host cores; 1 = bit-exact reproducible order
  bool timing = false;      ///< model cycles (slower)
  // What is empty here, Gpu::create takes from the environment's settings.
  TimingChanges timingParameters; ///< over the defaults, names as in docs/timing-model.md
  std::string capture;            ///< as MELD_GPU_CAPTURE, see capture.h
  std::string trace, traceKernel; ///< as MELD_TRACE and MELD_TRACE_KERNEL, see trace_log.h
  std::string translate;          ///< off, auto or always, see translate/tier.h
  std::optional<uint64_t> translateThreshold;
  bool checked = false; ///< interval map and red zones for every access
  unsigned checks = 0;  ///< checkers that watch every instruction: bits of Check, see check/check.h
  /// Which of the process's devices, for what is reported.
  unsigned deviceIndex = 0, deviceCount = 1;
  /// Flat apertures, 4 GiB each.
  uint64_t ldsBase = 0x1'0000'0000'0000, scratchBase = 0x2'0000'0000'0000;
  uint64_t windowBase = 0x1000000, windowLimit = 0xffffffffff; ///< gpuvm: where device memory lies
};

/// "device 1 (gfx900)", for what is said to the user; empty where the process has only one device.
std::string deviceLabel(const DeviceConfig &config);

enum class DispatchCode : uint8_t {
  ok,
  illegalInstruction,
  memoryFault,
  apertureViolation,
  trap,
  badDimensions,
  badCodeObject,
  ldsTooLarge,
  groupTooLarge,
  tooManyVgprs,
  scratchTooLarge,
  cancelled,
};

struct DispatchResult {
  DispatchCode code = DispatchCode::ok;
  /// Names kernel, code offset, disassembly, lane, address: one line, for the log.
  std::string message;
  uint64_t address = 0; ///< memory faults
  bool write = false;
  WaveCounters counters;       ///< also of a dispatch that failed: what ran until then
  uint64_t cycles = 0;         ///< modelled; 0 when the timing model is off
  uint64_t launchOverhead = 0; ///< cycles before them, a parameter of the model; 0 when it is off
};

struct DispatchRequest {
  const void *packet = nullptr; ///< hsa_kernel_dispatch_packet_t, 64 bytes, in host memory
  uint64_t queueAddress = 0;    ///< amd_queue_t*, for the queue_ptr SGPRs
  /// Address of the packet in the ring, for the dispatch_ptr SGPRs.
  uint64_t dispatchPacketAddress = 0;
  uint64_t dispatchId = 0;
  /// s_sendmsg(MSG_INTERRUPT): m0's event id (24 bits; device libraries before ROCm 6 send only the
  /// low 8 bits, the full id is in the signal's mailbox). Called on a worker thread.
  std::function<void(uint32_t)> interrupt;
  const std::atomic<bool> *cancel = nullptr; ///< set: waves stop at their next quantum

  // For runs beside the application's own (verify/verification.h):
  const std::atomic<bool> *giveUp = nullptr; ///< as `cancel`
  uint64_t maxInstructions = 0;              ///< of each host thread; then cancelled. 0: no limit
  std::chrono::milliseconds maxTime{0};      ///< the same for time
  /// Workgroups, and waves in a workgroup, start in descending order: shows races.
  bool reversed = false;
};

/// Memory of the process that kernels may use.
struct MemoryRange {
  uint64_t address = 0, size = 0, host = 0;
};

/// Host ranges whose device address differs from the host address (hipHostRegister on old ROCr), filled by
/// the driver. Empty = the fast path.
struct AddressMapper {
  virtual ~AddressMapper() = default;
  virtual bool empty() const = 0;
  virtual uint64_t toHost(uint64_t deviceAddress) const = 0;
  /// The same for an access of an instruction; the `bytes` lie together there.
  virtual uint64_t access(uint64_t deviceAddress, [[maybe_unused]] uint64_t bytes,
                          [[maybe_unused]] bool write) {
    return toHost(deviceAddress);
  }
  /// True when [address, address+size) is memory the process may access (checked mode, fault messages).
  virtual bool mapped(uint64_t address, uint64_t size) const = 0;
  /// All allocations, for saving a dispatch (capture.h).
  virtual std::vector<MemoryRange> ranges() const { return {}; }
};

} // namespace meld::softgpu
