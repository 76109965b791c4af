// Random encodings through the decoder and the vector ALU: whatever decodes runs (or is refused)
// without touching lanes that are not active.
#include "tests/runtime/softgpu/valu/harness.h"

#include "runtime/softgpu/valu/host_float.h"
#include "runtime/softgpu/valu/op_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <xmmintrin.h>

namespace meld::test {
namespace {

using namespace softgpu;

bool crossesLanes(const Inst &i) {
  const std::string n = nameOf(i.op);
  return n.starts_with("v_mfma") || i.op == Op::v_writelane_b32;
}

TEST(ValuFuzz, RandomEncodings) {
  Machine m;
  m.rows.resize(1200);
  m.wave.v = m.rows.data();
  m.wave.accOffset = 512;
  std::map<Enc, unsigned> ran;
  std::vector<VRow> before;
  for (unsigned n = 0; n < 60000; ++n) {
    const Target target = (Target)(n & 3);
    uint64_t r = random64();
    uint32_t words[3] = {(uint32_t)r, (uint32_t)(r >> 32), (uint32_t)random64()};
    switch (n >> 2 & 7) {
    case 0:
    case 1:
      words[0] = (words[0] & 0x03ffffff) | 0xd0000000; // VOP3
      break;
    case 2:
      words[0] = (words[0] & 0x007fffff) | 0xd3800000; // VOP3P
      break;
    case 3:
      words[0] = (words[0] & 0x01ffffff) | 0x7e000000; // VOP1
      break;
    case 4:
      words[0] = (words[0] & 0x01ffffff) | 0x7c000000; // VOPC
      break;
    case 5:
      words[0] = (words[0] & 0x7ffffe00) | 0xf9; // SDWA
      break;
    case 6:
      words[0] = (words[0] & 0x7ffffe00) | 0xfa; // DPP
      break;
    default:
      words[0] &= 0x7fffffff;
    }
    Inst i;
    if (isa::decode(words, sizeof words, target, i) != isa::DecodeStatus::ok)
      continue;
    if (i.enc != Enc::VOP1 && i.enc != Enc::VOP2 && i.enc != Enc::VOPC && i.enc != Enc::VOP3 &&
        i.enc != Enc::VOP3P)
      continue;
    if (n % 512 < 4) {
      m.fill(n);
      for (uint32_t &s : m.wave.s)
        s = (uint32_t)random64();
    }
    m.wave.mode = n % 5 ? kDefaultMode : (uint32_t)random64() & 0x3ff;
    const uint64_t exec = m.wave.exec() = n % 3 ? random64() : ~0ull;
    // Only the destination's neighbourhood can change; remember it.
    const bool vector = i.dst.kind == Operand::Kind::vgpr || i.dst.kind == Operand::Kind::agpr;
    const unsigned first = vector ? i.dst.index + (i.dst.kind == Operand::Kind::agpr ? 512 : 0) : 0;
    before.assign(m.rows.begin() + first, m.rows.begin() + first + 36);
    if (!m.run(i, target))
      continue;
    ++ran[i.enc];
    if (!vector || crossesLanes(i))
      continue;
    for (unsigned k = 0; k < 36; ++k)
      for (unsigned l = 0; l < 64; ++l)
        if (!(exec >> l & 1)) {
          ASSERT_EQ(m.rows[first + k].u[l], before[k].u[l])
              << nameOf(i.op) << " wrote inactive lane " << l << " of row " << first + k;
        }
  }
  for (Enc e : {Enc::VOP1, Enc::VOP2, Enc::VOPC, Enc::VOP3, Enc::VOP3P})
    EXPECT_GT(ran[e], 150u) << "encoding " << (int)e;
}

/// Words that are most likely of one of the vector encodings of GFX10 and GFX11.
std::vector<uint32_t> randomRdna(unsigned kind) {
  uint64_t r = random64();
  std::vector<uint32_t> w = {(uint32_t)r, (uint32_t)(r >> 32), (uint32_t)random64()};
  static constexpr uint32_t kSource0[] = {0xf9, 0xfa, 0xe9, 0xea}; // SDWA (GFX10), DPP, DPP8 (fi)
  switch (kind) {
  case 0:
  case 1:
    w[0] = (w[0] & 0x03ffffff) | 0xd4000000; // VOP3, on GFX11 with DPP now and then
    if (r >> 44 & 1)
      w[1] = (w[1] & ~0x1ffu) | kSource0[1 + (r >> 40) % 3];
    break;
  case 2:
    w[0] = (w[0] & 0x007fffff) | 0xcc000000; // VOP3P
    break;
  case 8:
    w[0] = (w[0] & 0x03ffffff) | 0xc8000000; // VOPD (GFX11)
    break;
  case 3:
    w[0] = (w[0] & 0x01ffffff) | 0x7e000000; // VOP1
    break;
  case 4:
    w[0] = (w[0] & 0x01ffffff) | 0x7c000000; // VOPC
    break;
  case 5:
  case 6:
    w[0] = (w[0] & 0x7ffffe00) | kSource0[r >> 40 & 3];
    break;
  default:
    w[0] &= 0x7fffffff;
  }
  return w;
}

/// Whatever decodes for gfx1030, gfx1100 and gfx1201 leaves lanes that are off or missing, and SGPRs that it
/// does not name, alone; and the handlers made for an operation give what the general way gives.
TEST(ValuFuzz, RandomEncodingsOfRdna) {
  std::map<Enc, unsigned> ran;
  unsigned compared = 0;
  Machine m;
  m.rows.resize(600);
  m.wave.v = m.rows.data();
  m.wave.numVgprs = 256;
  for (unsigned n = 0; n < 100000; ++n) {
    const Target target = kRdnaTargets[n % std::size(kRdnaTargets)];
    const std::vector<uint32_t> words = randomRdna(n / std::size(kRdnaTargets) % 9);
    Inst i;
    if (isa::decode(words.data(), 12, target, i) != isa::DecodeStatus::ok ||
        isa::familyOf(i.enc) != isa::Family::vector)
      continue;
    if (n % 512 < 8) {
      m.fill(n);
      for (uint32_t &s : m.wave.s)
        s = (uint32_t)random64();
    }
    m.wave.waveSize = isa::traitsOf(target).waveSize;
    const uint64_t all = m.wave.waveSize == 64 ? ~0ull : 0xffffffff;
    m.wave.mode = n % 5 ? kDefaultMode : (uint32_t)random64() & 0x3ff;
    m.wave.exec() = (n % 3 ? random64() : ~0ull) & all;
    const uint64_t exec = m.wave.exec();
    ExecInst e[2] = {};
    e[0].inst = &i;
    if (!prepareValu(e[0], target))
      continue;
    const std::vector<VRow> before = m.rows;
    const Wave waveBefore = m.wave;
    e[0].run(&e[0], m.wave);
    ++ran[i.enc];
    const std::string what = isa::disassemble(i, target);
    ASSERT_EQ(m.wave.exec() & ~all, 0u) << what;
    for (unsigned s = 0; s < isa::Sgpr::sink; ++s) {
      const auto names = [&](const Operand &o) {
        return o.kind == Operand::Kind::sgpr && s >= o.index && s < o.index + o.dwords;
      };
      const bool toExec = nameOf(i.op).starts_with("v_cmpx") && s >= isa::Sgpr::exec;
      if (!names(i.dst) && !names(i.sdst) && !toExec) {
        ASSERT_EQ(m.wave.s[s], waveBefore.s[s]) << what << ": s" << s;
      }
    }
    const bool wholeWave = i.op == Op::v_writelane_b32 || nameOf(i.op).starts_with("v_wmma") ||
                           nameOf(i.op).starts_with("v_swmmac");
    for (unsigned r = 0; r < 600; ++r)
      for (uint64_t off = ~exec; off && !wholeWave; off &= off - 1) {
        const int l = __builtin_ctzll(off);
        ASSERT_EQ(m.rows[r].u[l], before[r].u[l]) << what << ": v" << r << " lane " << l;
      }
    if (valu::opTable()[i.op].special || e[0].run == valu::slowValu || i.enc == Enc::VOPD)
      continue;
    const std::vector<VRow> fast = m.rows;
    const Wave fastWave = m.wave;
    m.rows = before;
    std::copy(std::begin(waveBefore.s), std::end(waveBefore.s), m.wave.s);
    valu::slowValu(&e[0], m.wave);
    ++compared;
    ASSERT_EQ(std::memcmp(fast.data(), m.rows.data(), fast.size() * sizeof(VRow)), 0) << what;
    ASSERT_TRUE(std::equal(std::begin(fastWave.s), std::end(fastWave.s), m.wave.s)) << what;
  }
  for (Enc e : {Enc::VOP1, Enc::VOP2, Enc::VOPC, Enc::VOP3, Enc::VOP3P, Enc::VOPD})
    EXPECT_GT(ran[e], 150u) << "encoding " << (int)e;
  EXPECT_GT(compared, 1000u);
}

/// A thread with flush-to-zero, odd rounding and traps on gives the same results under a HostFloat.
TEST(ValuFuzz, HostState) {
  Machine m;
  for (unsigned l = 0; l < 64; ++l) {
    m.v(10).u[l] = 0x00400000 + l; // denormals
    m.v(11).u[l] = 0x00000001;
  }
  const unsigned old = _mm_getcsr();
  _mm_setcsr(0x1f80 | 0x8040 | 0x6000);
  {
    const HostFloat guard;
    EXPECT_TRUE(m.run(make(Op::v_add_f32, Enc::VOP2, vgpr(4), {vgpr(10), vgpr(11)})));
  }
  EXPECT_EQ(_mm_getcsr() & ~0x3fu, (unsigned)(0x1f80 | 0x8040 | 0x6000) & ~0x3fu);
  _mm_setcsr(old);
  for (unsigned l = 0; l < 64; ++l)
    EXPECT_EQ(m.v(4).u[l], 0x00400001 + l);
}

} // namespace
} // namespace meld::test
