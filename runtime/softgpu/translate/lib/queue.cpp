#include "runtime/softgpu/translate/lib/queue.h"

using namespace llvm;

namespace meld::softgpu::translate {

namespace {

using isa::Operand;

/// Longer queues only add register pressure.
constexpr size_t kMaxQueue = 48;

/// Where the lane mask goes that an operation makes.
unsigned maskSlot(const Rule &rule, const ExecInst *e) {
  return rule.flags & compares ? e->dst : e->sdst;
}

} // namespace

const Rule *ruleOf(isa::Op op) {
  static const RuleTable &table = []() -> RuleTable & {
    static RuleTable t;
    addIntegerRules(t);
    addFloatRules(t);
    addWideRules(t);
    addExecRules(t);
    return t;
  }();
  return op < isa::Op::count && table[op].emit ? &table[op] : nullptr;
}

const Rule *ruleFor(const ExecInst *e) {
  const isa::Inst &in = *e->inst;
  const Rule *rule = ruleOf(in.op);
  if (!rule || in.sdwa || in.dpp || in.dpp8 || in.clamp || in.omod)
    return nullptr;
  if (in.enc == isa::Enc::VOPD) // two operations, see Unit::pair
    return nullptr;
  const bool pairs = rule->flags & packed;
  if (pairs != (in.enc == isa::Enc::VOP3P) || (in.opSel && !pairs))
    return nullptr;
  if (rule->flags & toExec) {
    if (isa::traitsOf(in.target).generation < 10)
      return nullptr; // writes an SGPR pair, too
  } else if (rule->flags & (compares | carryOut)) {
    const unsigned slot = maskSlot(*rule, e);
    if (slot >= isa::Sgpr::exec - 1 && slot != isa::Sgpr::sink)
      return nullptr; // writes EXEC
  }
  if (!(rule->flags & compares) && in.dst.kind != Operand::Kind::vgpr)
    return nullptr;
  for (unsigned k = 0; k < rule->numSrc; ++k) {
    const bool old = (rule->flags & accumulates) && k + 1u == rule->numSrc;
    const Operand &o = old ? in.dst : in.src[k];
    const bool negAbs = !pairs && ((in.neg | in.abs) >> k & 1);
    if (negAbs && rule->src[k] != Ty::f32 && rule->src[k] != Ty::m32 && rule->src[k] != Ty::f64)
      return nullptr;
    switch (o.kind) {
    case Operand::Kind::vgpr:
      if (rule->src[k] == Ty::mask)
        return nullptr;
      break;
    case Operand::Kind::sgpr:
    case Operand::Kind::imm:
      break;
    case Operand::Kind::none:
      if (rule->src[k] != Ty::mask)
        return nullptr;
      break;
    default:
      return nullptr;
    }
  }
  return rule;
}

bool VectorQueue::add(const ExecInst *e) {
  const Rule *rule = ruleFor(e);
  if (!rule)
    return false;
  if (ops_.size() >= kMaxQueue || (!ops_.empty() && scalars_.exec() != exec_))
    run();
  const bool makesMask = rule->flags & (compares | carryOut);
  if (makesMask && scalars_.overlapsPending(maskSlot(*rule, e)))
    run();
  const isa::Inst &in = *e->inst;
  IntegerType *maskType = scalars_.maskType();
  VectorOp op;
  op.rule = rule;
  op.exec = e;
  op.dst = e->dst;
  if (ops_.empty())
    exec_ = scalars_.exec();
  for (unsigned k = 0; k < rule->numSrc; ++k) {
    const bool old = (rule->flags & accumulates) && k + 1u == rule->numSrc;
    const Operand &o = old ? in.dst : in.src[k];
    VectorSource &s = op.src[k];
    if (!(rule->flags & packed)) { // there the fields mean neg_lo and neg_hi
      s.neg = in.neg >> k & 1;
      s.abs = in.abs >> k & 1;
    }
    const bool wide = rule->src[k] == Ty::b64 || rule->src[k] == Ty::f64;
    if (o.kind == Operand::Kind::vgpr) {
      s.kind = VectorSource::row;
      s.index = o.index;
    } else if (o.kind == Operand::Kind::imm) {
      s.kind = VectorSource::scalar;
      s.value = rule->src[k] == Ty::mask
                    ? ConstantInt::get(maskType, o.value & maskType->getBitMask())
                : wide ? b_.getInt64(o.value)
                       : b_.getInt32(uint32_t(o.value));
    } else {
      const unsigned slot = o.kind == Operand::Kind::none ? unsigned(isa::Sgpr::vcc) : o.index;
      if (rule->src[k] == Ty::mask && scalars_.pendingAt(slot) >= 0) {
        s.kind = VectorSource::pendingMask;
        s.index = unsigned(scalars_.pendingAt(slot));
        continue;
      }
      s.kind = VectorSource::scalar;
      s.value = rule->src[k] == Ty::mask ? scalars_.readMask(slot)
                : wide                   ? scalars_.read64(slot)
                                         : scalars_.read32(slot);
    }
  }
  if (ops_.empty()) // reading an operand may have run the queue
    exec_ = scalars_.exec();
  // An operand read earlier may have been pending and the queue run since: masks are values then.
  for (VectorSource &s : op.src)
    if (s.kind == VectorSource::pendingMask && ops_.empty())
      return add(e);
  if (makesMask && maskSlot(*rule, e) != isa::Sgpr::sink) {
    op.maskId = nextMask_++;
    scalars_.setPending(maskSlot(*rule, e), op.maskId);
  }
  ops_.push_back(op);
  return true;
}

void VectorQueue::run() {
  if (ops_.empty())
    return;
  const std::vector<VectorOp> ops = std::move(ops_);
  ops_.clear();
  LLVMContext &context = b_.getContext();
  Function *fn = b_.GetInsertBlock()->getParent();
  auto *exec = dyn_cast<ConstantInt>(exec_);
  const bool full = exec && exec->isMinusOne();

  Chunk chunk(b_, lanes_);
  chunk.prepareScalars(ops);
  BasicBlock *before = b_.GetInsertBlock();
  auto *head = BasicBlock::Create(context, "chunk", fn);
  auto *tail = BasicBlock::Create(context, "next", fn);
  auto *done = BasicBlock::Create(context, "", fn);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  PHINode *lane = b_.CreatePHI(b_.getInt64Ty(), 2);
  lane->addIncoming(b_.getInt64(0), before);
  IntegerType *maskType = scalars_.maskType();
  const auto laneOf = [&](Value *n) { return b_.CreateZExtOrTrunc(n, maskType); };
  std::vector<PHINode *> sums;
  std::vector<int> ids;
  for (const VectorOp &op : ops)
    if (op.maskId >= 0) {
      PHINode *sum = b_.CreatePHI(maskType, 2);
      sum->addIncoming(ConstantInt::get(maskType, 0), before);
      sums.push_back(sum);
      ids.push_back(op.maskId);
    }
  chunk.begin(b_.CreateGEP(b_.getInt8Ty(), rows_, b_.CreateShl(lane, 2)), lane);
  if (!full) {
    Value *bits = b_.CreateTrunc(b_.CreateLShr(exec_, laneOf(lane)), b_.getIntNTy(lanes_));
    auto *body = BasicBlock::Create(context, "", fn, tail);
    b_.CreateCondBr(b_.CreateICmpEQ(bits, b_.getIntN(lanes_, 0)), tail, body);
    b_.SetInsertPoint(body);
    chunk.active = b_.CreateBitCast(bits, chunk.i1v);
  }
  for (const VectorOp &op : ops)
    chunk.emit(op);
  chunk.storeRows(chunk.active);
  std::vector<Value *> bits;
  for (int id : ids) {
    Value *x = b_.CreateBitCast(chunk.madeMask(id), b_.getIntNTy(lanes_));
    bits.push_back(b_.CreateShl(b_.CreateZExt(x, maskType), laneOf(lane)));
  }
  BasicBlock *end = b_.GetInsertBlock();
  b_.CreateBr(tail);

  b_.SetInsertPoint(tail);
  std::vector<Value *> next;
  for (size_t k = 0; k < ids.size(); ++k) {
    Value *made = bits[k];
    if (!full) {
      PHINode *phi = b_.CreatePHI(maskType, 2);
      phi->addIncoming(ConstantInt::get(maskType, 0), head);
      phi->addIncoming(bits[k], end);
      made = phi;
    }
    next.push_back(made);
  }
  for (size_t k = 0; k < ids.size(); ++k) {
    next[k] = b_.CreateOr(sums[k], next[k]);
    sums[k]->addIncoming(next[k], tail);
  }
  Value *nextLane = b_.CreateAdd(lane, b_.getInt64(lanes_));
  lane->addIncoming(nextLane, tail);
  b_.CreateCondBr(b_.CreateICmpEQ(nextLane, b_.getInt64(waveSize_)), done, head);
  b_.SetInsertPoint(done);
  for (size_t k = 0; k < ids.size(); ++k)
    scalars_.resolve(ids[k], next[k]);
}

} // namespace meld::softgpu::translate
