// Scalar instructions of gfx1030 and how its waves of 32 and of 64 lanes start, with what gfx1100 and
// gfx1201 have in common with it. The programs are in kernels/gfx1030.s; what is expected of them
// is worked out by hand from the "RDNA 2" ISA.
#include "tests/runtime/softgpu/execute/scalar_reference.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/execute/workgroup.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/opcodes.h"

#include <cstring>
#include <memory>
#include <random>

namespace meld::softgpu::test {
namespace {

class Gfx1030 : public testing::TestWithParam<unsigned> {
protected:
  const unsigned lanes = GetParam();
  const isa::Target target = lanes == 32 ? isa::Target::gfx1030 : isa::Target::gfx1030w64;
  CodeCache cache{target};
  TestCode programs{MELD_TEST_KERNELS "/gfx1030-gfx1030.hsaco"};

  /// Runs a program to its end, or to where it cannot go on.
  std::unique_ptr<Wave> run(const std::string &program, uint64_t exec, uint32_t mode = 0xf0) {
    auto w = std::make_unique<Wave>();
    w->waveSize = lanes;
    w->exec() = exec;
    w->mode = mode;
    w->quantum = 1000;
    w->code = &cache;
    w->next = cache.lookup(reinterpret_cast<uint64_t>(programs.symbol(program)));
    WaveCounters counters;
    runWave(*w, counters);
    return w;
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, Gfx1030, testing::Values(32, 64),
                         [](auto &i) { return "Of" + std::to_string(i.param); });

/// What is asked of gfx1030, of gfx1100 and of gfx1201, in waves of 32 and of 64 lanes.
class Rdna : public testing::TestWithParam<isa::Target> {
protected:
  const isa::Target target = GetParam();
  const unsigned lanes = isa::traitsOf(target).waveSize;
  const unsigned generation = isa::traitsOf(target).generation;
  const bool gfx11 = generation >= 11, gfx12 = generation == 12;
  const std::string processor{isa::targetName(target)};
};
INSTANTIATE_TEST_SUITE_P(Targets, Rdna,
                         testing::Values(isa::Target::gfx1030, isa::Target::gfx1030w64,
                                         isa::Target::gfx1100, isa::Target::gfx1100w64,
                                         isa::Target::gfx1201, isa::Target::gfx1201w64),
                         [](auto &i) {
                           return std::string(isa::targetName(i.param)) + "Of" +
                                  std::to_string(isa::traitsOf(i.param).waveSize);
                         });

TEST_P(Rdna, EveryScalarOpcodeOnEdgeValues) {
  if (gfx12 && !kGfx1201Code)
    GTEST_SKIP() << "no LLVM that knows GFX12 in /usr/lib/llvm-*";
  TestCode code{MELD_TEST_KERNELS "/snippets-" + processor + ".hsaco"};
  EXPECT_EQ(checkScalarOpcodes(code, target).size(), gfx12   ? 131u
                                                     : gfx11 ? 140u
                                                             : 141u)
      << "GFX9's and the forms of twelve for waves of 32; GFX11 has one more and lacks two; GFX12 "
         "has three more and lacks the comparisons with a constant";
}

/// Whatever is written where, a wave of 32 keeps the lanes off that it lacks, and SGPRs that are not
/// named keep their values.
TEST_P(Rdna, RandomScalarEncodings) {
  std::mt19937 engine(5);
  const auto random = [&] { return uint32_t(engine()); };
  unsigned ran = 0;
  for (unsigned n = 0; n < 100000; ++n) {
    static constexpr uint32_t kFixed[] = {0x80000000, 0xbe800000, 0xb0000000};
    static constexpr uint32_t kFree[] = {0x3fffffff, 0x007fffff, 0x0fffffff};
    const uint32_t words[2] = {kFixed[n % 3] | (random() & kFree[n % 3]), random()};
    isa::Inst in;
    if (isa::decode(words, sizeof words, target, in) != isa::DecodeStatus::ok)
      continue;
    ExecInst e[2] = {};
    e[0].inst = &in;
    if (in.enc > isa::Enc::SOPK || !prepareScalar(e[0], target))
      continue;
    const std::string name(isa::mnemonic(in.op));
    if (name.find("pc_b64") != name.npos || name.starts_with("s_call") ||
        name.starts_with("s_subvector") || name.starts_with("s_movrel") ||
        name.starts_with("s_sleep"))
      continue; // these need a code cache, go where M0 says, or yield
    Wave w;
    w.waveSize = lanes;
    for (uint32_t &s : w.s)
      s = random();
    if (lanes == 32)
      w.s[isa::Sgpr::exec + 1] = 0;
    const Wave before = w;
    ASSERT_EQ(e[0].run(&e[0], w), &e[1]) << name;
    ++ran;
    for (unsigned s = 0; s < isa::Sgpr::sink; ++s) {
      const isa::Operand &o = in.dst;
      const bool named =
          o.kind == isa::Operand::Kind::sgpr && s >= o.index && s < unsigned(o.index) + o.dwords;
      const bool exec = name.find("exec_b") != name.npos && s >= isa::Sgpr::exec;
      if (lanes == 32 && s == isa::Sgpr::exec + 1) {
        ASSERT_EQ(w.s[s], 0u) << isa::disassemble(in, target);
      } else if (!named && !exec) {
        ASSERT_EQ(w.s[s], before.s[s]) << isa::disassemble(in, target) << ": s" << s;
      }
    }
  }
  EXPECT_GT(ran, 30000u);
}

TEST_P(Gfx1030, HardwareRegisters) {
  const auto w = run("registers", 1);
  ASSERT_EQ(w->status, WaveStatus::ended) << w->fault.what;
  EXPECT_EQ(w->s[20], 0x96u) << "s_round_mode, s_denorm_mode";
  EXPECT_EQ(w->mode, 0x96u);
  EXPECT_EQ(w->s[21], 0x11112222u);
  EXPECT_EQ(w->s[22], 0x33334ab4u) << "a field of FLAT_SCR_HI";
  EXPECT_EQ(w->flatScratch[0], 0x11112222u);
  EXPECT_EQ(w->flatScratch[1], 0x33334ab4u);
  EXPECT_EQ(w->s[23], 0u) << "GFX9's bit for VGPR indexing";
  EXPECT_EQ(w->s[24], 1u) << "STATUS.SCC";
  EXPECT_EQ(w->s[25], lanes == 32 ? 2u : 0u) << "STATUS.VCCZ and EXECZ";
}

/// "RDNA 2" ISA, "Scalar ALU operands": null is 0 where it is read, and what is written to it is lost.
TEST_P(Gfx1030, NothingInPlaceOfARegister) {
  const auto w = run("onNull", 1, 0xff);
  ASSERT_EQ(w->status, WaveStatus::ended) << w->fault.what;
  EXPECT_EQ(w->s[20], 0u) << "s_addk_i32: no overflow";
  EXPECT_EQ(w->s[21], 1u) << "s_cmpk_eq_i32 with 0";
  EXPECT_EQ(w->s[22], 0u) << "s_cmpk_gt_u32 with 3";
  EXPECT_EQ(w->s[23], 0u) << "s_setreg_b32";
}

TEST_P(Gfx1030, BranchesOnVcc) {
  const bool one = lanes == 32; // VCC is vcc_lo
  const auto w = run("branches", 1);
  ASSERT_EQ(w->status, WaveStatus::ended);
  EXPECT_EQ(w->s[20], one ? 1u : 2u) << "s_cbranch_vccz";
  EXPECT_EQ(w->s[21], one ? 1u : 0u) << "src_vccz";
  EXPECT_EQ(w->s[22], one ? 2u : 1u) << "s_cbranch_vccnz";
  EXPECT_EQ(w->s[23], one ? 0u : 1u) << "s_cbranch_execz";
  EXPECT_EQ(w->s[24], one ? 0u : 7u) << "exec_hi";
  EXPECT_EQ(w->exec(), one ? 0u : 7ull << 32);
}

TEST_P(Gfx1030, RelativeMoves) {
  const auto w = run("relative", 1);
  ASSERT_EQ(w->status, WaveStatus::ended);
  EXPECT_EQ(w->s[25], 102u) << "s_movrelsd_2_b32";
  EXPECT_EQ(w->s[21], 101u) << "s_movrels_b32";
  EXPECT_EQ(w->s[23], 102u) << "s_movreld_b32";
}

TEST_P(Gfx1030, SubvectorLoop) {
  struct Case {
    uint64_t exec;
    uint32_t passes, low, high; ///< a pass has one half's lanes on
  };
  for (const Case &c : {Case{0, 0, 0, 0}, Case{0x12, 1, 0x12, 0}, Case{0x3400000000, 1, 0, 0x34},
                        Case{0x3400000012, 2, 0x12, 0x34}}) {
    if (c.exec >> 32 && lanes == 32)
      continue;
    const auto w = run("subvector", c.exec);
    ASSERT_EQ(w->status, WaveStatus::ended);
    EXPECT_EQ(w->s[20], c.passes) << std::hex << c.exec;
    EXPECT_EQ(w->s[21], c.low);
    EXPECT_EQ(w->s[22], c.high);
    EXPECT_EQ(w->exec(), c.exec);
  }
}

TEST_P(Gfx1030, CallsAndNoCode) {
  const auto w = run("calls", 1);
  EXPECT_EQ(w->s[20], 84u);
  EXPECT_EQ(w->status, WaveStatus::faulted);
  EXPECT_EQ(w->fault.kind, FaultKind::illegalInstruction) << "s_code_end";
}

/// Waves of a workgroup of 100 x 1 and of 10 x 5 x 2 work-items.
TEST_P(Rdna, WavesStart) {
  DeviceConfig config;
  config.target = isa::targetFromName(processor).value();
  DispatchRequest request;
  CodeCache cache{target};
  WorkgroupEnv env;
  env.config = &config;
  env.code = &cache;
  for (const bool oneDimension : {true, false}) {
    Launch l;
    l.target = target;
    const uint32_t size[3] = {oneDimension ? 100u : 10u, oneDimension ? 1u : 5u,
                              oneDimension ? 1u : 2u};
    for (unsigned k = 0; k < 3; ++k) {
      l.grid[k] = l.workgroup[k] = size[k];
      l.groups[k] = 1;
    }
    l.vgprs = l.accOffset = 8;
    l.scratchPerLane = 16;
    l.packedIds = l.hardwareScratch = gfx11;
    l.rsrc2 = 2 << 11 | 1 << 10 | 1; // three ids; how many waves; scratch
    Workgroup g;
    ASSERT_TRUE(startWorkgroup(g, 0, l, env, request));
    ASSERT_EQ(g.numWaves, (100 + lanes - 1) / lanes);
    for (uint32_t k = 0; k < g.numWaves; ++k) {
      const Wave &w = g.waves[k];
      EXPECT_EQ(w.waveSize, lanes);
      EXPECT_EQ(w.s[0], uint32_t(k == 0 && !gfx12) << 31 | g.numWaves);
      EXPECT_EQ(w.s[isa::Sgpr::ttmp0 + 8], gfx12 ? k << 25 : 0);
      EXPECT_EQ(w.scratch - g.waves[0].scratch, k * 16 * lanes);
      uint64_t flatScratch;
      std::memcpy(&flatScratch, w.flatScratch, 8);
      EXPECT_EQ(flatScratch, gfx11 ? reinterpret_cast<uint64_t>(w.scratch) : 0);
      const uint32_t first = k * lanes, here = std::min(100 - first, lanes);
      EXPECT_EQ(w.exec(), here == 64 ? ~0ull : (1ull << here) - 1);
      for (uint32_t lane = 0; lane < 64; ++lane) {
        const uint32_t id = lane < here ? first + lane : 0;
        const bool off = lane >= here;
        const uint32_t xyz[3] = {id % size[0], id / size[0] % size[1], id / size[0] / size[1]};
        const uint32_t packed = xyz[0] | xyz[1] << 10 | xyz[2] << 20;
        for (unsigned v = 0; v < 3; ++v) {
          const uint32_t alone = gfx11 ? (v ? 0 : packed) : xyz[v];
          EXPECT_EQ(w.v[v].u[lane], off ? 0 : alone) << "v" << v;
        }
      }
    }
  }
}

bool prepare(ExecInst &e, isa::Target target) {
  switch (isa::familyOf(e.inst->enc)) {
  case isa::Family::scalar:
    return prepareScalar(e, target);
  case isa::Family::vector:
    return prepareValu(e, target);
  default:
    return prepareMemory(e, target);
  }
}

/// Whether some encoding of the opcode decodes, and one of those that do can be executed, by the
/// rules of CodeCache. Operands are guessed: few bits set, in fields of the sizes that most
/// encodings have.
struct Known {
  bool decodes = false, executes = false;
  Known(const isa::OpInfo &row, isa::Target target) {
    const isa::Format format = isa::formatOf(row.enc, target);
    // Null says on GFX12 that no SGPR has an address: never one for FLAT and for cache control.
    const bool flat12 = (row.enc == isa::Enc::FLAT || row.enc == isa::Enc::GLOBAL) &&
                        isa::traitsOf(target).generation >= 12;
    const uint32_t barrier = row.op == isa::Op::s_barrier_wait ? 0xffff : 0; // the workgroup's
    const uint32_t noAddress = flat12 ? 0x7c : 0;
    std::mt19937 engine(row.number);
    const auto random = [&] { return uint32_t(engine()); };
    for (unsigned n = 0; n < 4000 && !executes; ++n) {
      static constexpr uint32_t kSecond[] = {0x04020100, 0x00000100, 0x00020100, 0,
                                             0x007d0000, 0xfa000000, 0x80000000, 0x04000100};
      const uint32_t few = n < 64 ? 0 : random() & random() & random();
      const bool pair = row.enc == isa::Enc::VOPD; // as the second of two, where all of them may be
      const uint32_t opcode = pair ? 8u << format.place | uint32_t(row.number) << 17
                                   : uint32_t(row.number) << format.place;
      const uint32_t words[5] = {
          format.fixed | opcode | (pair ? 0 : few & format.operands & ~(flat12 ? 0x7fu : 0)) |
              noAddress | barrier,
          kSecond[n % 8] ^ (n < 128 ? 0 : random() & random() & random() & random()), 0, 0, 0};
      isa::Inst in;
      const isa::DecodeStatus status = isa::decode(words, sizeof words, target, in);
      const bool gws = status == isa::DecodeStatus::unsupported && row.enc == isa::Enc::DS;
      if ((status != isa::DecodeStatus::ok && !gws) || (pair ? in.dual.op : in.op) != row.op)
        continue;
      decodes = true;
      ExecInst e{};
      e.inst = &in;
      executes = prepare(e, target);
    }
  }
};

/// What the decoder knows the executor has, but for what has no meaning in a kernel that computes.
TEST_P(Rdna, OpcodesThatAreMissing) {
  std::set<std::string> missing;
  for (const isa::OpInfo &row : isa::allOpcodes()) {
    if (!(row.targets >> unsigned(target) & 1) ||
        isa::familyOf(row.enc) >= isa::Family::interpolation)
      continue;
    const Known known(row, target);
    const std::string name(isa::mnemonic(row.op));
    if (name.starts_with("v_interp")) // the vector encoding of a graphics instruction
      continue;
    EXPECT_TRUE(known.decodes) << name << ": the test does not find an encoding";
    if (!known.executes)
      missing.insert(name);
  }
  std::set<std::string> expected = {
      "ds_ordered_count", // order of pixel waves
      "s_code_end",       // padding behind code: an error where it is reached
      "s_rfe_b64",        // trap handlers
      "s_setkill",        // debuggers
  };
  if (gfx12)
    expected = {"ds_bvh_stack_push8_pop1_rtn_b32", // the stack of a ray's traversal
                "ds_bvh_stack_push8_pop2_rtn_b64",
                "ds_bvh_stack_rtn_b32",
                "global_load_block",
                "global_load_tr_b128",
                "global_load_tr_b64",
                "global_store_block",
                "s_alloc_vgpr",
                "s_barrier_init", // barriers with names
                "s_barrier_join",
                "s_barrier_leave",
                "s_code_end",
                "s_rfe_b64",
                "s_setkill",
                "scratch_load_block",
                "scratch_store_block"};
  else if (gfx11) // geometry's counters, and the stack of a ray's traversal
    expected.merge(
        std::set<std::string>{"ds_add_gs_reg_rtn", "ds_sub_gs_reg_rtn", "ds_bvh_stack_rtn_b32"});
  else
    expected.insert("s_endpgm_ordered_ps_done"); // pixel shaders
  EXPECT_EQ(missing, expected);
}

} // namespace
} // namespace meld::softgpu::test
