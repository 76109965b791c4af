// Building blocks of the timing model: outstanding operations, serial resources, opcode traits.
// Private to this folder.
#pragma once

#include "runtime/softgpu/execute/workgroup.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/operand_ranges.h"
#include "runtime/softgpu/timing/fetch.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace meld::softgpu::timing {

using isa::Op;

inline constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
inline constexpr unsigned kSimds = 4;       ///< at most, of what a workgroup is placed on
inline constexpr uint64_t kFraction = 1024; ///< bandwidth is counted in 1/1024 cycles

/// Outstanding memory operations of one counter; they finish in order.
class Outstanding {
public:
  void add(uint64_t done, uint64_t now) {
    finish(now);
    if (size_ == kMax)
      drop(1);
    last_ = std::max(last_, done);
    done_[(first_ + size_++) % kMax] = last_;
  }
  /// When at most `n` are outstanding.
  uint64_t until(uint32_t n) const {
    return size_ <= n ? 0 : done_[(first_ + size_ - n - 1) % kMax];
  }
  void finish(uint64_t now) {
    while (size_ && done_[first_] <= now)
      drop(1);
  }
  bool full() const { return size_ == kMax; }
  uint64_t last() const { return last_; }

private:
  static constexpr uint32_t kMax = 63;
  void drop(uint32_t n) { first_ = (first_ + n) % kMax, size_ -= n; }
  std::array<uint64_t, kMax> done_;
  uint32_t first_ = 0, size_ = 0;
  uint64_t last_ = 0;
};

/// What the vector ALU has written lately and a wave's next instruction may have to wait for. Results come
/// in the order of their instructions, and one that starts a cycle later is there a cycle later: more
/// than these never are on their way, two of each instruction.
class VectorResults {
public:
  void add(isa::OperandRange registers, uint64_t at) {
    results_[next_++ % kMost] = {at, registers};
    last_ = at;
  }
  /// When all that is read is there, `from` at the earliest.
  uint64_t neededBy(const isa::OperandRanges &reading, uint64_t from) const {
    // The newest comes last.
    for (unsigned k = 1; k <= kMost; ++k) {
      const Result &r = results_[(next_ - k) % kMost];
      if (r.at <= from)
        break;
      if (reading.reads(r.registers))
        return r.at;
    }
    return from;
  }
  /// When all is there.
  uint64_t last() const { return last_; }

private:
  static constexpr unsigned kMost = 16;
  struct Result {
    uint64_t at = 0;
    isa::OperandRange registers;
  };
  uint64_t last_ = 0;
  unsigned next_ = 0;
  std::array<Result, kMost> results_;
};

struct TimedWave {
  Wave *wave = nullptr;
  Workgroup *group = nullptr;
  uint64_t ready = 0;      ///< may issue from here on; kNever at a barrier
  uint64_t scalarFrom = 0; ///< a scalar register that the vector ALU has written can be read
  FetchedLines fetched;
  uint8_t next = 0; ///< the category of wave->next: all that is asked of a wave that does not issue
  VectorResults results;
  Outstanding vm, lgkm;
  Outstanding km; ///< GFX12: scalar memory and messages; before, they count in lgkm, with the LDS
  Outstanding vs; ///< GFX10: stores, and atomics that return nothing; before, they count in vm
};

/// What the model wants to know about an opcode, looked up once.
struct OpTraits {
  /// Which counters the instruction waits for: all that s_waitcnt names, or one.
  enum class Waits : uint8_t {
    nothing,
    all,
    vm,
    vs,
    lgkm,
    km,
    vmLds,
    vsLds
  } waits = Waits::nothing;
  isa::ValuRate rate = isa::ValuRate::full;
  bool clearsL1 = false, atomic = false, store = false;
  bool answers = false;   ///< s_sendmsg_rtn: its result is there with lgkmcnt
  bool savesExec = false; ///< s_*_saveexec_b64 and s_*_wrexec_b64: EXEC is written besides dst
  bool writesScc = false;
};

/// Scalar instructions that leave SCC alone ("Vega" ISA, chapter 12).
inline bool keepsScc(std::string_view name) {
  for (const char *start :
       {"s_mov",  "s_cmov",   "s_cselect",      "s_mul",    "s_brev",  "s_ff",      "s_flbit",
        "s_sext", "s_bitset", "s_bitreplicate", "s_getpc",  "s_setpc", "s_swappc",  "s_call",
        "s_pack", "s_bfm",    "s_getreg",       "s_setreg", "s_rfe",   "s_set_gpr", "s_cbranch"})
    if (name.starts_with(start))
      return true;
  return false;
}

inline const std::vector<OpTraits> &opTraits() {
  // Never freed: queues may still be at work while the process ends.
  static const std::vector<OpTraits> &table = *[] {
    auto *traits = new std::vector<OpTraits>(size_t(Op::count));
    auto &t = *traits;
    for (size_t k = 1; k < t.size(); ++k) {
      const std::string_view name = isa::mnemonic(Op(k));
      auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
      if (name.starts_with("v_"))
        t[k].rate = isa::valuRate(Op(k));
      using Waits = OpTraits::Waits;
      t[k].waits = name == "s_waitcnt"               ? Waits::all
                   : name == "s_waitcnt_vmcnt"       ? Waits::vm
                   : name == "s_waitcnt_vscnt"       ? Waits::vs
                   : name == "s_waitcnt_lgkmcnt"     ? Waits::lgkm
                   : name == "s_wait_loadcnt"        ? Waits::vm
                   : name == "s_wait_storecnt"       ? Waits::vs
                   : name == "s_wait_dscnt"          ? Waits::lgkm
                   : name == "s_wait_kmcnt"          ? Waits::km
                   : name == "s_wait_loadcnt_dscnt"  ? Waits::vmLds
                   : name == "s_wait_storecnt_dscnt" ? Waits::vsLds
                                                     : Waits::nothing;
      t[k].clearsL1 =
          has("wbinvl1") || has("_invl2") || name == "buffer_gl0_inv" || name == "global_inv";
      t[k].atomic = has("atomic");
      t[k].store = has("store");
      t[k].answers = isa::sendsForResult(Op(k));
      t[k].savesExec = has("saveexec") || has("wrexec");
      const bool ofFloats = has("_f32") || has("_f16"); // GFX12's scalar ones
      t[k].writesScc = name.starts_with("s_") && !keepsScc(name) &&
                       !(ofFloats && !name.starts_with("s_cmp_")) && !has("_nc_u64");
    }
    return traits;
  }();
  return table;
}

/// A serial resource in 1/1024 cycles: takes work in order of request.
struct Pipe {
  uint64_t free = 0;
  /// Returns the cycle at which work of `cost` (1/1024 cycles), asked for at `now`, is through.
  uint64_t pass(uint64_t now, uint64_t cost) {
    free = std::max(free, now * kFraction) + cost;
    return (free + kFraction - 1) / kFraction;
  }
};

} // namespace meld::softgpu::timing
