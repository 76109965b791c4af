// Missing s_waitcnt, by the counters of GFX9 to GFX12.
//
// What: a memory instruction adds an operation to the counters it increments and makes its
// destination registers wait for it. An operation is done only when an s_waitcnt proves it: with
// the counter at most N, an operation that returns in order is done when it and the later ones of
// its kind are more than N; one that may return out of order only when N is 0.
//
//   global_load v1       vmcnt {v1}
//   global_load v2       vmcnt {v1, v2}
//   s_waitcnt vmcnt(1)   v1 and v2 cannot both be outstanding, and v1 comes first: v1 is there
//   v_add v3, v1, v2     hazard: v2
//
//   counter  kinds                                                        order
//   vmcnt    vector memory, FLAT that touches memory only                 in order
//   lgkmcnt  LDS, FLAT that touches LDS only                              in order
//            scalar memory, messages                                      any
//   both     FLAT that touches both                                       any
//   expcnt   global data share                                            in order
//
// From GFX10 on stores, and atomics that return nothing, count in vscnt alone: no register waits for them.
// FLAT counts in both counters there, and in order (LLVM, hasFlatLgkmVMemCountInOrder); what comes from
// memory is there with vmcnt alone (ROCr's own copy shader waits for no more). An
// GFX12 has the same counters under other names (loadcnt, dscnt, storecnt) and one more for scalar
// memory and messages (kmcnt), and an instruction for each ("RDNA4" ISA, "Data Dependency
// Resolution"). An instruction waits by itself when its counter is full (63; lgkmcnt 15, from GFX10
// on 63; expcnt 7). Overwriting a register whose load is outstanding is a hazard, too, except by a
// later load of the same kind, which arrives later. Stores read their data before the wave goes on
// (GFX9 interlocks this). Sources: "Vega" ISA 4.4 (counters), 9.2 (FLAT); "RDNA 2" ISA 4.4; "RDNA3"
// ISA 5.6; AMDGPUUsage, "Memory Model gfx900" and "gfx10". Cost: linear in outstanding operations,
// at most 63 + 63.
#include "runtime/softgpu/watch/check/check.h"

#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace meld::softgpu::check {

namespace {

using isa::Category;
using isa::Enc;
using isa::Op;
using isa::RegisterRange;

enum Counter : unsigned { vm, lgkm, exp, km, kCounters };
enum class Order : uint8_t { memory, lds, gds, any };

struct Operation {
  uint64_t id;
  Order order;
  uint64_t pc;
};

constexpr const char *kCounterName[kCounters] = {"vmcnt", "lgkmcnt", "expcnt", ""};
constexpr const char *kCounterName12[kCounters] = {"loadcnt", "dscnt", "expcnt", "kmcnt"};

/// What a register waits for; an id is no longer outstanding once it has left the counter's list.
struct Waiting {
  uint64_t id[kCounters] = {}; ///< by Counter: vm, lgkm, km
};

struct WaveState {
  std::vector<Operation> pending[kCounters];
  uint64_t nextId = 1;
  std::array<Waiting, isa::Sgpr::slots> sgpr;
  std::array<Waiting, 512> vgpr; ///< AGPRs from 256

  void wait(Counter c, uint32_t n) {
    auto &list = pending[c];
    uint32_t later[4] = {}; // operations of each kind behind the current one
    std::vector<bool> done(list.size());
    for (size_t k = list.size(); k-- > 0;) {
      const Operation &o = list[k];
      const uint32_t least = o.order == Order::any ? 1 : ++later[unsigned(o.order)];
      done[k] = least > n;
    }
    size_t kept = 0;
    for (size_t k = 0; k < list.size(); ++k)
      if (!done[k])
        list[kept++] = list[k];
    list.resize(kept);
  }
  const Operation *find(Counter c, uint64_t id) const {
    if (!id)
      return nullptr;
    auto it = std::ranges::find(pending[c], id, &Operation::id);
    return it == pending[c].end() ? nullptr : &*it;
  }
  Waiting &at(const RegisterRange &r, unsigned index) {
    if (r.file == RegisterRange::File::sgpr)
      return sgpr[index % isa::Sgpr::slots];
    return vgpr[(index + (r.file == RegisterRange::File::agpr ? 256 : 0)) & 511];
  }
};

class HazardChecker final : public Watcher {
public:
  explicit HazardChecker(const Launch &launch)
      : reporter_("hazard", launch), gfx10_(isa::traitsOf(launch.target).generation >= 10),
        gfx11_(isa::traitsOf(launch.target).generation >= 11),
        gfx12_(isa::traitsOf(launch.target).generation >= 12), full_{63, gfx10_ ? 63u : 15u, 7,
                                                                     31} {}

  void groupStarted(Workgroup &g) override {
    for (uint32_t k = 0; k < g.numWaves; ++k)
      waves_[&g.waves[k]] = WaveState{};
  }

  void before(const ExecInst *i, Wave &w) override {
    const isa::Inst &in = *i->inst;
    WaveState &s = waves_[&w];
    if (in.op == Op::s_waitcnt) {
      const uint32_t imm = uint32_t(in.simm) & 0xffff;
      s.wait(vm, gfx11_ ? imm >> 10 : (imm & 15) | (imm >> 14 & 3) << 4);
      s.wait(exp, (gfx11_ ? imm : imm >> 4) & 7);
      s.wait(lgkm, imm >> (gfx11_ ? 4 : 8) & full_[lgkm]);
      return;
    }
    if (waitsForOne(in, s))
      return;
    const Issue issue = issueOf(i, w);
    const isa::RegisterUse &use = uses_.of(i);
    for (const RegisterRange &r : use.reads())
      // The part of the destination that stays is merged in the order of arrival.
      look(i, w, s, r, r.role == RegisterRange::Role::destination ? issue : Issue{}, "read");
    for (const RegisterRange &r : use.writes())
      look(i, w, s, r, issue, "overwritten");
    if (!issue.any())
      return;
    const uint64_t id = s.nextId++;
    for (Counter c : {vm, lgkm, exp, km})
      if (issue.counts[c]) {
        s.wait(c, full_[c] - 1);
        s.pending[c].push_back({id, issue.order[c], pcOf(i)});
      }
    for (const RegisterRange &r : use.writes())
      for (unsigned k = 0; k < r.dwords; ++k) {
        Waiting &x = s.at(r, r.index + k);
        x.id[vm] = issue.brings[vm] ? id : 0;
        x.id[lgkm] = issue.brings[lgkm] ? id : 0;
        x.id[km] = issue.brings[km] ? id : 0;
      }
  }

private:
  struct Issue {
    bool counts[kCounters] = {};
    bool brings[kCounters] = {}; ///< when it has counted down, the data are there
    Order order[kCounters] = {};
    bool any() const { return counts[vm] || counts[lgkm] || counts[exp] || counts[km]; }
    void add(Counter c, Order o, bool data = true) {
      counts[c] = true, order[c] = o, brings[c] = data;
    }
  };

  /// The waits for one counter, from GFX10 on.
  static bool waitsForOne(const isa::Inst &in, WaveState &s) {
    const uint32_t n = uint32_t(in.simm) & 63;
    switch (in.op) {
    case Op::s_waitcnt_vmcnt:
      s.wait(vm, n);
      return true;
    case Op::s_waitcnt_lgkmcnt:
      s.wait(lgkm, n);
      return true;
    case Op::s_waitcnt_expcnt:
      s.wait(exp, n & 7);
      return true;
    case Op::s_wait_loadcnt:
      s.wait(vm, n);
      return true;
    case Op::s_wait_dscnt:
      s.wait(lgkm, n);
      return true;
    case Op::s_wait_kmcnt:
      s.wait(km, n & 31);
      return true;
    case Op::s_wait_expcnt:
      s.wait(exp, n & 7);
      return true;
    case Op::s_wait_loadcnt_dscnt:
      s.wait(vm, uint32_t(in.simm) >> 8 & 63);
      s.wait(lgkm, n);
      return true;
    case Op::s_wait_storecnt_dscnt:
      s.wait(lgkm, n);
      return true;
    case Op::s_wait_storecnt:
    case Op::s_waitcnt_vscnt:
      return true;
    default:
      return false;
    }
  }

  /// The counters an instruction increments.
  Issue issueOf(const ExecInst *i, const Wave &w) const {
    const isa::Inst &in = *i->inst;
    Issue issue;
    const bool returns = in.dst.kind != isa::Operand::Kind::none;
    switch (in.enc) {
    case Enc::SMEM:
      issue.add(gfx12_ ? km : lgkm, Order::any);
      break;
    case Enc::DS:
      issue.add(lgkm, in.gds ? Order::gds : Order::lds);
      if (in.gds)
        issue.add(exp, Order::gds);
      break;
    case Enc::FLAT: {
      bool memory = false, lds = false;
      for (uint64_t m = w.exec(); m; m &= m - 1) {
        const unsigned l = unsigned(std::countr_zero(m));
        (w.v[in.vaddr.index + 1].u[l] == uint32_t(w.apertures[0] >> 32) ? lds : memory) = true;
      }
      if (gfx10_) {
        issue.add(lgkm, Order::lds, lds);
        if (returns)
          issue.add(vm, Order::memory, memory);
        break;
      }
      if (memory)
        issue.add(vm, lds ? Order::any : Order::memory);
      if (lds)
        issue.add(lgkm, memory ? Order::any : Order::lds);
      break;
    }
    case Enc::MUBUF:
      // Invalidating the first-level cache counts nowhere.
      if (in.op == Op::buffer_wbinvl1 || in.op == Op::buffer_wbinvl1_vol)
        break;
      [[fallthrough]];
    case Enc::GLOBAL:
    case Enc::SCRATCH:
    case Enc::MTBUF:
      if (returns || in.lds || !gfx10_)
        issue.add(vm, Order::memory);
      break;
    case Enc::SOP1: // messages with an answer
    case Enc::SOPP:
      if (i->category == uint8_t(Category::sendmsg))
        issue.add(gfx12_ ? km : lgkm, Order::any);
      break;
    default:
      break;
    }
    return issue;
  }

  void look(const ExecInst *i, const Wave &w, WaveState &s, const RegisterRange &r,
            const Issue &issue, const char *how) {
    const unsigned first = r.index + relativeIndex(i, w, r);
    for (unsigned k = 0; k < r.dwords; ++k) {
      Waiting &x = s.at(r, first + k);
      for (Counter c : {vm, lgkm, km}) {
        const Operation *o = s.find(c, x.id[c]);
        if (!o || (issue.counts[c] && o->order != Order::any && issue.order[c] == o->order))
          continue;
        reporter_.report(i, w, -1, [&] {
          return registerName(r.file, first + k) + " is " + how + " while the load at " +
                 reporter_.offset(o->pc) + " is on its way (" +
                 (gfx12_ ? kCounterName12 : kCounterName)[c] + ")";
        });
        x.id[c] = 0; // once is enough
      }
    }
  }

  Reporter reporter_;
  const bool gfx10_, gfx11_, gfx12_; ///< of that generation or a later one
  const std::array<uint32_t, kCounters> full_;
  UseTable uses_;
  std::unordered_map<const Wave *, WaveState> waves_;
};

} // namespace

std::unique_ptr<Watcher> makeHazardChecker(const Launch &launch) {
  return std::make_unique<HazardChecker>(launch);
}

} // namespace meld::softgpu::check
