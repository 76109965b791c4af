// Checkers: watchers that look for mistakes a device would not report.
//
//   hazard     a register is used or overwritten while a load into it is still on its way: an
//              s_waitcnt is missing
//   undefined  an address, a stored value, a branch or EXEC depends on a register that nothing
//              wrote
//   race       two waves of a workgroup touch the same byte of LDS without a barrier in between,
//              one of them writing
//   barrier    work-items of a workgroup do not all meet at the same s_barrier
//
// Each finding is one line on stderr with kernel, offset, disassembly, wave and lane, counted in
// the counters' JSON (counters/checks.h). What each can and cannot see is documented in
// docs/counters.md. Cost: about 0.1 to 1 us per instruction. Thread rule: as Watcher.
#pragma once

#include "runtime/settings/kinds.h"
#include "runtime/softgpu/counters/checks.h"
#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/watch.h"
#include "runtime/softgpu/execute/workgroup.h"
#include "runtime/softgpu/isa/register_use.h"

#include <optional>
#include <string>
#include <vector>

namespace meld::softgpu {

/// Sets of checks are their bits; CheckSettings::checks is one.
namespace Check {
enum class Index : unsigned {
#define MELD_CHECK(name) name,
#include "runtime/softgpu/watch/check/checks.def"
  count
};
enum : unsigned {
#define MELD_CHECK(name) name = 1u << unsigned(Index::name),
#include "runtime/softgpu/watch/check/checks.def"
  all = (1u << unsigned(Index::count)) - 1
};
} // namespace Check

std::vector<std::string> checkNames(unsigned checks);

/// Factory of the checkers in `checks` (bits of Check) for a dispatch; nullptr when there are none.
std::unique_ptr<WatchFactory> makeCheckers(const Launch &launch, unsigned checks);

namespace check {

/// Says what is wrong at an instruction. Shared by the checkers of one launch.
class Reporter {
public:
  Reporter(const char *check, const Launch &launch) : check_(check), launch_(launch) {}

  /// `detail()` gives the words; called only when this place is new. lane < 0: no lane.
  template <class Detail>
  void report(const ExecInst *i, const Wave &w, int lane, Detail &&detail) const {
    if (CheckSink::instance().seen(check_, launch_.kernel, int64_t(pcOf(i) - launch_.entry),
                                   launch_.device))
      describe(i, w, lane, detail());
  }
  /// "+0x1c" of an address in this kernel.
  std::string offset(uint64_t pc) const;

private:
  void describe(const ExecInst *i, const Wave &w, int lane, std::string detail) const;
  const char *check_;
  const Launch &launch_;
};

/// s3, v[7], a12, vcc_lo.
std::string registerName(isa::RegisterRange::File file, unsigned index);

/// What s_set_gpr_idx adds to the number of a vector ALU operand.
unsigned relativeIndex(const ExecInst *i, const Wave &w, const isa::RegisterRange &r);

/// RegisterUse per instruction, worked out once.
class UseTable {
public:
  const isa::RegisterUse &of(const ExecInst *i) {
    const uint32_t id = idOf(i);
    if (id >= table_.size())
      table_.resize(std::max<size_t>(id + 1, 2 * table_.size()));
    if (!table_[id])
      table_[id].emplace(*i->inst);
    return *table_[id];
  }

private:
  std::vector<std::optional<isa::RegisterUse>> table_;
};

std::unique_ptr<Watcher> makeHazardChecker(const Launch &launch);
std::unique_ptr<Watcher> makeUndefinedChecker(const Launch &launch);
std::unique_ptr<Watcher> makeRaceChecker(const Launch &launch);
std::unique_ptr<Watcher> makeBarrierChecker(const Launch &launch);

} // namespace check
} // namespace meld::softgpu
