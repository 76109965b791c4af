// Instructions that go on to the ones behind them (chain.h) against one at a time, which ones these are,
// and how much stack they need. Random code of everything is in translate/snippet_test.cpp.
#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <random>
#include <set>
#include <vector>

namespace meld::softgpu::test {
namespace {

/// Random scalar code: whatever goes on behind an instruction by itself, one instruction at a time leaves the
/// same behind, and counts the same.
class Chains : public testing::TestWithParam<isa::Target> {
protected:
  const isa::Target target = GetParam();
  const uint32_t end =
      isa::traitsOf(target).generation >= 11 ? 0xbfb00000 : 0xbf810000; ///< s_endpgm
  std::mt19937 engine{3};
  uint32_t random() { return uint32_t(engine()); }

  /// Neither jumps, yields or ends, nor asks for the time.
  static bool goesOn(const std::string &name) {
    if (name.find("pc_b64") != name.npos || name == "s_barrier" || name == "s_barrier_wait")
      return false;
    for (const char *other : {"s_call", "s_branch", "s_cbranch", "s_subvector", "s_sleep",
                              "s_getreg", "s_sendmsg", "s_endpgm", "s_sethalt", "s_trap"})
      if (name.starts_with(other))
        return false;
    return true;
  }

  /// Straight code of about `length` instructions of the scalar unit, with others among them.
  std::vector<uint32_t> program(unsigned length) {
    std::vector<uint32_t> words;
    const uint32_t sopp = 0xbf800000;
    while (length) {
      static constexpr uint32_t kFixed[] = {0x80000000, 0xbe800000, 0xb0000000};
      static constexpr uint32_t kFree[] = {0x3fffffff, 0x007fffff, 0x0fffffff};
      const unsigned n = random() % 3;
      const uint32_t pair[2] = {random() % 4 ? kFixed[n] | (random() & kFree[n])
                                             : sopp | (random() & 0x7fffff),
                                random()};
      isa::Inst in;
      if (isa::decode(pair, sizeof pair, target, in) != isa::DecodeStatus::ok)
        continue;
      ExecInst e{};
      e.inst = &in;
      const std::string name(isa::mnemonic(in.op));
      if (in.enc > isa::Enc::SOPP || !prepareScalar(e, target) || !goesOn(name))
        continue;
      words.push_back(pair[0]);
      if (in.size == 8)
        words.push_back(pair[1]);
      --length;
    }
    words.push_back(end);
    return words;
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Chains,
                         testing::Values(isa::Target::gfx900, isa::Target::gfx90a,
                                         isa::Target::gfx1030, isa::Target::gfx1030w64,
                                         isa::Target::gfx1100, isa::Target::gfx1201),
                         [](auto &i) {
                           return std::string(isa::targetName(i.param)) + "Of" +
                                  std::to_string(isa::traitsOf(i.param).waveSize);
                         });

TEST_P(Chains, AsOneInstructionAtATime) {
  uint64_t chained = 0;
  for (unsigned n = 0; n < 300; ++n) {
    const std::vector<uint32_t> words = program(n % 50 + 1);
    CodeCache cache(target);
    auto whole = std::make_unique<Wave>(), stepped = std::make_unique<Wave>();
    for (uint32_t &s : whole->s)
      s = random();
    if (isa::traitsOf(target).waveSize == 32)
      whole->s[isa::Sgpr::exec + 1] = 0;
    whole->waveSize = isa::traitsOf(target).waveSize;
    whole->quantum = 1000;
    whole->code = &cache;
    whole->next = cache.lookup(reinterpret_cast<uint64_t>(words.data()));
    *stepped = *whole;

    WaveCounters together, each;
    runWave(*whole, together);
    uint64_t steps = 1;
    while (stepWave(*stepped, each))
      ++steps;
    EXPECT_EQ(whole->status, WaveStatus::ended);
    EXPECT_EQ(stepped->status, WaveStatus::ended);
    EXPECT_EQ(whole->next, stepped->next);
    EXPECT_EQ(whole->scc, stepped->scc);
    EXPECT_EQ(whole->mode, stepped->mode);
    ASSERT_FALSE(std::memcmp(whole->s, stepped->s, sizeof whole->s)) << "program " << n;
    for (unsigned k = 0; k < WaveCounters::kCategories; ++k)
      ASSERT_EQ(together.insts[k], each.insts[k]) << "program " << n << ", category " << k;
    EXPECT_EQ(together.total(), steps) << "no links in code this short";
    EXPECT_EQ(whole->chained, 0) << "nothing but the loop lets a handler go on";
    chained += together.insts[unsigned(isa::Category::salu)];
  }
  EXPECT_GT(chained, 5000u);
}

/// Handlers of other instructions may fault or go elsewhere, and do not count themselves.
TEST_P(Chains, OnlyArithmeticIsGoneOnTo) {
  CodeCache cache(target);
  unsigned scalar = 0, vector = 0;
  std::vector<std::array<uint32_t, 4>> words(20000);
  for (auto &w : words) {
    w = {random() | (random() % 2 ? 0x80000000 : 0), random(), random(), end};
    const ExecInst *i = cache.lookup(reinterpret_cast<uint64_t>(&w));
    if (!(i->flags & chains))
      continue;
    const auto category = isa::Category(i->category);
    if (category == isa::Category::valu) {
      ++vector;
      continue;
    }
    ++scalar;
    EXPECT_LE(i->inst->enc, isa::Enc::SOPP) << isa::mnemonic(i->inst->op);
    EXPECT_TRUE(category == isa::Category::salu || category == isa::Category::waitcnt ||
                category == isa::Category::other)
        << isa::mnemonic(i->inst->op);
  }
  EXPECT_GT(scalar, 100u);
  EXPECT_GT(vector, 1000u);
}

/// An instruction that cannot run ends the wave where it lies, however it was come to.
TEST_P(Chains, FaultBehindScalarInstructions) {
  for (unsigned length : {1, 2, 7, 40}) {
    std::vector<uint32_t> words = program(length);
    words.back() = 0xffffffff; // nowhere an instruction
    CodeCache cache(target);
    auto w = std::make_unique<Wave>();
    w->waveSize = isa::traitsOf(target).waveSize;
    w->quantum = 1000;
    w->code = &cache;
    w->next = cache.lookup(reinterpret_cast<uint64_t>(words.data()));
    WaveCounters counters;
    runWave(*w, counters);
    EXPECT_EQ(w->status, WaveStatus::faulted);
    EXPECT_EQ(w->fault.kind, FaultKind::illegalInstruction);
    EXPECT_EQ(pcOf(w->next), reinterpret_cast<uint64_t>(&words.back()));
    EXPECT_EQ(counters.total(), length + 1u);
  }
}

/// How much stack `run` takes: what it leaves changed of a stack of its own.
size_t stackOf(std::function<void()> run) {
  constexpr size_t kBytes = 4 << 20;
  const std::unique_ptr<uint8_t[]> memory(new uint8_t[kBytes]);
  std::memset(memory.get(), 0xa5, kBytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstack(&attributes, memory.get(), kBytes), 0);
  pthread_t thread;
  const auto start = [](void *f) -> void * {
    (*static_cast<std::function<void()> *>(f))();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, start, &run) != 0) {
    ADD_FAILURE() << "no thread";
    return 0;
  }
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const uint8_t *end = memory.get() + kBytes;
  return size_t(
      end - std::find_if(memory.get(), memory.get() + kBytes, [](uint8_t b) { return b != 0xa5; }));
}

/// A call of the next handler that is no jump would take stack for each instruction.
TEST_P(Chains, LongOnesTakeNoStack) {
  constexpr unsigned kLength = 5000;
  std::vector<VRow> rows(1024);
  std::set<isa::Op> seen;
  CodeCache words(target);
  std::vector<std::array<uint32_t, 4>> tries(20000);
  for (auto &w : tries) {
    w = {random(), random(), random(), end};
    const ExecInst *i = words.lookup(reinterpret_cast<uint64_t>(&w));
    if (!(i->flags & chains) || !seen.insert(i->inst->op).second)
      continue;
    std::vector<uint32_t> code;
    for (unsigned n = 0; n < kLength; ++n)
      code.insert(code.end(), w.data(), w.data() + i->inst->size / 4);
    code.push_back(end);
    CodeCache cache(target);
    auto wave = std::make_unique<Wave>();
    wave->waveSize = isa::traitsOf(target).waveSize;
    wave->exec() = wave->waveSize == 32 ? 0xffffffff : ~0ull;
    wave->v = rows.data();
    wave->numVgprs = wave->accOffset = 256;
    wave->numAgprs = 256;
    wave->code = &cache;
    wave->next = cache.lookup(reinterpret_cast<uint64_t>(code.data()));
    WaveCounters counters;
    EXPECT_LT(stackOf([&] { runWave(*wave, counters); }), 32768u) << isa::mnemonic(i->inst->op);
    EXPECT_EQ(wave->status, WaveStatus::ended) << isa::mnemonic(i->inst->op);
    EXPECT_EQ(counters.total(), kLength + 1) << isa::mnemonic(i->inst->op);
  }
  EXPECT_GT(seen.size(), 50u);
}

} // namespace
} // namespace meld::softgpu::test
