// VOPD (GFX11, waves of 32): two operations in one instruction, each with a destination of its own. Both
// read all their sources before either writes ("RDNA3" ISA, "Dual Issue VALU").
//
// Each half becomes an instruction by itself, prepared as one, so that it has the handlers of its
// operation. Which half runs first is chosen such that none reads what the other wrote; where each
// reads the other's destination, a copy stands in for what is overwritten.
#include "runtime/softgpu/valu/dual.h"

#include "runtime/softgpu/execute/chain.h"
#include "runtime/softgpu/valu/slow.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace meld::softgpu::valu {

using isa::Enc;
using isa::Inst;
using isa::Op;
using isa::Operand;

namespace {

/// One half as the instruction of 32 bits that it would be alone.
Inst half(const Inst &in, bool y) {
  Inst h;
  h.op = y ? in.dual.op : in.op;
  h.enc = h.op == Op::v_mov_b32 ? Enc::VOP1 : Enc::VOP2;
  h.target = in.target;
  h.size = in.size;
  h.numSrc = y ? in.dual.numSrc : in.numSrc;
  h.dst = y ? in.dual.dst : in.dst;
  for (unsigned k = 0; k < 3; ++k)
    h.src[k] = y ? in.dual.src[k] : in.src[k];
  h.literal = in.literal;
  h.literalValue = in.literalValue;
  return h;
}

bool reads(const Inst &h, unsigned row) {
  for (const Operand &o : h.src)
    if (o.kind == Operand::Kind::vgpr && o.index == row)
      return true;
  // Of sums into their destination the old value is a source, too.
  return (opTable()[h.op].flags & kAccumulate) && h.dst.index == row;
}

/// All that the halves of an instruction depend on.
std::string keyOf(const Inst &in, isa::Target target) {
  std::string key;
  const auto add = [&](const auto &x) { key.append(reinterpret_cast<const char *>(&x), sizeof x); };
  add(target);
  for (bool y : {false, true}) {
    const Inst h = half(in, y);
    add(h.op);
    add(h.numSrc);
    for (const Operand *o : {&h.dst, &h.src[0], &h.src[1], &h.src[2]}) {
      add(o->kind);
      add(o->dwords);
      add(o->index);
      add(o->value);
    }
  }
  return key;
}

/// The halves of an instruction, kept for as long as the process lives: code that is decoded again
/// finds them here. Null: one of them is not executed.
const ExecHalves *preparedHalves(const Inst &in, isa::Target target) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::unique_ptr<ExecHalves>> known;
  std::lock_guard lock(mutex);
  auto [it, fresh] = known.try_emplace(keyOf(in, target));
  if (!fresh)
    return it->second.get();
  auto halves = std::make_unique<ExecHalves>();
  for (unsigned k = 0; k < 2; ++k) {
    halves->inst[k] = half(in, k == 1);
    halves->exec[k] = ExecInst{};
    halves->exec[k].inst = &halves->inst[k];
    if (halves->inst[k].dst.kind != Operand::Kind::vgpr || !prepareValu(halves->exec[k], target))
      return nullptr;
    halves->exec[k].flags &= uint8_t(~chains); // one goes on to the other here, not by itself
  }
  const Inst &x = halves->inst[0], &y = halves->inst[1];
  halves->first = !reads(y, x.dst.index) ? 0 : !reads(x, y.dst.index) ? 1 : -1;
  it->second = std::move(halves);
  return it->second.get();
}

/// Keeps what the halves count: they are one instruction, which is counted for both.
class OneInstruction {
public:
  explicit OneInstruction(Wave &w) : w_(w), passed_(passed()), lanes_(w.passedLanes) {}
  ~OneInstruction() {
    passed() = passed_;
    w_.passedLanes = lanes_;
  }

private:
  uint64_t &passed() { return w_.passed[unsigned(isa::Category::valu)]; }
  Wave &w_;
  uint64_t passed_, lanes_;
};

template <unsigned First> const ExecInst *runBoth(const ExecInst *i, Wave &w) {
  const ExecHalves &h = halvesOf(i);
  const OneInstruction one(w);
  h.exec[First].run(&h.exec[First], w);
  h.exec[1 - First].run(&h.exec[1 - First], w);
  return following(i);
}

/// Y reads what X writes and X what Y writes: X's result waits until Y has read.
/// Not inlined, so that its rows are gone before a chain goes on.
[[gnu::noinline]] const ExecInst *runCrossed(const ExecInst *i, Wave &w) {
  const ExecHalves &h = halvesOf(i);
  const OneInstruction one(w);
  uint32_t *row = w.v[h.inst[0].dst.index].u;
  alignas(64) VRow old, result;
  copyRow(old.u, row);
  h.exec[0].run(&h.exec[0], w);
  copyRow(result.u, row);
  copyRow(row, old.u);
  h.exec[1].run(&h.exec[1], w);
  copyRow(row, result.u);
  return following(i);
}

} // namespace

bool prepareDual(ExecInst &e, isa::Target target) {
  const ExecHalves *h = preparedHalves(*e.inst, target);
  if (!h)
    return false;
  e.run = h->first == 0   ? chainedValu<runBoth<0>>
          : h->first == 1 ? chainedValu<runBoth<1>>
                          : chainedValu<runCrossed>;
  e.flags = chains;
  e.aux = reinterpret_cast<uint64_t>(h);
  return true;
}

} // namespace meld::softgpu::valu
