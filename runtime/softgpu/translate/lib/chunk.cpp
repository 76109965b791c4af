#include "runtime/softgpu/translate/lib/chunk.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace meld::softgpu::translate {

Chunk::Chunk(IRBuilder<> &builder, unsigned n) : b(builder), lanes(n) {
  i32v = FixedVectorType::get(b.getInt32Ty(), n);
  f32v = FixedVectorType::get(b.getFloatTy(), n);
  i64h = FixedVectorType::get(b.getInt64Ty(), n / 2);
  f64h = FixedVectorType::get(b.getDoubleTy(), n / 2);
  i1v = FixedVectorType::get(b.getInt1Ty(), n);
}

Value *Chunk::splat(uint32_t x) const { return ConstantInt::get(i32v, x); }
Value *Chunk::splatQ(uint64_t x) const { return ConstantInt::get(i64h, x); }

void Chunk::prepareScalars(const std::vector<VectorOp> &ops) {
  for (const VectorOp &op : ops)
    for (unsigned k = 0; k < op.rule->numSrc; ++k) {
      const VectorSource &s = op.src[k];
      if (s.kind != VectorSource::scalar || op.rule->src[k] == Ty::mask || splats_.count(s.value))
        continue;
      const bool wide = s.value->getType()->isIntegerTy(64);
      splats_[s.value] = b.CreateVectorSplat(wide ? lanes / 2 : lanes, s.value);
      if (!wide)
        continue;
      splatsLo_[s.value] = b.CreateVectorSplat(lanes, b.CreateTrunc(s.value, b.getInt32Ty()));
      splatsHi_[s.value] =
          b.CreateVectorSplat(lanes, b.CreateTrunc(b.CreateLShr(s.value, 32), b.getInt32Ty()));
    }
}

void Chunk::begin(Value *rowsAtChunk, Value *shift) {
  base_ = rowsAtChunk;
  firstLane = shift;
}

Value *Chunk::maskBits(Value *mask) {
  Value *shift = b.CreateZExtOrTrunc(firstLane, mask->getType());
  Value *x = b.CreateTrunc(b.CreateLShr(mask, shift), b.getIntNTy(lanes));
  return b.CreateBitCast(x, i1v);
}

// --- registers ---

Value *Chunk::rowAddress(unsigned r) {
  return b.CreateConstGEP1_64(b.getInt8Ty(), base_, uint64_t(r) * sizeof(VRow));
}

/// Ends 64-bit values that cover row r, keeping their halves.
void Chunk::materialise(unsigned r) {
  for (unsigned k = r ? r - 1 : 0; k <= r; ++k) {
    auto at = wide_.find(k);
    if (at == wide_.end())
      continue;
    if (!rows_.count(k))
      rows_[k] = low(at->second);
    if (!rows_.count(k + 1))
      rows_[k + 1] = high(at->second);
    wide_.erase(at);
  }
}

Value *Chunk::row(unsigned r) {
  if (auto at = rows_.find(r); at != rows_.end())
    return at->second;
  if (auto at = wide_.find(r); at != wide_.end())
    return rows_[r] = low(at->second);
  if (r)
    if (auto at = wide_.find(r - 1); at != wide_.end())
      return rows_[r] = high(at->second);
  return rows_[r] = b.CreateAlignedLoad(i32v, rowAddress(r), Align(4 * lanes));
}

Halves Chunk::wideRow(unsigned r) {
  if (auto at = wide_.find(r); at != wide_.end())
    return at->second;
  const Halves x = interleave(row(r), row(r + 1));
  if (!(r && wide_.count(r - 1)) && !wide_.count(r + 1))
    wide_[r] = x;
  return x;
}

void Chunk::writeRow(unsigned r, Value *x) {
  materialise(r);
  rows_[r] = x;
  written_[r] = true;
}

void Chunk::storeRows(Value *lanesOn) {
  for (auto &[r, flag] : written_) {
    Value *x = row(r);
    if (lanesOn)
      x = select(lanesOn, x, b.CreateAlignedLoad(i32v, rowAddress(r), Align(4 * lanes)));
    b.CreateAlignedStore(x, rowAddress(r), Align(4 * lanes));
  }
}

// --- operands ---

Value *Chunk::modify32(Value *x, const VectorSource &s) {
  if (s.abs)
    x = b.CreateAnd(x, splat(0x7fffffff));
  if (s.neg)
    x = b.CreateXor(x, splat(0x80000000));
  return x;
}

Value *Chunk::u(unsigned k) {
  const VectorSource &s = op_->src[k];
  Value *x = s.kind == VectorSource::row ? row(s.index) : splats_.at(s.value);
  const Ty t = op_->rule->src[k];
  return t == Ty::m32 || t == Ty::f32 ? modify32(x, s) : x;
}

Value *Chunk::f(unsigned k) { return asFloat(u(k)); }

Halves Chunk::q(unsigned k) {
  const VectorSource &s = op_->src[k];
  if (s.kind == VectorSource::row)
    return op_->rule->src[k] == Ty::b32 || op_->rule->src[k] == Ty::f32 ? interleave(u(k), splat(0))
                                                                        : wideRow(s.index);
  if (s.value->getType()->isIntegerTy(64)) {
    Value *x = splats_.at(s.value);
    return {x, x};
  }
  Value *x = b.CreateZExt(b.CreateExtractElement(u(k), uint64_t(0)), b.getInt64Ty());
  x = b.CreateVectorSplat(lanes / 2, x);
  return {x, x};
}

Halves Chunk::d(unsigned k) {
  const VectorSource &s = op_->src[k];
  Halves x = q(k);
  if (s.abs)
    x = {b.CreateAnd(x.a, splatQ(~0ull >> 1)), b.CreateAnd(x.b, splatQ(~0ull >> 1))};
  if (s.neg)
    x = {b.CreateXor(x.a, splatQ(1ull << 63)), b.CreateXor(x.b, splatQ(1ull << 63))};
  return {b.CreateBitCast(x.a, f64h), b.CreateBitCast(x.b, f64h)};
}

Value *Chunk::lo(unsigned k) {
  const VectorSource &s = op_->src[k];
  return s.kind == VectorSource::row ? row(s.index) : splatsLo_.at(s.value);
}
Value *Chunk::hi(unsigned k) {
  const VectorSource &s = op_->src[k];
  return s.kind == VectorSource::row ? row(s.index + 1) : splatsHi_.at(s.value);
}

Value *Chunk::mask(unsigned k) {
  const VectorSource &s = op_->src[k];
  return s.kind == VectorSource::pendingMask ? masks_.at(int(s.index)) : maskBits(s.value);
}

void Chunk::set(Value *x) { writeRow(op_->dst, b.CreateBitCast(x, i32v)); }

void Chunk::set(Halves x) {
  const unsigned r = op_->dst;
  materialise(r);
  materialise(r + 1);
  rows_.erase(r);
  rows_.erase(r + 1);
  wide_[r] = {b.CreateBitCast(x.a, i64h), b.CreateBitCast(x.b, i64h)};
  written_[r] = written_[r + 1] = true;
}

Value *Chunk::element(unsigned half, unsigned k) {
  const isa::Inst &in = *op_->exec->inst;
  Value *x = (half ? in.opSelHi : in.opSel) >> k & 1 ? hi(k) : lo(k);
  return (half ? in.abs : in.neg) >> k & 1 ? b.CreateXor(x, splat(0x80000000)) : x;
}

void Chunk::setPair(Value *low, Value *high) {
  writeRow(op_->dst, b.CreateBitCast(low, i32v));
  writeRow(op_->dst + 1, b.CreateBitCast(high, i32v));
}

void Chunk::setMask(Value *m) { masks_[op_->maskId] = active ? b.CreateAnd(m, active) : m; }

void Chunk::emit(const VectorOp &op) {
  op_ = &op;
  op.rule->emit(*this);
}

// --- 64-bit values ---

Halves Chunk::interleave(Value *lo, Value *hi) {
  SmallVector<int, 32> a, c;
  for (unsigned g = 0; g < lanes; g += 4) // groups of 128 bits
    for (unsigned k = 0; k < 2; ++k) {
      a.append({int(g + k), int(lanes + g + k)});
      c.append({int(g + 2 + k), int(lanes + g + 2 + k)});
    }
  return {b.CreateBitCast(b.CreateShuffleVector(lo, hi, a), i64h),
          b.CreateBitCast(b.CreateShuffleVector(lo, hi, c), i64h)};
}

static Value *join(Chunk &c, Halves x, unsigned odd) {
  SmallVector<int, 32> pick;
  for (unsigned g = 0; g < c.lanes; g += 4)
    for (unsigned k : {g, g + 2, c.lanes + g, c.lanes + g + 2})
      pick.push_back(int(k + odd));
  return c.b.CreateShuffleVector(c.b.CreateBitCast(x.a, c.i32v), c.b.CreateBitCast(x.b, c.i32v),
                                 pick);
}
Value *Chunk::low(Halves x) { return join(*this, x, 0); }
Value *Chunk::high(Halves x) { return join(*this, x, 1); }

Value *Chunk::joinMask(Value *a, Value *c) {
  return b.CreateICmpSLT(high({b.CreateSExt(a, i64h), b.CreateSExt(c, i64h)}), splat(0));
}

Value *Chunk::select(Value *m, Value *x, Value *y) {
  Type *type = x->getType();
  if (type->getScalarType()->isFloatingPointTy())
    return b.CreateSelect(m, x, y);
  Type *floats = type->getScalarSizeInBits() == 64 ? f64h : f32v;
  return b.CreateBitCast(b.CreateSelect(m, b.CreateBitCast(x, floats), b.CreateBitCast(y, floats)),
                         type);
}

// --- NaN ---

Chunk::Branch Chunk::enter(Value *rare) {
  const unsigned n = cast<FixedVectorType>(rare->getType())->getNumElements();
  Value *any = b.CreateICmpNE(b.CreateBitCast(rare, b.getIntNTy(n)), b.getIntN(n, 0));
  Function *fn = b.GetInsertBlock()->getParent();
  Branch branch{b.GetInsertBlock(), BasicBlock::Create(b.getContext(), "", fn)};
  auto *repair = BasicBlock::Create(b.getContext(), "rare", fn);
  b.CreateCondBr(any, repair, branch.join, MDBuilder(b.getContext()).createBranchWeights(1, 1000));
  b.SetInsertPoint(repair);
  return branch;
}

Value *Chunk::leave(Branch branch, Value *usual, Value *repaired) {
  BasicBlock *repair = b.GetInsertBlock();
  b.CreateBr(branch.join);
  b.SetInsertPoint(branch.join);
  PHINode *phi = b.CreatePHI(usual->getType(), 2);
  phi->addIncoming(usual, branch.from);
  phi->addIncoming(repaired, repair);
  return phi;
}

Value *Chunk::fixNan(Value *r, std::initializer_list<Value *> sources, bool negative) {
  const bool wide = r->getType()->getScalarSizeInBits() == 64;
  auto *ints = wide ? i64h : i32v;
  Value *bad = b.CreateFCmpUNO(r, r);
  return when(bad, r, [&] {
    const uint64_t sign = !negative ? 0 : wide ? 1ull << 63 : 1ull << 31;
    Value *n = ConstantInt::get(ints, sign | (wide ? 0x7ff8000000000000 : 0x7fc00000));
    for (auto s = sources.end(); s != sources.begin();) {
      --s;
      Value *quiet = b.CreateOr(b.CreateBitCast(*s, ints),
                                ConstantInt::get(ints, wide ? 0x0008000000000000 : 0x00400000));
      n = select(b.CreateFCmpUNO(*s, *s), quiet, n);
    }
    return b.CreateSelect(bad, b.CreateBitCast(n, r->getType()), r);
  });
}

Value *Chunk::extreme(bool max, Value *x, Value *y) {
  const bool wide = x->getType()->getScalarSizeInBits() == 64;
  Type *floats = x->getType(), *ints = wide ? i64h : i32v;
  Constant *quietBit = ConstantInt::get(ints, wide ? 0x0008000000000000 : 0x00400000);
  const auto asInt = [&](Value *v) { return b.CreateBitCast(v, ints); };
  // x86's instructions give the second operand when equal: both orders together get zeros right.
  const auto native = [&](Value *p, Value *q) {
    return asInt(b.CreateSelect(max ? b.CreateFCmpOGT(p, q) : b.CreateFCmpOLT(p, q), p, q));
  };
  Value *p = native(x, y), *q = native(y, x);
  Value *r = b.CreateBitCast(max ? b.CreateAnd(p, q) : b.CreateOr(p, q), floats);
  const auto quiet = [&](Value *v) {
    return b.CreateBitCast(b.CreateOr(asInt(v), quietBit), floats);
  };
  return when(b.CreateFCmpUNO(x, y), r, [&] {
    Value *nx = b.CreateFCmpUNO(x, x), *ny = b.CreateFCmpUNO(y, y);
    const auto signalling = [&](Value *v, Value *isNan) {
      Value *masked = b.CreateAnd(asInt(v), quietBit);
      return b.CreateAnd(isNan, b.CreateICmpEQ(masked, ConstantInt::get(ints, 0)));
    };
    Value *n = b.CreateSelect(ny, x, r);
    n = b.CreateSelect(nx, y, n);
    n = b.CreateSelect(b.CreateAnd(nx, ny), quiet(y), n);
    n = b.CreateSelect(signalling(y, ny), quiet(y), n);
    return b.CreateSelect(signalling(x, nx), quiet(x), n);
  });
}

} // namespace meld::softgpu::translate
