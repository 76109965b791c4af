#include "tests/fuzz/kernel_ast.h"

namespace meld::fuzz {

namespace {

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
  explicit Generator(uint64_t seed) : random_(seed) {}

  KernelAst kernel(uint64_t seed) {
    KernelAst k;
    k.seed = seed;
    constexpr uint32_t sizes[] = {32, 64, 64, 96, 128, 192, 256};
    k.blockSize = sizes[random_.below(7)];
    k.blocks = 1 + random_.below(3);
    withReturns_ = random_.oneIn(6);
    withPrivate_ = random_.oneIn(6);
    withCrossLane_ = random_.oneIn(4);
    Context top;
    k.body = statements(top, 3 + random_.below(5));
    return k;
  }

private:
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

  /// A condition; mostly data-dependent, sometimes on the thread id or uniform.
  Expr condition() {
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
    for (uint32_t i = 0; i < count; ++i)
      out.push_back(statement(c));
    return out;
  }

  Stmt statement(Context &c) {
    Stmt s;
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
      if (c.depth < 2) {
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
        s.op = random_.below(3);
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
    if (e.kind == ExprKind::binary && random_.oneIn(6))
      e.op = random_.below(static_cast<uint32_t>(BinaryOp::udiv));
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
      if (s.kind == StmtKind::atomic && random_.oneIn(3))
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
  bool withReturns_ = false, withPrivate_ = false, withCrossLane_ = false;
};

} // namespace

KernelAst generateKernel(uint64_t seed) { return Generator(seed).kernel(seed); }

} // namespace meld::fuzz
