// Statements in which the lanes of a wave show: votes, shuffles, the first lane, the wave's own
// state.
#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

bool Writer::lanesAllowed(const Scope &scope) {
  if (!scope.kernel || !scope.lanesKnown || (!scope.once && !wants(Feature::lanesInLoops)))
    return false;
  if (!scope.once)
    mark(Feature::lanesInLoops);
  return true;
}

// Constants of their own keep LLVM from taking two of these for one: its SimplifyCFG (15) hoists
// equal convergent calls out of both sides of a branch, where other lanes run.

void Writer::ballot(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty() || !lanesAllowed(scope))
    return;
  const std::string own = std::to_string(++names_), m = fresh("m");
  const std::string predicate = "(((" + word(r.child(), 2, scope) + ") ^ " + own + "u) & " +
                                std::to_string(1 + r.below(7)) + "u) != 0";
  switch (r.below(5)) {
  case 0:
    out.push_back(line(to + " ^= (u32)__popcll(__ballot(" + predicate + ")) + " + own + "u;"));
    break;
  case 1:
    out.push_back(line("if (" + std::string(r.chance(50) ? "__all(" : "__any(") + predicate +
                       ")) " + to + " += " + own + "u;"));
    break;
  case 2: // the lanes of the mask, one after the other
    out.push_back(line("{ u64 " + m + " = __ballot(" + predicate + "); const u32 x" + m + " = " +
                       word(r.child(), 1, scope) + ";\nwhile (" + m + ") { " + to + " = " + to +
                       " * 3 + (u32)__builtin_amdgcn_readlane((int)(x" + m + " ^ " + own +
                       "u), __builtin_ctzll(" + m + ")); " + m + " &= " + m + " - 1; } }"));
    break;
  case 3:
    out.push_back(line(to + " += (u32)__popcll(activeLanes(" + own + "u) >> (" +
                       std::to_string(r.below(20)) + ")) ^ " + own + "u;"));
    break;
  default:
    out.push_back(line("const u64 " + m + " = __ballot(" + predicate + ");\n" + to + " ^= (u32)" +
                       m + " + (u32)(" + m + " >> 32) * 7 + " + "__builtin_amdgcn_mbcnt_hi((u32)(" +
                       m + " >> 32), __builtin_amdgcn_mbcnt_lo((u32)" + m + ", 0u));"));
    scope.variables.push_back({m, Type::u64, false});
  }
}

/// A vote in each side of a branch, on what a region made that resembles the other side's.
void Writer::joinBallot(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty() || scope.depth >= 3 || !lanesAllowed(scope))
    return;
  Random like = r.child();
  const std::string what = r.chance(60)   ? "__ballot((int)P)"
                           : r.chance(50) ? "(u64)__builtin_amdgcn_readfirstlane((int)P)"
                                          : "(u64)__any((int)P)";
  Piece whole;
  for (unsigned side = 0; side < 2; ++side) {
    Random s = side ? like.altered(r.next(), 15) : like;
    const std::string x = fresh("x"), p = fresh("p"), m = fresh("m");
    auto half = [&](const std::string &head, uint32_t bit) {
      Piece h = block(head, {line(x + " = " + word(s.child(), 1, scope) + ";", true)});
      const unsigned steps = 1 + s.below(4);
      for (unsigned i = 0; i < steps; ++i) {
        Random k = s.child();
        h.kids.push_back(line(x + " = (" + x + " ^ (" + x + " >> " +
                              std::to_string(1 + k.below(8)) + ")) * " + constant(k) + " + " +
                              word(k.child(), 0, scope) + ";"));
      }
      if (s.chance(50))
        h.kids.push_back(line("mine[" + std::to_string(s.below(16)) + "] = " + x + ";"));
      h.kids.push_back(line(p + " = " + x + " & " + std::to_string(1u << bit) + "u;", true));
      h.unwraps = false, h.fixed = true;
      return h;
    };
    Piece b = side ? block("else {", {}) : withHole("if (", condition(r.child(), 2, scope), ") {");
    b.kids.push_back(line("u32 " + x + ", " + p + ";", true));
    const std::string c = condition(s.child(), 1, scope);
    b.kids.push_back(half("if (" + c + ") {", 2 * side + 1));
    b.kids.push_back(half("else {", 2 * side + 2));
    std::string read = what;
    read.replace(read.find('P'), 1, p);
    b.kids.push_back(line("u64 " + m + " = " + read + ";", true));
    if (s.chance(70))
      b.kids.push_back(line("for (u32 i = 0; i < (" + word(s.child(), 0, scope) + " & 3) + " +
                            std::to_string(1 + side) + "; ++i) " + m + " = " + m +
                            (side ? " * 7 + in[i];" : " * 3 ^ in[i];")));
    b.kids.push_back(line(to + " ^= (u32)" + m + " + (u32)(" + m + " >> 32);", true));
    b.foot = "}", b.unwraps = false;
    whole.kids.push_back(std::move(b));
  }
  out.push_back(std::move(whole));
}

void Writer::shuffle(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty() || !lanesAllowed(scope))
    return;
  const std::string own = std::to_string(++names_) + "u",
                    x = "(int)((" + word(r.child(), 2, scope) + ") + " + own + ")";
  std::string e;
  switch (r.below(7)) {
  case 0:
    e = "__shfl(" + x + ", (int)((" + word(r.child(), 1, scope) + ") & 63))";
    break;
  case 1:
    e = "__shfl_xor(" + x + ", " + std::to_string(1 + r.below(31)) + ")";
    break;
  case 2:
    e = "__shfl_up(" + x + ", " + std::to_string(1 + r.below(9)) + "u" +
        (r.chance(50) ? ", 16)" : ")");
    break;
  case 3:
    e = "__shfl_down(" + x + ", " + std::to_string(1 + r.below(9)) + "u" +
        (r.chance(50) ? ", 32)" : ")");
    break;
  case 4:
    e = "__builtin_amdgcn_ds_bpermute((int)((((" + word(r.child(), 1, scope) + ") & 63) << 2)), " +
        x + ")";
    break;
  case 5:
    e = "__builtin_amdgcn_ds_permute((int)(((lane + " + std::to_string(r.below(64)) +
        "u) & 63) << 2), " + x + ")";
    break;
  default:
    e = "__shfl(" + x + ", (int)firstActive(" + own + "))";
  }
  out.push_back(line(to + " ^= (u32)" + e + ";"));
}

void Writer::firstLane(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty() || !lanesAllowed(scope))
    return;
  const std::string own = std::to_string(++names_) + "u",
                    x = "((" + word(r.child(), 2, scope) + ") ^ " + own + ")", v = fresh("v");
  if (r.chance(25)) { // the first lane does it for all
    out.push_back(line("if (lane == firstActive(" + own + ")) atomicAdd(&acc[" +
                       std::to_string(r.below(64)) + "], (u32)__popcll(activeLanes(" + own +
                       ")) * " + own + ");"));
    return;
  }
  out.push_back(line("const u32 " + v + " = (u32)__builtin_amdgcn_" +
                     (r.chance(60) ? "readfirstlane((int)" + x + ");"
                                   : "readlane((int)" + x + ", (int)firstActive(" + own + "));")));
  scope.variables.push_back({v, Type::u32, false});
  if (r.chance(50))
    out.push_back(line(to + " += in[" + v + " & 1023] ^ " + own + ";"));
}

/// Lanes that agree with the first leave, the others come again: right whoever runs together.
void Writer::waterfall(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty() || scope.depth >= 3)
    return;
  const std::string x = fresh("x"), u = fresh("u");
  Scope inner = scope;
  inner.once = inner.canBreak = inner.canContinue = false;
  inner.variables.push_back({u, Type::u32, false});
  Piece p =
      block("{ const u32 " + x + " = (" + word(r.child(), 2, scope) + ") & 7;\nfor (;;) {", {});
  p.kids.push_back(
      line("const u32 " + u + " = (u32)__builtin_amdgcn_readfirstlane((int)" + x + ");", true));
  Piece same = block("if (" + u + " == " + x + ") {", body(r.child(), inner, 1, false));
  same.kids.push_back(
      line(to + " = " + to + " * 3 + in[" + u + " + " + std::to_string(r.below(99)) + "];"));
  same.kids.push_back(line("break;", true));
  same.fixed = true, same.unwraps = false;
  p.kids.push_back(std::move(same));
  p.foot = "} }", p.unwraps = false;
  out.push_back(std::move(p));
}

void Writer::laneMove(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty() || !lanesAllowed(scope))
    return;
  const std::string own = std::to_string(++names_) + "u",
                    x = "(int)((" + word(r.child(), 2, scope) + ") + " + own + ")",
                    old = "(int)(" + word(r.child(), 1, scope) + ")";
  static const uint32_t controls[] = {0x1b,  0xb1,  0x4e,  0x101, 0x111, 0x112,
                                      0x118, 0x121, 0x128, 0x140, 0x141};
  static const uint32_t swizzles[] = {0x041f, 0x081f, 0x101f, 0x401f, 0x001f, 0x80b1, 0x801b};
  if (r.chance(60))
    out.push_back(line(to + " ^= (u32)__builtin_amdgcn_update_dpp(" + old + ", " + x + ", " +
                       std::to_string(r.pick(controls)) + ", 15, " + (r.chance(70) ? "15" : "5") +
                       ", " + (r.chance(50) ? "true" : "false") + ");"));
  else
    out.push_back(line(to + " ^= (u32)__builtin_amdgcn_ds_swizzle(" + x + ", " +
                       std::to_string(r.pick(swizzles)) + ");"));
}

/// The rounding of the wave, changed for one side of a branch: volatile accesses hold what it
/// concerns.
void Writer::roundingMode(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (!scope.kernel || to.empty() || scope.depth >= 3)
    return;
  Random like = r.child();
  const bool both = r.chance(40);
  auto side = [&](Random s, unsigned number, const std::string &head) {
    const bool changes = number == 0 || both;
    const std::string x = fresh("x"), y = fresh("y"), z = fresh("z");
    const bool isDouble = s.chance(25);
    const std::string type = isDouble ? "double" : "float", memory = isDouble ? "db" : "fl",
                      mine = isDouble ? "gid * 2" : "gid * 4";
    Piece b = block(head, {});
    if (changes)
      b.kids.push_back(line(
          "__builtin_amdgcn_s_setreg(6145, " + std::to_string(1 + r.below(3)) + "u * 5u);", true));
    b.kids.push_back(line("volatile " + type + " *" + z + " = " + memory + " + " + mine + ";\n" +
                              type + " " + x + " = " + z + "[0], " + y + " = " + z + "[1];",
                          true));
    const unsigned steps = 2 + s.below(4);
    static const char *const ops[] = {" + ", " * ", " - "};
    for (unsigned i = 0; i < steps; ++i)
      b.kids.push_back(line(x + " = " + x + s.pick(ops) + y +
                            (s.chance(50) ? " * (" + type + ")0.3;" : " + " + x + ";")));
    b.kids.push_back(line(z + "[" + std::to_string(s.below(2)) + "] = " + x + ";", true));
    if (changes)
      b.kids.push_back(line("__builtin_amdgcn_s_setreg(6145, 0u);", true));
    else if (s.chance(50))
      b.kids.push_back(line(to + " ^= (u32)__builtin_amdgcn_s_getreg(6145);"));
    b.foot = "}", b.unwraps = false;
    return b;
  };
  Piece whole;
  whole.unwraps = false;
  whole.kids.push_back(side(like, 0, "if (" + condition(r.child(), 2, scope) + ") {"));
  if (r.chance(75))
    whole.kids.push_back(side(like.altered(r.next(), 10), 1, "else {"));
  out.push_back(std::move(whole));
}

void Writer::waveState(Random r, Scope &, Pieces &out) {
  static const char *const states[] = {"__builtin_amdgcn_s_setprio(1);",
                                       "__builtin_amdgcn_s_setprio(0);",
                                       "__builtin_amdgcn_s_sleep(1);",
                                       "__builtin_amdgcn_wave_barrier();",
                                       "asm volatile(\"s_nop 0\");",
                                       "__builtin_amdgcn_sched_barrier(0);",
                                       "__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, \"workgroup\");"};
  out.push_back(line(r.pick(states)));
}

void Writer::assembly(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty())
    return;
  const std::string x = "(" + word(r.child(), 2, scope) + ")",
                    y = "(" + word(r.child(), 1, scope) + ")";
  const std::string kind = r.chance(40) ? "asm volatile(" : "asm(";
  static const char *const binary[] = {"v_add_u32", "v_xor_b32",     "v_mul_lo_u32",
                                       "v_max_u32", "v_lshlrev_b32", "v_sub_u32"};
  switch (r.below(5)) {
  case 0:
  case 1:
    out.push_back(line(kind + "\"" + r.pick(binary) + " %0, %1, %2\" : \"=v\"(" + to +
                       ") : \"v\"(" + x + "), \"v\"(" + y + "));"));
    break;
  case 2:
    out.push_back(line(
        kind + "\"v_cmp_lt_u32 \" VCC \", %1, %2\\n\\tv_cndmask_b32 %0, %1, %2, \" VCC : \"=&v\"(" +
        to + ") : \"v\"(" + x + "), \"v\"(" + y + ") : \"vcc\");"));
    break;
  case 3:
    if (scope.kernel) {
      out.push_back(line(
          "{ u32 s;\n" + kind +
          "\"s_mul_i32 %0, %1, %2\" : \"=s\"(s) : \"s\"(__builtin_amdgcn_readfirstlane((int)m)), "
          "\"s\"(__builtin_amdgcn_readfirstlane(n)));\n" +
          to + " ^= s + " + std::to_string(r.below(99)) + "u; }"));
      break;
    }
    [[fallthrough]];
  default:
    out.push_back(
        line("asm volatile(\"\" : \"+v\"(" + to + (r.chance(50) ? ") :: \"memory\");" : "));")));
  }
}

} // namespace meld::fuzz::source
