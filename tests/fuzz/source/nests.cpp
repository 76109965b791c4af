// Kernels made of nests of loops, for meld-flatten-loops: what --nests asks for.
#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

/// Mostly without what keeps a nest as it is: lanes that talk to each other or wait, calls, wave
/// state. Every eighth kernel keeps what it has, for what is refused has to be right, too.
void Writer::chooseNestFeatures(Random r) {
  wanted_.add(Feature::ownGlobal);
  wanted_.add(Feature::loopExits);
  if (r.chance(12))
    return;
  static const Feature refused[] = {
      Feature::volatiles,     Feature::noinlineCalls, Feature::recursion,  Feature::indirectCalls,
      Feature::irreducible,   Feature::barriers,      Feature::casLoops,   Feature::laneLocks,
      Feature::doneLocks,     Feature::ticketLocks,   Feature::flags,      Feature::ballots,
      Feature::joinBallots,   Feature::shuffles,      Feature::waterfalls, Feature::firstLanes,
      Feature::laneMoves,     Feature::lanesInLoops,  Feature::waveState,  Feature::roundingMode,
      Feature::atomicResults, Feature::assembly};
  for (Feature f : refused)
    wanted_.remove(f);
  if (r.chance(80)) // read and written in one nest it is refused
    wanted_.remove(Feature::ownLds), wanted_.remove(Feature::flatPointers);
}

/// Head and foot of a loop that `i` counts; `i` is in the scope of what stands inside.
Piece Writer::loopHead(Random r, const Scope &scope, const std::string &i, bool strides) {
  const std::string most = std::to_string(2u << r.below(5)) + "u";
  const std::string data = "in[(" + i + " * " + std::to_string(2 * r.below(100) + 1) +
                           "u + gid * " + std::to_string(2 * r.below(20) + 1) + "u) & 1023]";
  const std::string goesOn = "(" + data + " & " + std::to_string(1 + r.below(15)) + "u) != 0";
  if (strides) {
    const uint32_t threads = kernel_.shape.threads();
    const std::string stride = std::to_string(threads) + "u";
    return line("for (u32 " + i + " = gid; " + i + " < " +
                std::to_string(threads * (2 + r.below(6)) - r.below(threads)) + "u; " + i +
                " += " + stride + ") {");
  }
  Piece p;
  switch (r.below(4)) {
  case 0: {
    const std::string n = fresh("n");
    p.head = "{ const u32 " + n + " = (" + word(r.child(), 2, scope) + ") % " + most +
             ";\nfor (u32 " + i + " = 0; " + i + " < " + n + "; ++" + i + ") {";
    p.foot = "} }";
    return p;
  }
  case 1:
    p.head = "for (u32 " + i + " = 0; " + i + " < (in[(gid * " +
             std::to_string(2 * r.below(40) + 1) + "u + " + std::to_string(r.below(1000)) +
             "u) & 1023] % " + most + "); ++" + i + ") {";
    return p;
  case 2:
    p.head =
        "{ u32 " + i + " = 0;\nwhile (" + i + " < " + most + " && " + goesOn + ") {\n++" + i + ";";
    p.foot = "} }";
    return p;
  default:
    p.head = "{ u32 " + i + " = 0;\ndo {";
    p.foot = "} while (++" + i + " < " + most + " && " + goesOn + "); }";
    return p;
  }
}

void Writer::nest(Random r, Scope &scope, Pieces &out, unsigned levels, bool outermost) {
  const std::string i = fresh("i");
  Scope inner = scope;
  inner.once = inner.wholeBlock = inner.lanesKnown = false;
  inner.canBreak = inner.canContinue = true;
  std::string label; // behind this loop, for jumps out of several
  if (wants(Feature::gotos) && r.chance(50)) {
    label = fresh("L");
    inner.exits.push_back(label);
  }
  Piece loop = loopHead(r.child(), scope, i, outermost && r.chance(60));
  inner.variables.push_back({i, Type::u32, false});
  loop.unwraps = false;
  if (loop.foot.empty())
    loop.foot = "}";
  const auto work = [&](unsigned count) {
    Pieces pieces = body(r.child(), inner, count, false);
    for (Piece &piece : pieces)
      loop.kids.push_back(std::move(piece));
  };
  mark(Feature::loops);
  if (levels == 1) {
    work(1 + r.below(2));
    if (r.chance(40)) {
      leaveLoop(r.child(), inner, loop.kids);
      mark(Feature::loopExits);
      work(r.below(2));
    }
  } else {
    work(r.below(2));
    if (r.chance(20))
      leaveLoop(r.child(), inner, loop.kids);
    for (unsigned n = r.chance(30) ? 2 + r.below(2) : 1, k = 0; k < n; ++k) {
      Pieces loops;
      nest(r.child(), inner, loops, k ? 1 : levels - 1, false);
      if (r.chance(25)) {
        Piece guard = withHole("if (", condition(r.child(), 1, inner), ") {");
        guard.kids = std::move(loops), guard.foot = "}";
        loop.kids.push_back(std::move(guard));
      } else {
        for (Piece &piece : loops)
          loop.kids.push_back(std::move(piece));
      }
      work(r.below(2));
    }
    if (r.chance(20))
      leaveLoop(r.child(), inner, loop.kids);
    work(r.below(2));
  }
  out.push_back(std::move(loop));
  if (!label.empty())
    out.push_back(line(label + ": ;", true));
}

} // namespace meld::fuzz::source
