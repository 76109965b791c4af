// Instruction fetch: the instruction cache that a few compute units share, and what each wave has
// fetched.
//
//   wave's buffer <- fetch port of the compute unit (32 bytes a cycle) <- instruction cache <- L2
//                    on RDNA of the SIMD
//
// A wave's buffer holds the 64-byte line that it executes and the one behind it, asked for when it
// entered its line. So straight code that lies in the cache costs nothing, straight code that does
// not costs what the next line takes longer than the wave needs for this one, and a taken branch
// drops the buffer and waits for its target. The code is taken to lie in the L2, as that of a
// kernel that has run before does; the instruction cache is empty when a dispatch begins.
//
// Not modelled: 8-byte instructions across two fetches, the instruction TLB. Not thread-safe.
#pragma once

#include "runtime/softgpu/execute/wave.h"
#include "runtime/softgpu/timing/cache.h"
#include "runtime/softgpu/timing/parameters.h"
#include "runtime/softgpu/timing/pending.h"

#include <algorithm>
#include <cstdint>

namespace meld::softgpu::timing {

/// Shared by `fetchUnits` compute units.
class InstructionCache {
public:
  explicit InstructionCache(const TimingParameters &p) : tags_(p.icacheBytes, p.icacheWays) {}

  /// When line `line`, asked for at `now`, is there: `hit` cycles later, or `miss` more.
  uint64_t read(uint32_t line, uint64_t now, uint32_t hit, uint32_t miss) {
    if (!tags_.access(line)) {
      pending_.add(line, now, now + miss);
      return now + hit + miss;
    }
    return hit + pending_.there(line, now);
  }

private:
  TagCache tags_;
  Pending pending_{256};
};

/// The line of an instruction: 26 bits of its address.
inline uint32_t lineOf(const ExecInst *i) { return i->pcOffset / 64; }

/// What a wave has fetched.
struct FetchedLines {
  uint32_t line = ~0u;
  uint64_t nextAt = 0; ///< when the line behind it is there
};

/// The fetch port of a compute unit or of a SIMD.
class FetchPort {
public:
  FetchPort(const TimingParameters &p, InstructionCache &cache)
      : p_(p), cache_(cache), cyclesPerLine_(64 / std::clamp(p.fetchBytes, 1u, 64u)) {}

  /// The wave begins at `line` at `at`, which may lie ahead of what other waves ask for next, so it takes
  /// nothing of the port: when it can issue.
  uint64_t begin(FetchedLines &wave, uint32_t line, uint64_t at) {
    wave.line = line;
    at = read(line, at);
    wave.nextAt = read(line + 1, at);
    return at;
  }
  /// At `now` the wave goes on at `line`, behind the line it was in or, when it `jumped`, anywhere,
  /// where it could issue from `ready` on: when it can.
  uint64_t enter(FetchedLines &wave, uint32_t line, bool jumped, uint64_t now, uint64_t ready) {
    uint64_t at;
    if (jumped || line != wave.line + 1)
      at = read(line, std::max(port(1, now), ready)); // what lies around the target comes first
    else
      at = std::max({wave.nextAt, port(cyclesPerLine_, now), ready});
    wave.line = line;
    // The next one is asked for when this one is there; what is not used takes nothing of the port.
    wave.nextAt = read(line + 1, std::max(now, at));
    return at;
  }

private:
  uint64_t port(uint32_t cycles, uint64_t now) {
    const uint64_t begin = std::max(free_, now);
    free_ = begin + cycles;
    return begin;
  }
  uint64_t read(uint32_t line, uint64_t at) {
    return cache_.read(line, at, p_.fetchLatency, p_.fetchMiss);
  }

  const TimingParameters &p_;
  InstructionCache &cache_;
  const uint32_t cyclesPerLine_;
  uint64_t free_ = 0;
};

} // namespace meld::softgpu::timing
