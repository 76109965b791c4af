#include "passes/transform/fp_settler.h"
#include "passes/compat.h"
#include "passes/cost/processor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ValueHandle.h"

namespace meld::passes {

using namespace llvm;

namespace {

// From LLVM 17 on DAGCombiner leaves a sum of one product and itself alone.
constexpr bool kNoFusionWithItself = LLVM_VERSION_MAJOR >= 17;

// An annotation, which nothing moves, and which comes to nothing when code is generated. It has no
// text, as those of the source have.
Value *kept(IRBuilder<> &builder, Value *value) {
  Type *bits = builder.getIntNTy(unsigned(value->getType()->getPrimitiveSizeInBits()));
  PointerType *text = compat::bytePointer(builder.getContext(), 0);
  SmallVector<Type *, 2> types{bits};
  if (LLVM_VERSION_MAJOR >= 16)
    types.push_back(text);
  Value *none = ConstantPointerNull::get(text);
  Value *same = builder.CreateIntrinsic(
      Intrinsic::annotation, types,
      {builder.CreateBitCast(value, bits), none, none, builder.getInt32(0)});
  return builder.CreateBitCast(same, value->getType());
}

class Settler {
public:
  Settler(Function &function, bool contractAll)
      : function_(function), contractAll_(contractAll), dominators_(function), loops_(dominators_) {
  }

  bool run() {
    bool changed = false;
    noteWhereProductsAreUsed();
    for (BasicBlock &block : function_) {
      SmallVector<WeakVH, 16> sums; // a doubled product may go into a later sum as its product
      for (Instruction &instruction : block)
        if (isSum(instruction))
          sums.push_back(&instruction);
      for (const WeakVH &sum : reverse(sums))
        if (sum)
          changed |= settle(*cast<Instruction>(sum));
    }
    keepNegationsApart();
    return dropFlags() || changed;
  }

private:
  bool contracts(const Instruction &op) const { return contractAll_ || op.hasAllowContract(); }

  bool isSum(const Instruction &instruction) const {
    switch (instruction.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
      return contracts(instruction);
    case Instruction::FMul:
      return contracts(instruction) && doubles(instruction);
    default: {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      return call && call->getIntrinsicID() == Intrinsic::fmuladd;
    }
    }
  }

  bool settle(Instruction &sum) {
    if (auto *call = dyn_cast<IntrinsicInst>(&sum))
      return writeOut(*call);
    return sum.getOpcode() == Instruction::FMul ? fuseDoubled(sum) : fuse(sum);
  }

  // DAGCombiner makes a sum of it.
  static bool doubles(const Instruction &product) {
    auto *two = dyn_cast<ConstantFP>(product.getOperand(1));
    return two && two->isExactlyValue(2.0);
  }

  bool fuses(const Type &type) const {
    const Type &scalar = *type.getScalarType();
    if (scalar.isDoubleTy())
      return true;
    if (!scalar.isFloatTy() && !scalar.isHalfTy())
      return false;
    const bool denormals =
        function_.getDenormalMode(scalar.getFltSemantics()) == DenormalMode::getIEEE();
    // SITargetLowering::isFMAFasterThanFMulAndFAdd. Where v_mad_f32 exists and denormals do not
    // matter it is used, and rounds as product and sum do.
    const StringRef processor = processorOf(function_);
    return denormals ||
           (scalar.isFloatTy() &&
            (processor == "gfx90a" || compat::startsWith(processor, "gfx94") ||
             compat::startsWith(processor, "gfx103") || compat::startsWith(processor, "gfx11") ||
             compat::startsWith(processor, "gfx12")));
  }

  // Before anything is fused: what has been fused with a product no longer uses it.
  void noteWhereProductsAreUsed() {
    for (const Instruction &product : instructions(function_)) {
      if (product.getOpcode() != Instruction::FMul || product.use_empty())
        continue;
      const BasicBlock *block = cast<Instruction>(*product.user_begin())->getParent();
      if (all_of(product.users(), [&](const User *user) {
            return cast<Instruction>(user)->getParent() == block && !isa<PHINode>(user);
          }))
        onlyUsedIn_[&product] = block;
    }
  }

  // Code generation sinks what is used in one later block alone.
  bool standsIn(const Instruction &product, const BasicBlock &block) const {
    const BasicBlock *own = product.getParent();
    if (own == &block)
      return true;
    const Loop *to = loops_.getLoopFor(&block);
    return (!to || to == loops_.getLoopFor(own)) && onlyUsedIn_.lookup(&product) == &block;
  }

  Instruction *productIn(Value *operand, const BasicBlock &block) const {
    auto *product = dyn_cast<Instruction>(operand);
    return product && product->getOpcode() == Instruction::FMul && contracts(*product) &&
                   standsIn(*product, block)
               ? product
               : nullptr;
  }

  // As the selection DAG of one block counts them: all uses elsewhere are one copy.
  static unsigned uses(const Instruction &product, const BasicBlock &block) {
    unsigned here = 0;
    bool elsewhere = false;
    for (const Use &use : product.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (user->getParent() == &block && !isa<PHINode>(user))
        ++here;
      else
        elsewhere = true;
    }
    return here + elsewhere;
  }

  // DAGCombiner makes a vector operation of which one element alone is read a scalar one.
  static bool becomesScalar(const Instruction &sum) {
    if (!sum.getType()->isVectorTy() || !sum.hasOneUse())
      return false;
    auto *user = cast<Instruction>(*sum.user_begin());
    if (auto *extract = dyn_cast<ExtractElementInst>(user))
      return isa<ConstantInt>(extract->getIndexOperand());
    return isa<BinaryOperator>(user) && becomesScalar(*user);
  }

  /// The elements that are read, where that is a shuffle alone; DAGCombiner looks for less than the
  /// whole operands then.
  static SmallBitVector elementsRead(const Instruction &sum) {
    auto *shuffle = sum.hasOneUse() ? dyn_cast<ShuffleVectorInst>(*sum.user_begin()) : nullptr;
    if (!shuffle || shuffle->getParent() != sum.getParent())
      return {};
    const int count = int(cast<FixedVectorType>(sum.getType())->getNumElements());
    const int first = shuffle->getOperand(0) == &sum ? 0 : count;
    SmallBitVector read(unsigned(count), false);
    for (const int element : shuffle->getShuffleMask())
      if (element >= first && element < first + count)
        read.set(unsigned(element - first));
    return read;
  }

  /// What gives these elements already.
  static bool isMoreThan(const Value &operand, const SmallBitVector &read) {
    if (auto *insert = dyn_cast<InsertElementInst>(&operand)) {
      auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
      return index && index->getValue().ult(read.size()) && !read[unsigned(index->getZExtValue())];
    }
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&operand);
    if (!shuffle || shuffle->getOperand(0)->getType() != shuffle->getType())
      return false;
    const auto isOf = [&](unsigned first) {
      for (const unsigned element : read.set_bits())
        if (shuffle->getMaskValue(element) != int(first + element))
          return false;
      return true;
    };
    return isOf(0) || isOf(read.size());
  }

  // An operation that DAGCombiner makes anew for the elements that are read has no flags (until
  // LLVM 17; in 19 and 21 it has).
  static bool isMadeAnew(const Instruction &sum, const Instruction &product) {
    if (LLVM_VERSION_MAJOR >= 18 || !isa<FixedVectorType>(sum.getType()))
      return false;
    const SmallBitVector read = elementsRead(sum);
    if (read.none() || read.all())
      return false;
    const auto simpler = [&](const Instruction &operation) {
      return any_of(operation.operands(), [&](const Use &operand) {
        auto *made = dyn_cast<Instruction>(operand);
        return made && made->getParent() == sum.getParent() && isMoreThan(*made, read);
      });
    };
    return simpler(sum) || (product.hasOneUse() && simpler(product));
  }

  // Code generation makes the negation a modifier of the operand where it stands in the same block.
  // Loop motion behind us would take that of what does not change out of the loop.
  Value *negated(IRBuilder<> &builder, Value *value) {
    const Loop *loop = loops_.getLoopFor(builder.GetInsertBlock());
    if (loop && loop->isLoopInvariant(value) && !isa<Constant>(value))
      value = kept(builder, value);
    Value *negation = builder.CreateFNeg(value);
    if (auto *instruction = dyn_cast<Instruction>(negation))
      negations_.push_back(instruction);
    return negation;
  }

  // The value numbering in front of code generation would make one of negations in several blocks,
  // and put it where it is on every way.
  void keepNegationsApart() {
    SmallVector<Instruction *, 8> apart;
    for (Instruction *negation : negations_) {
      Value *value = negation->getOperand(0);
      const bool alone = none_of(value->users(), [&](const User *user) {
        auto *other = cast<Instruction>(user);
        return other->getOpcode() == Instruction::FNeg &&
               other->getParent() != negation->getParent();
      });
      if (!alone)
        apart.push_back(negation);
    }
    for (Instruction *negation : apart) {
      IRBuilder<> builder(negation);
      negation->setOperand(0, kept(builder, negation->getOperand(0)));
    }
  }

  // The negation of a product with a constant, which nobody else reads, goes into the constant
  // (performFNegCombine).
  static bool negateConstantOf(Value &factor, const BasicBlock &block) {
    auto *inner = dyn_cast<Instruction>(&factor);
    if (!inner || inner->getOpcode() != Instruction::FMul || !inner->hasOneUse() ||
        inner->getParent() != &block)
      return false;
    auto *constant = dyn_cast<ConstantFP>(inner->getOperand(1));
    if (!constant)
      return false;
    inner->setOperand(1, ConstantFP::get(constant->getType(), neg(constant->getValueAPF())));
    return true;
  }

  bool fuse(Instruction &sum) {
    const BasicBlock &block = *sum.getParent();
    if (!dominators_.isReachableFromEntry(&block))
      return false; // it may be its own operand
    if (!fuses(*sum.getType()) || becomesScalar(sum))
      return false;
    Instruction *first = productIn(sum.getOperand(0), block),
                *second = productIn(sum.getOperand(1), block);
    if (!first && !second)
      return false;
    if (kNoFusionWithItself && first == second)
      return false;
    const bool takesSecond = !first || (second && uses(*first, block) > uses(*second, block));
    Instruction *product = takesSecond ? second : first;
    if (isMadeAnew(sum, *product))
      return false;
    Value *addend = sum.getOperand(takesSecond ? 0 : 1);
    IRBuilder<> builder(&sum);
    Value *factor = product->getOperand(0);
    if (sum.getOpcode() == Instruction::FSub) {
      Value *&operand = takesSecond ? factor : addend;
      if (!takesSecond || !product->hasOneUse() || !negateConstantOf(*factor, block))
        operand = negated(builder, operand);
    }
    Instruction *fused = builder.CreateIntrinsic(Intrinsic::fma, {sum.getType()},
                                                 {factor, product->getOperand(1), addend});
    replace(sum, fused);
    if (product->use_empty())
      erase(*product);
    else
      keepVector(*product, *fused);
    return true;
  }

  // Of a product that is doubled, a sum of it and itself: that is fused, too. So is that of a product of
  // vectors of which this element alone is read (performExtractVectorEltCombine).
  bool fuseDoubled(Instruction &doubled) {
    const BasicBlock &block = *doubled.getParent();
    if (kNoFusionWithItself || !fuses(*doubled.getType()))
      return false;
    IRBuilder<> builder(&doubled);
    Value *product = doubled.getOperand(0), *left = nullptr, *right = nullptr;
    if (Instruction *found = productIn(product, block)) {
      left = found->getOperand(0), right = found->getOperand(1);
    } else if (auto *element = dyn_cast<ExtractElementInst>(product);
               element && isa<ConstantInt>(element->getIndexOperand())) {
      found = productIn(element->getVectorOperand(), block);
      if (!found || !found->hasOneUse() || !element->hasOneUse())
        return false;
      left = builder.CreateExtractElement(found->getOperand(0), element->getIndexOperand());
      right = builder.CreateExtractElement(found->getOperand(1), element->getIndexOperand());
      product = builder.CreateFMul(left, right);
      doubled.setOperand(0, product);
      erase(*element);
      erase(*found);
    } else {
      return false;
    }
    replace(doubled,
            builder.CreateIntrinsic(Intrinsic::fma, {doubled.getType()}, {left, right, product}));
    return true;
  }

  // DAGCombiner makes a vector operation of which one element alone is read a scalar one, and looks
  // at what stands last first: where the read stands behind the sum, the product was in the sum, too,
  // and stayed a vector. Now it stays one for a freeze.
  static void keepVector(Instruction &product, const Instruction &sum) {
    auto *read =
        product.hasOneUse() ? dyn_cast<ExtractElementInst>(*product.user_begin()) : nullptr;
    if (read && read->getVectorOperand() == &product && read->getParent() == sum.getParent() &&
        sum.comesBefore(read))
      read->setOperand(0, IRBuilder<>(read).CreateFreeze(&product));
  }

  bool writeOut(IntrinsicInst &call) {
    IRBuilder<> builder(&call);
    Value *a = call.getArgOperand(0), *b = call.getArgOperand(1), *c = call.getArgOperand(2);
    replace(call, fuses(*call.getType())
                      ? builder.CreateIntrinsic(Intrinsic::fma, {call.getType()}, {a, b, c})
                      : builder.CreateFAdd(builder.CreateFMul(a, b), c));
    return true;
  }

  void erase(Instruction &instruction) {
    onlyUsedIn_.erase(&instruction); // what comes to stand at its address is another product
    instruction.eraseFromParent();
  }

  void replace(Instruction &old, Value *by) {
    if (auto *instruction = dyn_cast<Instruction>(by))
      instruction->takeName(&old);
    old.replaceAllUsesWith(by);
    erase(old);
  }

  bool dropFlags() {
    bool changed = false;
    for (Instruction &instruction : instructions(function_)) {
      if (!isa<FPMathOperator>(instruction))
        continue;
      changed |= instruction.getFastMathFlags().any();
      instruction.copyFastMathFlags(FastMathFlags());
      changed |= instruction.getMetadata(LLVMContext::MD_fpmath) != nullptr;
      instruction.setMetadata(LLVMContext::MD_fpmath, nullptr);
    }
    for (const char *name : looseFpAttributes) {
      changed |= function_.hasFnAttribute(name);
      function_.removeFnAttr(name);
    }
    return changed;
  }

  Function &function_;
  const bool contractAll_;
  DominatorTree dominators_;
  LoopInfo loops_;
  DenseMap<const Instruction *, const BasicBlock *> onlyUsedIn_; ///< products alone
  SmallVector<Instruction *, 8> negations_;
};

} // namespace

bool writeOutFpChoices(Function &function, bool contractAll) {
  return Settler(function, contractAll).run();
}

void dropKeptNegations(Function &function) {
  SmallVector<IntrinsicInst *, 8> annotations;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
        call && call->getIntrinsicID() == Intrinsic::annotation &&
        isa<ConstantPointerNull>(call->getArgOperand(1)))
      annotations.push_back(call);
  for (IntrinsicInst *call : annotations) {
    auto *bits = cast<BitCastInst>(call->getArgOperand(0));
    auto *same = cast<BitCastInst>(*call->user_begin());
    same->replaceAllUsesWith(bits->getOperand(0));
    for (Instruction *one : std::initializer_list<Instruction *>{same, call, bits})
      one->eraseFromParent();
  }
}

} // namespace meld::passes
