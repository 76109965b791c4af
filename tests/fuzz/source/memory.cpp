// Statements on memory that this thread owns, through names, pointers, structs and vectors.
#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

static const Array *anArray(Random &r, const Scope &scope, bool (*fits)(const Array &)) {
  std::vector<const Array *> list;
  for (const Array &a : scope.arrays)
    if (fits(a))
      list.push_back(&a);
  return list.empty() ? nullptr : list[r.below(static_cast<uint32_t>(list.size()))];
}

static bool isWindow(const Array &a) {
  return a.type == Type::u32 && a.stride.empty() && a.size >= 8 && a.writable && !a.isVolatile;
}

void Writer::store(Random r, Scope &scope, Pieces &out) {
  const Array *array = anArray(r, scope, [](const Array &a) { return a.writable; });
  if (!array)
    return;
  const std::string place = element(*array, r.chance(40) ? constant(r) : word(r.child(), 1, scope));
  const std::string e = value(r.child(), array->type, 2, scope);
  out.push_back(isFloat(array->type)
                    ? line(place + " = " + e + ";")
                    : withHole(place + " = (" + typeName(array->type) + ")(", e, ");"));
}

void Writer::privateArray(Random r, Scope &scope, Pieces &out) {
  const std::string p = fresh("p"), i = fresh("i");
  const uint32_t size = 4u << r.below(3);
  out.push_back(line("u32 " + p + "[" + std::to_string(size) + "];\nfor (u32 " + i + " = 0; " + i +
                     " < " + std::to_string(size) + "; ++" + i + ") " + p + "[" + i + "] = " + i +
                     " * " + constant(r) + " + " + word(r.child(), 1, scope) + ";"));
  scope.arrays.push_back({p, Type::u32, size});
}

/// Arrays that live in braces, one after the other or inside each other, and whose addresses are
/// taken: their life is marked, and their places may be shared.
void Writer::scopedArrays(Random r, Scope &scope, Pieces &out) {
  const std::string size = std::to_string(8u << r.below(3));
  std::vector<const Variable *> targets;
  for (const Variable &v : scope.variables)
    if (v.writable && v.type == Type::u32)
      targets.push_back(&v);
  if (targets.empty() || fill_.empty())
    return;
  const std::string to = targets[r.below(static_cast<uint32_t>(targets.size()))]->name;
  const unsigned blocks = 1 + r.below(3);
  Scope inner = scope;
  std::string outer;
  if (r.chance(40)) {
    outer = fresh("p");
    out.push_back(line("u32 " + outer + "[" + size + "];\n" + fill_ + "(" + outer + ", " + size +
                       ", " + word(r.child(), 1, scope) + ");"));
  }
  for (unsigned k = 0; k < blocks; ++k) {
    const std::string p = fresh("p");
    Piece b = block("{", {line("u32 " + p + "[" + size + "];\n" + fill_ + "(" + p + ", " + size +
                                   ", " + word(r.child(), 2, scope) + ");",
                               true)});
    inner.arrays = scope.arrays;
    inner.arrays.push_back({p, Type::u32, 8});
    if (scope.depth < 3)
      for (Piece &piece : body(r.child(), inner, r.below(2), true))
        b.kids.push_back(std::move(piece));
    b.kids.push_back(line(to + " += " + fold_ + "(" + p + ", " + size + ", " +
                          word(r.child(), 1, scope) + ");"));
    if (!outer.empty() && r.chance(60))
      b.kids.push_back(line(to + " ^= " + fold_ + "(" + outer + ", " + size + ", " +
                            std::to_string(r.below(8)) + "u);"));
    b.foot = "}", b.unwraps = false;
    out.push_back(std::move(b));
  }
}

/// A pointer that is one of two, perhaps of different address spaces.
void Writer::genericPointer(Random r, Scope &scope, Pieces &out) {
  const Array *a = anArray(r, scope, isWindow), *b = anArray(r, scope, isWindow);
  if (!a || !b)
    return;
  const std::string p = fresh("q");
  const uint32_t move = r.below(5);
  out.push_back(line("u32 *" + p + " = (" + condition(r.child(), 1, scope) + ") ? " + a->base +
                     " : " + b->base + ";"));
  if (move)
    out.push_back(withHole(p + " += ((", word(r.child(), 1, scope), ") & 3u);"));
  scope.arrays.push_back({p, Type::u32, 4});
}

/// A call whose parameters are restrict: what it writes lies in another window than what it reads,
/// in this call. The next may have them the other way round.
void Writer::restrictCall(Random r, Scope &scope, Pieces &out) {
  const Array *a = anArray(r, scope, isWindow);
  if (!a || restricts_.empty())
    return;
  const Array *b = anArray(r, scope, isWindow);
  // Two windows of one array, or one in each of two that cannot overlap: a pointer may be either.
  const bool named = a->base[0] != 'q' && b->base[0] != 'q' && a->base != b->base;
  const std::string one = a->base, two = named ? b->base : "(" + a->base + " + 4)";
  const std::string f = restricts_[r.below(static_cast<uint32_t>(restricts_.size()))];
  std::vector<const Variable *> targets;
  for (const Variable &v : scope.variables)
    if (v.writable && v.type == Type::u32)
      targets.push_back(&v);
  if (targets.empty())
    return;
  const std::string to = targets[r.below(static_cast<uint32_t>(targets.size()))]->name;
  const std::string extra = word(r.child(), 1, scope);
  if (r.chance(35) || scope.depth >= 3) {
    out.push_back(line(to + " = " + f + "(in, " + one + ", " + two + ", " + extra + ");"));
    return;
  }
  const std::string i = fresh("i"), turn = r.chance(60) ? i : fresh("s");
  Piece p = block("for (u32 " + i + " = 0; " + i + " < " + std::to_string(2 + r.below(4)) + "; ++" +
                      i + ") {",
                  {});
  if (turn != i)
    p.kids.push_back(line("const u32 " + turn + " = " + word(r.child(), 2, scope) + ";", true));
  const std::string s = "(" + turn + " & 1 ? " + one + " : " + two + ")",
                    d = "(" + turn + " & 1 ? " + two + " : " + one + ")";
  const std::string text = to + " = " + f + "(in, " + d + ", " + s + ", " + extra + ");";
  if (r.chance(60)) { // the scope is in one side of a branch
    Scope inner = scope;
    inner.once = inner.canBreak = inner.canContinue = false;
    Piece whole, yes = withHole("if (", condition(r.child(), 1, scope), ") {"),
                 no = block("else {", {});
    yes.kids.push_back(line(text));
    yes.foot = "}", no.unwraps = false;
    if (r.chance(40))
      no.kids.push_back(
          line(to + " = " + f + "(in, " + s + ", " + d + ", " + word(r.child(), 1, scope) + ");"));
    else
      no.kids = body(r.child(), inner, 2, false);
    whole.kids = {std::move(yes), std::move(no)};
    p.kids.push_back(std::move(whole));
  } else {
    p.kids.push_back(line(text));
  }
  p.unwraps = false;
  out.push_back(std::move(p));
}

void Writer::copyBytes(Random r, Scope &scope, Pieces &out) {
  const Array *a = anArray(r, scope, isWindow);
  if (!a)
    return;
  const uint32_t words = 1 + r.below(4);
  const std::string bytes = std::to_string(4 * words);
  switch (r.below(3)) {
  case 0:
    out.push_back(line("__builtin_memset(" + a->base + " + " + std::to_string(r.below(4)) + ", " +
                       std::to_string(r.below(256)) + ", " + bytes + ");"));
    break;
  case 1:
    out.push_back(line("__builtin_memcpy(" + a->base + ", " + a->base + " + 4, " + bytes + ");"));
    break;
  default:
    out.push_back(line("__builtin_memmove(" + a->base + " + " + std::to_string(r.below(4)) + ", " +
                       a->base + " + " + std::to_string(r.below(4)) + ", " + bytes + ");"));
  }
}

void Writer::addFields(Scope &scope, const std::string &name) const {
  for (const auto &[field, type] : fields_)
    scope.variables.push_back({name + "." + field, type, true});
  scope.arrays.push_back({name + ".d", Type::u32, 4});
}

void Writer::structValue(Random r, Scope &scope, Pieces &out) {
  const std::string s = fresh("s");
  if (wants(Feature::bitFields))
    mark(Feature::bitFields);
  const uint32_t form = r.below(5);
  const bool known = !scope.structs.empty() && !structFunction_.empty();
  if (form == 0 && known) {
    const std::string from = scope.structs[r.below(static_cast<uint32_t>(scope.structs.size()))];
    out.push_back(line(structType_ + " " + s + " = " + structFunction_ + "(in, " + from + ", " +
                       word(r.child(), 2, scope) + ");"));
  } else if (form == 1 && known) {
    const std::string from = scope.structs[r.below(static_cast<uint32_t>(scope.structs.size()))];
    out.push_back(line(structType_ + " " + s + ";\n__builtin_memcpy(&" + s + ", &" + from +
                       ", sizeof " + s + ");"));
  } else if (form == 2 && known) { // an array, with an index that differs
    const std::string from = scope.structs[r.below(static_cast<uint32_t>(scope.structs.size()))],
                      list = fresh("l");
    out.push_back(line(structType_ + " " + list + "[2] = {" + from + ", " + structFunction_ +
                       "(in, " + from + ", " + word(r.child(), 1, scope) + ")};\n" + structType_ +
                       " " + s + " = " + list + "[(" + word(r.child(), 2, scope) + ") & 1];"));
  } else {
    out.push_back(line(structType_ + " " + s + " = {};"));
    out.push_back(line(s + ".a = " + word(r.child(), 2, scope) + "; " + s +
                       ".d[1] = " + word(r.child(), 2, scope) + ";"));
  }
  scope.structs.push_back(s);
  addFields(scope, s);
}

void Writer::vectorValue(Random r, Scope &scope, Pieces &out) {
  const std::string v = fresh("v");
  auto w = [&] { return word(r.child(), 2, scope); };
  static const char *const words[] = {"x", "y", "z", "w"};
  if (r.chance(60) || !(wants(Feature::floats) || wants(Feature::halves))) {
    out.push_back(line("u32x4 " + v + " = {" + w() + ", " + w() + ", " + w() + ", " + w() + "};"));
    static const char *const ops[] = {" + ", " * ", " ^ ", " - ", " & "};
    out.push_back(line(v + " = " + v + r.pick(ops) + v + (r.chance(50) ? ".wzyx" : ".yxwz") + ";"));
    for (const char *c : words)
      scope.variables.push_back({v + "." + c, Type::u32, true});
  } else if (wants(Feature::halves) && r.chance(60)) {
    const std::string a = real(r.child(), Type::f16, 2, scope),
                      b = real(r.child(), Type::f16, 2, scope);
    out.push_back(line("f16x2 " + v + " = {" + a + ", " + b + "};\n" + v + " = " + v + " * " + v +
                       ".yx + (f16)0.5;"));
    scope.variables.push_back({v + ".x", Type::f16, true});
    scope.variables.push_back({v + ".y", Type::f16, true});
  } else {
    const std::string a = real(r.child(), Type::f32, 2, scope),
                      b = real(r.child(), Type::f32, 2, scope);
    out.push_back(line("f32x2 " + v + " = {" + a + ", " + b + "};\n" + v + " = " + v + " * " + v +
                       ".yx - 0.25f;"));
    scope.variables.push_back({v + ".x", Type::f32, true});
    scope.variables.push_back({v + ".y", Type::f32, true});
  }
}

void Writer::volatileAccess(Random r, Scope &scope, Pieces &out) {
  const Array *a = anArray(r, scope, isWindow);
  if (!a)
    return;
  const std::string v = fresh("w"), at = "[(" + word(r.child(), 1, scope) + ") & 7u]";
  out.push_back(line("volatile u32 *" + v + " = " + a->base + ";\n" + v + at + " = " +
                     word(r.child(), 2, scope) + ";"));
  scope.arrays.push_back({v, Type::u32, 8, "", true, true});
}

void Writer::nontemporalAccess(Random r, Scope &scope, Pieces &out) {
  if (!scope.kernel)
    return;
  const std::string v = fresh("v");
  out.push_back(line("__builtin_nontemporal_store(" + word(r.child(), 2, scope) + ", mine + " +
                     std::to_string(r.below(16)) + ");"));
  out.push_back(line("const u32 " + v + " = __builtin_nontemporal_load(in + ((" +
                     word(r.child(), 1, scope) + ") & 1023));"));
  scope.variables.push_back({v, Type::u32, false});
}

} // namespace meld::fuzz::source
