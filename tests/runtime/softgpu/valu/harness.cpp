#include "tests/runtime/softgpu/valu/harness.h"

#include <gtest/gtest.h>

#include "runtime/softgpu/isa/opcodes.h"

#include <algorithm>
#include <cstring>

namespace meld::test {

using namespace softgpu;

namespace {

uint64_t state = 0x9e3779b97f4a7c15;

unsigned dwordsOf(char t) { return t == 'q' || t == 'd' || t == 'm' ? 2 : 1; }
bool isHalfType(char t) { return t == 's' || t == 'h'; }

uint64_t anyValue(char t) {
  const auto &edges = edgeValues(t);
  const uint64_t r = random64();
  uint64_t x;
  if (r & 3) {
    x = edges[(r >> 8) % edges.size()];
  } else {
    x = random64();
    if (t == 'f' && (r & 4)) // ordinary magnitudes
      x = (x & 0x87ffffff) | 0x38000000;
    if (t == 'd' && (r & 4))
      x = (x & 0x80ffffffffffffff) | 0x3f00000000000000;
  }
  return x;
}

} // namespace

uint64_t random64() { // xorshift: reproducible everywhere
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545f4914f6cdd1d;
}

std::string nameOf(Op op) { return std::string(isa::mnemonic(op)); }

const std::vector<uint64_t> &edgeValues(char type) {
  static const std::vector<uint64_t> ints = {
      0,          1,          2,          3,          7,          8,          15,
      16,         31,         32,         33,         63,         64,         0x7f,
      0x80,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,     0x10000,
      0x7fffff,   0x800000,   0xffffff,   0x1000000,  0x7ffffffe, 0x7fffffff, 0x80000000,
      0x80000001, 0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef, 0x55555555, 0xaaaaaaaa,
      0xffff0000, 0x00ff00ff};
  static const std::vector<uint64_t> longs = {0,
                                              1,
                                              2,
                                              0x7fffffff,
                                              0x80000000,
                                              0xffffffff,
                                              0x100000000,
                                              0x1ffffffff,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              0x8000000000000001,
                                              0xffffffffffffffff,
                                              0xfffffffffffffffe,
                                              0xffffffff00000000,
                                              0x123456789abcdef0,
                                              0xdeadbeefcafebabe,
                                              0x7fffffff00000000,
                                              0x80000000ffffffff};
  static const std::vector<uint64_t> floats = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00400000,
      0x00800000, 0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001,
      0x3f000000, 0xbf000000, 0x3effffff, 0x40000000, 0x3fc00000, 0xbfc00000, 0x40200000,
      0xc0200000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
      0x7fc12345, 0x7f812345, 0xff801234, 0x4f000000, 0x4effffff, 0x4f7fffff, 0x4f800000,
      0xcf000000, 0xcf000001, 0x42fe0000, 0x43000000, 0xc2fc0000, 0xc3150000, 0x7e800000,
      0x7f000000, 0x40490fdb, 0x3dcccccd, 0x322bcc77, 0x477fe000, 0x477ff000, 0x477fefff,
      0x33000000, 0x33000001, 0x38800000, 0x387fc000, 0x437f0000, 0x43800000, 0x5f000000};
  static const std::vector<uint64_t> doubles = {
      0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
      0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000,
      0xbff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x3fe0000000000000,
      0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0x7fefffffffffffff,
      0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
      0xfff8000000000000, 0x7ff8000000012345, 0x7ff0000000012345, 0xfff0000000000001,
      0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000,
      0xc1e0000000000000, 0xc1e0000000200000, 0x400921fb54442d18, 0x3810000000000000,
      0x380fffffffffffff, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
      0x47efffffe0000000, 0x47effffff0000000, 0x47efffffefffffff, 0x3fb999999999999a,
      0x0360000000000000, 0x7c90000000000000, 0x41dfffffffe00000, 0xc1e00000001fffff};
  static const std::vector<uint64_t> halves = {
      0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400,     0x8400,    0x3c00,
      0xbc00, 0x3bff, 0x3c01, 0x3800, 0xb800, 0x3e00, 0xbe00,     0x4100,    0x7bff,
      0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7e12, 0x7c01,     0xfd55,    0x4248,
      0x2e66, 0x5bff, 0x5c00, 0x7800, 0x0200, 0x77ff, 0xdeadbc00, 0xffff3c00};
  static const std::vector<uint64_t> shorts = {
      0,      1,      2,      15,     16,         17,         0x7f,
      0x80,   0xff,   0x100,  0x7ffe, 0x7fff,     0x8000,     0x8001,
      0xfffe, 0xffff, 0x1234, 0xabcd, 0xdead0001, 0xffff8000, 0x00017fff};
  switch (type) {
  case 'f':
    return floats;
  case 'd':
    return doubles;
  case 'h':
    return halves;
  case 's':
    return shorts;
  case 'q':
  case 'm':
    return longs;
  default:
    return ints;
  }
}

Operand vgpr(unsigned index, unsigned dwords) {
  Operand o;
  o.kind = Operand::Kind::vgpr;
  o.index = (uint16_t)index;
  o.dwords = (uint8_t)dwords;
  return o;
}
Operand agpr(unsigned index, unsigned dwords) {
  Operand o = vgpr(index, dwords);
  o.kind = Operand::Kind::agpr;
  return o;
}
Operand sgpr(unsigned index, unsigned dwords) {
  Operand o = vgpr(index, dwords);
  o.kind = Operand::Kind::sgpr;
  return o;
}
Operand imm(uint64_t value) {
  Operand o;
  o.kind = Operand::Kind::imm;
  o.value = value;
  return o;
}
Inst make(Op op, Enc enc, Operand dst, std::vector<Operand> sources) {
  Inst i;
  i.op = op;
  i.enc = enc;
  i.dst = dst;
  i.numSrc = (uint8_t)sources.size();
  for (size_t k = 0; k < sources.size(); ++k)
    i.src[k] = sources[k];
  return i;
}

Machine::Machine() : rows(160) {
  wave.v = rows.data();
  wave.numVgprs = 96;
  wave.accOffset = 96;
  wave.numAgprs = 64;
  wave.mode = kDefaultMode;
  wave.exec() = kFullExec;
  fill(1);
}
void Machine::fill(uint32_t seed) {
  uint32_t x = seed * 2654435761u + 12345;
  for (VRow &r : rows)
    for (uint32_t &u : r.u)
      u = x = x * 1664525 + 1013904223;
}
bool Machine::run(const Inst &inst, Target target) {
  ExecInst e[2];
  std::memset(e, 0, sizeof e);
  Inst there = inst;
  there.target = target;
  e[0].inst = &there;
  if (!prepareValu(e[0], target))
    return false;
  wave.waveSize = isa::traitsOf(target).waveSize;
  return e[0].run(&e[0], wave) == &e[1];
}

namespace {

bool hasOpcode(Op op, Target target) {
  return std::ranges::any_of(isa::allOpcodes(), [&](const isa::OpInfo &o) {
    return o.op == op && (o.targets >> unsigned(target) & 1);
  });
}

void checkOne(const Spec &spec) {
  SCOPED_TRACE(nameOf(spec.op) + " on " + std::string(isa::targetName(spec.target)));
  const isa::TargetTraits traits = isa::traitsOf(spec.target);
  const bool gfx10 = traits.generation >= 10;
  const uint64_t allLanes = traits.waveSize == 64 ? ~0ull : 0xffffffff;
  const bool onlyExec = gfx10 && nameOf(spec.op).starts_with("v_cmpx"); // no mask in SGPRs
  const char *p = spec.types;
  const char dstType = *p++;
  const bool carry = *p == '+';
  if (carry)
    ++p;
  ASSERT_EQ(*p++, ':');
  const std::string types = p;
  const unsigned n = (unsigned)types.size();
  Machine m;

  static constexpr uint64_t execs[] = {
      ~0ull, 0, 1ull << 37, 0xffffffff, 0x0f0f00ff12345678, 0x8000000000000001};
  const unsigned kinds = 1u << n; // bit k set: source k is scalar
  for (unsigned kind = 0; kind < kinds; ++kind) {
    bool valid = true;
    for (unsigned k = 0; k < n; ++k)
      valid = valid && !(types[k] == 'm' && !(kind >> k & 1)); // masks are always scalar
    if (!valid)
      continue;
    for (unsigned round = 0; round < 24; ++round) {
      const bool immediates = round & 1;
      const uint64_t exec = allLanes & (round < 12    ? execs[round % 6]
                                        : round == 12 ? random64()
                                        : round < 16  ? execs[round % 6]
                                                      : ~0ull);
      // Sources in v10.. s10.., destination v4 (or overlapping a source now and then).
      std::vector<Operand> sources;
      std::vector<std::vector<uint64_t>> values(n, std::vector<uint64_t>(64));
      m.fill(round + 7);
      for (unsigned k = 0; k < n; ++k) {
        const unsigned dwords = dwordsOf(types[k]);
        if (kind >> k & 1) {
          uint64_t x = types[k] == 'm' ? random64() : anyValue(types[k]);
          if (dwords == 1)
            x = (uint32_t)x;
          for (uint64_t &y : values[k])
            y = x;
          if (immediates && types[k] != 'm') {
            sources.push_back(imm(x));
          } else {
            m.wave.setS64(10 + 2 * k, x);
            sources.push_back(sgpr(10 + 2 * k, dwords));
          }
        } else {
          for (unsigned l = 0; l < 64; ++l) {
            const uint64_t x = anyValue(types[k]);
            m.v(10 + 3 * k).u[l] = (uint32_t)x;
            if (dwords == 2)
              m.v(11 + 3 * k).u[l] = (uint32_t)(x >> 32);
            values[k][l] = dwords == 2 ? x : (uint32_t)x;
          }
          sources.push_back(vgpr(10 + 3 * k, dwords));
        }
      }
      unsigned dst = 4;
      if (round % 5 == 3 && !(kind & 1))
        dst = 10; // destination = source 0
      if (round % 5 == 4 && n > 1 && !(kind & 2))
        dst = 12; // its high half overlaps source 1 when wide
      const bool compare = dstType == 'c';
      Inst inst =
          make(spec.op, spec.enc, compare ? sgpr(40, 2) : vgpr(dst, dwordsOf(dstType)), sources);
      if (carry)
        inst.sdst = sgpr(42, 2);
      if (spec.adjust)
        spec.adjust(inst);
      m.wave.mode = spec.mode;
      m.wave.exec() = exec;
      const uint64_t vcc = m.wave.vcc() = random64();
      m.wave.setS64(40, 0x5555555555555555);
      m.wave.setS64(42, 0x3333333333333333);
      const std::vector<VRow> before = m.rows;
      ASSERT_TRUE(m.run(inst, spec.target)) << "not implemented";

      uint64_t wantMask = 0, wantCarry = 0;
      for (unsigned l = 0; l < 64; ++l) {
        Lane lane;
        lane.mode = spec.mode;
        lane.lane = l;
        lane.mask = vcc >> l & 1;
        uint64_t *to[] = {&lane.a, &lane.b, &lane.c};
        for (unsigned k = 0; k < n; ++k) {
          if (types[k] == 'm')
            lane.mask = values[k][l] >> l & 1;
          else
            *to[k] = isHalfType(types[k]) ? values[k][l] & 0xffff : values[k][l];
        }
        const uint64_t old = before[dst].u[l] | (uint64_t)before[dst + 1].u[l] << 32;
        const bool active = exec >> l & 1;
        if (n < 3)
          lane.c = old; // accumulating operations read it
        uint64_t want = spec.reference(lane);
        if (compare) {
          wantMask |= (uint64_t)(active && want) << l;
          continue;
        }
        wantCarry |= (uint64_t)(active && lane.carry) << l;
        if (isHalfType(dstType))
          want = (want & 0xffff) | (spec.preserveHigh || gfx10 ? old & 0xffff0000 : 0);
        if (dwordsOf(dstType) == 1)
          want &= 0xffffffff;
        const uint64_t all = dwordsOf(dstType) == 1 ? 0xffffffff : ~0ull;
        const uint64_t got = (m.v(dst).u[l] | (uint64_t)m.v(dst + 1).u[l] << 32) & all;
        if (!active)
          want = old & all;
        ASSERT_EQ(got, want) << std::hex << "lane " << l << (active ? "" : " (inactive)")
                             << " a=" << lane.a << " b=" << lane.b << " c=" << lane.c
                             << " mask=" << lane.mask << " got " << got << " want " << want
                             << " kinds " << kind << " exec " << exec << " mode " << spec.mode;
      }
      // A mask of a wave of 32 is one SGPR; the next keeps its value.
      const auto maskAt = [&](uint64_t bits, uint64_t neighbour) {
        return (bits & allLanes) | (neighbour & ~allLanes);
      };
      if (onlyExec) {
        ASSERT_EQ(m.wave.exec(), wantMask) << std::hex << "exec " << exec;
        wantMask = 0x5555555555555555;
      } else if (compare) {
        wantMask = maskAt(wantMask, 0x5555555555555555);
      }
      ASSERT_EQ(m.wave.exec() >> 32 & ~(allLanes >> 32), 0u) << "lanes that the wave lacks";
      if (compare) {
        ASSERT_EQ(m.wave.s64(40), wantMask)
            << std::hex << "kinds " << kind << " exec " << exec
            << " first a=" << values[0][__builtin_ctzll((m.wave.s64(40) ^ wantMask) | 1ull << 63)];
      }
      if (carry) {
        ASSERT_EQ(m.wave.s64(42), maskAt(wantCarry, 0x3333333333333333))
            << std::hex << "carry, kinds " << kind << " exec " << exec;
      }
    }
  }
}

} // namespace

void check(const Spec &spec) {
  checkOne(spec);
  if (spec.target != Target::gfx90a || !spec.alsoRdna || testing::Test::HasFatalFailure())
    return;
  for (Target target : kRdnaTargets)
    if (hasOpcode(spec.op, target)) {
      Spec there = spec;
      there.target = target;
      checkOne(there);
    }
}

} // namespace meld::test
