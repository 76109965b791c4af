#include "passes/cost/wave_time.h"

#include "passes/cost/rates.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace meld::passes {

namespace {

/// Operations that a counter has outstanding, oldest first: when each is done, from the block's
/// begin on. They finish in order.
class Outstanding {
public:
  void add(double done) {
    if (done_.size() == most)
      done_.erase(done_.begin());
    done_.push_back(done_.empty() ? done : std::max(done, done_.back()));
  }
  /// When at most `n` are left, not before `now`; forgets the others.
  double waitFor(size_t n, double now) {
    if (done_.size() <= n)
      return now;
    now = std::max(now, done_[done_.size() - n - 1]);
    done_.erase(done_.begin(), done_.end() - std::ptrdiff_t(n));
    return now;
  }
  void passed(double time) {
    for (double &done : done_)
      done = std::max(0.0, done - time);
  }
  /// Whichever way a wave has come, what it waits for is the slower one: the youngest are matched.
  void join(const Outstanding &other) {
    if (other.done_.size() > done_.size())
      done_.insert(done_.begin(), other.done_.size() - done_.size(), 0.0);
    const size_t skip = done_.size() - other.done_.size();
    for (size_t i = 0; i < other.done_.size(); ++i)
      done_[skip + i] = std::max(done_[skip + i], other.done_[i]);
  }

private:
  static constexpr size_t most = 63; // the counters have six bits
  std::vector<double> done_;
};

struct Pending {
  Outstanding vector, local, stores; ///< vmcnt; lgkmcnt; vscnt, where stores count apart
};

struct Walk {
  const Rates &rates;
  double memoryCycles; ///< for one byte of each lane, at the bandwidth of one SIMD
  WaveTime block;      ///< of the block, executed once
  Pending pending;

  void wait(const MachineInstruction &i) {
    const WaitCounts left = waitCountsOf(i);
    block.alone = pending.vector.waitFor(left.vector, block.alone);
    block.alone = pending.local.waitFor(left.local, block.alone);
    block.alone = pending.stores.waitFor(left.stores, block.alone);
    block.alone += rates.internal;
  }
  void step(const MachineInstruction &i, bool inLoop, double lanes) {
    const InstructionCost c = costOf(i, rates);
    double &now = block.alone;
    switch (c.kind) {
    case InstructionKind::wait:
      return wait(i);
    case InstructionKind::valu:
      block.vectorAlu += c.issue;
      now += rates.valuResult;
      break;
    case InstructionKind::salu:
      block.scalar += c.issue;
      break;
    case InstructionKind::scalarMemory:
      block.scalar += c.issue;
      pending.local.add(now + c.issue + rates.scalarLatency);
      break;
    case InstructionKind::vectorMemory:
      block.vectorMemory += c.issue * rates.simdsOfMemory;
      if (!inLoop)
        block.memory += memoryCycles * 4 * c.words * lanes;
      (c.stores && rates.storesApart ? pending.stores : pending.vector)
          .add(now + c.issue + rates.vectorLatency);
      if (c.flat)
        pending.local.add(now + c.issue + rates.vectorLatency);
      break;
    case InstructionKind::lds:
      block.lds += c.issue * rates.simdsOfLds;
      pending.local.add(now + c.issue + rates.ldsLatency);
      break;
    case InstructionKind::branch:
      block.branch += rates.salu; // one of a visit
      break;
    case InstructionKind::other:
      break;
    }
    now += c.issue;
  }
};

} // namespace

double WaveTime::among(double waves) const {
  const double terms[] = {
      alone / std::max(1.0, waves), vectorAlu, scalar, branch, vectorMemory, lds, memory};
  const double most = *std::max_element(std::begin(terms), std::end(terms));
  if (most <= 0)
    return 0;
  double sum = 0;
  for (double term : terms)
    sum += std::pow(term / most, 4);
  return most * std::pow(sum, 0.25);
}

WaveTime waveTime(const MachineFunction &f, StringRef processor, unsigned waveSize) {
  const Rates rates = ratesOf(processor, waveSize);
  std::vector<Pending> atEnd(f.blocks.size());
  std::vector<std::vector<size_t>> from(f.blocks.size());
  std::vector<char> walked(f.blocks.size(), 0);
  for (size_t b = 0; b < f.blocks.size(); ++b)
    for (size_t s : f.blocks[b].successors)
      from[s].push_back(b);
  WaveTime all;
  for (size_t b : f.order) {
    const MachineBlock &block = f.blocks[b];
    Walk walk{rates, waveSize * rates.simdsOfMemory / rates.memoryBytesPerCycle, {}, {}};
    for (size_t p : from[b]) // not around a loop: its second round is taken for its first
      if (walked[p]) {
        walk.pending.vector.join(atEnd[p].vector);
        walk.pending.local.join(atEnd[p].local);
        walk.pending.stores.join(atEnd[p].stores);
      }
    for (size_t i = block.first; i < block.first + block.count; ++i)
      walk.step(f.instructions[i], block.loopDepth > 0, block.lanes);
    walk.pending.vector.passed(walk.block.alone);
    walk.pending.local.passed(walk.block.alone);
    walk.pending.stores.passed(walk.block.alone);
    atEnd[b] = std::move(walk.pending);
    walked[b] = 1;
    for (double WaveTime::*part :
         {&WaveTime::alone, &WaveTime::vectorAlu, &WaveTime::scalar, &WaveTime::branch,
          &WaveTime::vectorMemory, &WaveTime::lds, &WaveTime::memory})
      all.*part += walk.block.*part * block.frequency;
  }
  return all;
}

} // namespace meld::passes
