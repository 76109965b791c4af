#include "runtime/softgpu/timing/memory.h"

#include <iterator>

namespace meld::softgpu::timing {

uint32_t ldsCycles(const MemoryTrace &trace, const isa::Inst &in, const TimingParameters &p) {
  auto bytes = [](const isa::Operand &o) {
    return o.kind == isa::Operand::Kind::none ? 0 : std::max<uint32_t>(o.dwords, 1) * 4;
  };
  const uint32_t read = bytes(in.dst), written = bytes(in.vdata) + bytes(in.vdata1);
  const uint32_t cost = std::max(read, written) / std::max(p.ldsBytesPerLaneCycle, 1u) +
                        (written ? p.ldsWriteExtra : 0);
  return std::max(cost, p.ldsMin) + p.ldsConflict * trace.ldsBankConflicts;
}

uint64_t MemoryPath::vector(const MemoryTrace &trace, bool pastL1, uint64_t now, uint64_t done) {
  const uint32_t lines = trace.numLines;
  if (lines > 4) // the tags of the L2 do not fit the host's first caches
    for (uint32_t k = 0; k < lines; ++k)
      l2_.prefetch(trace.lines[k] / 64);
  const uint64_t perLine = p_.vmemPerLine, l1Latency = p_.l1Latency;
  const uint64_t l2Latency = p_.l2Latency, hbmLatency = p_.hbmLatency;
  // Stores write through, atomics and coherent loads are done in L2. Whether a line hits is as good
  // as random where it costs time, so nothing below branches on it.
  struct Miss {
    uint64_t line, at; ///< when it is asked for
  } missed[std::size(MemoryTrace{}.lines)];
  uint32_t misses = 0;
  const auto look = [&](uint32_t k, bool hit) {
    const uint64_t at = now + perLine * k;
    missed[misses] = {trace.lines[k] / 64, at};
    misses += !hit;
    done = std::max(done, hit ? at + l1Latency : 0);
  };
  if (pastL1)
    for (uint32_t k = 0; k < lines; ++k)
      look(k, false);
  else
    l1_.accessEach(
        lines, [&](uint32_t k) { return trace.lines[k] / 64; }, look);
  const uint64_t l2Line = 64 * kFraction / std::max(p_.l2BytesPerCycle, 1u);
  const uint64_t hbmLine = 64 * kFraction * 1000 / std::max(p_.hbmMilliBytesPerCycle, 1u);
  Pipe port = l2Port_, hbm = hbm_; // copies stay in registers
  l2_.accessEach(
      misses, [&](uint32_t m) { return missed[m].line; },
      [&](uint32_t m, bool hit) {
        const uint64_t passed = port.pass(missed[m].at, l2Line);
        Pipe far = hbm;
        const uint64_t arrived = far.pass(passed, hbmLine) + hbmLatency;
        hbm.free = hit ? hbm.free : far.free;
        done = std::max(done, hit ? passed + l2Latency : arrived);
      });
  l2Port_ = port;
  hbm_ = hbm;
  return done;
}

uint64_t MemoryPath::scalar(const Wave &w, const isa::Inst &in, uint64_t now) {
  if (in.saddr.kind != isa::Operand::Kind::sgpr)
    return now + p_.scalarLatency; // s_memtime, cache maintenance
  uint64_t address = (w.s64(in.saddr.index) & 0xffffffffffff) + uint64_t(int64_t(in.offset));
  if (in.soffset.kind == isa::Operand::Kind::sgpr)
    address += w.s[in.soffset.index];
  const uint32_t bytes = std::max<uint32_t>(in.dst.dwords, 1) * 4;
  uint64_t done = now;
  for (uint64_t line = address / 64; line <= (address + bytes - 1) / 64; ++line) {
    if (scalarCache_.access(line)) {
      done = std::max(done, now + p_.scalarLatency);
      continue;
    }
    const uint64_t port = l2Port_.pass(now, 64 * kFraction / std::max(p_.l2BytesPerCycle, 1u));
    done = std::max(done, port + (l2_.access(line) ? p_.l2Latency : p_.hbmLatency));
  }
  return done;
}

} // namespace meld::softgpu::timing
