// Decoded code of one device: finds the ExecInst of a code address, decoding on first use.
//
// What: code is decoded in runs. A run starts at the address asked for, goes on through conditional
// branches and calls, and ends behind an unconditional transfer, or with a link entry where it
// meets code decoded before:
//
//     run 1:  A  B  cbranch->G  C  s_endpgm            (asked for A)
//     run 2:  F  G' ...  link->A                        (asked for F; falls into A)
//
// An ExecInst holds no state of its run, so a branch may enter a run anywhere. Branches resolve
// their target when first taken and keep it in ExecInst::target (an atomic store: several threads
// may do it, all write the same value). An opcode that cannot be decoded or that no part implements
// gets a handler that raises illegalInstruction: reading past the code costs nothing, executing it
// is an error. So does code outside the device's memory: a jump to a function of the host program
// is the illegal instruction that it is on a GPU.
//
// Costs: decoding about 0.3 us per instruction; a resolved branch one load; an indirect jump one
// hash probe. Thread rule: every member may be called from any thread. Entries live as long as the
// cache: the device replaces the whole cache when code may have changed, dispatches that still run
// keep the old one.
#pragma once

#include "runtime/softgpu/execute/wave.h"
#include "runtime/softgpu/isa/operand_ranges.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace meld::softgpu {

/// Category of entries the core adds (links): not an instruction, not counted.
inline constexpr uint8_t kCoreEntry = 15;

/// What ExecInst::inst of a cached entry points to.
struct CodeInst {
  isa::Inst inst; // first: ExecInst::inst is a pointer to this
  uint64_t pc = 0;
  const char *problem = nullptr; ///< why the instruction cannot run
  uint32_t id = 0;               ///< counts the instructions of a cache, for tables beside it
  isa::OperandRanges ranges;     ///< of inst
};

/// Absolute address of a cached instruction.
inline uint64_t pcOf(const ExecInst *i) { return reinterpret_cast<const CodeInst *>(i->inst)->pc; }

/// The registers that it names.
inline const isa::OperandRanges &rangesOf(const ExecInst *i) {
  return reinterpret_cast<const CodeInst *>(i->inst)->ranges;
}

/// Its number within its cache.
inline uint32_t idOf(const ExecInst *i) { return reinterpret_cast<const CodeInst *>(i->inst)->id; }

class CodeCache {
public:
  /// `memory`, when given, says where code may lie; it must outlive the cache.
  explicit CodeCache(isa::Target target, const AddressMapper *memory = nullptr)
      : target_(target), memory_(memory) {}
  CodeCache(const CodeCache &) = delete;

  /// The instruction at `pc`. Never nullptr: unreadable code gives an entry that raises
  /// illegalInstruction.
  const ExecInst *lookup(uint64_t pc) {
    const ExecInst *i = recent_[slot(pc)].load(std::memory_order_acquire);
    return i && pcOf(i) == pc ? i : find(pc);
  }

  /// The target of the direct branch or link `i`; resolves it on first use.
  const ExecInst *targetOf(const ExecInst *i) {
    auto &field = const_cast<ExecInst *>(i)->target;
    const ExecInst *t = std::atomic_ref(field).load(std::memory_order_acquire);
    if (!t) [[unlikely]] {
      t = lookup(i->targetPc);
      std::atomic_ref(field).store(t, std::memory_order_release);
    }
    return t;
  }

  isa::Target target() const { return target_; }
  size_t decoded() const;

  /// What the translation tier keeps with this code; destroyed before the entries.
  std::shared_ptr<void> &translations() { return translations_; }
  std::mutex &translationsMutex() { return translationsMutex_; }

private:
  struct Run {
    std::unique_ptr<CodeInst[]> insts;
    std::unique_ptr<ExecInst[]> entries;
  };

  static size_t slot(uint64_t pc) { return (pc >> 2) % kRecent; }
  const ExecInst *find(uint64_t pc);
  const ExecInst *decodeRun(uint64_t pc);

  static constexpr size_t kRecent = 4096;
  const isa::Target target_;
  const AddressMapper *const memory_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, const ExecInst *> byPc_;
  std::vector<Run> runs_;
  uint32_t nextId_ = 0;
  std::array<std::atomic<const ExecInst *>, kRecent> recent_{};
  std::mutex translationsMutex_;
  std::shared_ptr<void> translations_;
};

} // namespace meld::softgpu
