// Statements that decide what runs: branches, loops of every kind, jumps.
#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

static constexpr unsigned deepest = 3;

static unsigned length(Random &r, const Scope &scope) { return 1 + r.below(scope.depth ? 2 : 3); }

static Piece arms(std::string head, std::string condition, Pieces then, Pieces otherwise,
                  bool both) {
  Piece whole; // without text of its own, so that both arms stay one statement
  Piece a = withHole(std::move(head), std::move(condition), ") {");
  a.kids = std::move(then), a.foot = "}";
  whole.kids.push_back(std::move(a));
  if (both) {
    Piece b = block("else {", std::move(otherwise));
    b.unwraps = false;
    whole.kids.push_back(std::move(b));
  }
  return whole;
}

void Writer::branch(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest)
    return;
  const std::string c = condition(r.child(), 1, scope);
  const unsigned count = length(r, scope);
  const uint32_t form = r.below(10);
  if (form < 3) {
    out.push_back(arms("if (", c, body(r.child(), scope, count, true), {}, false));
    return;
  }
  auto [a, b] = sides(r.child(), scope, count);
  Piece whole = arms("if (", c, std::move(a), std::move(b), true);
  if (form == 9) { // else-if
    Piece extra = withHole("else if (", condition(r.child(), 1, scope), ") {");
    extra.kids = body(r.child(), scope, count, true), extra.foot = "}", extra.unwraps = false;
    whole.kids.insert(whole.kids.begin() + 1, std::move(extra));
  }
  out.push_back(std::move(whole));
}

void Writer::uniformBranch(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest || !scope.kernel)
    return;
  const std::string c =
      "((" + uniformWord(r.child()) + ") & " + std::to_string(1u << r.below(3)) + "u) != 0";
  Pieces arm[2];
  for (Pieces &pieces : arm) {
    Scope inner = scope;
    ++inner.depth;
    statements(r.child(), length(r, scope), inner, pieces);
  }
  // No hole: what stands inside may need every thread of the workgroup.
  Piece a = block("if (" + c + ") {", std::move(arm[0])), b = block("else {", std::move(arm[1]));
  b.unwraps = false;
  Piece whole;
  whole.kids = {std::move(a), std::move(b)};
  out.push_back(std::move(whole));
}

void Writer::uniformLoop(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest - 1 || !scope.kernel)
    return;
  const std::string i = fresh("i");
  Scope inner = scope;
  ++inner.depth;
  inner.once = inner.canBreak = inner.canContinue = false;
  inner.variables.push_back({i, Type::u32, false});
  Pieces pieces;
  statements(r.child(), length(r, scope), inner, pieces);
  out.push_back(block("for (u32 " + i + " = 0; " + i + " < ((" + uniformWord(r.child()) +
                          ") & 3) + 1; ++" + i + ") {",
                      std::move(pieces)));
}

void Writer::switchOn(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest)
    return;
  const unsigned cases = 2 + r.below(3), count = length(r, scope);
  const bool fallsThrough = r.chance(40);
  Scope inner = scope;
  inner.canBreak = false; // it would be the switch's
  Piece whole = withHole("switch ((", word(r.child(), 2, scope),
                         ") % " + std::to_string(cases + r.below(2)) + "u) {");
  whole.foot = "}", whole.unwraps = false;
  Random like = r.child();
  const bool alike = use(Feature::similarSides, r, 60);
  for (unsigned i = 0; i < cases; ++i) {
    const bool last = i + 1 == cases;
    Random side = alike ? like.altered(r.next(), 15) : r.child();
    Piece c = block(last && r.chance(50) ? "default: {" : "case " + std::to_string(i) + ": {",
                    body(side, inner, count, !fallsThrough), "}");
    c.unwraps = false;
    if (!(fallsThrough && r.chance(50)))
      c.foot = "} break;";
    whole.kids.push_back(std::move(c));
  }
  out.push_back(std::move(whole));
}

void Writer::loop(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest)
    return;
  const std::string i = fresh("i"), fuel = std::to_string(2 + r.below(6)) + "u";
  Scope inner = scope;
  inner.once = false;
  inner.canBreak = inner.canContinue = true;
  const std::string bound = word(r.child(), 2, scope), c = condition(r.child(), 1, scope);
  const bool leaves = r.chance(30);
  std::string label;
  if (leaves && wants(Feature::gotos)) {
    label = fresh("L");
    inner.exits.push_back(label);
  }
  Piece p;
  inner.variables.push_back({i, Type::u32, false});
  const bool known = !wants(Feature::loopExits) && label.empty();
  std::string pragma;
  if (use(Feature::unrolled, r, 40)) {
    static const char *const pragmas[] = {"#pragma unroll\n", "#pragma unroll 2\n",
                                          "#pragma nounroll\n",
                                          "#pragma clang loop unroll_count(3)\n"};
    pragma = r.pick(pragmas);
  }
  switch (r.below(5)) {
  case 0:
  case 1:
    p = withHole(pragma + "for (u32 " + i + " = 0; " + i + " < ((", bound,
                 ") & 7); ++" + i + ") {");
    break;
  case 2:
    p = withHole(pragma + "for (u32 " + i + " = " + fuel + "; " + i + "-- && (", c, ");) {");
    break;
  case 3:
    p.head = "{ u32 " + i + " = " + fuel + ";\ndo {";
    p.foot = "} while (--" + i + " && (" + c + ")); }";
    break;
  default: // the exits are inside
    p = line(pragma + "for (u32 " + i + " = 0;; ++" + i + ") {");
    p.kids.push_back(line("if (" + i + " >= " + fuel + ") break;", true));
    p.unwraps = false;
  }
  Pieces pieces = body(r.child(), inner, length(r, scope), known && wants(Feature::lanesInLoops));
  for (Piece &piece : pieces)
    p.kids.push_back(std::move(piece));
  if (p.foot.empty())
    p.foot = "}";
  Piece whole;
  whole.kids.push_back(std::move(p));
  if (!label.empty())
    whole.kids.push_back(line(label + ": ;", true));
  out.push_back(std::move(whole));
}

void Writer::leaveLoop(Random r, Scope &scope, Pieces &out) {
  const std::string c = condition(r.child(), 1, scope);
  if (!scope.exits.empty() && use(Feature::gotos, r, 50))
    out.push_back(withHole(
        "if (", c,
        ") goto " + scope.exits[r.below(static_cast<uint32_t>(scope.exits.size()))] + ";"));
  else if (scope.canBreak)
    out.push_back(withHole("if (", c, r.chance(60) ? ") break;" : ") continue;"));
  else
    return;
  scope.lanesKnown = false;
}

void Writer::jumpForward(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest)
    return;
  const std::string label = fresh("L");
  Piece whole;
  Scope inner = scope;
  inner.exits.push_back(label);
  whole.kids.push_back(withHole("if (", condition(r.child(), 1, scope), ") goto " + label + ";"));
  whole.kids.push_back(block("{", body(r.child(), inner, length(r, scope), false)));
  // A second way over a part: the label is reached from three places.
  if (r.chance(50)) {
    whole.kids.push_back(withHole("if (", condition(r.child(), 1, scope), ") goto " + label + ";"));
    whole.kids.push_back(block("{", body(r.child(), inner, 1, false)));
  }
  whole.kids.push_back(line(label + ": ;", true));
  whole.unwraps = false;
  out.push_back(std::move(whole));
}

/// A cycle with two entries. The counter is the same in all lanes that are in the cycle, and
/// differs behind it where they leave it at different times.
void Writer::jumpIntoLoop(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest)
    return;
  const std::string id = fresh(""), f = "f" + id, c = "c" + id, v = "v" + id, a = "A" + id,
                    b = "B" + id;
  Piece whole;
  whole.unwraps = false;
  Scope inner = scope;
  inner.once = inner.canBreak = inner.canContinue = false;
  inner.exits.clear();
  inner.variables.push_back({c, Type::u32, false});
  const bool reads = r.chance(60);
  out.push_back(line("u32 " + f + " = " + std::to_string(3 + r.below(30)) + "u, " + c + " = 0, " +
                     v + " = 0;"));
  const std::string entry =
      r.chance(50) ? "((" + (scope.kernel ? uniformWord(r.child()) : word(r.child(), 1, scope)) +
                         ") & 1) != 0"
                   : condition(r.child(), 1, scope);
  whole.kids.push_back(withHole("if (", entry, ") goto " + b + ";"));
  whole.kids.push_back(line(a + ": " + c + " += " + std::to_string(1 + r.below(4)) + "u;", true));
  whole.kids.push_back(block("{", body(r.child(), inner, 1 + r.below(2), false)));
  whole.kids.push_back(line(b + ": " + c + " += 3u;", true));
  if (reads)
    whole.kids.push_back(line(v + " = in[" + c + " & 1023];"));
  whole.kids.push_back(block("{", body(r.child(), inner, r.below(2), false)));
  const bool counts = reads && r.chance(50);
  whole.kids.push_back(withHole("if (" + f + " && (",
                                counts
                                    ? "(" + v + " & 15) != (" + word(r.child(), 1, scope) + " & 15)"
                                    : condition(r.child(), 1, scope),
                                ")) { --" + f + "; goto " + a + "; }"));
  out.push_back(std::move(whole));
  scope.variables.push_back({c, Type::u32, false});
  scope.variables.push_back({v, Type::u32, false});
  if (r.chance(50)) {
    auto [left, right] = sides(r.child(), scope, 2);
    out.push_back(arms("if (",
                       v + " == " + std::to_string(r.below(30)) + "u || " + c + " > " +
                           std::to_string(r.below(20)) + "u",
                       std::move(left), std::move(right), true));
  }
}

/// Duff's device: the cases of a switch are entries of a loop.
void Writer::switchIntoLoop(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest)
    return;
  const std::string f = fresh("f");
  Scope inner = scope;
  inner.once = inner.canBreak = inner.canContinue = false;
  inner.exits.clear();
  Piece whole = withHole("{ u32 " + f + " = " + std::to_string(1 + r.below(4)) + "u;\nswitch ((",
                         word(r.child(), 2, scope), ") % 3u) {\ncase 0: do {");
  whole.unwraps = false;
  whole.kids.push_back(block("{", body(r.child(), inner, 1, false)));
  whole.kids.push_back(line("case 1: ;", true));
  whole.kids.push_back(block("{", body(r.child(), inner, 1, false)));
  whole.kids.push_back(line("case 2: ;", true));
  whole.kids.push_back(block("{", body(r.child(), inner, 1, false)));
  whole.foot = "} while (--" + f + "); } }";
  out.push_back(std::move(whole));
}

void Writer::returnEarly(Random r, Scope &scope, Pieces &out) {
  if (scope.returns.empty())
    return;
  Piece p = withHole("if (", condition(r.child(), 1, scope), ") {");
  if (scope.kernel)
    p.kids.push_back(line("out[gid * 16 + 15] = " + word(r.child(), 2, scope) + ";"));
  p.kids.push_back(line(scope.kernel ? scope.returns : "return " + scope.returns + ";"));
  p.foot = "}", p.unwraps = false;
  out.push_back(std::move(p));
  scope.wholeBlock = false;
  if (!scope.kernel)
    scope.lanesKnown = false;
}

/// A variable that has a value under a condition only, and is read under it only.
void Writer::setUnderCondition(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest)
    return;
  const std::string have = fresh("have"), v = fresh("v");
  out.push_back(line("const bool " + have + " = " + condition(r.child(), 1, scope) + ";\nu32 " + v +
                     ";\nif (" + have + ") " + v + " = " + word(r.child(), 2, scope) + ";"));
  Scope inner = scope;
  inner.variables.push_back({v, Type::u32, false});
  Pieces between;
  statements(r.child(), r.below(2), scope, between);
  for (Piece &p : between)
    out.push_back(std::move(p));
  // The guard is no hole: without it the variable has no value.
  Piece guard = block("if (" + have + ") {", {});
  guard.unwraps = false;
  auto [a, b] = sides(r.child(), inner, 1 + r.below(2));
  guard.kids.push_back(arms("if (", v + " == " + constant(r) + " || (" + v + " & 4)", std::move(a),
                            std::move(b), true));
  if (r.chance(40) && scope.depth < deepest - 1) {
    const std::string i = fresh("i");
    Piece around = block("for (u32 " + i + " = 0; " + i + " < 3; ++" + i + ") {", {});
    around.kids.push_back(std::move(guard));
    around.unwraps = false;
    out.push_back(std::move(around));
    return;
  }
  out.push_back(std::move(guard));
}

void Writer::assume(Random r, Scope &scope, Pieces &out) {
  const std::string v = fresh("v");
  const uint32_t bits = 1 + r.below(16), limit = 1u << bits;
  out.push_back(line("const u32 " + v + " = (" + word(r.child(), 2, scope) + ") & " +
                     std::to_string(limit - 1) + "u;\n__builtin_assume(" + v + " < " +
                     std::to_string(limit) + "u);"));
  scope.variables.push_back({v, Type::u32, false});
  if (scope.depth >= deepest)
    return;
  Pieces a = body(r.child(), scope, 1, true);
  out.push_back(arms(r.chance(50) ? "if (__builtin_expect(" : "if (__builtin_expect(!",
                     "(" + v + " & 3) == 1", std::move(a), {}, false));
  out.back().kids[0].tail = ", " + std::to_string(r.below(2)) + ")) {";
}

void Writer::impossible(Random r, Scope &scope, Pieces &out) {
  if (scope.depth >= deepest)
    return;
  Piece whole = withHole("switch ((", word(r.child(), 2, scope), ") & 3u) {");
  whole.unwraps = false;
  const unsigned count = 1 + r.below(2);
  Random like = r.child();
  for (unsigned i = 0; i < 4; ++i) {
    Scope inner = scope;
    inner.canBreak = false;
    Piece c = block("case " + std::to_string(i) + ": {",
                    body(like.altered(r.next(), 20), inner, count, true), "} break;");
    c.unwraps = false, c.fixed = true;
    whole.kids.push_back(std::move(c));
  }
  whole.foot = "default: __builtin_unreachable(); }";
  out.push_back(std::move(whole));
}

/// A loop whose iterations do not touch each other's elements, and that says so.
void Writer::parallelLoop(Random r, Scope &scope, Pieces &out) {
  std::vector<const Array *> list;
  for (const Array &a : scope.arrays)
    if (a.writable && a.stride.empty() && a.size >= 4 && a.type == Type::u32 && !a.isVolatile)
      list.push_back(&a);
  if (list.empty())
    return;
  const Array &array = *list[r.below(static_cast<uint32_t>(list.size()))];
  const std::string i = fresh("i");
  Scope inner = scope; // no other accesses than the element's own
  inner.arrays.clear();
  inner.variables.push_back({i, Type::u32, false});
  out.push_back(
      line(std::string("#pragma clang loop ") +
           (r.chance(50) ? "vectorize(assume_safety)" : "vectorize_width(2) interleave(enable)") +
           "\nfor (u32 " + i + " = 0; " + i + " < 4; ++" + i + ") " + array.base + "[" + i +
           "] = " + array.base + "[" + i + "] * 3 + " + word(r.child(), 2, inner) + ";"));
}

} // namespace meld::fuzz::source
