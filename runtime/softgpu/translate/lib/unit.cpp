#include "runtime/softgpu/translate/lib/unit.h"

#include "runtime/softgpu/isa/control_flow.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/translate/lib/global512.h"
#include "runtime/softgpu/translate/lib/lds512.h"
#include "runtime/softgpu/translate/lib/private512.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

#include <cstddef>

using namespace llvm;

namespace meld::softgpu::translate {

using isa::Category;
using isa::Op;
using isa::Operand;

namespace {

bool isVectorMemory(const ExecInst *e) {
  return e->category >= uint8_t(Category::vmemRead) && e->category <= uint8_t(Category::lds);
}

/// Caches, priorities, profiling and waits are not modelled.
bool doesNothing(Op op) {
  switch (op) {
  case Op::s_nop:
  case Op::s_waitcnt:
  case Op::s_waitcnt_vscnt:
  case Op::s_waitcnt_vmcnt:
  case Op::s_waitcnt_expcnt:
  case Op::s_waitcnt_lgkmcnt:
  case Op::s_waitcnt_depctr:
  case Op::s_clause:
  case Op::s_delay_alu:
  case Op::s_wait_event:
  case Op::s_inst_prefetch:
  case Op::s_version:
  case Op::s_setprio:
  case Op::s_wakeup:
  case Op::s_icache_inv:
  case Op::s_incperflevel:
  case Op::s_decperflevel:
  case Op::s_ttracedata:
  case Op::buffer_gl0_inv:
  case Op::buffer_gl1_inv:
  case Op::buffer_wbinvl1:
  case Op::buffer_wbinvl1_vol:
    return true;
  default:
    return false;
  }
}

} // namespace

Unit::Unit(Module &module, const UnitInst *insts, uint32_t count, isa::Target target,
           unsigned lanes)
    : module_(module), insts_(insts), count_(count), traits_(isa::traitsOf(target)), lanes_(lanes),
      b_(module.getContext()) {}

Value *Unit::field(size_t offset) { return b_.CreateConstGEP1_64(b_.getInt8Ty(), wave_, offset); }
Value *Unit::counter(size_t offset) {
  return b_.CreateConstGEP1_64(b_.getInt8Ty(), counters_, offset);
}
Constant *Unit::pointer(const void *p) {
  return ConstantExpr::getIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(p)), b_.getPtrTy());
}
Value *Unit::rowAddress(unsigned row, Value *lane) {
  Value *at = b_.CreateConstGEP1_64(b_.getInt8Ty(), rows_, uint64_t(row) * sizeof(VRow));
  return b_.CreateGEP(b_.getInt32Ty(), at, lane);
}

Function *Unit::emit(const char *name) {
  LLVMContext &context = module_.getContext();
  Type *ptr = b_.getPtrTy();
  auto *type = FunctionType::get(ptr, {ptr, ptr, b_.getInt32Ty()}, false);
  fn_ = Function::Create(type, Function::ExternalLinkage, name, module_);
  fn_->addFnAttr(Attribute::NoUnwind);
  wave_ = fn_->getArg(0);
  counters_ = fn_->getArg(1);
  b_.SetInsertPoint(BasicBlock::Create(context, "entry", fn_));
  rows_ = b_.CreateAlignedLoad(ptr, field(offsetof(Wave, v)), Align(8));
  auto *nowhere = BasicBlock::Create(context, "nowhere", fn_);
  auto *entries = b_.CreateSwitch(fn_->getArg(2), nowhere);
  b_.SetInsertPoint(nowhere);
  b_.CreateUnreachable();
  starts_.resize(count_);
  for (uint32_t k = 0; k < count_; ++k)
    if (insts_[k].flags & startsBlock) {
      starts_[k] = BasicBlock::Create(context, "block", fn_);
      entries->addCase(b_.getInt32(k), starts_[k]);
    }
  for (uint32_t k = 0; k < count_; ++k)
    if (starts_[k])
      block(k);
  return fn_;
}

void Unit::block(uint32_t first) {
  b_.SetInsertPoint(starts_[first]);
  scalars_.emplace(b_, wave_, traits_.maskDwords());
  queue_.emplace(b_, *scalars_, rows_, lanes_, traits_.waveSize);
  scalars_->runQueue = [this] { queue_->run(); };
  for (uint32_t k = first;; ++k) {
    if (!instruction(k))
      return;
    const UnitInst &u = insts_[k];
    if (u.nextIndex == int32_t(k + 1)) {
      if (!starts_[k + 1])
        continue;
      settle();
      b_.CreateBr(starts_[k + 1]);
      return;
    }
    settle();
    if (u.link)
      jump(u.link, u.linkIndex, true);
    else
      leaveTo(following(u.exec));
    return;
  }
}

// --- what others may see ---

void Unit::count(const ExecInst *e) {
  ++categories_[e->category];
  if (e->category != uint8_t(Category::valu))
    return;
  Value *exec = scalars_->exec();
  if (lanesOn_.empty() || lanesOn_.back().first != exec)
    lanesOn_.push_back({exec, 0});
  ++lanesOn_.back().second;
}

void Unit::addTo(Value *address, Value *n) {
  Value *old = b_.CreateAlignedLoad(b_.getInt64Ty(), address, Align(8));
  b_.CreateAlignedStore(b_.CreateAdd(old, n), address, Align(8));
}

void Unit::settle() {
  queue_->run();
  for (unsigned k = 0; k < WaveCounters::kCategories; ++k)
    if (uint64_t n = std::exchange(categories_[k], 0))
      addTo(counter(offsetof(WaveCounters, insts) + 8 * k), b_.getInt64(n));
  Value *lanes = nullptr;
  for (auto [exec, n] : lanesOn_) {
    Value *on = b_.CreateZExt(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, exec), b_.getInt64Ty());
    Value *x = b_.CreateMul(on, b_.getInt64(n));
    lanes = lanes ? b_.CreateAdd(lanes, x) : x;
  }
  lanesOn_.clear();
  if (lanes)
    addTo(counter(offsetof(WaveCounters, activeLanesValu)), lanes);
  scalars_->store();
}

void Unit::setNext(const ExecInst *e) {
  b_.CreateAlignedStore(pointer(e), field(offsetof(Wave, next)), Align(8));
}

void Unit::leaveTo(const ExecInst *next) { b_.CreateRet(pointer(next)); }

/// A core's link or taken branch; everything is settled.
void Unit::jump(const ExecInst *target, int32_t index, bool costsQuantum) {
  LLVMContext &context = b_.getContext();
  if (costsQuantum) {
    Value *at = field(offsetof(Wave, quantum));
    Value *left = b_.CreateSub(b_.CreateAlignedLoad(b_.getInt32Ty(), at, Align(4)), b_.getInt32(1));
    b_.CreateAlignedStore(left, at, Align(4));
    auto *yield = BasicBlock::Create(context, "yield", fn_);
    auto *go = BasicBlock::Create(context, "", fn_);
    b_.CreateCondBr(b_.CreateICmpSLE(left, b_.getInt32(0)), yield, go,
                    MDBuilder(context).createBranchWeights(1, 1000));
    b_.SetInsertPoint(yield);
    b_.CreateAlignedStore(b_.getInt8(uint8_t(WaveStatus::yielded)), field(offsetof(Wave, status)),
                          Align(1));
    setNext(target);
    b_.CreateRet(ConstantPointerNull::get(b_.getPtrTy()));
    b_.SetInsertPoint(go);
  }
  if (index >= 0 && starts_[size_t(index)])
    b_.CreateBr(starts_[size_t(index)]);
  else
    leaveTo(target);
}

void Unit::branch(uint32_t k, Value *condition) {
  const UnitInst &u = insts_[k];
  const bool backward = u.exec->inst->simm < 0;
  settle();
  if (!condition) {
    jump(u.target, u.targetIndex, backward);
    return;
  }
  auto *taken = BasicBlock::Create(b_.getContext(), "taken", fn_);
  auto *other = BasicBlock::Create(b_.getContext(), "", fn_);
  b_.CreateCondBr(condition, taken, other);
  b_.SetInsertPoint(taken);
  jump(u.target, u.targetIndex, backward);
  b_.SetInsertPoint(other);
  if (u.nextIndex >= 0 && starts_[size_t(u.nextIndex)])
    b_.CreateBr(starts_[size_t(u.nextIndex)]);
  else if (u.link)
    jump(u.link, u.linkIndex, true);
  else
    leaveTo(following(u.exec));
}

bool Unit::handler(uint32_t k, bool returns) {
  const ExecInst *e = insts_[k].exec;
  settle();
  const bool memory = isVectorMemory(e);
  if (memory || e->category == uint8_t(Category::smem))
    setNext(e);
  Type *ptr = b_.getPtrTy();
  auto *type = FunctionType::get(ptr, {ptr, ptr}, false);
  Handler run = e->run;
  if (lanes_ == 16) {
    Handler faster = lds512Handler(e);
    if (!faster)
      faster = global512Handler(e);
    if (!faster)
      faster = private512Handler(e);
    if (faster) {
      run = faster;
      ++covered_;
    }
  }
  Value *next =
      b_.CreateCall(type, pointer(reinterpret_cast<const void *>(run)), {pointer(e), wave_});
  if (memory) {
    const size_t trace = offsetof(Wave, trace);
    const auto add = [&](size_t from, size_t to) {
      Value *n = b_.CreateAlignedLoad(b_.getInt32Ty(), field(trace + from), Align(4));
      addTo(counter(to), b_.CreateZExt(n, b_.getInt64Ty()));
    };
    add(offsetof(MemoryTrace, cacheLines), offsetof(WaveCounters, cacheLines));
    add(offsetof(MemoryTrace, ldsBankConflicts), offsetof(WaveCounters, ldsBankConflicts));
  }
  if (returns) {
    b_.CreateRet(next);
    return false;
  }
  auto *leave = BasicBlock::Create(b_.getContext(), "leave", fn_);
  auto *on = BasicBlock::Create(b_.getContext(), "", fn_);
  b_.CreateCondBr(b_.CreateICmpEQ(next, pointer(following(e))), on, leave,
                  MDBuilder(b_.getContext()).createBranchWeights(1000, 1));
  b_.SetInsertPoint(leave);
  b_.CreateRet(next);
  b_.SetInsertPoint(on);
  if (!memory)
    scalars_->forget();
  return true;
}

// --- instructions ---

bool Unit::instruction(uint32_t k) {
  const UnitInst &u = insts_[k];
  const ExecInst *e = u.exec;
  count(e);
  if (u.flags & onlyHandler)
    return handler(k, true);
  ++covered_;
  if (doesNothing(e->inst->op))
    return true;
  switch (isa::familyOf(e->inst->enc)) {
  case isa::Family::scalar:
    return (!reachesHighExec(e->dst, e->inst->dst.dwords) && emitSalu(b_, *scalars_, e)) || flow(k);
  case isa::Family::scalarMemory:
    if (scalarLoad(e))
      return true;
    break;
  case isa::Family::vector:
    if (e->inst->enc == isa::Enc::VOPD ? pair(e) : queue_->add(e) || laneAccess(e))
      return true;
    break;
  default:
    break;
  }
  --covered_;
  return handler(k);
}

bool Unit::reachesHighExec(unsigned slot, unsigned dwords) const {
  constexpr unsigned high = isa::Sgpr::exec + 1;
  return traits_.waveSize < kWaveSize && slot <= high && slot + std::max(dwords, 1u) > high;
}

bool Unit::flow(uint32_t k) {
  const ExecInst *e = insts_[k].exec;
  const Op op = e->inst->op;
  if (const isa::Branch on = isa::branchOf(op); on.on == isa::Branch::always) {
    branch(k, nullptr);
    return false;
  } else if (on.isConditional()) {
    Value *x = on.on == isa::Branch::scc   ? scalars_->scc()
               : on.on == isa::Branch::vcc ? scalars_->readMask(isa::Sgpr::vcc)
                                           : scalars_->exec();
    branch(k, b_.CreateICmp(on.nonZero ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ, x,
                            ConstantInt::get(x->getType(), 0)));
    return false;
  }
  switch (op) {
  case Op::s_getpc_b64:
    if (reachesHighExec(e->dst, 2)) {
      --covered_;
      return handler(k);
    }
    scalars_->write64(e->dst, b_.getInt64(insts_[k].pc + e->inst->size));
    return true;
  default:
    --covered_;
    return handler(k, isa::endsLine(op) || suspends(op));
  }
}

/// The halves of a VOPD one after the other, where that is the same.
bool Unit::pair(const ExecInst *e) {
  const ExecHalves &halves = halvesOf(e);
  if (halves.first < 0 || !ruleFor(&halves.exec[0]) || !ruleFor(&halves.exec[1]))
    return false;
  return queue_->add(&halves.exec[halves.first]) && queue_->add(&halves.exec[1 - halves.first]);
}

/// v_readfirstlane, v_readlane, v_writelane of VGPRs.
bool Unit::laneAccess(const ExecInst *e) {
  const isa::Inst &in = *e->inst;
  const bool first = in.op == Op::v_readfirstlane_b32, write = in.op == Op::v_writelane_b32;
  if (!first && !write && in.op != Op::v_readlane_b32)
    return false;
  if (in.sdwa || in.dpp || in.dpp8)
    return false;
  const auto scalar = [&](const Operand &o) -> Value * {
    if (o.kind == Operand::Kind::sgpr)
      return scalars_->read32(o.index);
    return o.kind == Operand::Kind::imm ? b_.getInt32(uint32_t(o.value)) : nullptr;
  };
  Value *lane = nullptr;
  if (!first) {
    lane = scalar(in.src[1]);
    if (!lane)
      return false;
    lane = b_.CreateZExt(b_.CreateAnd(lane, traits_.waveSize - 1), b_.getInt64Ty());
  }
  if (write) {
    Value *x = scalar(in.src[0]);
    if (!x || in.dst.kind != Operand::Kind::vgpr)
      return false;
    queue_->run();
    b_.CreateAlignedStore(x, rowAddress(e->dst, lane), Align(4));
    return true;
  }
  if (in.src[0].kind != Operand::Kind::vgpr || in.dst.kind != Operand::Kind::sgpr)
    return false;
  queue_->run();
  if (first) { // no active lane: lane 0
    Value *exec = scalars_->exec();
    lane = b_.CreateIntrinsic(Intrinsic::cttz, {exec->getType()}, {exec, b_.getFalse()});
    lane = b_.CreateZExt(b_.CreateAnd(lane, traits_.waveSize - 1), b_.getInt64Ty());
  }
  scalars_->write32(
      e->dst, b_.CreateAlignedLoad(b_.getInt32Ty(), rowAddress(in.src[0].index, lane), Align(4)));
  return true;
}

/// s_load_dword*: others go through their handler.
bool Unit::scalarLoad(const ExecInst *e) {
  unsigned n;
  switch (e->inst->op) {
  case Op::s_load_dword:
    n = 1;
    break;
  case Op::s_load_dwordx2:
    n = 2;
    break;
  case Op::s_load_dwordx4:
    n = 4;
    break;
  case Op::s_load_dwordx8:
    n = 8;
    break;
  case Op::s_load_dwordx16:
    n = 16;
    break;
  default:
    return false;
  }
  Value *base = e->src[0] == kImmSlot ? b_.getInt64(0) : scalars_->read64(e->src[0]);
  Value *at = b_.CreateAdd(base, b_.getInt64(e->imm[0]));
  if (e->src[1] != kImmSlot)
    at = b_.CreateAdd(at, b_.CreateZExt(scalars_->read32(e->src[1]), b_.getInt64Ty()));
  settle();
  setNext(e);
  // The trace of an access without vector memory: nothing.
  b_.CreateAlignedStore(b_.getInt64(0), field(offsetof(Wave, trace)), Align(4));
  static_assert(offsetof(MemoryTrace, cacheLines) == 0 &&
                offsetof(MemoryTrace, ldsBankConflicts) == 4);
  Value *from = b_.CreateIntToPtr(b_.CreateAnd(at, ~3ull), b_.getPtrTy());
  // Another wave or the host may write there: every load is done, where it stands.
  std::vector<Value *> x;
  const unsigned step = n == 1 ? 1 : 2;
  Type *type = n == 1 ? b_.getInt32Ty() : b_.getInt64Ty();
  for (unsigned k = 0; k < n; k += step)
    x.push_back(b_.CreateAlignedLoad(type, b_.CreateConstGEP1_64(b_.getInt8Ty(), from, 4 * k),
                                     Align(4), /*isVolatile=*/true));
  for (unsigned k = 0; k < n; k += step)
    if (n == 1)
      scalars_->write32(e->dst, x[0]);
    else
      scalars_->write64(e->dst + k, x[k / 2]);
  return true;
}

} // namespace meld::softgpu::translate
