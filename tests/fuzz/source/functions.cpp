// Types and functions of file scope, and the statements that call some of them.
#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

void Writer::makeStruct(Random r) {
  structType_ = "S" + std::to_string(seed_);
  std::string text = "struct " + structType_ + " { u32 a;";
  fields_.emplace_back("a", Type::u32);
  auto field = [&](const char *declaration, const char *name, Type type) {
    text += std::string(" ") + declaration + ";";
    fields_.emplace_back(name, type);
  };
  if (r.chance(50))
    field("u8 b", "b", Type::u8);
  if (wants(Feature::bitFields)) {
    field("u32 f : 5", "f", Type::u32);
    if (r.chance(60))
      field("u32 g : 17", "g", Type::u32);
    if (r.chance(50))
      field("int h : 9", "h", Type::i32);
  }
  if (r.chance(40))
    field("short c", "c", Type::i16);
  text += " u32 d[4];";
  if (r.chance(50))
    field("struct { u8 x; float y; } in", "in.x", Type::u8),
        fields_.emplace_back("in.y", Type::f32);
  if (r.chance(40))
    field("u64 w", "w", Type::u64);
  if (r.chance(40))
    field("u32x2 v", "v.y", Type::u32);
  file_.push_back(line(text + " };"));

  const std::string name = "sf" + std::to_string(seed_);
  Scope scope = functionScope();
  scope.variables = {{"x", Type::u32, true}};
  addFields(scope, "s");
  scope.returns = "s";
  Piece p = block((r.chance(50) ? "NOINLINE " : "INLINABLE ") + structType_ + " " + name +
                      "(const u32 *in, " + structType_ + " s, u32 x) {",
                  {});
  statements(r.child(), 2 + r.below(3), scope, p.kids);
  p.kids.push_back(line("return s;", true));
  p.foot = "}", p.unwraps = false;
  file_.push_back(std::move(p));
  structFunction_ = name; // from here on: not inside itself
}

Scope Writer::functionScope() const {
  Scope scope;
  scope.depth = 1;
  scope.kernel = scope.wholeBlock = scope.lanesKnown = scope.once = false;
  return scope;
}

void Writer::makeFunction(Random r, const char *kind, Feature feature, bool words) {
  Callee c;
  c.name = fresh("f") + "_" + std::to_string(seed_);
  c.feature = feature;
  c.result = words ? Type::u32 : anyType(r);
  Scope scope = functionScope();
  std::string text = std::string(kind) + " " + typeName(c.result) + " " + c.name + "(const u32 *in";
  const unsigned count = words ? 2 : 1 + r.below(3);
  for (unsigned i = 0; i < count; ++i) {
    const Type type = words ? Type::u32 : anyType(r);
    const std::string name = "x" + std::to_string(i);
    c.parameters.push_back(type);
    text += std::string(", ") + typeName(type) + " " + name;
    scope.variables.push_back({name, type, true});
  }
  const std::string start = word(r.child(), 1, scope);
  scope.variables.push_back({"y", Type::u32, true});
  if (r.chance(40))
    scope.returns = convert(Type::u32, c.result, "y");
  Piece p = block(text + ") {", {line("u32 y = " + start + ";", true)});
  scope.depth = 2;
  statements(r.child(), 1 + r.below(2), scope, p.kids);
  const std::string result = value(r.child(), c.result, 2, scope);
  if (isFloat(c.result)) {
    p.kids.push_back(line("return " + result + ";", true));
  } else {
    p.kids.push_back(withHole(std::string("return (") + typeName(c.result) + ")(", result, ");"));
    p.kids.back().fixed = true;
  }
  p.foot = "}", p.unwraps = false;
  file_.push_back(std::move(p));
  (words ? indirect_ : callees_).push_back(std::move(c));
}

void Writer::makeRestrictFunction(Random r) {
  const std::string name = fresh("g") + "_" + std::to_string(seed_);
  Scope scope = functionScope();
  scope.depth = 2;
  scope.variables = {{"x", Type::u32, true}, {"y", Type::u32, true}};
  scope.arrays = {{"d", Type::u32, 4}, {"s", Type::u32, 4}};
  scope.arrays[1].writable = false;
  static const char *const kinds[] = {"INLINE", "INLINABLE", "INLINABLE", "NOINLINE"};
  Piece p = block(std::string(r.pick(kinds)) + " u32 " + name +
                      "(const u32 *in, u32 *__restrict__ d, const u32 *__restrict__ s, u32 x) {",
                  {line("u32 y = s[x & 3];", true)});
  // Something to reorder: a load through one, dependent loads, arithmetic, a store through the
  // other.
  if (r.chance(60))
    p.kids.push_back(
        line("y = in[(in[(s[" + std::to_string(r.below(4)) + "] + x) & 1023] + y) & 1023];"));
  statements(r.child(), r.below(3), scope, p.kids);
  const unsigned steps = r.below(4);
  for (unsigned i = 0; i < steps; ++i)
    p.kids.push_back(
        line("y = (y ^ (y >> " + std::to_string(1 + r.below(9)) + ")) * " + constant(r) + " + x;"));
  const std::string k = std::to_string(r.below(4));
  p.kids.push_back(line("d[" + k + "] = y + " + word(r.child(), 1, scope) + ";"));
  if (r.chance(50))
    p.kids.push_back(line("y += s[" + k + "];"));
  p.kids.push_back(line("return y;", true));
  p.foot = "}", p.unwraps = false;
  file_.push_back(std::move(p));
  restricts_.push_back(name);
}

void Writer::makeRecursion(Random r) {
  const std::string name = "r" + std::to_string(seed_);
  Scope scope = functionScope();
  scope.depth = 2;
  scope.variables = {{"x", Type::u32, true}, {"y", Type::u32, true}};
  Piece p = block("NOINLINE u32 " + name + "(const u32 *in, u32 fuel, u32 x) {",
                  {line("u32 y = x * 3;", true)});
  statements(r.child(), r.below(3), scope, p.kids);
  p.kids.push_back(line("if (fuel == 0) return y;", true));
  p.kids.push_back(withHole("if (", condition(r.child(), 2, scope), ") return x ^ y;"));
  const std::string again = name + "(in, fuel - 1, ";
  p.kids.push_back(
      r.chance(50)
          ? line("return " + again + "x * 5 + y) ^ " + again + "y >> 1);", true)
          : line("y += " + again + word(r.child(), 1, scope) + ");\nreturn y * 7 + x;", true));
  p.foot = "}", p.unwraps = false;
  file_.push_back(std::move(p));
  recursive_ = name;
}

void Writer::makeArrayFunctions(Random r) {
  fill_ = "fill" + std::to_string(seed_), fold_ = "fold" + std::to_string(seed_);
  const char *kind = r.chance(70) ? "NOINLINE" : "INLINABLE";
  file_.push_back(
      line(std::string(kind) + " void " + fill_ +
           "(u32 *p, u32 size, u32 x) { for (u32 i = 0; i < size; ++i) p[i] = x * (i + " +
           constant(r) + "); }"));
  file_.push_back(line(std::string(kind) + " u32 " + fold_ +
                       "(const u32 *p, u32 size, u32 k) { u32 x = k; for (u32 i = 0; i < size; "
                       "++i) x = x * 3 + p[(i + k) % size]; return x; }"));
}

void Writer::makeFunctions(Random r) {
  if (wants(Feature::scopedArrays))
    makeArrayFunctions(r.child());
  if (wants(Feature::structs))
    makeStruct(r.child());
  if (wants(Feature::calls))
    for (unsigned i = 1 + r.below(2); i--;)
      makeFunction(r.child(), r.chance(50) ? "INLINE" : "INLINABLE", Feature::calls, false);
  if (wants(Feature::noinlineCalls))
    for (unsigned i = 1 + r.below(2); i--;)
      makeFunction(r.child(), "NOINLINE", Feature::noinlineCalls, false);
  if (wants(Feature::restrictCalls))
    for (unsigned i = 1 + r.below(2); i--;)
      makeRestrictFunction(r.child());
  if (wants(Feature::recursion))
    makeRecursion(r.child());
  if (wants(Feature::indirectCalls)) {
    Random like = r.child();
    for (unsigned i = 0; i < 4; ++i)
      makeFunction(like.altered(r.next(), 25), "NOINLINE", Feature::indirectCalls, true);
    table_ = "table" + std::to_string(seed_);
    std::string list;
    for (const Callee &c : indirect_)
      list += (list.empty() ? "" : ", ") + c.name;
    file_.push_back(line("static __device__ const Function " + table_ + "[4] = {" + list + "};"));
  }
}

void Writer::indirectCall(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty() || table_.empty())
    return;
  const std::string arguments =
      "(in, " + word(r.child(), 1, scope) + ", " + word(r.child(), 1, scope) + ")";
  if (r.chance(50)) {
    out.push_back(
        line(to + " = " + table_ + "[(" + word(r.child(), 2, scope) + ") & 3]" + arguments + ";"));
    return;
  }
  const std::string f = fresh("f");
  out.push_back(line("Function " + f + " = (" + condition(r.child(), 2, scope) + ") ? " +
                     indirect_[r.below(4)].name + " : " + indirect_[r.below(4)].name + ";\n" + to +
                     " ^= " + f + arguments + ";"));
}

void Writer::recursiveCall(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (to.empty() || recursive_.empty())
    return;
  out.push_back(line(to + " = " + recursive_ + "(in, (" + word(r.child(), 1, scope) + ") & 3, " +
                     word(r.child(), 1, scope) + ");"));
}

} // namespace meld::fuzz::source
