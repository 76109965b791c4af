#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

SourceKernel generateSource(uint64_t seed, bool nests) { return Writer(seed, nests).write(); }

Writer::Writer(uint64_t seed, bool nests) : seed_(seed), nests_(nests) {
  kernel_.seed = seed;
  kernel_.name = "k" + std::to_string(seed);
}

bool Writer::use(Feature f, Random &r, unsigned percent) {
  if (!r.chance(percent) || !wants(f))
    return false;
  mark(f);
  return true;
}

std::string Writer::fresh(const char *stem) {
  return std::string(stem) + "_" + std::to_string(++names_);
}

std::string Writer::constant(Random &r) {
  static const uint32_t special[] = {
      0, 1, 2, 3, 7, 15, 31, 63, 64, 77, 0xff, 0xffff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff};
  const uint32_t v = r.chance(30) ? r.pick(special) : r.chance(60) ? r.below(100) : r.next();
  return std::to_string(v) + "u";
}

void Writer::statement(Random r, Scope &scope, Pieces &out) {
  using F = Feature;
  // `count` stands for what every kernel may do.
  static const Choice choices[] = {
      {F::count, 26, &Writer::assign},
      {F::count, 6, &Writer::declare},
      {F::count, 26, &Writer::branch},
      {F::uniformBranches, 5, &Writer::uniformBranch},
      {F::uniformBranches, 3, &Writer::uniformLoop},
      {F::switches, 9, &Writer::switchOn},
      {F::loops, 13, &Writer::loop},
      {F::loopExits, 7, &Writer::leaveLoop},
      {F::gotos, 6, &Writer::jumpForward},
      {F::irreducible, 6, &Writer::jumpIntoLoop},
      {F::irreducible, 4, &Writer::switchIntoLoop},
      {F::earlyReturn, 4, &Writer::returnEarly},
      {F::conditionalInit, 6, &Writer::setUnderCondition},
      {F::assumptions, 5, &Writer::assume},
      {F::unreachableCode, 3, &Writer::impossible},
      {F::independentLoops, 4, &Writer::parallelLoop},
      {F::privateArrays, 6, &Writer::privateArray},
      {F::count, 12, &Writer::store},
      {F::scopedArrays, 7, &Writer::scopedArrays},
      {F::flatPointers, 6, &Writer::genericPointer},
      {F::restrictCalls, 9, &Writer::restrictCall},
      {F::memoryCopies, 4, &Writer::copyBytes},
      {F::structs, 6, &Writer::structValue},
      {F::vectors, 6, &Writer::vectorValue},
      {F::volatiles, 4, &Writer::volatileAccess},
      {F::nontemporal, 3, &Writer::nontemporalAccess},
      {F::indirectCalls, 6, &Writer::indirectCall},
      {F::recursion, 4, &Writer::recursiveCall},
      {F::barriers, 8, &Writer::exchange},
      {F::atomics, 7, &Writer::atomic},
      {F::atomicResults, 6, &Writer::atomicResult},
      {F::casLoops, 4, &Writer::casLoop},
      {F::laneLocks, 7, &Writer::laneLock},
      {F::doneLocks, 4, &Writer::doneLock},
      {F::ticketLocks, 6, &Writer::ticketLock},
      {F::flags, 8, &Writer::flag},
      {F::ballots, 7, &Writer::ballot},
      {F::joinBallots, 8, &Writer::joinBallot},
      {F::shuffles, 7, &Writer::shuffle},
      {F::firstLanes, 6, &Writer::firstLane},
      {F::waterfalls, 4, &Writer::waterfall},
      {F::laneMoves, 5, &Writer::laneMove},
      {F::roundingMode, 7, &Writer::roundingMode},
      {F::waveState, 3, &Writer::waveState},
      {F::assembly, 5, &Writer::assembly},
  };
  unsigned sum = 0;
  for (const Choice &c : choices)
    if (c.feature == F::count || wants(c.feature))
      sum += c.weight;
  unsigned at = r.below(sum);
  for (const Choice &c : choices) {
    if (c.feature != F::count && !wants(c.feature))
      continue;
    if (at < c.weight) {
      const size_t before = out.size();
      (this->*c.statement)(r.child(), scope, out);
      if (out.size() == before) // not possible at this place
        assign(r.child(), scope, out);
      else if (c.feature != F::count)
        mark(c.feature);
      return;
    }
    at -= c.weight;
  }
}

void Writer::statements(Random r, unsigned count, Scope &scope, Pieces &out) {
  for (unsigned i = 0; i < count; ++i)
    statement(r.child(), scope, out);
}

/// What stands between two braces; `outer` stays as it is.
Pieces Writer::body(Random r, const Scope &outer, unsigned count, bool lanesKnown) {
  Scope scope = outer;
  ++scope.depth;
  scope.wholeBlock = false;
  scope.lanesKnown &= lanesKnown;
  Pieces pieces;
  statements(r, count, scope, pieces);
  return pieces;
}

/// Two sides of a branch: often one with alterations, since that is what melding is for.
std::pair<Pieces, Pieces> Writer::sides(Random r, const Scope &outer, unsigned count) {
  Random left = r.child(), right = left;
  if (use(Feature::similarSides, r, 70))
    right = left.altered(r.next(), 3 + r.below(20));
  else
    right = r.child();
  Pieces a = body(left, outer, count, true);
  return {std::move(a), body(right, outer, count, true)};
}

void Writer::declare(Random r, Scope &scope, Pieces &out) {
  const Type type = anyType(r);
  const std::string v = fresh("v");
  out.push_back(
      line(std::string(typeName(type)) + " " + v + " = " + value(r.child(), type, 2, scope) + ";"));
  scope.variables.push_back({v, type, true});
}

void Writer::assign(Random r, Scope &scope, Pieces &out) {
  std::vector<const Variable *> list;
  for (const Variable &v : scope.variables)
    if (v.writable)
      list.push_back(&v);
  const Variable &v = *list[r.below(static_cast<uint32_t>(list.size()))];
  const std::string e = value(r.child(), v.type, 1 + r.below(3), scope);
  static const char *const integers[] = {" + ", " - ", " ^ ", " * ", " | "};
  static const char *const reals[] = {" + ", " - ", " * "};
  const std::string cast = std::string("(") + typeName(v.type) + ")(";
  if (isFloat(v.type))
    out.push_back(r.chance(40) ? line(v.name + " = " + v.name + r.pick(reals) + "(" + e + ");")
                               : line(v.name + " = " + e + ";"));
  else if (r.chance(40))
    out.push_back(
        withHole(v.name + " = " + cast + "(u64)" + v.name + r.pick(integers) + "(u64)(", e, "));"));
  else
    out.push_back(withHole(v.name + " = " + cast, e, ");"));
}

} // namespace meld::fuzz::source
