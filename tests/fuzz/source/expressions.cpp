// Expressions: strings of source whose value is defined whatever their variables hold.
#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

const char *typeName(Type type) {
  static const char *const names[] = {"u32", "int", "u64",   "long long", "u16", "short",
                                      "u8",  "i8",  "float", "double",    "f16"};
  return names[static_cast<size_t>(type)];
}

Type Writer::anyType(Random &r) const {
  const uint32_t k = r.below(10);
  if (k < 1 && wants(Feature::wideIntegers))
    return r.chance(60) ? Type::u64 : Type::i64;
  if (k < 3 && wants(Feature::narrowIntegers)) {
    static const Type narrow[] = {Type::u16, Type::i16, Type::u8, Type::i8};
    return r.pick(narrow);
  }
  if (k < 4 && wants(Feature::signedIntegers))
    return Type::i32;
  if (k < 6 && wants(Feature::floats))
    return Type::f32;
  if (k < 7 && wants(Feature::doubles))
    return Type::f64;
  if (k < 8 && wants(Feature::halves))
    return Type::f16;
  return Type::u32;
}

std::string Writer::convert(Type from, Type to, const std::string &text) const {
  if (from == to)
    return text;
  const std::string name = typeName(to);
  if (isFloat(from) && !isFloat(to))
    return "(" + name + ")toInt(" + text + ")";
  if (!isFloat(from) && to == Type::f16)
    return "(f16)(int)((" + text + ") & 1023)";
  if (!isFloat(from) && isFloat(to))
    return "(" + name + ")(int)(" + text + ")";
  return "(" + name + ")(" + text + ")";
}

std::string Writer::leaf(Random r, Type type, const Scope &scope) {
  std::vector<const Variable *> same;
  for (const Variable &v : scope.variables)
    if (v.type == type)
      same.push_back(&v);
  if (!same.empty() && r.chance(65))
    return same[r.below(static_cast<uint32_t>(same.size()))]->name;
  if (r.chance(40)) {
    const Variable &v = scope.variables[r.below(static_cast<uint32_t>(scope.variables.size()))];
    return convert(v.type, type, v.name);
  }
  if (isFloat(type)) {
    static const char *const reals[] = {"0.5", "1.0",   "-1.5", "3.25",
                                        "0.1", "100.0", "-7.0", "1e10"};
    const char *text = r.pick(reals);
    return std::string("(") + typeName(type) + ")" +
           (type == Type::f16 && text[1] == 'e' ? "9.0" : text);
  }
  if (scope.kernel && r.chance(30)) {
    static const char *const ids[] = {
        "t", "lane", "gid", "(u32)blockIdx.x", "(u32)threadIdx.x", "(u32)n", "m", "a.x"};
    return convert(Type::u32, type, r.pick(ids));
  }
  return convert(Type::u32, type, constant(r));
}

std::string Writer::element(const Array &array, const std::string &index) const {
  return array.base + "[((" + index + ") & " + std::to_string(array.size - 1) + "u)" +
         array.stride + "]";
}

std::string Writer::value(Random r, Type type, unsigned depth, const Scope &scope) {
  if (depth == 0)
    return leaf(r, type, scope);
  if (r.chance(12))
    return "(" + condition(r.child(), depth - 1, scope) + " ? " +
           value(r.child(), type, depth - 1, scope) + " : " +
           value(r.child(), type, depth - 1, scope) + ")";
  if (isFloat(type))
    return real(r, type, depth, scope);
  switch (type) {
  case Type::u32:
    return word(r, depth, scope);
  case Type::i32:
    return signedWord(r, depth, scope);
  case Type::u64:
  case Type::i64:
    return "(" + std::string(typeName(type)) + ")(" + wide(r, depth, scope) + ")";
  default:
    return "(" + std::string(typeName(type)) + ")(" + word(r, depth, scope) + ")";
  }
}

std::string Writer::word(Random r, unsigned depth, const Scope &scope) {
  const unsigned d = depth - 1;
  auto kid = [&] { return word(r.child(), d ? d : 0, scope); };
  if (depth == 0)
    return leaf(r, Type::u32, scope);
  const uint32_t k = r.below(100);
  if (k < 34) {
    static const char *const ops[] = {" + ", " - ", " * ", " & ", " | ", " ^ "};
    const std::string a = kid();
    return "(" + a + r.pick(ops) + kid() + ")";
  }
  if (k < 42) {
    const std::string a = kid();
    return "(" + a + (r.chance(50) ? " << (" : " >> (") + kid() + " & 31))";
  }
  if (k < 46 && use(Feature::division, r, 100)) {
    const std::string a = kid();
    return (r.chance(50) ? "udiv(" : "urem(") + a + ", " + kid() + ")";
  }
  if (k < 54)
    return "in[(" + kid() + ") & 1023]";
  if (k < 64 && !scope.arrays.empty()) {
    const Array &array = scope.arrays[r.below(static_cast<uint32_t>(scope.arrays.size()))];
    return convert(array.type, Type::u32, element(array, kid()));
  }
  if (k < 68)
    return "(u32)(" + condition(r.child(), d, scope) + ")";
  if (k < 75 && use(Feature::builtins, r, 100))
    return builtin(r.child(), d, scope);
  if (k < 82 && !callees_.empty()) {
    const Callee &c = callees_[r.below(static_cast<uint32_t>(callees_.size()))];
    return convert(c.result, Type::u32, call(r.child(), c, d, scope));
  }
  if (k < 86 && use(Feature::signedIntegers, r, 100))
    return "(u32)" + signedWord(r.child(), depth, scope);
  if (k < 90 && use(Feature::wideIntegers, r, 100))
    return "(u32)(" + wide(r.child(), d, scope) + " >> (" + kid() + " & 63))";
  if (k < 93 && use(Feature::floats, r, 100))
    return r.chance(50) ? "bitsOf(" + real(r.child(), Type::f32, d, scope) + ")"
                        : "(u32)toInt(" + real(r.child(), Type::f32, d, scope) + ")";
  if (k < 95 && use(Feature::constantData, r, 100))
    return "c" + std::to_string(seed_) + "[(" + kid() + ") & 15]";
  return leaf(r, Type::u32, scope);
}

/// Signed arithmetic, wrapped by hand or within range so that the compiler may know it does not
/// wrap.
std::string Writer::signedWord(Random r, unsigned depth, const Scope &scope) {
  const unsigned d = depth ? depth - 1 : 0;
  const std::string a = word(r.child(), d, scope), b = word(r.child(), d, scope);
  switch (r.below(7)) {
  case 0:
    return "((int)((" + a + ") & 0x7fff) * (int)((" + b + ") & 0xffff) - 12345)";
  case 1:
    return "((int)((" + a + ") & 0xfffff) - (int)((" + b + ") & 0xfffff))";
  case 2:
    return "((int)(" + a + ") >> ((" + b + ") & 31))";
  case 3:
    return "sdiv((int)(" + a + "), (int)((" + b + ") & 0xffff))";
  case 4:
    return "srem((int)(" + a + "), (int)(" + b + "))";
  case 5:
    return "((int)((" + a + ") & 0xfffff) + (int)((" + b + ") >> 12))";
  default:
    return "(int)(" + a + ")";
  }
}

std::string Writer::wide(Random r, unsigned depth, const Scope &scope) {
  if (depth == 0)
    return leaf(r, Type::u64, scope);
  const unsigned d = depth - 1;
  const std::string a =
      r.chance(50) ? wide(r.child(), d, scope) : "(u64)" + word(r.child(), d, scope);
  const std::string b =
      r.chance(50) ? wide(r.child(), d, scope) : "(u64)" + word(r.child(), d, scope);
  static const char *const ops[] = {" + ", " - ", " * ", " & ", " | ", " ^ "};
  switch (r.below(8)) {
  case 0:
    return "((" + a + ") << ((" + b + ") & 63))";
  case 1:
    return "((" + a + ") >> ((" + b + ") & 63))";
  case 2:
    return "(u64)((long long)(" + a + ") >> ((" + b + ") & 63))";
  case 3:
    if (use(Feature::division, r, 40))
      return "udiv64(" + a + ", " + b + ")";
    return "(" + a + " ^ " + b + ")";
  default:
    return "(" + a + r.pick(ops) + b + ")";
  }
}

std::string Writer::real(Random r, Type type, unsigned depth, const Scope &scope) {
  if (depth == 0)
    return leaf(r, type, scope);
  const unsigned d = depth - 1;
  auto kid = [&] { return real(r.child(), type, d, scope); };
  const std::string name = typeName(type);
  const uint32_t k = r.below(100);
  if (k < 55) {
    static const char *const ops[] = {" + ", " - ", " * "};
    const std::string a = kid();
    return "(" + a + r.pick(ops) + kid() + ")";
  }
  if (k < 63) {
    const std::string a = kid(), b = kid(), c = kid();
    if (type == Type::f16)
      return "(f16)(" + a + " * " + b + " + " + c + ")";
    return std::string(type == Type::f32 ? "__builtin_fmaf(" : "__builtin_fma(") + a + ", " + b +
           ", " + c + ")";
  }
  if (k < 71) {
    const std::string a = kid();
    return (r.chance(50) ? "lesser(" : "larger(") + a + ", " + kid() + ")";
  }
  if (k < 75 && type != Type::f16 && use(Feature::division, r, 100)) {
    const std::string a = kid();
    return "(" + a + " / " + kid() + ")";
  }
  if (k < 80)
    return "(-" + kid() + ")";
  if (k < 84 && type != Type::f16)
    return (type == Type::f32 ? "__builtin_fabsf(" : "__builtin_fabs(") + kid() + ")";
  if (k < 88 && type == Type::f32 && wants(Feature::doubles))
    return "(float)" + real(r.child(), Type::f64, d, scope);
  if (k < 90 && type != Type::f16 && wants(Feature::halves))
    return "(" + name + ")" + real(r.child(), Type::f16, d, scope);
  if (k < 93 && type == Type::f64 && wants(Feature::floats))
    return "(double)" + real(r.child(), Type::f32, d, scope);
  return convert(Type::u32, type, "(" + word(r.child(), d, scope) + ") & 0xfff");
}

std::string Writer::builtin(Random r, unsigned depth, const Scope &scope) {
  auto kid = [&] { return word(r.child(), depth, scope); };
  const std::string a = kid(), b = kid(), c = kid();
  switch (r.below(18)) {
  case 0:
    return "(u32)__popc(" + a + ")";
  case 1:
    return "(u32)__clz((int)(" + a + "))";
  case 2:
    return "(u32)__ffs(" + a + ")";
  case 3:
    return "__brev(" + a + ")";
  case 4:
    return "__builtin_amdgcn_ubfe(" + a + ", (" + b + ") & 31, (" + c + ") & 31)";
  case 5:
    return "(u32)__builtin_amdgcn_sbfe((int)(" + a + "), (" + b + ") & 31, (" + c + ") & 31)";
  case 6:
    return "(u32)__umul24((" + a + ") & 0xffffff, (" + b + ") & 0xffffff)";
  case 7:
    return "(u32)__mul24((int)((" + a + ") & 0x3fff), (int)((" + b + ") & 0xfff))";
  case 8:
    return "__usad((" + a + ") & 0xffffff, (" + b + ") & 0xffffff, " + c + ")";
  case 9:
    return "__builtin_amdgcn_alignbit(" + a + ", " + b + ", (" + c + ") & 31)";
  case 10:
    return "__builtin_amdgcn_perm(" + a + ", " + b + ", (" + c + ") & 0x07070707)";
  case 11:
    return "__umulhi(" + a + ", " + b + ")";
  case 12:
    return "(u32)__mulhi((int)(" + a + "), (int)(" + b + "))";
  case 13:
    // A bit-field of five bits is an int in a sum, and max(int, unsigned) is none.
    return "max((u32)(" + a + "), min((u32)(" + b + "), (u32)(" + c + ")))";
  case 14:
    return "(u32)max((int)(" + a + "), min((int)(" + b + "), (int)(" + c + ")))";
  case 15:
    return "__builtin_amdgcn_sad_u8(" + a + ", " + b + ", " + c + ")";
  case 16:
    return "__builtin_amdgcn_lerp(" + a + ", " + b + ", " + c + ")";
  default:
    return "(u32)__popcll((u64)(" + a + ") << ((" + b + ") & 31))";
  }
}

std::string Writer::call(Random r, const Callee &callee, unsigned depth, const Scope &scope) {
  mark(callee.feature);
  std::string text = callee.name + "(in";
  for (Type parameter : callee.parameters)
    text += ", " + value(r.child(), parameter, depth > 1 ? 1 : depth, scope);
  return text + ")";
}

/// The same in all threads of the dispatch.
std::string Writer::uniformWord(Random r) {
  static const char *const leaves[] = {"(u32)n",          "m",       "a.x", "(u32)a.y",
                                       "(u32)blockIdx.x", "(u32)a.w"};
  const std::string one = r.pick(leaves);
  switch (r.below(4)) {
  case 0:
    return "(" + one + " + " + constant(r) + ")";
  case 1:
    return "(" + one + " * 5 ^ " + r.pick(leaves) + ")";
  case 2:
    return "in[(" + one + ") & 1023]";
  default:
    return one;
  }
}

std::string Writer::condition(Random r, unsigned depth, const Scope &scope) {
  const unsigned d = depth ? depth - 1 : 0;
  static const char *const compares[] = {" < ", " > ", " == ", " != ", " <= ", " >= "};
  const uint32_t k = r.below(100);
  if (k < 14 && depth && use(Feature::shortCircuit, r, 100)) {
    const std::string a = condition(r.child(), d, scope);
    return "(" + a + (r.chance(50) ? " && " : " || ") + condition(r.child(), d, scope) + ")";
  }
  if (k < 40)
    return "((" + word(r.child(), d, scope) + ") & " + std::to_string(1u << r.below(6)) + "u) != 0";
  if (k < 48 && scope.kernel) {
    static const char *const ids[] = {"lane", "t", "gid"};
    const std::string id = r.pick(ids);
    return r.chance(50) ? "(" + id + " & " + std::to_string(1u << r.below(6)) + "u) != 0"
                        : id + (r.chance(50) ? " < " : " == ") + std::to_string(r.below(64)) + "u";
  }
  if (k < 54 && scope.kernel)
    return "((" + uniformWord(r.child()) + ") & " + std::to_string(1u << r.below(3)) + "u) != 0";
  if (k < 62 && wants(Feature::floats))
    return real(r.child(), Type::f32, d, scope) + r.pick(compares) +
           real(r.child(), Type::f32, d, scope);
  if (k < 70 && wants(Feature::signedIntegers))
    return signedWord(r.child(), d, scope) + r.pick(compares) + "(int)" +
           std::to_string(r.below(2000)) + " - 1000";
  const Type type = anyType(r);
  const std::string a = value(r.child(), type, d, scope);
  if (r.chance(40) && !isFloat(type))
    return "(" + a + ")" + r.pick(compares) + "(" + typeName(type) + ")" +
           std::to_string(r.below(100));
  return "(" + a + ")" + r.pick(compares) + "(" + value(r.child(), type, d, scope) + ")";
}

} // namespace meld::fuzz::source
