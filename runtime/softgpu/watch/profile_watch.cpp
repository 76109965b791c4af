#include "runtime/softgpu/watch/profile_watch.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/converged.h"
#include "runtime/softgpu/execute/workgroup.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/register_use.h"
#include "runtime/softgpu/watch/check/check.h"
#include "runtime/softgpu/watch/lost_lanes.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

namespace meld::softgpu {

namespace {

using isa::Category;
using isa::RegisterRange;

const char *kindName(uint8_t category) {
  static constexpr const char *names[] = {"valu",       "salu", "smem",    "vmem_read",
                                          "vmem_write", "flat", "lds",     "branch",
                                          "message",    "wait", "barrier", "other"};
  static_assert(std::size(names) == size_t(Category::other) + 1);
  return category < std::size(names) ? names[category] : "other";
}

/// One value in all lanes of `exec` (not 0).
bool uniformRow(const VRow &row, uint64_t exec) {
  const uint32_t first = row.u[std::countr_zero(exec) % kWaveSize];
  if (exec == kFullExec) {
    uint32_t differ = 0;
    for (uint32_t x : row.u)
      differ |= x ^ first;
    return differ == 0;
  }
  uint32_t differ = 0;
  for (unsigned l = 0; l < kWaveSize; ++l)
    differ |= (row.u[l] ^ first) & (0u - uint32_t(exec >> l & 1));
  return differ == 0;
}

bool uniform(const ExecInst *i, const Wave &w, const RegisterRange &r, uint64_t exec) {
  if (r.file == RegisterRange::File::sgpr) {
    if (!r.laneMask)
      return true;
    const uint64_t bits = w.s64(r.index) & exec;
    return bits == 0 || bits == exec;
  }
  const unsigned row = r.index + (r.file == RegisterRange::File::agpr ? w.accOffset : 0) +
                       check::relativeIndex(i, w, r);
  for (unsigned k = 0; k < r.dwords; ++k)
    if (!uniformRow(w.v[row + k], exec))
      return false;
  return true;
}

/// What compilers swap the sides of a branch with, in waves of 64 and of 32 lanes.
bool goesToElse(isa::Op op) {
  using isa::Op;
  return op == Op::s_xor_b64 || op == Op::s_andn2_saveexec_b64 || op == Op::s_xor_saveexec_b64 ||
         op == Op::s_xor_b32 || op == Op::s_andn2_saveexec_b32 || op == Op::s_xor_saveexec_b32;
}

/// An instruction and what was counted for it.
struct Site {
  const ExecInst *inst;
  isa::RegisterUse use;
  bool valu, crossesLanes, branch;
  bool swaps; ///< of the kind that goes to an else: those that waited run, those that ran wait
  InstProfile counts;
  std::vector<std::pair<uint32_t, uint64_t>> lost; ///< lanes by the site that parted them
  explicit Site(const ExecInst *i)
      : inst(i), use(*i->inst), valu(i->category == uint8_t(Category::valu)),
        crossesLanes(isa::crossesLanes(*i->inst)), branch(i->category == uint8_t(Category::branch)),
        swaps(goesToElse(i->inst->op)) {
    auto isVector = [](const RegisterRange &r) { return r.isVector() || r.laneMask; };
    counts.vector = use.underExec() && (std::ranges::any_of(use.reads(), isVector) ||
                                        std::ranges::any_of(use.writes(), isVector));
    counts.hasResult = !use.writes().empty();
    for (const RegisterRange &r : use.reads())
      (r.isVector() ? counts.vectorReads : counts.scalarReads) += r.dwords;
    for (const RegisterRange &r : use.writes())
      (r.isVector() ? counts.vectorWrites : counts.scalarWrites) += r.dwords;
  }
  void loseTo(uint32_t cause, unsigned lanes) {
    for (auto &[site, sum] : lost)
      if (site == cause) {
        sum += lanes;
        return;
      }
    lost.emplace_back(cause, lanes);
  }
};

/// What is kept of a wave while it runs.
struct Running {
  ConvergedExecutions converged;
  LostLanes lost;
  const ExecInst *branch = nullptr; ///< the instruction before, if it was a branch
  unsigned branchLanes = 0;
};

class ProfileWatcher final : public Watcher {
public:
  explicit ProfileWatcher(DispatchProfile &owner) : owner_(owner) {}

  void groupStarted(Workgroup &g) override {
    for (uint32_t k = 0; k < g.numWaves; ++k)
      if (const uint64_t exec = g.waves[k].exec()) {
        running_.insert_or_assign(&g.waves[k], Running{{}, LostLanes(exec), nullptr, 0});
        startLanes_ += unsigned(std::popcount(exec));
      } else {
        running_.erase(&g.waves[k]);
      }
  }

  void before(const ExecInst *i, Wave &w) override {
    Site &s = site(i);
    InstProfile &p = s.counts;
    target_ = w.code->target();
    exec_ = w.exec();
    const auto lanes = unsigned(std::popcount(exec_));
    ++p.executions;
    p.lanes += lanes;
    wave_ = &running_[&w];
    wave_->converged.ran(idOf(i), exec_, p.vector);
    followBranch(i);
    if (s.branch) {
      wave_->branch = i;
      wave_->branchLanes = lanes;
    }
    if (!p.vector)
      return;
    wave_->lost.ran(exec_, [&](uint32_t cause, unsigned n) { s.loseTo(cause, n); });
    if (!exec_) {
      ++p.execZero;
      return;
    }
    p.oneLane += lanes == 1;
    if (s.crossesLanes)
      return;
    for (const RegisterRange &r : s.use.reads())
      if (!uniform(i, w, r, exec_))
        return;
    ++p.uniformSources;
  }

  void after(const ExecInst *i, Wave &w) override {
    if (w.status == WaveStatus::ended)
      wave_->converged.end(
          [&](uint32_t id, uint64_t executions) { sites_[id]->counts.converged += executions; });
    Site &s = site(i);
    if (const uint64_t now = w.exec(); now != exec_ && w.status != WaveStatus::faulted) {
      wave_->lost.changed(idOf(i), s.swaps, exec_, now);
      s.counts.parted += (exec_ & ~now) && (exec_ & now);
    }
    if (!s.counts.vector || !s.counts.hasResult || !exec_ || w.status == WaveStatus::faulted)
      return;
    for (const RegisterRange &r : s.use.writes())
      if (!uniform(i, w, r, exec_))
        return;
    ++s.counts.uniformResult;
  }

  void finish() override {
    for (auto &s : sites_)
      if (s) {
        for (const auto &[cause, lanes] : s->lost)
          s->counts.lost[owner_.offsetOf(sites_[cause]->inst)] += lanes;
        owner_.add(s->inst, target_, s->counts);
      }
    owner_.addStartLanes(startLanes_);
  }

private:
  /// `i` follows a branch of its wave: was that taken?
  void followBranch(const ExecInst *i) {
    const ExecInst *branch = std::exchange(wave_->branch, nullptr);
    if (!branch || pcOf(i) == pcOf(branch) + branch->inst->size)
      return;
    InstProfile &p = site(branch).counts;
    ++p.taken;
    p.takenLanes += wave_->branchLanes;
  }

  Site &site(const ExecInst *i) {
    const uint32_t id = idOf(i);
    if (id >= sites_.size())
      sites_.resize(std::max<size_t>(id + 1, 2 * sites_.size()));
    if (!sites_[id])
      sites_[id].emplace(i);
    return *sites_[id];
  }

  DispatchProfile &owner_;
  isa::Target target_ = isa::Target::gfx90a;
  uint64_t exec_ = 0; ///< before the current instruction
  std::vector<std::optional<Site>> sites_;
  std::unordered_map<const Wave *, Running> running_; ///< of the resident waves
  Running *wave_ = nullptr;                           ///< of the current instruction
  uint64_t startLanes_ = 0;
};

} // namespace

std::unique_ptr<Watcher> DispatchProfile::make() { return std::make_unique<ProfileWatcher>(*this); }

void DispatchProfile::add(const ExecInst *i, isa::Target target, const InstProfile &counts) {
  std::lock_guard lock(mutex_);
  InstProfile &sum = instructions_[offsetOf(i)];
  InstProfile named = counts;
  if (sum.text.empty()) {
    named.text = i->inst->size ? isa::disassemble(*i->inst, target, pcOf(i) - launch_.entry)
                               : std::string("(not an instruction)");
    std::ranges::replace(named.text, '\t', ' ');
    named.kind = kindName(i->category);
  } else {
    named.text = sum.text;
    named.kind = sum.kind;
  }
  sum.add(named);
}

void DispatchProfile::addStartLanes(uint64_t lanes) {
  std::lock_guard lock(mutex_);
  startLanes_ += lanes;
}

int64_t DispatchProfile::offsetOf(const ExecInst *i) const {
  return int64_t(pcOf(i) - launch_.entry);
}

KernelProfile DispatchProfile::take(uint64_t waves, isa::Target device) {
  KernelProfile p;
  p.kernel = launch_.kernel;
  p.replaced = launch_.replaced;
  p.device = device;
  p.entry = launch_.entry;
  p.dispatches = 1;
  p.waves = waves;
  p.startLanes = startLanes_;
  p.instructions = std::move(instructions_);
  return p;
}

} // namespace meld::softgpu
