// Scalar instructions against a reference, and assembly kernels for control flow.
#include "tests/runtime/softgpu/execute/scalar_reference.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/worker.h"

#include <memory>
#include <random>

namespace meld::softgpu::test {
namespace {

class Scalar : public testing::TestWithParam<std::string> {
protected:
  std::string target = GetParam();
  TestCode code{std::string(MELD_TEST_KERNELS) + "/snippets-" + target + ".hsaco"};
};
INSTANTIATE_TEST_SUITE_P(Targets, Scalar, testing::Values("gfx900", "gfx90a"),
                         [](auto &i) { return i.param; });

TEST_P(Scalar, EveryOpcodeOnEdgeValues) {
  EXPECT_EQ(checkScalarOpcodes(code, targetOf(target)).size(), 129u)
      << "the arithmetic opcodes of snippets.s";
}

TEST_P(Scalar, ControlFlowKernel) {
  auto gpu = Gpu::create(testConfig(target, 1));
  std::vector<uint32_t> out(32, 0xdead);
  auto r = launch(*gpu, code, "flow", {64}, {64}, Args(out.data()));
  ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
  EXPECT_EQ(out[0], 42u) << "s_swappc call";
  EXPECT_EQ(out[1], 84u) << "s_call_b64";
  const uint64_t back2 = uint64_t(code.symbol("flow_back2")),
                 pc2 = uint64_t(code.symbol("flow_pc2"));
  EXPECT_EQ(out[2], uint32_t(pc2 - back2)) << "s_getpc relative to the return address";
  EXPECT_EQ(out[3], 77u) << "conditional branches";
  EXPECT_EQ(out[4], 102u) << "s_movrels_b32";
  EXPECT_EQ(out[5], 103u) << "s_movrels_b64";
  EXPECT_EQ(out[6], 84u) << "s_movreld_b32";
  EXPECT_EQ(out[7], 9u) << "MODE written and read";
  EXPECT_EQ(out[8], 9u) << "MODE[3:2] = 2";
  EXPECT_EQ(out[9], 1u) << "STATUS.SCC";
  EXPECT_EQ(out[10], 1u) << "SH_MEM_BASES, shared";
  EXPECT_EQ(out[11], 0x20000u) << "src_private_base, high half";
  EXPECT_EQ(out[12], 55u) << "indexed source";
  EXPECT_EQ(out[13], 1u) << "indexed destination";
  EXPECT_EQ(out[14], 1234u) << "reached the end";
}

TEST_P(Scalar, IllegalInstructions) {
  auto gpu = Gpu::create(testConfig(target, 2));
  uint32_t flag = 0;
  auto r = launch(*gpu, code, "unknown", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::ok) << "not executed, so no error: " << r.message;
  flag = 1;
  r = launch(*gpu, code, "unknown", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::illegalInstruction);
  char offset[20];
  std::snprintf(offset, sizeof(offset), "+0x%lx",
                static_cast<const char *>(code.symbol("unknown_bad")) -
                    static_cast<const char *>(code.symbol("unknown")));
  EXPECT_NE(r.message.find("kernel unknown at " + std::string(offset)), std::string::npos)
      << r.message;

  r = launch(*gpu, code, "unsupported", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::illegalInstruction);
  EXPECT_NE(r.message.find("image_load"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("unsupported"), std::string::npos) << r.message;

  r = launch(*gpu, code, "lost", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::illegalInstruction) << r.message;
  EXPECT_NE(r.message.find("0x1000"), std::string::npos) << r.message;

  r = launch(*gpu, code, "halts", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::trap) << r.message;
}

/// Random scalar code: whatever goes on behind an instruction by itself, one instruction at a time leaves the
/// same behind, and counts the same.
class ScalarRuns : public testing::TestWithParam<isa::Target> {
protected:
  const isa::Target target = GetParam();
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
    const uint32_t sopp = 0xbf800000,
                   end = isa::traitsOf(target).generation >= 11 ? 0xbfb00000 : 0xbf810000;
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
INSTANTIATE_TEST_SUITE_P(Targets, ScalarRuns,
                         testing::Values(isa::Target::gfx900, isa::Target::gfx90a,
                                         isa::Target::gfx1030, isa::Target::gfx1030w64,
                                         isa::Target::gfx1100, isa::Target::gfx1201),
                         [](auto &i) {
                           return std::string(isa::targetName(i.param)) + "Of" +
                                  std::to_string(isa::traitsOf(i.param).waveSize);
                         });

TEST_P(ScalarRuns, AsOneInstructionAtATime) {
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
TEST_P(ScalarRuns, OnlyArithmeticIsGoneOnTo) {
  CodeCache cache(target);
  unsigned scalar = 0, vector = 0;
  const uint32_t end = isa::traitsOf(target).generation >= 11 ? 0xbfb00000 : 0xbf810000;
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
TEST_P(ScalarRuns, FaultBehindScalarInstructions) {
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

} // namespace
} // namespace meld::softgpu::test
