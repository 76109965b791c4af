// Nests of loops whose inner trip counts come from data: what meld-flatten-loops takes apart.
//
//   outer (a grid stride, counted, tested before or behind the body)
//     work; perhaps `continue`
//     inner loops, one to three in sequence, each perhaps behind a guard, perhaps nests themselves:
//       work; perhaps `break` or `continue` of this loop or of the one around
//     perhaps `break`; work
//
// Work is reductions (of integers and of floats, in which the order shows), loads, stores of own
// words, atomics without results, branches, now and then LDS or private memory.
#include "tests/fuzz/kernel_generator.h"

namespace meld::fuzz {

namespace {

class NestGenerator : public Generator {
public:
  explicit NestGenerator(uint64_t seed) : Generator(seed ^ 0x6e65737473ull, 1) {}

  KernelAst kernel(uint64_t seed) {
    KernelAst k;
    k.seed = seed;
    constexpr uint32_t sizes[] = {32, 64, 64, 64, 96, 128};
    k.blockSize = sizes[random_.below(6)];
    k.blocks = 1 + random_.below(2);
    k.noHighBits = k.ofNests = true;
    threads_ = k.threads();
    withPrivate_ = random_.oneIn(10);
    withOwnLds_ = random_.oneIn(12);
    k.ldsAtomics = withLdsAtomics_ = random_.oneIn(12);
    work(k.body, random_.below(3));
    for (uint32_t i = 0, n = random_.oneIn(4) ? 2 : 1; i < n; ++i) {
      k.body.push_back(nest(random_.oneIn(3) ? 3 : 2));
      work(k.body, random_.below(2));
    }
    for (uint32_t i = 0; i < KernelAst::sums; ++i)
      k.body.push_back(assignment(i, binaryOf(BinaryOp::bitXor, variable(i), sumBits(i))));
    return k;
  }

private:
  static Expr variable(uint32_t index) {
    Expr e;
    e.kind = ExprKind::variable, e.value = index;
    return e;
  }
  static Expr sumBits(uint32_t index) {
    Expr e;
    e.kind = ExprKind::sumBits, e.value = index;
    return e;
  }
  static Expr binaryOf(BinaryOp op, Expr l, Expr r) {
    return node(ExprKind::binary, static_cast<uint32_t>(op), {std::move(l), std::move(r)});
  }
  static Stmt assignment(uint32_t index, Expr e) {
    Stmt s;
    s.kind = StmtKind::assign, s.index = index, s.exprs = {std::move(e)};
    return s;
  }

  Expr item() { return node(ExprKind::loopItem, random_.below(levels_), {}); }

  /// Half of the thread's numbers become the counters of the loops around.
  Expr withItems(Expr e) {
    if (e.kind == ExprKind::threadId && levels_ && random_.oneIn(2))
      return item();
    if (e.kind == ExprKind::loadOwnLds && !withOwnLds_)
      e.kind = ExprKind::loadInput; // LDS that is read and written keeps a nest as it is
    for (Expr &kid : e.kids)
      kid = withItems(std::move(kid));
    return e;
  }
  Expr any(int depth) { return withItems(expression(depth)); }

  /// Another word of the input for each item and each lane.
  Expr data() {
    Expr at =
        levels_ ? binaryOf(BinaryOp::mul, item(), constantOf(2 * random_.below(200) + 1)) : leaf();
    if (random_.oneIn(2))
      at = binaryOf(BinaryOp::add, std::move(at), withItems(leaf()));
    return node(ExprKind::loadInput, 0, {std::move(at)});
  }

  /// Seldom so that a loop's condition fails at once.
  Expr mostly() {
    Expr e = binaryOf(BinaryOp::bitAnd, random_.oneIn(2) ? data() : any(2),
                      constantOf(1 + random_.below(15)));
    return node(ExprKind::compare, random_.oneIn(4) ? 0 : 1, {std::move(e), constantOf(0)});
  }

  Stmt leave(uint32_t out, bool goesOn) {
    Stmt s;
    s.kind = StmtKind::leaveIf, s.op = out, s.index = goesOn;
    Expr e = binaryOf(BinaryOp::bitAnd, random_.oneIn(2) ? data() : any(2),
                      constantOf(3u << random_.below(3)));
    s.exprs = {node(ExprKind::compare, 0, {std::move(e), constantOf(0)})};
    return s;
  }

  void work(std::vector<Stmt> &out, uint32_t count) {
    while (count--)
      out.push_back(step(0));
  }

  Stmt step(int depth) {
    Stmt s;
    switch (random_.below(depth ? 7 : 9)) {
    case 0:
    case 1:
      return assignment(random_.below(KernelAst::variables), any(3));
    case 2: { // a reduction
      const uint32_t v = random_.below(KernelAst::variables);
      Expr scaled = binaryOf(BinaryOp::mul, variable(v), constantOf(2 * random_.below(20) + 1));
      return assignment(v, binaryOf(BinaryOp::add, std::move(scaled), any(2)));
    }
    case 3:
    case 4:
      s.kind = StmtKind::addToSum, s.index = random_.below(KernelAst::sums);
      s.exprs = {random_.oneIn(2) ? data() : any(2)};
      return s;
    case 5:
      s.kind = StmtKind::storeOutput, s.index = random_.below(KernelAst::outputsPerThread);
      s.exprs = {any(2)};
      return s;
    case 6:
      s.kind = withLdsAtomics_ && random_.oneIn(2) ? StmtKind::ldsAtomic
               : withPrivate_                      ? StmtKind::storePrivate
               : withOwnLds_                       ? StmtKind::storeOwnLds
                                                   : StmtKind::atomic;
      s.op = random_.below(KernelAst::accOps);
      s.exprs = {any(2), any(1)};
      return s;
    default:
      s.kind = StmtKind::branch;
      s.exprs = {withItems(condition())};
      s.arms.resize(2);
      s.arms[0].push_back(step(depth + 1));
      if (random_.oneIn(2))
        s.arms[1] = mutated(s.arms[0]);
      return s;
    }
  }

  Stmt loopOf(LoopForm form, uint32_t limit) {
    Stmt s;
    s.kind = StmtKind::nestLoop, s.op = static_cast<uint32_t>(form), s.index = limit;
    if (form == LoopForm::counted) {
      Expr bound = data();
      if (random_.oneIn(3)) // mostly short, seldom long
        bound = binaryOf(BinaryOp::bitAnd, std::move(bound), data());
      s.exprs = {std::move(bound)};
    } else {
      ++levels_; // its condition sees its own counter
      s.exprs = {mostly()};
      --levels_;
    }
    s.arms.resize(1);
    return s;
  }

  Stmt nest(uint32_t deep) {
    constexpr LoopForm forms[] = {LoopForm::counted, LoopForm::before, LoopForm::behind};
    const bool outermost = levels_ == 0;
    Stmt outer;
    if (outermost && random_.oneIn(2))
      outer =
          loopOf(LoopForm::gridStride, threads_ * (2 + random_.below(8)) - random_.below(threads_));
    else
      outer = loopOf(forms[random_.below(3)], outermost ? 16 : 4);
    ++levels_;
    std::vector<Stmt> &body = outer.arms[0];
    work(body, random_.below(3));
    if (random_.oneIn(6))
      body.push_back(leave(random_.below(levels_), true));
    for (uint32_t i = 0, n = random_.oneIn(3) ? 2 + random_.below(2) : 1; i < n; ++i) {
      std::vector<Stmt> inner;
      inner.push_back(deep > 2 ? nest(deep - 1) : innermost(forms[random_.below(3)]));
      if (random_.oneIn(4)) {
        Stmt guard;
        guard.kind = StmtKind::branch, guard.exprs = {mostly()};
        guard.arms = {std::move(inner), {}};
        if (random_.oneIn(2))
          work(guard.arms[1], 1);
        body.push_back(std::move(guard));
      } else {
        body.push_back(std::move(inner[0]));
      }
      if (deep > 2)
        deep = 2; // what follows is no nest itself
      work(body, random_.below(2));
    }
    if (random_.oneIn(6))
      body.push_back(leave(random_.below(levels_), false));
    work(body, random_.below(2));
    --levels_;
    return outer;
  }

  Stmt innermost(LoopForm form) {
    Stmt loop = loopOf(form, 8u << random_.below(3));
    ++levels_;
    work(loop.arms[0], 1 + random_.below(2));
    while (random_.oneIn(3)) {
      loop.arms[0].push_back(
          leave(random_.oneIn(4) ? random_.below(levels_) : 0, random_.oneIn(3)));
      work(loop.arms[0], random_.below(2));
    }
    --levels_;
    return loop;
  }

  uint32_t threads_ = 0, levels_ = 0;
  bool withOwnLds_ = false;
};

} // namespace

KernelAst generateNests(uint64_t seed) { return NestGenerator(seed).kernel(seed); }

} // namespace meld::fuzz
