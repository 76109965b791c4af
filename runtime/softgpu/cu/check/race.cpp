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
#include "runtime/softgpu/cu/check/check.h"

#include "runtime/softgpu/isa/decoder.h"

#include <bit>
#include <cstring>
#include <unordered_map>

namespace meld::softgpu::check {

namespace {

using isa::Enc;

enum class Action : uint8_t { none, load, store, atomic };

/// What an LDS or FLAT instruction does to memory.
struct Shape {
  Action action = Action::none;
  uint8_t bytes = 0; ///< of each of the `parts`
  uint8_t parts = 1;
  uint16_t offset[2] = {}; ///< bytes
  bool addtid = false;
};

unsigned bytesOf(std::string_view name) {
  auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("128") || has("dwordx4"))
    return 16;
  if (has("b96") || has("dwordx3"))
    return 12;
  if (has("byte") || has("_b8") || has("_u8") || has("_i8"))
    return 1;
  if (has("short") || has("_b16") || has("_u16") || has("_i16"))
    return 2;
  if (has("64") && !(has("st64") && !has("_b64")))
    return 8;
  return has("_x2") || has("dwordx2") ? 8 : 4;
}

Shape shapeOf(const isa::Inst &in) {
  Shape s;
  const std::string_view name = isa::mnemonic(in.op);
  auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  s.bytes = uint8_t(bytesOf(name));
  s.offset[0] = uint16_t(in.offset);
  if (in.enc == Enc::FLAT) {
    s.action = has("_load_") ? Action::load : has("_store_") ? Action::store : Action::atomic;
    return s;
  }
  if (in.enc != Enc::DS || in.gds || has("permute") || has("swizzle") || has("gws") ||
      name == "ds_nop" || has("append") || has("consume") || has("ordered"))
    return s;
  s.action = has("_read") ? Action::load : has("_write") ? Action::store : Action::atomic;
  s.addtid = has("addtid");
  if (has("read2") || has("write2") || has("wrxchg2")) {
    const unsigned unit = s.bytes * (has("st64") ? 64 : 1);
    s.parts = 2;
    s.offset[0] = uint16_t(unsigned(in.offset) * unit);
    s.offset[1] = uint16_t(unsigned(in.offset1) * unit);
  }
  return s;
}

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
    const Enc enc = i->inst->enc;
    if ((enc != Enc::DS && enc != Enc::FLAT) || !w.group || w.group->numWaves < 2 ||
        w.group->numWaves > 16)
      return;
    shape_ = shapeOf(*i->inst);
    if (shape_.action == Action::none)
      return;
    for (uint64_t m = w.exec(); m; m &= m - 1) {
      const unsigned lane = unsigned(std::countr_zero(m));
      uint32_t base;
      if (shape_.addtid) {
        base = w.m0() + 4 * lane;
      } else {
        const VRow *row = &w.v[i->inst->vaddr.index];
        if (enc == Enc::FLAT && row[1].u[lane] != uint32_t(w.apertures[0] >> 32))
          continue;
        base = row[0].u[lane];
      }
      for (unsigned p = 0; p < shape_.parts; ++p) {
        Access a;
        a.lane = uint8_t(lane);
        a.at = base + shape_.offset[p];
        if (uint64_t(a.at) + shape_.bytes > w.ldsSize)
          continue; // reads 0, writes nothing
        std::memcpy(a.old, w.lds + a.at, shape_.bytes);
        accesses_.push_back(a);
      }
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
  Shape shape_;
  std::vector<Access> accesses_;
  std::unordered_map<const Workgroup *, GroupState> groups_;
};

} // namespace

std::unique_ptr<Watcher> makeRaceChecker(const Launch &launch) {
  return std::make_unique<RaceChecker>(launch);
}

} // namespace meld::softgpu::check
