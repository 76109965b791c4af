#include "runtime/softgpu/timing/memory.h"

#include <bit>
#include <cstring>
#include <iterator>

namespace meld::softgpu::timing {

uint32_t ldsCycles(const MemoryTrace &trace, const isa::Inst &in, const TimingParameters &p,
                   uint32_t passes) {
  auto bytes = [](const isa::Operand &o) {
    return o.kind == isa::Operand::Kind::none ? 0 : std::max<uint32_t>(o.dwords, 1) * 4;
  };
  const uint32_t read = bytes(in.dst), written = bytes(in.vdata) + bytes(in.vdata1);
  const uint32_t cost = std::max(read, written) / std::max(p.ldsBytesPerLaneCycle, 1u) +
                        (written ? p.ldsWriteExtra : 0);
  return passes * std::max(cost, p.ldsMin) + p.ldsConflict * trace.ldsBankConflicts;
}

namespace {

constexpr uint64_t kPagesBefore = 32; ///< of the 64 whose translations are sorted out by bits

/// Lines of `bytes` bytes at `milliBytes` per cycle and unit, of which `percent` are reached, for
/// `units` units together; in 1/`unit` cycles.
uint64_t lineCost(uint64_t bytes, uint64_t milliBytes, uint64_t percent, uint64_t units,
                  uint64_t unit) {
  return bytes * unit * 1000 * 100 / std::max<uint64_t>(milliBytes * percent * units, 1);
}

/// A cache of `bytes` bytes: TagCache counts lines of 64.
TagCache cacheOf(const TimingParameters &p, uint32_t bytes, uint32_t ways) {
  return TagCache(bytes >> (p.lineShift - 6), ways);
}

} // namespace

DeviceMemory::DeviceMemory(const TimingParameters &p, unsigned computeUnits)
    : l2(cacheOf(p, p.l2Bytes, p.l2Ways)), l2Pending(uint64_t(computeUnits) * 128) {
  if (p.sharedMemory) {
    const auto cost = [&p, computeUnits](uint64_t milliBytes, uint64_t percent) {
      return milliBytes
                 ? lineCost(1u << p.lineShift, milliBytes, percent, computeUnits, SharedRate::kUnit)
                 : 0;
    };
    l2Line = cost(p.l2MilliBytesPerCycle, 100);
    l2StoreLine = cost(p.l2StoreMilliBytesPerCycle, 100);
    hbmLine = cost(p.hbmMilliBytesPerCycle, p.hbmPercent);
  }
  if (p.tlbEntries)
    tlb.emplace(p);
}

MemoryPath::MemoryPath(const TimingParameters &p, DeviceMemory &device)
    : p_(p), device_(device), l1_(cacheOf(p, p.l1Bytes, p.l1Ways)),
      scalarCache_(p.scalarBytes, p.scalarWays), pending_(2 * p.l1Bytes >> p.lineShift),
      l2Line_((kFraction << p.lineShift) / std::max(p.l2BytesPerCycle, 1u)),
      hbmLine_(lineCost(1u << p.lineShift, p.hbmMilliBytesPerCycle, p.hbmPercent, 1, kFraction)) {
  if (device.tlb)
    tlb_.emplace(p, *device.tlb);
}

uint64_t MemoryPath::vector(const MemoryTrace &trace, Access access, uint64_t now, uint64_t done) {
  const uint32_t lines = trace.numLines;
  // The lines come one after the other, behind their pages' translations; who does not wait for one
  // goes on meanwhile.
  const uint64_t delay = tlb_ && lines ? translated(trace, now) - now : 0;
  const uint64_t perLine = p_.vmemPerLine, l1Latency = p_.l1Latency;
  // Stores write through, atomics and coherent loads are done in L2. Whether a line hits is as good
  // as random where it costs time, so nothing below branches on it.
  Asked missed[std::size(MemoryTrace{}.lines)];
  uint32_t misses = 0;
  const auto line = [&, shift = p_.lineShift](uint32_t k) { return trace.lines[k] >> shift; };
  const auto look = [&](uint32_t k, bool hit) {
    const uint64_t at = now + perLine * k;
    missed[misses] = {line(k), at, 0};
    misses += !hit;
    done = std::max(done, hit ? at + delay + l1Latency : 0);
  };
  if (access != Access::load) {
    for (uint32_t k = 0; k < lines; ++k)
      look(k, false);
  } else if (pending_.latest() > now + delay + l1Latency) {
    l1_.accessEach(lines, line, [&](uint32_t k, bool hit) {
      look(k, hit);
      done = std::max(done, hit ? pending_.there(line(k), now + delay + perLine * k) : 0);
    });
  } else {
    l1_.accessEach(lines, line, look);
  }
  if (!misses)
    return done;
  const uint64_t arrived = p_.sharedMemory ? behindShared(missed, misses, access, delay)
                                           : behindShare(missed, misses, access, delay);
  if (access == Access::load)
    pending_.addAll([&](auto add) {
      for (uint32_t m = 0; m < misses; ++m)
        add(missed[m].line, missed[m].at + delay, missed[m].arrives);
    });
  return std::max(done, arrived);
}

/// When all pages of the instruction are translated: it goes on when the last one is. Which page a
/// lane's address lies in is as good as random, so nothing branches on it where pages are near.
uint64_t MemoryPath::translated(const MemoryTrace &trace, uint64_t now) {
  const unsigned shift = tlb_->shift();
  const uint64_t first = trace.lines[0] >> shift;
  // A bit for each page around the first one, and whether there are pages further off. Lines are looked at
  // in fours: behind the last one is what there was, of which nothing may be taken.
  using Four = uint64_t __attribute__((vector_size(32)));
  Four pagesOf = {}, farOf = {};
  static_assert(std::size(MemoryTrace{}.lines) % 4 == 0);
  for (uint32_t k = 0; k < trace.numLines; k += 4) {
    Four page;
    std::memcpy(&page, trace.lines + k, sizeof page);
    page = (page >> shift) - (first - kPagesBefore);
    const Four is = Four(Four{0, 1, 2, 3} + k < trace.numLines);
    pagesOf |= (Four{1, 1, 1, 1} << (page & 63)) & is;
    farOf |= page & is;
  }
  uint64_t pages = pagesOf[0] | pagesOf[1] | pagesOf[2] | pagesOf[3];
  const uint64_t far = farOf[0] | farOf[1] | farOf[2] | farOf[3];
  uint64_t all = now;
  if (far < 64)
    for (; pages; pages &= pages - 1)
      all =
          std::max(all, tlb_->there(first - kPagesBefore + unsigned(std::countr_zero(pages)), now));
  else
    for (uint32_t k = 0; k < trace.numLines; ++k)
      all = std::max(all, tlb_->there(trace.lines[k] >> shift, now));
  return all;
}

/// Behind the L1, where every unit has a share of the memory's bandwidth. The answer, and when each
/// line arrives, come `delay` cycles later than they would: whoever is behind does not wait for it.
uint64_t MemoryPath::behindShare(Asked *asked, uint32_t count, Access access, uint64_t delay) {
  const uint64_t l2Latency = p_.l2Latency, hbmLatency = p_.hbmLatency;
  const uint64_t l2Line = l2Line_, hbmLine = hbmLine_;
  Pipe port = l2Port_, hbm = hbm_; // copies stay in registers
  uint64_t done = 0;
  const auto line = [&](uint32_t m) { return asked[m].line; };
  const auto arrives = [&](uint32_t m, uint64_t at) {
    asked[m].arrives = at + delay;
    done = std::max(done, at + delay);
  };
  if (p_.writeBack) {
    const bool store = access == Access::store;
    device_.l2.accessEachDirty(
        count, store || access == Access::atomic, line, [&](uint32_t m, bool hit, bool evicts) {
          const uint64_t passed = port.pass(asked[m].at, l2Line);
          const uint64_t gone = evicts ? hbm.pass(passed, hbmLine) : 0;
          arrives(m, std::max(gone, hit || store ? passed + l2Latency
                                                 : hbm.pass(passed, hbmLine) + hbmLatency));
        });
  } else {
    device_.l2.accessEach(count, line, [&](uint32_t m, bool hit) {
      const uint64_t passed = port.pass(asked[m].at, l2Line);
      Pipe far = hbm;
      const uint64_t arrived = far.pass(passed, hbmLine) + hbmLatency;
      hbm.free = hit ? hbm.free : far.free;
      arrives(m, hit ? passed + l2Latency : arrived);
    });
  }
  l2Port_ = port;
  hbm_ = hbm;
  return done;
}

/// Behind the L1, where the device's L2 and memory serve whoever asks; `delay` cycles behind the
/// port. The lines of an instruction are one burst in each of them: those of the L2 come together,
/// and those of the memory.
uint64_t MemoryPath::behindShared(Asked *asked, uint32_t count, Access access, uint64_t delay) {
  const bool store = access == Access::store;
  uint64_t hits[std::size(MemoryTrace{}.lines) / 64] = {};
  uint64_t hitsOf64 = 0; // in a register
  uint32_t missed = 0, written = 0;
  Pending &pending = device_.l2Pending;
  const auto line = [&](uint32_t m) { return asked[m].line; };
  const auto look = [&](uint32_t m, bool hit) {
    hitsOf64 |= uint64_t(hit) << (m % 64);
    if (m % 64 == 63 || m + 1 == count) {
      hits[m / 64] = hitsOf64;
      hitsOf64 = 0;
    }
    missed += !hit;
  };
  const auto wasHit = [&](uint32_t m) { return hits[m / 64] >> (m % 64) & 1; };
  if (p_.writeBack)
    device_.l2.accessEachDirty(count, store || access == Access::atomic, line,
                               [&](uint32_t m, bool hit, bool evicts) {
                                 look(m, hit);
                                 written += evicts;
                               });
  else
    device_.l2.accessEach(count, line, look);
  const uint64_t first = asked[0].at;
  uint64_t passed = l2Port_.pass(first, l2Line_ * count);
  passed = std::max(passed, asked[count - 1].at) + delay;
  const uint64_t work = store ? device_.l2StoreLine : device_.l2Line;
  passed = std::max(passed, device_.l2Rate.pass(first + delay, work * count));
  // A line that is stored whole or in part is not read before, and need not be there.
  const bool reads = !(p_.writeBack && store);
  const uint32_t read = reads ? missed : 0;
  const uint64_t fromL2 = passed + p_.l2Latency;
  uint64_t fromMemory = fromL2, gone = 0;
  if (read + written) {
    gone = device_.hbmRate.pass(passed, device_.hbmLine * (read + written));
    fromMemory = gone + p_.hbmLatency;
  }
  // Whoever needs a line's place waits until the written one that was there has gone.
  uint64_t done = std::max(read == count ? 0 : fromL2, gone);
  if (!reads) {
    for (uint32_t m = 0; m < count && missed; ++m)
      if (!wasHit(m))
        pending.forget(asked[m].line);
    return done;
  }
  if (!read && pending.latest() <= passed) {
    for (uint32_t m = 0; m < count; ++m)
      asked[m].arrives = fromL2;
    return done;
  }
  const uint64_t inL2 = std::max(passed, fromMemory - std::min<uint64_t>(p_.l2Latency, fromMemory));
  // Hits first, so that nothing branches on which of the lines hit.
  for (uint32_t from = 0; from < count; from += 64) {
    for (uint64_t rest = hits[from / 64]; rest; rest &= rest - 1) {
      Asked &hit = asked[from + unsigned(std::countr_zero(rest))];
      hit.arrives = pending.there(hit.line, passed) + p_.l2Latency;
      done = std::max(done, hit.arrives);
    }
  }
  pending.addAll([&](auto add) {
    for (uint32_t from = 0; from < count; from += 64) {
      const uint64_t all = ~uint64_t(0) >> (64 - std::min(count - from, 64u));
      for (uint64_t rest = all & ~hits[from / 64]; rest; rest &= rest - 1) {
        Asked &miss = asked[from + unsigned(std::countr_zero(rest))];
        miss.arrives = fromMemory;
        add(miss.line, passed, inL2);
      }
    }
  });
  done = std::max(done, missed ? fromMemory : 0);
  return done;
}

uint64_t MemoryPath::scalar(const Wave &w, const isa::Inst &in, uint64_t now) {
  if (in.saddr.kind != isa::Operand::Kind::sgpr)
    return now + p_.scalarLatency; // s_memtime, cache maintenance
  const bool null = in.saddr.index == isa::Sgpr::sink;
  uint64_t address =
      (null ? 0 : w.s64(in.saddr.index) & 0xffffffffffff) + uint64_t(int64_t(in.offset));
  if (in.soffset.kind == isa::Operand::Kind::sgpr)
    address += w.s[in.soffset.index];
  const uint32_t bytes = std::max<uint32_t>(in.dst.dwords, 1) * 4;
  uint64_t done = now;
  // Lines of the scalar cache have 64 bytes everywhere.
  for (uint64_t part = address / 64; part <= (address + bytes - 1) / 64; ++part) {
    if (scalarCache_.access(part)) {
      done = std::max(done, scalarPending_.there(part, now) + p_.scalarLatency);
      continue;
    }
    const uint64_t line = part >> (p_.lineShift - 6);
    uint64_t port = l2Port_.pass(now, l2Line_);
    bool hit = false, evicted = false;
    if (p_.writeBack)
      device_.l2.accessEachDirty(
          1, false, [line](uint32_t) { return line; },
          [&](uint32_t, bool there, bool evicts) { hit = there, evicted = evicts; });
    else
      hit = device_.l2.access(line);
    // The scalar cache is nearer to the L2 than the vector caches are.
    const uint64_t further = p_.hbmLatency - std::min(p_.hbmLatency, p_.l2Latency);
    if (p_.sharedMemory) { // else the rates are free to it
      port = std::max(port, device_.l2Rate.pass(now, device_.l2Line));
      const uint64_t asked = port;
      port = device_.hbmRate.pass(port, device_.hbmLine * (unsigned(!hit) + unsigned(evicted)));
      if (hit)
        port = std::max(port, device_.l2Pending.there(line, asked));
      else
        device_.l2Pending.add(line, asked, port + further);
    }
    const uint64_t near = p_.scalarL2Latency ? p_.scalarL2Latency : p_.l2Latency;
    const uint64_t arrives = port + near + (hit ? 0 : further);
    const uint64_t cached = arrives - std::min<uint64_t>(p_.scalarLatency, arrives);
    scalarPending_.add(part, now, std::max(now, cached));
    done = std::max(done, arrives);
  }
  return done;
}

} // namespace meld::softgpu::timing
