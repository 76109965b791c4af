#include "tests/fuzz/kernel_ir.h"

#include "passes/analysis/gpu_info.h"
#include "passes/compat.h"
#include "tests/fuzz/kernel_loops.h"
#include "tests/fuzz/kernel_wide.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

using namespace llvm;

namespace meld::fuzz {

namespace {

constexpr char dataLayout[] =
    "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-"
    "v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7";

constexpr char nvptxLayout[] = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64";

class Emitter {
public:
  Emitter(const KernelAst &ast, LLVMContext &context, const std::string &cpu)
      : ast_(ast), context_(context), b_(context), cpu_(cpu), nvptx_(cpu.rfind("sm_", 0) == 0) {}

  void addTarget(Function &f) const {
    f.addFnAttr("target-cpu", processorOf(cpu_));
    if (const std::string features = waveFeatures(cpu_); !features.empty())
      f.addFnAttr("target-features", features);
  }

  std::unique_ptr<Module> emit() {
    module_ = std::make_unique<Module>("fuzz", context_);
    passes::compat::setTargetTriple(*module_, nvptx_ ? "nvptx64-nvidia-cuda" : "amdgcn-amd-amdhsa");
    module_->setDataLayout(nvptx_ ? nvptxLayout : dataLayout);
    Type *global = PointerType::get(context_, 1);
    auto *type =
        FunctionType::get(b_.getVoidTy(), {global, global, global, b_.getInt32Ty()}, false);
    f_ = Function::Create(type, GlobalValue::ExternalLinkage, "fuzz", *module_);
    f_->setCallingConv(nvptx_ ? CallingConv::PTX_Kernel : CallingConv::AMDGPU_KERNEL);
    addTarget(*f_);
    if (!nvptx_) {
      f_->setVisibility(GlobalValue::ProtectedVisibility);
      f_->addFnAttr("amdgpu-flat-work-group-size", "1," + std::to_string(ast_.blockSize));
      f_->addFnAttr("uniform-work-group-size", "true");
    }
    if (ast_.exactShape) {
      auto of = [&](uint32_t size) { return ConstantAsMetadata::get(b_.getInt32(size)); };
      f_->setMetadata("reqd_work_group_size",
                      MDNode::get(context_, {of(ast_.blockSize), of(1), of(1)}));
    }
    if (ast_.ofNests) // nests: as of __restrict__ parameters, which these are
      for (unsigned i = 0; i < 3; ++i)
        f_->addParamAttr(i, Attribute::NoAlias);
    f_->addFnAttr(Attribute::Convergent);
    f_->addFnAttr(Attribute::NoUnwind);
    f_->addFnAttr(Attribute::MustProgress);

    auto *ldsType = ArrayType::get(b_.getInt32Ty(), ast_.blockSize * KernelAst::ldsWordsPerThread);
    lds_ = new GlobalVariable(*module_, ldsType, false, GlobalValue::InternalLinkage,
                              UndefValue::get(ldsType), "lds", nullptr, GlobalValue::NotThreadLocal,
                              3);
    lds_->setAlignment(Align(4));

    if (ast_.ldsAtomics) {
      auto *accType = ArrayType::get(b_.getInt32Ty(), KernelAst::accOps * KernelAst::ldsAccRegion);
      ldsAcc_ = new GlobalVariable(*module_, accType, false, GlobalValue::InternalLinkage,
                                   UndefValue::get(accType), "shared", nullptr,
                                   GlobalValue::NotThreadLocal, 3);
      ldsAcc_->setAlignment(Align(4));
    }

    b_.SetInsertPoint(BasicBlock::Create(context_, "entry", f_));
    for (uint32_t i = 0; i < KernelAst::variables; ++i)
      vars_.push_back(allocaOf(b_.getInt32Ty(), "v" + std::to_string(i)));
    auto *privateType = ArrayType::get(b_.getInt32Ty(), KernelAst::privateWords);
    private_ = allocaOf(privateType, "priv");
    tid_ = launchValue(Intrinsic::amdgcn_workitem_id_x, Intrinsic::nvvm_read_ptx_sreg_tid_x);
    group_ = launchValue(Intrinsic::amdgcn_workgroup_id_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
    Value *thread = thread_ = b_.CreateAdd(b_.CreateMul(group_, b_.getInt32(ast_.blockSize)), tid_);
    out_ = b_.CreateInBoundsGEP(
        b_.getInt32Ty(), f_->getArg(1),
        b_.CreateZExt(b_.CreateMul(thread, b_.getInt32(wordsPerThread)), b_.getInt64Ty()));
    for (uint32_t i = 0; i < KernelAst::variables; ++i)
      b_.CreateStore(loadWord(f_->getArg(0), b_.CreateMul(thread, b_.getInt32(i * 2 + 1)),
                              KernelAst::inputWords),
                     vars_[i]);
    for (uint32_t i = 0; i < KernelAst::ldsWordsPerThread; ++i)
      b_.CreateStore(b_.CreateXor(tid_, b_.getInt32(i)), ownLds(b_.getInt32(i)));
    for (uint32_t i = 0; i < KernelAst::privateWords; ++i)
      b_.CreateStore(b_.CreateAdd(thread, b_.getInt32(i)), privateWord(b_.getInt32(i)));

    if (ast_.ofNests)
      for (uint32_t i = 0; i < KernelAst::sums; ++i) {
        sums_.push_back(allocaOf(b_.getFloatTy(), "sum" + std::to_string(i)));
        b_.CreateStore(ConstantFP::get(b_.getFloatTy(), 0), sums_[i]);
      }

    if (ldsAcc_) { // all threads write the same words
      for (uint32_t i = 0; i < KernelAst::accOps * KernelAst::ldsAccRegion; ++i)
        b_.CreateStore(b_.CreateMul(b_.CreateAdd(group_, c32(i)), c32(0x9e3779b9)),
                       sharedWord(c32(i)));
      barrier();
    }

    exit_ = BasicBlock::Create(context_, "exit", f_);
    block(ast_.body);
    b_.CreateBr(exit_);
    b_.SetInsertPoint(exit_);
    if (ldsAcc_) { // each thread adds the words it is asked for to the global exclusive-or
      barrier();
      Value *word = load(sharedWord(masked(tid_, KernelAst::accOps * KernelAst::ldsAccRegion)));
      atomic(3,
             element(f_->getArg(2), b_.CreateAdd(masked(tid_, KernelAst::accRegion),
                                                 c32(3 * KernelAst::accRegion))),
             b_.CreateMul(word, b_.CreateOr(tid_, c32(1))), "agent-one-as");
    }
    for (uint32_t i = 0; i < KernelAst::variables; ++i)
      b_.CreateStore(load(vars_[i]), b_.CreateConstInBoundsGEP1_32(
                                         b_.getInt32Ty(), out_, KernelAst::outputsPerThread + i));
    b_.CreateRetVoid();
    return std::move(module_);
  }

private:
  Value *launchValue(Intrinsic::ID amd, Intrinsic::ID nvidia) {
    return b_.CreateIntrinsic(nvptx_ ? nvidia : amd, ArrayRef<Type *>(), {});
  }
  // AMDGPU allocas live in address space 5; clang casts them to generic at once.
  Value *allocaOf(Type *type, const Twine &name) {
    return b_.CreateAlloca(type, nvptx_ ? 0 : 5, nullptr, name);
  }
  Value *load(Value *p) { return b_.CreateLoad(b_.getInt32Ty(), p); }
  Value *c32(uint32_t v) { return b_.getInt32(v); }
  Value *masked(Value *v, uint32_t powerOfTwo) { return b_.CreateAnd(v, c32(powerOfTwo - 1)); }
  Value *element(Value *base, Value *index) {
    return b_.CreateInBoundsGEP(b_.getInt32Ty(), base, b_.CreateZExt(index, b_.getInt64Ty()));
  }
  Value *loadWord(Value *base, Value *index, uint32_t powerOfTwo) {
    return load(element(base, masked(index, powerOfTwo)));
  }
  Value *ldsWord(Value *index) {
    return b_.CreateInBoundsGEP(lds_->getValueType(), lds_, {b_.getInt32(0), index});
  }
  Value *ownLds(Value *index) {
    return ldsWord(b_.CreateAdd(b_.CreateMul(tid_, c32(KernelAst::ldsWordsPerThread)),
                                masked(index, KernelAst::ldsWordsPerThread)));
  }
  Value *privateWord(Value *index) {
    return b_.CreateInBoundsGEP(cast<AllocaInst>(private_)->getAllocatedType(), private_,
                                {b_.getInt32(0), masked(index, KernelAst::privateWords)});
  }
  Value *toFloat(Value *v) { return b_.CreateSIToFP(v, b_.getFloatTy()); }
  Value *fromFloat(Value *v) {
    return b_.CreateIntrinsic(Intrinsic::fptosi_sat, {b_.getInt32Ty(), b_.getFloatTy()}, {v});
  }

  Value *sharedWord(Value *index) {
    return b_.CreateInBoundsGEP(ldsAcc_->getValueType(), ldsAcc_, {b_.getInt32(0), index});
  }
  void atomic(uint32_t op, Value *pointer, Value *value, StringRef scope) {
    constexpr AtomicRMWInst::BinOp ops[KernelAst::accOps] = {
        AtomicRMWInst::Add, AtomicRMWInst::And, AtomicRMWInst::Or,   AtomicRMWInst::Xor,
        AtomicRMWInst::Max, AtomicRMWInst::Min, AtomicRMWInst::UMax, AtomicRMWInst::UMin};
    b_.CreateAtomicRMW(ops[op], pointer, value, Align(4), AtomicOrdering::Monotonic,
                       nvptx_ ? SyncScope::ID{SyncScope::System}
                              : context_.getOrInsertSyncScopeID(scope));
  }

  Value *belowSign(Value *v) { return ast_.noHighBits ? b_.CreateAnd(v, c32(0x7fffffff)) : v; }

  Value *binary(BinaryOp op, Value *l, Value *r) {
    switch (op) {
    case BinaryOp::add:
      return b_.CreateAdd(l, r);
    case BinaryOp::sub:
      return b_.CreateSub(l, r);
    case BinaryOp::mul:
      return b_.CreateMul(l, r);
    case BinaryOp::bitAnd:
      return b_.CreateAnd(l, r);
    case BinaryOp::bitOr:
      return b_.CreateOr(l, r);
    case BinaryOp::bitXor:
      return b_.CreateXor(l, r);
    case BinaryOp::shl:
      return b_.CreateShl(l, masked(r, 32));
    case BinaryOp::lshr:
      return b_.CreateLShr(l, masked(r, 32));
    case BinaryOp::ashr:
      return b_.CreateAShr(l, masked(r, 32));
    case BinaryOp::udiv:
      return b_.CreateUDiv(belowSign(l), b_.CreateOr(belowSign(r), c32(1)));
    case BinaryOp::urem:
      return b_.CreateURem(belowSign(l), b_.CreateOr(belowSign(r), c32(1)));
    default: // sdiv: a positive divisor below 2^16 cannot overflow
      return b_.CreateSDiv(l, b_.CreateOr(masked(r, 65536), c32(1)));
    }
  }

  Value *floatOp(uint32_t op, Value *a, Value *b, Value *c) {
    Value *x = toFloat(a), *y = toFloat(b), *z = toFloat(c);
    switch (op) {
    case 0:
      return fromFloat(b_.CreateFAdd(x, y));
    case 1:
      return fromFloat(b_.CreateFSub(x, y));
    case 2:
      return fromFloat(b_.CreateFMul(x, y));
    case 3:
      return fromFloat(b_.CreateIntrinsic(Intrinsic::fma, {b_.getFloatTy()}, {x, y, z}));
    case 4:
      return fromFloat(b_.CreateMinNum(x, y));
    case 5:
      return fromFloat(b_.CreateMaxNum(x, y));
    default:
      return fromFloat(b_.CreateSelect(b_.CreateFCmpOLT(x, y), x, z));
    }
  }

  Value *value(const Expr &e) {
    std::vector<Value *> k;
    if (e.kind != ExprKind::compare && e.kind != ExprKind::variable)
      for (const Expr &kid : e.kids)
        k.push_back(value(kid));
    switch (e.kind) {
    case ExprKind::variable:
      return load(vars_[e.value]);
    case ExprKind::constant:
      return c32(e.value);
    case ExprKind::threadId:
      return tid_;
    case ExprKind::groupId:
      return group_;
    case ExprKind::argument:
      return ast_.exactShape ? b_.CreateAdd(f_->getArg(3), b_.CreateLShr(tid_, c32(6)))
                             : f_->getArg(3);
    case ExprKind::binary:
      return binary(static_cast<BinaryOp>(e.op), k[0], k[1]);
    case ExprKind::compare:
      return b_.CreateZExt(test(e), b_.getInt32Ty());
    case ExprKind::select:
      return b_.CreateSelect(b_.CreateICmpNE(k[0], c32(0)), k[1], k[2]);
    case ExprKind::loadInput:
      return loadWord(f_->getArg(0), k[0], KernelAst::inputWords);
    case ExprKind::loadOwnLds:
      return load(ownLds(k[0]));
    case ExprKind::loadPrivate:
      return load(privateWord(k[0]));
    case ExprKind::floatOp:
      return floatOp(e.op, k[0], k[1], k[2]);
    case ExprKind::wideMul: {
      // Factors of 23 bits: LLVM 15 miscompiles (zext x) * 0xffffffa6 for small x, with
      // v_mul_hi_i32_i24.
      Type *wide = b_.getInt64Ty();
      Value *p = b_.CreateMul(b_.CreateZExt(b_.CreateLShr(k[0], 9), wide),
                              b_.CreateZExt(b_.CreateLShr(k[1], 9), wide));
      return b_.CreateTrunc(b_.CreateLShr(p, e.op), b_.getInt32Ty());
    }
    case ExprKind::minMax: {
      constexpr Intrinsic::ID ids[] = {Intrinsic::smin, Intrinsic::smax, Intrinsic::umin,
                                       Intrinsic::umax};
      return b_.CreateBinaryIntrinsic(ids[e.op], k[0], k[1]);
    }
    case ExprKind::bits:
      switch (e.op) {
      case 0:
        return b_.CreateUnaryIntrinsic(Intrinsic::ctpop, k[0]);
      case 1:
        return b_.CreateUnaryIntrinsic(Intrinsic::bswap, k[0]);
      case 2:
        return b_.CreateUnaryIntrinsic(Intrinsic::bitreverse, k[0]);
      case 3:
        return b_.CreateBinaryIntrinsic(Intrinsic::ctlz, k[0], b_.getFalse());
      default:
        return b_.CreateIntrinsic(Intrinsic::fshl, {b_.getInt32Ty()},
                                  {k[0], k[1], masked(k[2], 32)});
      }
    case ExprKind::narrow: {
      Type *small = e.op & 1 ? b_.getInt16Ty() : b_.getInt8Ty();
      Value *t = b_.CreateTrunc(k[0], small);
      return e.op & 2 ? b_.CreateSExt(t, b_.getInt32Ty()) : b_.CreateZExt(t, b_.getInt32Ty());
    }
    case ExprKind::doubleOp: {
      Type *type = b_.getDoubleTy();
      Value *x = b_.CreateSIToFP(k[0], type), *y = b_.CreateSIToFP(k[1], type);
      Value *z = b_.CreateSIToFP(k[2], type);
      return fromReal(e.op == 5 ? b_.CreateSelect(b_.CreateFCmpULT(x, y), x, z)
                                : real(e.op, x, y, z));
    }
    case ExprKind::halfOp: { // small factors: the results are exact or rounded, rarely infinite
      auto half = [&](Value *v) { return b_.CreateSIToFP(b_.CreateAShr(v, 24), b_.getHalfTy()); };
      Value *r = e.op == 4 ? b_.CreateMaxNum(half(k[0]), half(k[1]))
                           : real(e.op, half(k[0]), half(k[1]), half(k[2]));
      return fromReal(b_.CreateFPExt(r, b_.getFloatTy()));
    }
    case ExprKind::vector:
      return vector(e.op, k);
    case ExprKind::wide:
      return wideValue(b_, e, {k[0], k[1], k[2]});
    case ExprKind::call:
      return b_.CreateCall(callee(e.op), {k[0], k[1]});
    case ExprKind::loopItem:
      return loops_.item(e.op);
    case ExprKind::sumBits:
      return b_.CreateBitCast(b_.CreateLoad(b_.getFloatTy(), sums_[e.value]), b_.getInt32Ty());
    }
    return c32(0);
  }

  Value *real(uint32_t op, Value *x, Value *y, Value *z) {
    switch (op) {
    case 0:
      return b_.CreateFAdd(x, y);
    case 1:
      return b_.CreateFSub(x, y);
    case 2:
      return b_.CreateFMul(x, y);
    case 3:
      return b_.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z});
    default:
      return b_.CreateMinNum(x, y);
    }
  }
  Value *fromReal(Value *v) {
    return b_.CreateIntrinsic(Intrinsic::fptosi_sat, {b_.getInt32Ty(), v->getType()}, {v});
  }

  Value *vector(uint32_t op, const std::vector<Value *> &k) {
    // Every lane is a value of the vector unit (of `zero` LLVM cannot know that it is 0): when a
    // lane is a constant or a scalar register, the operand folder of LLVM 15 commutes an
    // instruction that reads two lanes of one register tuple for ever.
    Value *zero = b_.CreateLShr(b_.CreateAdd(group_, tid_), 31);
    Value *x = PoisonValue::get(FixedVectorType::get(b_.getInt32Ty(), 4));
    for (uint32_t i = 0; i < 4; ++i)
      x = b_.CreateInsertElement(x, b_.CreateXor(k[i], zero), i);
    Value *reverse = b_.CreateShuffleVector(x, {3, 2, 1, 0});
    Value *r = op == 0   ? b_.CreateAdd(x, reverse)
               : op == 1 ? b_.CreateMul(x, reverse)
               : op == 2 ? b_.CreateXor(x, b_.CreateShl(reverse, 1))
               : op == 3 ? b_.CreateSub(x, reverse)
                         : b_.CreateBinaryIntrinsic(Intrinsic::umax, x, reverse);
    Value *sum = b_.CreateExtractElement(r, uint64_t{0});
    for (uint32_t i = 1; i < 4; ++i)
      sum = b_.CreateAdd(sum, b_.CreateExtractElement(r, i));
    return sum;
  }

  // i32 device<n>(i32, i32), with a branch of its own; what clang makes of a __noinline__ function
  // without cross-lane operations in it, except that it is not marked convergent.
  Function *callee(uint32_t n) {
    if (Function *known = callees_[n])
      return known;
    Type *i32 = b_.getInt32Ty();
    auto *f = Function::Create(FunctionType::get(i32, {i32, i32}, false),
                               GlobalValue::InternalLinkage, "device" + Twine(n), *module_);
    for (Attribute::AttrKind kind :
         {Attribute::NoInline, Attribute::NoUnwind, Attribute::WillReturn})
      f->addFnAttr(kind);
    f->setDoesNotAccessMemory();
    addTarget(*f);
    if (!nvptx_)
      f->addFnAttr("amdgpu-flat-work-group-size", "1," + std::to_string(ast_.blockSize));
    IRBuilder<> b(BasicBlock::Create(context_, "entry", f));
    auto *then = BasicBlock::Create(context_, "then", f);
    auto *other = BasicBlock::Create(context_, "else", f);
    Value *x = f->getArg(0), *y = f->getArg(1);
    b.CreateCondBr(b.CreateICmpSLT(x, b.CreateShl(y, n)), then, other);
    b.SetInsertPoint(then);
    b.CreateRet(b.CreateAdd(b.CreateMul(x, b.getInt32(3 + n)), y));
    b.SetInsertPoint(other);
    b.CreateRet(b.CreateXor(b.CreateMul(y, b.getInt32(5 + 2 * n)), x));
    return callees_[n] = f;
  }

  Value *test(const Expr &e) {
    if (e.kind != ExprKind::compare)
      return b_.CreateICmpNE(value(e), c32(0));
    Value *l = value(e.kids[0]), *r = value(e.kids[1]);
    return b_.CreateICmp(static_cast<CmpInst::Predicate>(CmpInst::FIRST_ICMP_PREDICATE + e.op), l,
                         r);
  }

  void block(const std::vector<Stmt> &stmts) {
    for (const Stmt &s : stmts)
      statement(s);
  }

  /// Lanes that are off have 0 for others on the device; to LLVM, from 20 on, they may have anything.
  Value *permuted(Value *from, Value *value) {
    Value *result = b_.CreateIntrinsic(Intrinsic::amdgcn_ds_bpermute, {},
                                       {b_.CreateShl(masked(from, 64), 2), value});
#if LLVM_VERSION_MAJOR >= 20
    const unsigned waveSize = passes::GpuInfo(*f_).waveSize();
    Type *mask = b_.getIntNTy(waveSize);
    Value *on = b_.CreateIntrinsic(Intrinsic::amdgcn_ballot, {mask}, {b_.getTrue()});
    Value *isOn = b_.CreateTrunc(
        b_.CreateLShr(on, b_.CreateZExtOrTrunc(masked(from, waveSize), mask)), b_.getInt1Ty());
    result = b_.CreateSelect(isOn, result, c32(0));
#endif
    return result;
  }

  /// A lane's word; from LLVM 19 on of any type.
  Value *lane(Intrinsic::ID which, ArrayRef<Value *> operands) {
#if LLVM_VERSION_MAJOR >= 19
    return b_.CreateIntrinsic(which, {b_.getInt32Ty()}, operands);
#else
    return b_.CreateIntrinsic(which, {}, operands);
#endif
  }

  BasicBlock *newBlock(const char *name) { return BasicBlock::Create(context_, name, f_); }

  void barrier() {
    if (nvptx_) { // orders memory, too
#if LLVM_VERSION_MAJOR >= 21
      b_.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, ArrayRef<Type *>(),
                         {c32(0)});
#else
      b_.CreateIntrinsic(Intrinsic::nvvm_barrier0, ArrayRef<Type *>(), {});
#endif
      return;
    }
    const auto scope = context_.getOrInsertSyncScopeID("workgroup");
    b_.CreateFence(AtomicOrdering::Release, scope);
    b_.CreateIntrinsic(Intrinsic::amdgcn_s_barrier, ArrayRef<Type *>(), {});
    b_.CreateFence(AtomicOrdering::Acquire, scope);
  }

  void statement(const Stmt &s) {
    switch (s.kind) {
    case StmtKind::assign:
      b_.CreateStore(value(s.exprs[0]), vars_[s.index]);
      return;
    case StmtKind::storeOutput:
      b_.CreateStore(value(s.exprs[0]),
                     b_.CreateConstInBoundsGEP1_32(b_.getInt32Ty(), out_, s.index));
      return;
    case StmtKind::storeOwnLds: {
      Value *v = value(s.exprs[0]);
      b_.CreateStore(v, ownLds(value(s.exprs[1])));
      return;
    }
    case StmtKind::storePrivate: {
      Value *v = value(s.exprs[0]);
      b_.CreateStore(v, privateWord(value(s.exprs[1])));
      return;
    }
    case StmtKind::atomic: {
      Value *v = value(s.exprs[0]);
      Value *i = b_.CreateAdd(masked(value(s.exprs[1]), KernelAst::accRegion),
                              c32(s.op * KernelAst::accRegion));
      atomic(s.op, element(f_->getArg(2), i), v, "agent-one-as");
      return;
    }
    case StmtKind::ldsAtomic: {
      Value *v = value(s.exprs[0]);
      Value *i = b_.CreateAdd(masked(value(s.exprs[1]), KernelAst::ldsAccRegion),
                              c32(s.op * KernelAst::ldsAccRegion));
      atomic(s.op, sharedWord(i), v, "workgroup-one-as");
      return;
    }
    case StmtKind::branch: {
      BasicBlock *then = newBlock("then"), *join = newBlock("join");
      BasicBlock *other = s.arms[1].empty() ? join : newBlock("else");
      b_.CreateCondBr(test(s.exprs[0]), then, other);
      b_.SetInsertPoint(then);
      block(s.arms[0]);
      b_.CreateBr(join);
      if (other != join) {
        b_.SetInsertPoint(other);
        block(s.arms[1]);
        b_.CreateBr(join);
      }
      b_.SetInsertPoint(join);
      return;
    }
    case StmtKind::loop: {
      BasicBlock *before = b_.GetInsertBlock();
      Value *trips = masked(value(s.exprs[0]), 8);
      before = b_.GetInsertBlock();
      BasicBlock *head = newBlock("loop"), *body = newBlock("body"), *done = newBlock("done");
      b_.CreateBr(head);
      b_.SetInsertPoint(head);
      PHINode *i = b_.CreatePHI(b_.getInt32Ty(), 2, "i");
      i->addIncoming(c32(0), before);
      b_.CreateCondBr(b_.CreateICmpULT(i, trips), body, done);
      b_.SetInsertPoint(body);
      loopExits_.push_back(done);
      block(s.arms[0]);
      loopExits_.pop_back();
      i->addIncoming(b_.CreateAdd(i, c32(1)), b_.GetInsertBlock());
      b_.CreateBr(head);
      b_.SetInsertPoint(done);
      return;
    }
    case StmtKind::breakIf: {
      if (loopExits_.empty())
        return;
      BasicBlock *on = newBlock("on");
      b_.CreateCondBr(test(s.exprs[0]), loopExits_.back(), on);
      b_.SetInsertPoint(on);
      return;
    }
    case StmtKind::switchOn: {
      Value *v = b_.CreateURem(value(s.exprs[0]), c32(static_cast<uint32_t>(s.arms.size())));
      BasicBlock *join = newBlock("join");
      std::vector<BasicBlock *> arms;
      for (size_t i = 0; i < s.arms.size(); ++i)
        arms.push_back(newBlock("case"));
      SwitchInst *sw = b_.CreateSwitch(v, arms.back(), static_cast<unsigned>(arms.size() - 1));
      for (size_t i = 0; i + 1 < arms.size(); ++i)
        sw->addCase(b_.getInt32(static_cast<uint32_t>(i)), arms[i]);
      for (size_t i = 0; i < arms.size(); ++i) {
        b_.SetInsertPoint(arms[i]);
        block(s.arms[i]);
        b_.CreateBr(join);
      }
      b_.SetInsertPoint(join);
      return;
    }
    case StmtKind::exchange: {
      Value *other =
          b_.CreateURem(b_.CreateAdd(tid_, masked(value(s.exprs[0]), 256)), c32(ast_.blockSize));
      barrier();
      b_.CreateStore(load(ldsWord(b_.CreateMul(other, c32(KernelAst::ldsWordsPerThread)))),
                     vars_[s.index]);
      barrier();
      return;
    }
    case StmtKind::crossLane: {
      Value *a = value(s.exprs[0]), *v = value(s.exprs[1]), *r;
      if (s.op == 0)
        r = permuted(a, v);
      else if (s.op == 1)
        r = lane(Intrinsic::amdgcn_readfirstlane, {v});
      else if (s.op == 3)
        r = lane(Intrinsic::amdgcn_readlane,
                 {v, lane(Intrinsic::amdgcn_readfirstlane, {masked(a, 32)})});
      else
        r = b_.CreateUnaryIntrinsic(
            Intrinsic::ctpop,
            b_.CreateZExtOrTrunc(b_.CreateIntrinsic(Intrinsic::amdgcn_ballot,
                                                    {b_.getIntNTy(passes::GpuInfo(*f_).waveSize())},
                                                    {b_.CreateICmpSLT(a, v)}),
                                 b_.getInt32Ty()));
      b_.CreateStore(r, vars_[s.index]);
      return;
    }
    case StmtKind::nestLoop:
      loops_.emit(
          static_cast<LoopForm>(s.op), s.index, thread_, ast_.threads(),
          [&] { return value(s.exprs[0]); }, [&] { block(s.arms[0]); });
      return;
    case StmtKind::leaveIf:
      loops_.leaveIf(test(s.exprs[0]), s.op, s.index != 0);
      return;
    case StmtKind::addToSum: {
      Value *old = b_.CreateLoad(b_.getFloatTy(), sums_[s.index]);
      Value *half = b_.CreateFMul(old, ConstantFP::get(b_.getFloatTy(), 0.5));
      b_.CreateStore(b_.CreateFAdd(half, toFloat(masked(value(s.exprs[0]), 65536))),
                     sums_[s.index]);
      return;
    }
    case StmtKind::returnIf: {
      BasicBlock *on = newBlock("on");
      b_.CreateCondBr(test(s.exprs[0]), exit_, on);
      b_.SetInsertPoint(on);
      return;
    }
    }
  }

  const KernelAst &ast_;
  LLVMContext &context_;
  IRBuilder<> b_;
  std::string cpu_;
  const bool nvptx_;
  std::unique_ptr<Module> module_;
  Function *f_ = nullptr;
  GlobalVariable *lds_ = nullptr, *ldsAcc_ = nullptr;
  Function *callees_[KernelAst::callees] = {};
  std::vector<Value *> vars_, sums_;
  NestLoops loops_{b_};
  std::vector<BasicBlock *> loopExits_;
  Value *private_ = nullptr, *tid_ = nullptr, *thread_ = nullptr, *group_ = nullptr,
        *out_ = nullptr;
  BasicBlock *exit_ = nullptr;
};

bool anyLanes(const std::vector<Stmt> &stmts) {
  return any_of(stmts, [](const Stmt &s) {
    return s.kind == StmtKind::crossLane || any_of(s.arms, anyLanes);
  });
}

} // namespace

std::string processorOf(const std::string &cpu) { return cpu.substr(0, cpu.find('-')); }

std::string waveFeatures(const std::string &cpu) {
  return cpu.find("-wave64") != std::string::npos ? "-wavefrontsize32,+wavefrontsize64" : "";
}

bool usesLanes(const KernelAst &ast) { return anyLanes(ast.body); }

std::unique_ptr<Module> emitKernel(const KernelAst &ast, LLVMContext &context,
                                   const std::string &cpu) {
  return Emitter(ast, context, cpu).emit();
}

} // namespace meld::fuzz
