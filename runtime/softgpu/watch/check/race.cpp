// LDS races: two waves of a workgroup touch the same byte between two barriers, one of them
// writing.
//
// What: every byte of LDS remembers, for the current epoch (the time between two barriers), which
// wave wrote it and which waves read it:
//
//   wave 0   ds_write [0x40]        writer of 0x40: wave 0
//   wave 1   ds_read  [0x40]        race: no barrier in between
//   s_barrier                       next epoch: everything before is ordered
//
// Whether the accesses are found does not depend on the order in which the waves ran. Not a race:
// atomics with atomics and with reads (compare-and-swap loops start with a plain read), and a write
// of the value that was there (several waves setting one flag). Not seen: ordering by anything but
// s_barrier, such as spinning on a flag in LDS, and accesses of loads that go straight to LDS.
// Cost: about 10 ns per byte and lane; 32 bytes per byte of LDS.
#include "runtime/softgpu/watch/check/check.h"
#include "runtime/softgpu/watch/check/lds_access.h"

#include <bit>
#include <cstring>
#include <unordered_map>

namespace meld::softgpu::check {

namespace {

using Action = LdsShape::Action;

struct Byte {
  uint32_t writeEpoch = 0, readEpoch = 0, atomicEpoch = 0;
  uint16_t readers = 0; ///< bit per wave
  uint8_t writer = 0, lastReader = 0, atomicWave = 0;
  const ExecInst *write = nullptr, *read = nullptr; ///< the last ones
};

struct GroupState {
  uint32_t epoch = 1, firstEpoch = 1;
  std::vector<Byte> bytes;
};

class RaceChecker final : public Watcher {
public:
  explicit RaceChecker(const Launch &launch) : reporter_("race", launch) {}

  void groupStarted(Workgroup &g) override {
    GroupState &s = groups_[&g];
    s.firstEpoch = ++s.epoch;
    if (g.numWaves > 1 && g.numWaves <= 16)
      s.bytes.resize(std::max<size_t>(s.bytes.size(), g.waves[0].ldsSize));
  }

  void barrierOpened(Workgroup &g) override { ++groups_[&g].epoch; }

  /// Addresses and old contents, before a result may land on the address register.
  void before(const ExecInst *i, Wave &w) override {
    accesses_.clear();
    if (!w.group || w.group->numWaves < 2 || w.group->numWaves > 16)
      return;
    shape_ = LdsShape::of(*i->inst);
    listLdsAccesses(shape_, i, w, where_);
    for (const LdsAccess &x : where_) {
      Access a{x.at, x.lane, {}};
      std::memcpy(a.old, w.lds + a.at, shape_.bytes);
      accesses_.push_back(a);
    }
  }

  void after(const ExecInst *i, Wave &w) override {
    if (accesses_.empty() || w.status == WaveStatus::faulted)
      return;
    GroupState &s = groups_[w.group];
    for (const Access &a : accesses_)
      for (unsigned k = 0; k < shape_.bytes; ++k)
        touch(i, w, s, a, k);
  }

private:
  struct Access {
    uint32_t at;
    uint8_t lane;
    uint8_t old[16];
  };

  void touch(const ExecInst *i, const Wave &w, GroupState &s, const Access &a, unsigned k) {
    Byte &b = s.bytes[a.at + k];
    const uint8_t self = uint8_t(w.waveInGroup);
    const bool written = b.writeEpoch == s.epoch && b.writer != self;
    switch (shape_.action) {
    case Action::load:
      if (written)
        tell(i, w, a, k, "read", "written", b.writer, b.write);
      if (b.readEpoch != s.epoch)
        b.readers = 0;
      b.readEpoch = s.epoch;
      b.readers |= uint16_t(1u << self);
      b.lastReader = self;
      b.read = i;
      break;
    case Action::store: {
      const bool sameValue = b.writeEpoch >= s.firstEpoch && w.lds[a.at + k] == a.old[k];
      if (!sameValue) {
        const unsigned others = b.readEpoch == s.epoch ? b.readers & ~(1u << self) : 0;
        if (written)
          tell(i, w, a, k, "written", "written", b.writer, b.write);
        else if (others)
          tell(i, w, a, k, "written", "read", unsigned(std::countr_zero(others)), b.read);
        else if (b.atomicEpoch == s.epoch && b.atomicWave != self)
          tell(i, w, a, k, "written", "changed by an atomic", b.atomicWave, nullptr);
      }
      b.writeEpoch = s.epoch;
      b.writer = self;
      b.write = i;
      break;
    }
    case Action::atomic:
      if (written)
        tell(i, w, a, k, "changed by an atomic", "written", b.writer, b.write);
      b.atomicEpoch = s.epoch;
      b.atomicWave = self;
      break;
    case Action::none:
      break;
    }
  }

  void tell(const ExecInst *i, const Wave &w, const Access &a, unsigned k, const char *now,
            const char *before, unsigned other, const ExecInst *where) {
    reporter_.report(i, w, a.lane, [&] {
      char text[160];
      std::snprintf(
          text, sizeof(text),
          "LDS byte 0x%x is %s here and was %s by wave %u%s%s without a barrier in between",
          a.at + k, now, before, other, where ? " at " : "",
          where ? reporter_.offset(pcOf(where)).c_str() : "");
      return std::string(text);
    });
  }

  Reporter reporter_;
  LdsShape shape_;
  std::vector<LdsAccess> where_;
  std::vector<Access> accesses_;
  std::unordered_map<const Workgroup *, GroupState> groups_;
};

} // namespace

std::unique_ptr<Watcher> makeRaceChecker(const Launch &launch) {
  return std::make_unique<RaceChecker>(launch);
}

} // namespace meld::softgpu::check
