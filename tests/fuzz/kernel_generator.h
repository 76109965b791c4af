// What the generators of kernels share: random numbers, expressions, conditions, altered copies.
// Generators 1 to 4 draw everything from here (kernel_ast.cpp); nests of loops are put together in
// kernel_nests.cpp.
#pragma once

#include "tests/fuzz/kernel_ast.h"

namespace meld::fuzz {

/// splitmix64.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) % bound); }
  bool oneIn(uint32_t n) { return below(n) == 0; }

private:
  uint64_t state_;
};

struct Context {
  int depth = 0;
  bool noCrossLane = false; ///< under a loop, a switch, or the second arm of a branch
};

class Generator {
public:
  Generator(uint64_t seed, unsigned generator)
      : random_(seed), more_(generator >= 2), wide_(generator == wideGenerator) {}

  KernelAst kernel(uint64_t seed) {
    KernelAst k;
    k.seed = seed;
    constexpr uint32_t sizes[] = {32, 64, 64, 96, 128, 192, 256};
    k.blockSize = sizes[random_.below(7)];
    k.blocks = 1 + random_.below(3);
    withReturns_ = random_.oneIn(6);
    withPrivate_ = random_.oneIn(6);
    withCrossLane_ = random_.oneIn(4);
    if (more_) {
      withCalls_ = random_.oneIn(6);
      k.ldsAtomics = withLdsAtomics_ = random_.oneIn(4);
      loopDepth_ = 3;
    }
    Context top;
    k.body = statements(top, 3 + random_.below(5));
    return k;
  }

protected:
  uint32_t constant() {
    constexpr uint32_t edges[] = {0,  1,  2,   3,          7,          31,
                                  63, 64, 255, 0x7fffffff, 0x80000000, 0xffffffff};
    return random_.oneIn(3) ? static_cast<uint32_t>(random_.next()) : edges[random_.below(12)];
  }

  Expr leaf() {
    Expr e;
    switch (random_.below(8)) {
    case 0:
    case 1:
      e.kind = ExprKind::constant;
      e.value = constant();
      break;
    case 2:
      e.kind = ExprKind::threadId;
      break;
    case 3:
      e.kind = random_.oneIn(2) ? ExprKind::groupId : ExprKind::argument;
      break;
    default:
      e.kind = ExprKind::variable;
      e.value = random_.below(KernelAst::variables);
    }
    return e;
  }

  Expr expression(int depth) {
    if (depth <= 0 || random_.oneIn(4))
      return leaf();
    if (wide_ && random_.oneIn(4))
      return wideExpression(depth);
    if (more_ && random_.oneIn(8))
      return newExpression(depth);
    Expr e;
    auto kids = [&](int n) {
      for (int i = 0; i < n; ++i)
        e.kids.push_back(expression(depth - 1));
    };
    switch (random_.below(16)) {
    default:
      e.kind = ExprKind::binary;
      e.op = random_.below(static_cast<uint32_t>(BinaryOp::count));
      if (e.op >= static_cast<uint32_t>(BinaryOp::udiv) && !random_.oneIn(4))
        e.op = 0; // division is slow and long: keep it rare
      kids(2);
      break;
    case 6:
      e.kind = ExprKind::compare;
      e.op = random_.below(10);
      kids(2);
      break;
    case 7:
      e.kind = ExprKind::select;
      kids(3);
      break;
    case 8:
    case 9:
      e.kind = ExprKind::loadInput;
      kids(1);
      break;
    case 10:
      e.kind = withPrivate_ && random_.oneIn(2) ? ExprKind::loadPrivate : ExprKind::loadOwnLds;
      kids(1);
      break;
    case 11:
      e.kind = ExprKind::floatOp;
      e.op = random_.below(7);
      kids(3);
      break;
    case 12:
      e.kind = ExprKind::wideMul;
      e.op = random_.below(64);
      kids(2);
      break;
    case 13:
      e.kind = ExprKind::minMax;
      e.op = random_.below(4);
      kids(2);
      break;
    case 14:
      e.kind = ExprKind::bits;
      e.op = random_.below(5);
      kids(3);
      break;
    case 15:
      e.kind = ExprKind::narrow;
      e.op = random_.below(4);
      kids(1);
      break;
    }
    return e;
  }

  // Doubles, halves, vectors, calls.
  Expr newExpression(int depth) {
    struct Shape {
      ExprKind kind;
      uint32_t ops, kids;
    };
    constexpr Shape shapes[] = {{ExprKind::doubleOp, 6, 3},
                                {ExprKind::halfOp, 5, 3},
                                {ExprKind::vector, 5, 4},
                                {ExprKind::call, KernelAst::callees, 2}};
    const Shape &shape = shapes[random_.below(withCalls_ ? 4 : 3)];
    Expr e;
    e.kind = shape.kind;
    e.op = random_.below(shape.ops);
    for (uint32_t i = 0; i < shape.kids; ++i)
      e.kids.push_back(expression(depth - 2));
    return e;
  }

  Expr wideExpression(int depth) {
    Expr e;
    e.kind = ExprKind::wide;
    e.op = random_.below(wideOps);
    e.value = random_.below(wideShapes);
    for (int i = 0; i < 3; ++i)
      e.kids.push_back(expression(depth - 2));
    return e;
  }

  static Expr constantOf(uint32_t value) {
    Expr e;
    e.value = value;
    return e;
  }

  static Expr node(ExprKind kind, uint32_t op, std::vector<Expr> kids) {
    Expr e;
    e.kind = kind;
    e.op = op;
    e.kids = std::move(kids);
    return e;
  }

  // Uniform over the launch, over a workgroup or a wave; or a threshold on the thread.
  Expr shapedCondition() {
    Expr thread;
    thread.kind = ExprKind::threadId;
    const uint32_t predicate = random_.below(10);
    auto compare = [&](Expr l, uint32_t r) {
      return node(ExprKind::compare, predicate, {std::move(l), constantOf(r)});
    };
    auto binaryOf = [&](BinaryOp op, Expr l, uint32_t r) {
      return node(ExprKind::binary, static_cast<uint32_t>(op), {std::move(l), constantOf(r)});
    };
    switch (random_.below(6)) {
    case 0:
      return compare(thread, 32 * (1 + random_.below(4)));
    case 1:
      return compare(binaryOf(BinaryOp::lshr, thread, 4 + random_.below(3)), random_.below(4));
    case 2:
      return compare(binaryOf(BinaryOp::bitAnd, thread, ~31u << random_.below(3)),
                     32 * random_.below(4));
    case 3: {
      Expr leaf;
      leaf.kind = random_.oneIn(2) ? ExprKind::argument : ExprKind::groupId;
      return compare(leaf, random_.below(3) + (leaf.kind == ExprKind::argument ? 36 : 0));
    }
    case 4: // a uniform load
      return compare(node(ExprKind::loadInput, 0, {constantOf(random_.below(64))}), 100);
    default: {
      Expr sum = node(ExprKind::binary, static_cast<uint32_t>(BinaryOp::add), {thread, thread});
      return compare(sum, 64 * (1 + random_.below(3)));
    }
    }
  }

  /// A condition; mostly data-dependent, sometimes on the thread id or uniform.
  Expr condition() {
    if (more_ && random_.oneIn(5))
      return shapedCondition();
    Expr e;
    e.kind = ExprKind::compare;
    e.op = random_.below(10);
    Expr l = expression(2), r = leaf();
    if (random_.oneIn(3)) {
      Expr mask;
      mask.kind = ExprKind::constant;
      mask.value = 1u << random_.below(7);
      Expr both;
      both.kind = ExprKind::binary;
      both.op = static_cast<uint32_t>(BinaryOp::bitAnd);
      both.kids = {l, mask};
      l = both;
      r.kind = ExprKind::constant;
      r.value = 0;
      e.op = random_.below(2);
    }
    e.kids = {l, r};
    return e;
  }

  std::vector<Stmt> statements(Context &c, uint32_t count) {
    std::vector<Stmt> out;
    for (uint32_t i = 0; i < count; ++i) {
      if (more_ && random_.oneIn(12))
        triangles(out, c);
      else
        out.push_back(statement(c));
    }
    return out;
  }

  // if (p) A; ... if (p) B; ... if (!p) C: on one predicate that nothing in between changes.
  void triangles(std::vector<Stmt> &out, const Context &c) {
    Expr predicate = shapedCondition();
    Context inner = c;
    ++inner.depth;
    inner.noCrossLane = true;
    std::vector<Stmt> arm = statementsOfDepth(inner, 1 + random_.below(2));
    for (uint32_t i = 0, n = 2 + random_.below(2); i < n; ++i) {
      Stmt s;
      s.kind = StmtKind::branch;
      s.exprs = {predicate};
      if (i > 0 && random_.oneIn(2)) { // LLVM's order: eq ne ugt uge ult ule sgt sge slt sle
        constexpr uint32_t opposite[10] = {1, 0, 5, 4, 3, 2, 9, 8, 7, 6};
        s.exprs[0].op = opposite[predicate.op];
      }
      s.arms.push_back(i == 0 ? arm : mutated(arm));
      s.arms.emplace_back();
      out.push_back(std::move(s));
      if (random_.oneIn(3))
        out.push_back(plainAssignment());
    }
  }

  Stmt plainAssignment() {
    Stmt s;
    s.kind = StmtKind::assign;
    s.index = random_.below(KernelAst::variables);
    s.exprs = {expression(2)};
    return s;
  }

  std::vector<Stmt> statementsOfDepth(Context &c, uint32_t count) {
    if (c.depth < 3)
      return statements(c, count);
    std::vector<Stmt> out;
    while (out.size() < count)
      out.push_back(plainAssignment());
    return out;
  }

  // if .. else if .. else if .. else: arms that look alike.
  Stmt chain(const Context &c, uint32_t length, const std::vector<Stmt> &like) {
    Stmt s;
    s.kind = StmtKind::branch;
    s.exprs = {condition()};
    s.arms.push_back(mutated(like));
    s.arms.emplace_back();
    if (length > 1)
      s.arms[1].push_back(chain(c, length - 1, like));
    else if (random_.oneIn(2))
      s.arms[1] = mutated(like);
    return s;
  }

  Stmt statement(Context &c) {
    Stmt s;
    if (more_ && c.depth < 2 && random_.oneIn(14)) {
      Context inner = c;
      inner.depth += 2;
      inner.noCrossLane = true;
      std::vector<Stmt> like = statementsOfDepth(inner, 1 + random_.below(3));
      return chain(c, 2 + random_.below(4), like);
    }
    if (withLdsAtomics_ && random_.oneIn(10)) {
      s.kind = StmtKind::ldsAtomic;
      s.op = random_.below(KernelAst::accOps);
      s.exprs = {expression(2), expression(1)};
      return s;
    }
    const uint32_t roll = random_.below(20);
    if (roll < 6 || (c.depth >= 3 && roll < 16)) {
      s.kind = StmtKind::assign;
      s.index = random_.below(KernelAst::variables);
      s.exprs = {expression(3)};
      return s;
    }
    if (roll < 12) {
      branch(s, c);
      return s;
    }
    switch (roll) {
    case 12:
      if (c.depth < loopDepth_) {
        s.kind = StmtKind::loop;
        s.exprs = {expression(2)};
        Context inner = c;
        ++inner.depth;
        inner.noCrossLane = true;
        s.arms = {statements(inner, 1 + random_.below(3))};
        if (random_.oneIn(3)) {
          Stmt b;
          b.kind = StmtKind::breakIf;
          b.exprs = {condition()};
          s.arms[0].push_back(b);
        }
        return s;
      }
      break;
    case 13:
      if (c.depth < 2) {
        s.kind = StmtKind::switchOn;
        s.exprs = {expression(2)};
        const uint32_t n = 2 + random_.below(4);
        Context inner = c;
        ++inner.depth;
        inner.noCrossLane = true;
        s.arms.push_back(statements(inner, 1 + random_.below(2)));
        while (s.arms.size() < n)
          s.arms.push_back(random_.oneIn(3) ? statements(inner, 1) : mutated(s.arms[0]));
        return s;
      }
      break;
    case 14:
      s.kind = StmtKind::atomic;
      s.op = random_.below(KernelAst::accOps);
      s.exprs = {expression(2), expression(1)};
      return s;
    case 15:
      s.kind = withPrivate_ && random_.oneIn(2) ? StmtKind::storePrivate : StmtKind::storeOwnLds;
      s.exprs = {expression(2), expression(1)};
      return s;
    case 16:
      if (c.depth == 0 && !withReturns_) {
        s.kind = StmtKind::exchange;
        s.index = random_.below(KernelAst::variables);
        s.exprs = {expression(1)};
        return s;
      }
      break;
    case 17:
      if (withCrossLane_ && !c.noCrossLane && !withReturns_) {
        s.kind = StmtKind::crossLane;
        s.index = random_.below(KernelAst::variables);
        s.op = random_.below(more_ && c.depth == 0 ? 4 : 3);
        s.exprs = {expression(1), leaf()};
        return s;
      }
      break;
    case 18:
      if (c.depth == 0 && withReturns_) {
        s.kind = StmtKind::returnIf;
        s.exprs = {condition()};
        return s;
      }
      break;
    default:
      break;
    }
    s.kind = StmtKind::storeOutput;
    s.index = random_.below(KernelAst::outputsPerThread);
    s.exprs = {expression(3)};
    return s;
  }

  void branch(Stmt &s, const Context &c) {
    s.kind = StmtKind::branch;
    s.exprs = {condition()};
    Context inner = c;
    ++inner.depth;
    s.arms.push_back(statements(inner, 1 + random_.below(4)));
    inner.noCrossLane = true;
    switch (random_.below(5)) {
    case 0:
      s.arms.emplace_back(); // if without else
      break;
    case 1:
      s.arms.push_back(statements(inner, 1 + random_.below(3)));
      break;
    default:
      s.arms.push_back(mutated(s.arms[0]));
      if (random_.oneIn(3))
        s.arms[1].push_back(statement(inner));
    }
  }

  void mutate(Expr &e) {
    if (random_.oneIn(10)) {
      e = leaf();
      return;
    }
    if (e.kind == ExprKind::constant && random_.oneIn(2))
      e.value = constant();
    if (e.kind == ExprKind::variable && random_.oneIn(4))
      e.value = random_.below(KernelAst::variables);
    if (e.kind == ExprKind::compare && random_.oneIn(2))
      e.op = random_.below(10);
    if (e.kind == ExprKind::call && random_.oneIn(3))
      e.op = random_.below(KernelAst::callees);
    if (e.kind == ExprKind::binary && random_.oneIn(6))
      e.op = random_.below(static_cast<uint32_t>(BinaryOp::udiv));
    if (e.kind == ExprKind::wide && random_.oneIn(2))
      e.value = random_.below(wideShapes);
    if (e.kids.size() >= 2 && random_.oneIn(6))
      std::swap(e.kids[0], e.kids[1]);
    for (Expr &k : e.kids)
      mutate(k);
  }

  std::vector<Stmt> mutated(std::vector<Stmt> block) {
    for (Stmt &s : block) {
      if (s.kind == StmtKind::crossLane) { // one arm only: LLVM 15 itself may share equal ones
        s.kind = StmtKind::assign;
        s.exprs.pop_back();
      }
      for (Expr &e : s.exprs)
        mutate(e);
      if (s.kind == StmtKind::assign && random_.oneIn(5))
        s.index = random_.below(KernelAst::variables);
      if ((s.kind == StmtKind::atomic || s.kind == StmtKind::ldsAtomic) && random_.oneIn(3))
        s.op = random_.below(KernelAst::accOps);
      for (auto &arm : s.arms)
        arm = mutated(arm);
      if (s.kind == StmtKind::branch && random_.oneIn(4))
        std::swap(s.arms[0], s.arms[1]);
    }
    if (block.size() > 1 && random_.oneIn(4))
      block.erase(block.begin() + random_.below(static_cast<uint32_t>(block.size())));
    return block;
  }

  Random random_;
  const bool more_; ///< generator 2
  const bool wide_; ///< generator 6
  int loopDepth_ = 2;
  bool withReturns_ = false, withPrivate_ = false, withCrossLane_ = false, withCalls_ = false,
       withLdsAtomics_ = false;
};

} // namespace meld::fuzz
