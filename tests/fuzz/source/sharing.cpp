// Statements in which threads meet: barriers, atomics, locks, flags. What the memory holds
// afterwards does not depend on who came first.
#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

std::string Writer::target(Random &r, Scope &scope) {
  std::vector<const Variable *> list;
  for (const Variable &v : scope.variables)
    if (v.writable && v.type == Type::u32 && v.name.find('.') == std::string::npos)
      list.push_back(&v);
  return list.empty() ? "" : list[r.below(static_cast<uint32_t>(list.size()))]->name;
}

/// The number of the first of `count` fresh words of `sync`.
uint32_t Writer::syncWords(uint32_t count) {
  const uint32_t first = syncUsed_;
  syncUsed_ += count;
  return first;
}

void Writer::exchange(Random r, Scope &scope, Pieces &out) {
  if (!scope.wholeBlock || !scope.kernel)
    return;
  const std::string to = target(r, scope), b = std::to_string(kernel_.shape.blockSize()) + "u";
  if (to.empty())
    return;
  const std::string e = word(r.child(), 2, scope), w = fresh("i"), o = fresh("i");
  const std::string give = "xs[t] = " + e + ";\n__syncthreads();\n", sync = "__syncthreads();\n";
  switch (r.below(5)) {
  case 0: // a sum in a tree
    out.push_back(line(give + "for (u32 " + w + " = 128; " + w + "; " + w +
                       " >>= 1) {\n  if (t < " + w + " && t + " + w + " < " + b +
                       ") xs[t] += xs[t + " + w + "];\n  __syncthreads();\n}\n" + to +
                       " ^= xs[0];\n__syncthreads();"));
    break;
  case 1: // a sorting network (Batcher 1968), each comparison by the thread of the lower place
    out.push_back(line(
        give + "for (u32 " + w + " = 2; " + w + " <= 64; " + w + " <<= 1)\n  for (u32 j = " + w +
        " >> 1; j; j >>= 1) {\n    const u32 " + o + " = t ^ j;\n    if (" + o + " > t && " + o +
        " < " + b + ") {\n      if ((t & " + w + ") == 0) { if (xs[t] > xs[" + o +
        "]) { const u32 x = xs[t]; xs[t] = xs[" + o + "]; xs[" + o +
        "] = x; } }\n      else { if (xs[t] < xs[" + o + "]) { const u32 x = xs[t]; xs[t] = xs[" +
        o + "]; xs[" + o + "] = x; } }\n    }\n    __syncthreads();\n  }\n" + to +
        " += xs[t];\n__syncthreads();"));
    break;
  case 2: { // each side of a branch gives something else
    Piece whole;
    whole.unwraps = false;
    Scope inner = scope;
    auto [a, c] = sides(r.child(), inner, 2);
    Piece yes = withHole("if (", condition(r.child(), 2, scope), ") {"),
          no = block("else {", std::move(c));
    yes.kids = std::move(a), yes.foot = "}", no.unwraps = false;
    yes.kids.push_back(line("xs[t] = " + word(r.child(), 2, scope) + ";", true));
    no.kids.push_back(line("xs[t] = " + word(r.child(), 2, scope) + ";", true));
    no.fixed = yes.fixed = true;
    whole.kids = {std::move(yes), std::move(no)};
    whole.kids.push_back(
        line(sync + to + " = xs[(t + " + constant(r) + ") % " + b + "];\n__syncthreads();", true));
    out.push_back(std::move(whole));
    break;
  }
  case 3: // running sums (Hillis, Steele 1986)
    out.push_back(line(give + "for (u32 " + w + " = 1; " + w + " < " + b + "; " + w +
                       " <<= 1) {\n  u32 x = xs[t];\n  if (t >= " + w + ") x += xs[t - " + w +
                       "];\n  __syncthreads();\n  xs[t] = x;\n  __syncthreads();\n}\n" + to +
                       " ^= xs[t];\n__syncthreads();"));
    break;
  default:
    out.push_back(line(give + to + " = xs[(t + (" + word(r.child(), 2, scope) + ")) % " + b +
                       "];\n__syncthreads();"));
  }
}

void Writer::atomic(Random r, Scope &scope, Pieces &out) {
  if (!scope.kernel)
    return;
  static const char *const operations[] = {"atomicAdd", "atomicOr",  "atomicAnd",
                                           "atomicXor", "atomicMin", "atomicMax"};
  const uint32_t k = r.below(6);
  const bool lds = !early_ && r.chance(40);
  const std::string place =
      lds ? "lacc[" + std::to_string(8 * k) + " + ((" + word(r.child(), 1, scope) + ") & 7)]"
          : "acc[" + std::to_string(64 * k) + " + ((" + word(r.child(), 1, scope) + ") & 63)]";
  out.push_back(withHole(std::string(operations[k]) + "(&" + place + ", (u32)(",
                         word(r.child(), 2, scope), "));"));
}

void Writer::atomicResult(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (!scope.kernel || to.empty())
    return;
  static const char *const operations[] = {"atomicAdd", "atomicOr",  "atomicAnd",  "atomicXor",
                                           "atomicMin", "atomicMax", "atomicExch", "atomicSub"};
  if (r.chance(70) || !scope.once) { // nobody else uses the word
    const bool lds = wants(Feature::ownLds) && r.chance(50);
    out.push_back(line(to + " ^= " + r.pick(operations) + "(&" + (lds ? "lmine[(" : "mine[(") +
                       word(r.child(), 1, scope) + ") & 7], " + word(r.child(), 2, scope) + ");"));
    return;
  }
  // Each number comes out once, whoever gets it: only what all of them give together is kept.
  const std::string v = fresh("v"), first = std::to_string(syncWords(2));
  out.push_back(line("{ const u32 " + v + " = atomicAdd(&sync[" + first +
                     "], 1u);\natomicXor(&sync[" + first + " + 1], (" + v + " + " + constant(r) +
                     ") * " + std::to_string(r.next() | 1) + "u); }"));
}

void Writer::casLoop(Random r, Scope &scope, Pieces &out) {
  if (!scope.kernel)
    return;
  const std::string p = fresh("p"), o = fresh("o"), x = fresh("x");
  const std::string e = word(r.child(), 2, scope), place = "acc[" + std::to_string(64 * 6) +
                                                           " + ((" + word(r.child(), 1, scope) +
                                                           ") & 63)]";
  out.push_back(line("{ u32 *" + p + " = &" + place + "; const u32 " + x + " = " + e + "; u32 " +
                     o + " = *(volatile u32 *)" + p + ", e" + o + ";\ndo { e" + o + " = " + o +
                     "; " + o + " = atomicCAS(" + p + ", e" + o + ", (e" + o + " ^ " + x +
                     ") + 0u); } while (" + o + " != e" + o + "); }"));
}

/// What a lane does while it holds a lock: private work, and a sum that all orders give alike.
Pieces Writer::critical(Random r, const Scope &scope, const std::string &place) {
  const std::string x = fresh("x");
  Pieces pieces;
  pieces.push_back(
      line("__threadfence();\nu32 " + x + " = " + word(r.child(), 1, scope) + ";", true));
  const unsigned steps = 2 + r.below(5);
  for (unsigned i = 0; i < steps; ++i) {
    Random s = r.child();
    pieces.push_back(line(x + " = (" + x + " ^ (" + x + " >> " + std::to_string(1 + s.below(9)) +
                          ")) * " + constant(s) + " + " + word(s.child(), 0, scope) + ";"));
  }
  if (r.chance(40)) {
    const std::string i = fresh("i");
    pieces.push_back(line("for (u32 " + i + " = 0; " + i + " < 3; ++" + i + ") " + x + " = " + x +
                          " * " + constant(r) + " + " + i + ";"));
  }
  pieces.push_back(line(place + " = " + place + " + " + x + ";\n__threadfence();", true));
  return pieces;
}

static const char *const acquires[] = {
    "while (atomicCAS(@, 0u, 1u) != 0u) {}", "while (!tryLock(@)) {}",
    "while (atomicExch(@, 1u) != 0u) {}", "while (atomicOr(@, 1u) != 0u) {}",
    "for (;;) if (atomicMax(@, 1u) == 0u) break;"};
static const char *const releases[] = {
    "atomicExch(@, 0u);", "atomicSub(@, 1u);",
    "__hip_atomic_store(@, 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);"};

static std::string with(std::string text, const std::string &place) {
  for (size_t at; (at = text.find('@')) != std::string::npos;)
    text.replace(at, 1, place);
  return text;
}

static Piece lockedBlock(std::string head, const std::string &acquire, Pieces inside,
                         const std::string &release) {
  Piece p = block(std::move(head), {line(acquire, true)});
  for (Piece &piece : inside)
    p.kids.push_back(std::move(piece));
  p.kids.push_back(line(release, true));
  p.unwraps = false;
  return p;
}

/// One lane of a wave takes the lock on each side of a branch: a side lets go of it before the
/// other begins, or after it ended.
void Writer::laneLock(Random r, Scope &scope, Pieces &out) {
  if (!scope.kernel || scope.depth >= 3)
    return;
  const std::string at = std::to_string(syncWords(2)), lock = "&sync[" + at + "]",
                    data = "sync[" + at + " + 1]";
  const uint32_t a = r.below(4), b = a + 1 + r.below(4);
  const std::string first = with(r.pick(acquires), lock),
                    second = with(r.chance(70) ? first : r.pick(acquires), lock);
  // Different ways to let go: LLVM merges equal ends of two sides, and both lanes wait in front of
  // it.
  const uint32_t k = r.below(3);
  const std::string letGo = with(releases[k], lock),
                    letGoToo = with(releases[(k + 1 + r.below(2)) % 3], lock);
  Random like = r.child();
  Pieces one = critical(like, scope, data), two = critical(like.altered(r.next(), 20), scope, data);
  Piece whole, inner;
  inner.kids.push_back(
      lockedBlock("if (lane == " + std::to_string(a) + "u) {", first, std::move(one), letGo));
  inner.kids.push_back(lockedBlock(r.chance(70) ? "else if (lane == " + std::to_string(b) + "u) {"
                                                : "if (lane == " + std::to_string(b) + "u) {",
                                   second, std::move(two), letGoToo));
  whole.kids.push_back(std::move(inner));
  if (r.chance(40)) { // as two sides of one branch
    whole = block("if (lane == " + std::to_string(a) + "u || lane == " + std::to_string(b) + "u) {",
                  std::move(whole.kids));
    whole.kids[0].kids[1].head = "else {";
  }
  whole.unwraps = false;
  out.push_back(std::move(whole));
}

/// Every lane takes the lock; whoever has had it leaves the loop. The assembly keeps the compiler
/// from moving what the holder does behind the loop, where it would wait for the others.
void Writer::doneLock(Random r, Scope &scope, Pieces &out) {
  if (!scope.kernel || scope.depth >= 3)
    return;
  const std::string at = std::to_string(syncWords(2)), lock = "&sync[" + at + "]", d = fresh("d");
  Piece p = block("{ u32 " + d + " = 0;\nwhile (" + d + " == 0) {", {});
  p.kids.push_back(lockedBlock("if (atomicCAS(" + lock + ", 0u, 1u) == 0u) {", "",
                               critical(r.child(), scope, "sync[" + at + " + 1]"),
                               with(r.pick(releases), lock) + "\n" + d + " = 1;"));
  p.kids.back().fixed = true;
  p.kids.push_back(line("asm volatile(\"\" : \"+v\"(" + d + "));", true));
  p.foot = "} }", p.unwraps = false;
  out.push_back(std::move(p));
}

void Writer::ticketLock(Random r, Scope &scope, Pieces &out) {
  if (!scope.kernel || scope.depth >= 3)
    return;
  const std::string at = std::to_string(syncWords(3)), next = "&sync[" + at + "]",
                    serving = "&sync[" + at + " + 1]", data = "sync[" + at + " + 2]";
  const uint32_t a = r.below(4), b = a + 1 + r.below(4);
  static const char *const polls[] = {
      "peek(@)", "__hip_atomic_load(@, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)",
      "*(volatile u32 *)@", "atomicAdd(@, 0u)"};
  const std::string poll = with(r.pick(polls), serving);
  Random like = r.child();
  Piece whole;
  for (unsigned side = 0; side < 2; ++side) {
    const std::string v = fresh("v"), head = std::string(side ? "else if" : "if") +
                                             " (lane == " + std::to_string(side ? b : a) + "u) {";
    whole.kids.push_back(
        lockedBlock(head,
                    "const u32 " + v + " = atomic" + (side ? "Inc(" : "Add(") + next +
                        (side ? ", ~0u" : ", 1u") + ");\nwhile (" + poll + " != " + v + ") {}",
                    critical(like.altered(r.next(), 15), scope, data),
                    side ? "__hip_atomic_store(" + serving + ", " + v +
                               " + 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);"
                         : "atomicAdd(" + serving + ", 1u);"));
  }
  whole.unwraps = false;
  out.push_back(std::move(whole));
}

/// Lanes set a flag in one statement, others wait for it in a later one: every lane of the wave is
/// past the first by then.
void Writer::flag(Random r, Scope &scope, Pieces &out) {
  const std::string to = target(r, scope);
  if (!scope.kernel || !scope.wholeBlock || !scope.once || scope.depth >= 2 || to.empty())
    return;
  const std::string at = std::to_string(syncWords(64)), flag = "&sync[" + at + " + wave]",
                    data = "sync[" + at + " + 32 + wave]";
  static const char *const polls[] = {
      "peek(@)", "__hip_atomic_load(@, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)",
      "*(volatile u32 *)(@)", "atomicAdd(@, 0u)", "atomicCAS(@, 0u, 0u)"};
  static const char *const sets[] = {
      "__hip_atomic_store(@, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);",
      "atomicExch(@, 1u);", "atomicOr(@, 1u);", "*(volatile u32 *)(@) = 1u;"};
  Random like = r.child();
  Scope inner = scope;
  inner.once = false;
  Piece whole;
  whole.unwraps = false;
  const std::string c = condition(r.child(), 2, scope), d = fresh("c");
  out.push_back(line("const bool " + d + " = " + c + ";"));
  Piece gives = block("if (lane == 0 || " + d + ") {", body(like, inner, 1 + r.below(2), true));
  gives.kids.push_back(line("if (lane == 0) " + data + " = " + word(r.child(), 1, scope) +
                                ";\n__threadfence();\n" + with(r.pick(sets), flag),
                            true));
  gives.fixed = true, gives.unwraps = false;
  whole.kids.push_back(std::move(gives));
  if (r.chance(30))
    whole.kids.push_back(block("{", body(r.child(), inner, 1, true)));
  Piece waits =
      block(r.chance(60) ? "if (!" + d + ") {" : "if (" + condition(r.child(), 1, scope) + ") {",
            {line("while (" + with(r.pick(polls), flag) + " == 0u) {}\n__threadfence();", true),
             line(to + " += " + data + ";")});
  for (Piece &piece : body(like.altered(r.next(), 15), inner, 1 + r.below(2), true))
    waits.kids.push_back(std::move(piece));
  waits.unwraps = false;
  whole.kids.push_back(std::move(waits));
  out.push_back(std::move(whole));
}

} // namespace meld::fuzz::source
