// The tier that replaces interpreted kernels by translated ones once they are hot.
//
// What: each dispatch asks kernel() for its KernelTier and reports how many instructions its waves
// executed. When a kernel's count passes a threshold that grows with the kernel's size, its
// reachable code is cut into units and queued; one low-priority thread translates them and
// publishes each by storing a UnitEntry in ExecInst::translated. Waves change over at their next
// branch into a published block and change back whenever they meet something untranslated:
//
//   interpreter --(block has an entry)--> unit --(returns an instruction)--> interpreter or unit
//
// The library with the compiler is loaded when the first kernel gets hot. When it is missing or
// fails, the interpreter goes on; one line says so.
//
// Settings: DeviceConfig::translate = off | auto | always (translate before the first wave runs) and
// translateThreshold, executed instructions per instruction of the kernel. Translated code lives as
// long as the CodeCache it belongs to.
//
// Fork: the child keeps what is translated and translates no more (it has no thread).
// Exit: the compiler must not be at work while the process's static objects die, its own among
// them. So the thread translates only while a dispatch runs (a program that exits has waited for
// its kernels), and the last dispatch ends when the unit in hand is done; an exit handler joins it.
// Thread rule: any thread.
#pragma once

#include "runtime/softgpu/translate/abi.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace meld::softgpu {
class CodeCache;
struct DeviceConfig;
} // namespace meld::softgpu

namespace meld::softgpu::translate {

enum class When : uint8_t { off, automatic, always };

struct Settings {
  When when;
  uint64_t threshold; ///< executed instructions per static instruction
  static Settings of(const DeviceConfig &config);
};

/// A kernel of one CodeCache.
class KernelTier final : public ExecutedKernel {
public:
  KernelTier(const ExecInst *entry, const Settings &settings)
      : entry_(entry), threshold_(settings.threshold) {}

  /// Asks for the translation when the kernel becomes hot.
  void executed(uint64_t n, const std::shared_ptr<CodeCache> &code) override {
    if (state_.load(std::memory_order_relaxed) == State::cold)
      count(n, code);
  }
  /// Translates now, in the calling thread, unless somebody already has.
  void translateNow(const std::shared_ptr<CodeCache> &code);

private:
  friend class Service;
  enum class State : uint8_t { cold, queued, done };
  void count(uint64_t n, const std::shared_ptr<CodeCache> &code);

  const ExecInst *const entry_;
  const uint64_t threshold_;
  uint64_t size_ = 0; ///< static instructions, 0: not known yet
  std::atomic<uint64_t> executed_{0};
  std::atomic<State> state_{State::cold};
};

/// The tier of the kernel at `entry`, nullptr when translation is off.
std::shared_ptr<KernelTier> kernelTier(CodeCache &code, const ExecInst *entry,
                                       const Settings &settings);

/// While it lives a dispatch runs, beside which the background may translate. The end waits for the
/// unit in hand, if no other dispatch runs.
class DispatchScope {
public:
  explicit DispatchScope(const std::shared_ptr<KernelTier> &tier);
  ~DispatchScope();
  DispatchScope(const DispatchScope &) = delete;

private:
  const bool counted_;
};

/// The reachable code of a kernel as units of at most `maxUnit` instructions.
std::vector<std::vector<UnitInst>> discoverUnits(CodeCache &code, const ExecInst *entry,
                                                 size_t maxUnit);

/// For tests and benchmarks.
struct TierStatistics {
  uint64_t units = 0, instructions = 0, covered = 0, failures = 0;
  double seconds = 0; ///< spent translating
};
TierStatistics tierStatistics();
/// Waits until everything queued is translated.
void finishTranslations();

} // namespace meld::softgpu::translate
