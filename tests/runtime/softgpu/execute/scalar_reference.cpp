#include "tests/runtime/softgpu/execute/scalar_reference.h"

#include "runtime/softgpu/execute/wave.h"
#include "runtime/softgpu/isa/decoder.h"

namespace meld::softgpu::test {
namespace {

using Wide = __int128;

struct State {
  uint64_t d = 0, exec = 0;
  uint32_t scc = 0;
};

bool bitOf(uint64_t x, unsigned k) { return x >> k & 1; }
int64_t asSigned(uint64_t x, unsigned bits) {
  return bits == 64 ? int64_t(x) : int64_t(x << (64 - bits)) >> (64 - bits);
}

/// The opcode's suffix gives the width: "_b32", "_u64", ...; -1 for none.
int suffixBits(const std::string &op) {
  if (op.size() < 3)
    return -1;
  std::string t = op.substr(op.size() - 2);
  return t == "32" ? 32 : t == "64" ? 64 : -1;
}

/// What `op` (without "s_") does to `s.d` (its old value on entry), EXEC and SCC. False: not known
/// here.
bool reference(const std::string &op, uint64_t a, uint64_t b, State &s) {
  auto is = [&](const char *name) { return op == name; };
  auto starts = [&](const char *name) { return op.rfind(name, 0) == 0; };
  const int bits = suffixBits(op);
  const uint64_t low = bits == 32 ? 0xffffffffull : ~0ull;
  auto put = [&](Wide x) { s.d = uint64_t(x) & low; };
  auto putNz = [&](Wide x) { put(x), s.scc = s.d != 0; };
  const Wide sa = asSigned(a, 32), sb = asSigned(b, 32), ua = uint32_t(a), ub = uint32_t(b);
  const Wide two32 = Wide(1) << 32, min32 = -(Wide(1) << 31), max32 = (Wide(1) << 31) - 1;

  if (is("add_u32"))
    return put(ua + ub), s.scc = ua + ub >= two32, true;
  if (is("sub_u32"))
    return put(ua - ub), s.scc = ua < ub, true;
  if (is("add_i32") || is("addk_i32"))
    return put(sa + sb), s.scc = sa + sb < min32 || sa + sb > max32, true;
  if (is("sub_i32"))
    return put(sa - sb), s.scc = sa - sb < min32 || sa - sb > max32, true;
  if (is("addc_u32")) {
    Wide x = ua + ub + s.scc;
    return put(x), s.scc = x >= two32, true;
  }
  if (is("subb_u32")) {
    Wide x = ua - ub - s.scc;
    return put(x), s.scc = x < 0, true;
  }
  if (is("min_i32"))
    return put(sa < sb ? sa : sb), s.scc = sa < sb, true;
  if (is("max_i32"))
    return put(sa > sb ? sa : sb), s.scc = sa > sb, true;
  if (is("min_u32"))
    return put(ua < ub ? ua : ub), s.scc = ua < ub, true;
  if (is("max_u32"))
    return put(ua > ub ? ua : ub), s.scc = ua > ub, true;
  if (is("add_nc_u64"))
    return put(Wide(a) + Wide(b)), true;
  if (is("sub_nc_u64"))
    return put(Wide(a) - Wide(b)), true;
  if (is("mul_u64"))
    return put(Wide(static_cast<unsigned __int128>(a) * b)), true;
  if (starts("cselect_"))
    return put(s.scc ? a : b), true;
  if (is("mul_i32") || is("mulk_i32"))
    return put(sa * sb), true;
  if (is("mul_hi_u32"))
    return put((ua * ub) / two32), true;
  if (is("mul_hi_i32"))
    return put((sa * sb) >> 32), true;
  if (is("absdiff_i32")) {
    uint32_t x = uint32_t(a) - uint32_t(b);
    if (bitOf(x, 31))
      x = ~x + 1;
    return putNz(x), true;
  }
  for (unsigned n = 1; n <= 4; ++n)
    if (op == "lshl" + std::to_string(n) + "_add_u32") {
      Wide x = (ua << n) + ub;
      return put(x), s.scc = x >= two32, true;
    }
  if (is("pack_ll_b32_b16"))
    return s.d = (a & 0xffff) + (b & 0xffff) * 65536, true;
  if (is("pack_lh_b32_b16"))
    return s.d = (a & 0xffff) + (b >> 16 & 0xffff) * 65536, true;
  if (is("pack_hl_b32_b16"))
    return s.d = (a >> 16 & 0xffff) + (b & 0xffff) * 65536, true;
  if (is("pack_hh_b32_b16"))
    return s.d = (a >> 16 & 0xffff) + (b >> 16 & 0xffff) * 65536, true;

  // Logic, bit by bit.
  struct Logic {
    const char *name;
    int table;
  }; // bit (2*a + b)
  static const Logic logic[] = {{"and_b", 8},   {"or_b", 14},  {"xor_b", 6}, {"andn2_b", 4},
                                {"orn2_b", 13}, {"nand_b", 7}, {"nor_b", 1}, {"xnor_b", 9}};
  for (auto &l : logic)
    if (starts(l.name)) {
      uint64_t x = 0;
      for (int k = 0; k < bits; ++k)
        x |= uint64_t(l.table >> (2 * bitOf(a, k) + bitOf(b, k)) & 1) << k;
      return putNz(Wide(x)), true;
    }
  // D = EXEC, EXEC = S0 op EXEC (saveexec); D = EXEC = S0 op EXEC (wrexec).
  static const Logic masks[] = {{"and_", 8},   {"or_", 14},  {"xor_", 6}, {"andn2_", 4},
                                {"orn2_", 13}, {"nand_", 7}, {"nor_", 1}, {"xnor_", 9},
                                {"andn1_", 2}, {"orn1_", 11}};
  for (auto &l : masks)
    for (const char *kind : {"saveexec_b64", "wrexec_b64", "saveexec_b32", "wrexec_b32"})
      if (op == std::string(l.name) + kind) {
        uint64_t x = 0;
        for (int k = 0; k < bits; ++k)
          x |= uint64_t(l.table >> (2 * bitOf(a, k) + bitOf(s.exec, k)) & 1) << k;
        s.d = (kind[0] == 's' ? s.exec : x) & low;
        s.exec = (s.exec & ~low) | x;
        return s.scc = x != 0, true;
      }

  if (starts("lshl_b"))
    return putNz(Wide(static_cast<unsigned __int128>(a) << (b % bits))), true;
  if (starts("lshr_b"))
    return putNz(Wide(a & low) >> (b % bits)), true;
  if (starts("ashr_i"))
    return putNz(Wide(asSigned(a, bits)) >> (b % bits)), true;
  if (starts("bfm_b")) {
    uint64_t x = 0;
    for (unsigned k = 0; k < a % bits; ++k)
      if (k + b % bits < unsigned(bits))
        x |= 1ull << (k + b % bits);
    return put(Wide(x)), true;
  }
  if (starts("bfe_")) {
    const unsigned offset = b % bits, width = b >> 16 & 127;
    uint64_t x = 0;
    bool top = false;
    for (unsigned k = 0; k < unsigned(bits); ++k) {
      // Beyond the field: zero or the field's top bit; beyond the source: as a shift would fill.
      bool fromSource = k < width, in = offset + k < unsigned(bits);
      bool isSigned = op[4] == 'i';
      bool bit = fromSource ? (in ? bitOf(a, offset + k) : isSigned && bitOf(a, bits - 1))
                            : isSigned && width && top;
      if (fromSource)
        top = bit;
      x |= uint64_t(bit) << k;
    }
    return putNz(Wide(x)), true;
  }
  if (starts("mov_b") || is("movk_i32"))
    return put(Wide(is("movk_i32") ? b : a)), true;
  if (starts("cmov_b") || is("cmovk_i32")) {
    if (s.scc)
      put(Wide(is("cmovk_i32") ? b : a));
    return true;
  }
  if (starts("not_b"))
    return putNz(~Wide(a)), true;
  if (starts("wqm_b") || starts("quadmask_b")) {
    uint64_t x = 0;
    for (int k = 0; k < bits; ++k) {
      bool any = bitOf(a, k / 4 * 4) || bitOf(a, k / 4 * 4 + 1) || bitOf(a, k / 4 * 4 + 2) ||
                 bitOf(a, k / 4 * 4 + 3);
      if (any)
        x |= 1ull << (starts("wqm") ? k : k / 4);
    }
    return putNz(Wide(x)), true;
  }
  if (starts("brev_b")) {
    uint64_t x = 0;
    for (int k = 0; k < bits; ++k)
      x |= uint64_t(bitOf(a, k)) << (bits - 1 - k);
    return put(Wide(x)), true;
  }
  if (starts("bcnt")) {
    uint64_t n = 0;
    for (int k = 0; k < bits; ++k)
      n += bitOf(a, k) == (op[4] == '1');
    return s.d = n, s.scc = n != 0, true;
  }
  if (starts("ff")) {
    s.d = 0xffffffff;
    for (int k = bits; k-- > 0;)
      if (bitOf(a, k) == (op[2] == '1'))
        s.d = unsigned(k);
    return true;
  }
  if (is("flbit_i32_b32") || is("flbit_i32_b64")) {
    s.d = 0xffffffff;
    for (int k = 0; k < bits; ++k)
      if (bitOf(a, k))
        s.d = unsigned(bits - 1 - k);
    return true;
  }
  if (is("flbit_i32") || is("flbit_i32_i64")) {
    s.d = 0xffffffff;
    for (int k = 0; k < bits; ++k)
      if (bitOf(a, k) != bitOf(a, bits - 1))
        s.d = unsigned(bits - 1 - k);
    return true;
  }
  if (is("sext_i32_i8"))
    return s.d = uint32_t((int(a & 0xff) ^ 0x80) - 0x80), true;
  if (is("sext_i32_i16"))
    return s.d = uint32_t((int(a & 0xffff) ^ 0x8000) - 0x8000), true;
  if (is("abs_i32"))
    return putNz(sa < 0 ? -sa : sa), true;
  if (starts("bitset")) {
    uint64_t bit = 1ull << (a % bits);
    return s.d = op[6] == '1' ? s.d | bit : s.d & ~bit, true;
  }
  if (is("bitreplicate_b64_b32")) {
    s.d = 0;
    for (unsigned k = 0; k < 64; ++k)
      s.d |= uint64_t(bitOf(a, k / 2)) << k;
    return true;
  }
  if (starts("bitcmp"))
    return s.scc = bitOf(a, b % bits) == (op[6] == '1'), true;
  if (starts("cmp_") || starts("cmpk_")) {
    std::string rest = op.substr(op.find('_') + 1), how = rest.substr(0, 2);
    Wide x, y;
    if (rest.substr(3) == "u64")
      x = Wide(a), y = Wide(b);
    else if (rest[3] == 'i')
      x = sa, y = sb;
    else
      x = ua, y = starts("cmpk") ? Wide(b & 0xffff) : ub;
    s.scc = how == "eq"   ? x == y
            : how == "lg" ? x != y
            : how == "gt" ? x > y
            : how == "ge" ? x >= y
            : how == "lt" ? x < y
                          : x <= y;
    return true;
  }
  return false;
}

const uint64_t edges[] = {0,
                          1,
                          2,
                          5,
                          31,
                          32,
                          33,
                          63,
                          64,
                          0x7f,
                          0x80,
                          0xffff,
                          0x8000,
                          0xffff8001,
                          0x7fffffff,
                          0x80000000,
                          0xffffffff,
                          0xfffffff9,
                          0x12345678,
                          0x00200000,
                          0x00210004,
                          0x00400000,
                          0x0041003f,
                          0x00080010,
                          0x7fffffffffffffff,
                          0x8000000000000000,
                          0xffffffffffffffff,
                          0x0000000100000000,
                          0xf0f0f0f00f0f0f0f,
                          0x00f0000000000000};

} // namespace

std::set<std::string> checkScalarOpcodes(const TestCode &code, isa::Target target) {
  const auto *at = static_cast<const uint8_t *>(code.symbol("scalar_begin"));
  const auto *end = static_cast<const uint8_t *>(code.symbol("scalar_end"));
  const bool wave32 = isa::traitsOf(target).waveSize == 32;
  std::set<std::string> seen;
  uint64_t random = 99;
  while (at < end) {
    isa::Inst inst;
    const isa::DecodeStatus status = isa::decode(at, size_t(end - at) + 4, target, inst);
    EXPECT_EQ(status, isa::DecodeStatus::ok) << end - at;
    if (status != isa::DecodeStatus::ok)
      break;
    at += inst.size;
    ExecInst e[2] = {};
    e[0].inst = &inst;
    const bool known = prepareScalar(e[0], target);
    EXPECT_TRUE(known) << isa::mnemonic(inst.op);
    if (!known)
      continue;
    const std::string op(isa::mnemonic(inst.op).substr(2));
    seen.insert(op);
    for (uint64_t x : edges)
      for (uint64_t y : edges)
        for (uint32_t scc : {0u, 1u}) {
          Wave w;
          w.waveSize = wave32 ? 32 : 64;
          w.scc = scc;
          for (auto &s : w.s)
            s = uint32_t((random = random * 6364136223846793005 + 1442695040888963407) >> 32);
          w.setS64(2, x);
          w.setS64(4, y);
          if (x == 1)
            w.setS64(isa::Sgpr::vcc, 0);
          if (y == 1)
            w.setS64(isa::Sgpr::exec, 0);
          if (wave32)
            w.s[isa::Sgpr::exec + 1] = 0;
          const Wave before = w;
          // Sources as the decoder describes them.
          uint64_t source[2] = {};
          for (unsigned k = 0; k < 2; ++k) {
            const isa::Operand &o = inst.src[k];
            if (o.kind == isa::Operand::Kind::sgpr)
              source[k] = o.dwords == 2 ? w.s64(o.index) : w.s[o.index];
            else if (o.kind == isa::Operand::Kind::imm)
              source[k] = o.value;
            else if (o.kind == isa::Operand::Kind::special)
              source[k] = o.index == 253   ? scc
                          : o.index == 252 ? w.exec() == 0
                          : wave32         ? w.s[isa::Sgpr::vcc] == 0
                                           : w.s64(isa::Sgpr::vcc) == 0;
          }
          State s{0, w.s64(isa::Sgpr::exec), scc};
          const bool isK = inst.enc == isa::Enc::SOPK;
          const unsigned dst =
              inst.dst.kind == isa::Operand::Kind::sgpr ? inst.dst.index : inst.src[0].index;
          const bool writes = inst.enc != isa::Enc::SOPC && op.rfind("cmpk", 0) != 0;
          const bool wide = inst.dst.dwords == 2;
          if (isK)
            source[0] = w.s[dst], source[1] = uint64_t(int64_t(inst.simm));
          if (writes)
            s.d = wide ? w.s64(dst) : w.s[dst];
          const bool hasReference = reference(op, source[0], source[1], s);
          EXPECT_TRUE(hasReference) << op;
          if (!hasReference)
            return seen;
          EXPECT_EQ(e[0].run(&e[0], w), &e[1]);

          auto context = [&] {
            return isa::disassemble(inst, target) + " " + std::to_string(x) + " " +
                   std::to_string(y);
          };
          Wave want = before;
          want.scc = s.scc;
          want.setS64(isa::Sgpr::exec, s.exec);
          if (writes && wide)
            want.setS64(dst, s.d);
          else if (writes)
            want.s[dst] = uint32_t(s.d);
          if (wave32)
            want.s[isa::Sgpr::exec + 1] = 0; // whatever was written there
          EXPECT_EQ(w.scc, want.scc) << context();
          for (unsigned k = 0; k < isa::Sgpr::sink; ++k)
            EXPECT_EQ(w.s[k], want.s[k]) << context() << ": s" << k;
          if (testing::Test::HasFailure())
            return seen;
        }
  }
  return seen;
}

} // namespace meld::softgpu::test
