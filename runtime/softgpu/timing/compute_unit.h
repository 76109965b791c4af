// What a workgroup is placed on, and what these units of a device share. Before GFX10 that is one
// compute unit; from then on it may be both of a pair (WGP_MODE), with one vector memory unit and first
// cache and one half of the LDS for each pair of SIMDs:
//
//   GFX9   4 SIMDs, each visited every 4th cycle; a vector memory unit for all, an LDS port for two
//   GFX10, GFX11  2 SIMDs (a pair of units: 4), visited every cycle; both for two
//
//   visits.cpp         which wave issues when
//   groups.cpp         workgroups: start, barrier, end
//   issue.h            what an instruction costs
//
// Private to this folder. Not thread-safe: a dispatch is modelled on one thread.
#pragma once

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/watch.h"
#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/timing/dispatcher.h"
#include "runtime/softgpu/timing/fetch.h"
#include "runtime/softgpu/timing/memory.h"
#include "runtime/softgpu/timing/parameters.h"
#include "runtime/softgpu/timing/parts.h"
#include "runtime/softgpu/timing/scratch_area.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace meld::softgpu::timing {

/// Where s_waitcnt has its counts. GFX11 moved them ("RDNA3" ISA, 5.6).
struct WaitFields {
  unsigned vmAt = 0, vmHighAt = 14,
           lgkmAt = 8; ///< vmcnt has two more bits elsewhere, or none there
  uint32_t vmMost = 15, lgkmMost = 15;
  uint32_t vm(uint32_t imm) const { return (imm >> vmAt & vmMost) | (imm >> vmHighAt & 3) << 4; }
  uint32_t lgkm(uint32_t imm) const { return imm >> lgkmAt & lgkmMost; }
};

/// What the compute units of one dispatch share.
struct Shared {
  Shared(Job &j, const TimingParameters &parameters, FaultGuard &g)
      : job(j), p(parameters), guard(g), memory(parameters, j.env.config->computeUnits),
        dispatcher(parameters, *j.launch, j.env.config->computeUnits, unitsOf(j)),
        scratch(std::min<uint64_t>(uint64_t(unitsOf(j)) * j.launch->groupsPerUnit,
                                   j.launch->totalGroups),
                j.launch->scratchPerWave() * j.launch->wavesPerGroup) {
    const unsigned generation = isa::traitsOf(j.launch->target).generation;
    if (generation >= 10) {
      separateStores = true;
      cadence = 1;
      simdsPerPath = 2;
      passes = j.launch->waveSize / 32;
      wait.lgkmMost = 63;
    }
    separateScalars = generation >= 12;
    if (generation >= 11)
      wait = {.vmAt = 10, .vmHighAt = 16, .lgkmAt = 4, .vmMost = 63, .lgkmMost = 63};
    // A wave's matrix is as large in waves of 64, whose halves hold the same ("RDNA3" ISA, 7.9).
    for (size_t k = 0; k < valuCycles.size(); ++k)
      valuCycles[k] = parameters.issueOf(isa::ValuRate(k)) *
                      (isa::ValuRate(k) == isa::ValuRate::mfma ? 1 : passes);
    sharing = std::max(parameters.fetchUnits / j.launch->unitsPerGroup, 1u);
    for (unsigned k = 0; parameters.fetchLatency && k * sharing < unitsOf(j); ++k)
      instructionCaches.push_back(std::make_unique<InstructionCache>(parameters));
  }
  /// Units that a dispatch has work for.
  static unsigned unitsOf(const Job &job) {
    return unsigned(std::min<uint64_t>(placesOf(*job.launch, job.env.config->computeUnits),
                                       job.launch->totalGroups));
  }

  Job &job;
  const TimingParameters &p;
  FaultGuard &guard;
  DeviceMemory memory;
  Dispatcher dispatcher;
  ScratchArea scratch;
  std::vector<std::unique_ptr<InstructionCache>> instructionCaches; ///< none: not modelled
  unsigned sharing = 1;                                             ///< units for each of them
  unsigned cadence =
      kSimds; ///< SIMD k is visited in the cycles that are k mod this, a power of two
  unsigned simdsPerPath = kSimds; ///< for each vector memory unit
  unsigned passes = 1; ///< of a vector instruction through its unit: two for a wave of 64 on GFX10
  /// For which an instruction of each rate keeps the vector ALU.
  std::array<uint32_t, size_t(isa::ValuRate::mfma) + 1> valuCycles{};
  bool separateStores = false;  ///< they have a counter of their own
  bool separateScalars = false; ///< so have scalar memory and messages (GFX12)
  WaitFields wait;
  const OpTraits *const traits = opTraits().data();
  WaveCounters counters;
  Wave *running = nullptr; ///< whose instruction is being executed, for a memory fault
  std::unique_ptr<Watch> watch;
  bool slept = false; ///< some wave executed s_sleep: it may wait for the host
};

/// The dispatch that this thread models, for interrupts from within its instructions.
extern thread_local Shared *current;

class ComputeUnit {
public:
  ComputeUnit(Shared &shared, unsigned index);
  ComputeUnit(const ComputeUnit &) = delete; // its SIMDs point into it
  ~ComputeUnit();                            ///< on the thread of its dispatch
  /// Advances to `end`. False: nothing left to run here, ever.
  bool advance(uint64_t end);
  uint64_t finished() const { return finished_; }
  bool hasRoom() const { return groups_.size() < shared_.job.launch->groupsPerUnit; }
  /// Takes a workgroup that the dispatcher deals to this unit. False: the job has failed.
  bool start(const Dispatcher::Start &start);

private:
  static constexpr size_t kCategories = kCoreEntry + 1; ///< with those of the core
  struct Simd {
    std::vector<std::unique_ptr<TimedWave>> waves; ///< oldest first
    uint64_t valuFree = 0;
    /// From when on the unit takes an instruction of each category. The scalar and branch units take
    /// one each visit, waits and barriers need none.
    std::array<const uint64_t *, kCategories> unitFree{};
  };

  void fill();
  void retireGroups();
  void barrier(Workgroup &g);

  /// The first visit of a SIMD that is not before `at`.
  uint64_t visitFrom(unsigned simd, uint64_t at) const {
    return at + ((simd - at) & (shared_.cadence - 1));
  }
  bool visit(unsigned index);
  using Issue = void (*)(ComputeUnit &, Simd &, unsigned, TimedWave &, const ExecInst *);
  template <isa::Category C> static constexpr Issue issueOf();
  static const std::array<Issue, kCategories> kIssue;
  bool failed(const Wave &w);

  /// For each category by itself: what depends on it would be most of the branches that a host
  /// predicts badly. `other` stands for all that are not told apart.
  template <isa::Category C> void issue(Simd &s, unsigned index, TimedWave &t, const ExecInst *i);
  template <isa::Category C> const ExecInst *execute(Wave &w, const ExecInst *i);
  template <isa::Category C>
  uint64_t charge(Simd &s, unsigned index, TimedWave &t, const ExecInst *i, const ExecInst *next);
  uint64_t chargeVectorMemory(unsigned index, TimedWave &t, const isa::Inst &in, isa::Category c);
  uint64_t waitedFor(const TimedWave &t, const isa::Inst &in) const;
  uint64_t beforeNext(TimedWave &t, const ExecInst *i) const;
  void skipDelays(Wave &w);
  uint64_t fetch(unsigned index, TimedWave &t, bool jumped);
  void obeyStatus(TimedWave &t, const isa::Inst &in);

  Shared &shared_;
  const unsigned index_, simdCount_;
  uint64_t now_ = 0, end_ = 0, finished_ = 0; ///< end_: of the turn
  std::array<Simd, kSimds> simds_;
  /// The first visit of each SIMD in which a wave may issue, not before `now_`; kNever: none, or no SIMD.
  std::array<uint64_t, kSimds> next_;
  unsigned placeWave_ = 0;
  bool anyEnded_ = false; ///< in the current visit
  std::vector<std::unique_ptr<Workgroup>> groups_, spare_;
  std::array<uint64_t, 2> ldsFree_{};
  std::array<uint64_t, 2> vmemFree_{};              ///< of each path
  std::vector<std::unique_ptr<MemoryPath>> memory_; ///< scalar memory takes the first
  std::vector<FetchPort> fetch_; ///< none: not modelled; one, or one for each SIMD
};

} // namespace meld::softgpu::timing
