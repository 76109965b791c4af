#include "passes/transform/simplify_selects.h"
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "passes/cost/pressure.h"
#include "passes/decisions.h"
#include "passes/preserved.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/Local.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned ldsSpace = 3;
constexpr unsigned mostUsers = 64; ///< of a value, among which a comparison is looked for

/// What a condition is taken to be: all selects on it choose accordingly.
struct Assumed {
  const Value *condition = nullptr;
  bool holds = false;
};

/// How many of a value's lowest bits are zero wherever a condition is what it is taken to be. Of what
/// goes round in a loop: as many as are zero at first and stay so in each round.
class LowZeros {
public:
  LowZeros(Assumed assumed, const LoopInfo &loops, const DataLayout &layout)
      : assumed_(assumed), loops_(loops), layout_(layout) {}

  unsigned of(const Value *value, unsigned depth = 0) {
    const unsigned width = value->getType()->getScalarSizeInBits();
    const Value *one = nullptr, *other = nullptr;
    if (depth == deepest)
      return 0;
    if (match(value, m_Select(m_Specific(assumed_.condition), m_Value(one), m_Value(other))))
      return of(assumed_.holds ? one : other, depth + 1);
    if (match(value, m_Add(m_Value(one), m_Value(other))) ||
        match(value, m_Or(m_Value(one), m_Value(other))))
      return std::min(of(one, depth + 1), of(other, depth + 1));
    const auto *phi = dyn_cast<PHINode>(value);
    if (!phi || !staysAssumed(*phi))
      return std::min(computeKnownBits(value, layout_).countMinTrailingZeros(), width);
    if (const auto known = found_.find(phi); known != found_.end())
      return known->second;
    for (unsigned most = width;; most = found_[phi]) {
      found_[phi] = most;
      unsigned least = most;
      for (const Value *incoming : phi->incoming_values())
        least = std::min(least, of(incoming, depth + 1));
      if (least == most)
        break;
      found_[phi] = least;
    }
    const unsigned result = found_[phi];
    found_.erase(phi);
    return result;
  }

private:
  static constexpr unsigned deepest = 8;

  /// Not where rounds with another condition have gone before.
  bool staysAssumed(const PHINode &phi) const {
    const Loop *loop = loops_.getLoopFor(phi.getParent());
    return !loop || loop->getHeader() != phi.getParent() ||
           loop->isLoopInvariant(assumed_.condition);
  }

  Assumed assumed_;
  const LoopInfo &loops_;
  const DataLayout &layout_;
  DenseMap<const PHINode *, unsigned> found_; ///< so far, of those being looked at
};

/// A value that is `base + distance`; as `base | distance`, too, where they have no bits in common.
struct Sum {
  Value *base = nullptr, *distance = nullptr;
};

/// The sum that `value` is, used once, where `assumed`.
std::optional<Sum> sumOf(Value *value, Assumed assumed, const LoopInfo &loops,
                         const DataLayout &layout) {
  auto *operation = dyn_cast<BinaryOperator>(value);
  if (!operation || !operation->hasOneUse())
    return std::nullopt;
  Value *left = operation->getOperand(0), *right = operation->getOperand(1);
  const APInt *bits = nullptr;
  const bool adds =
      operation->getOpcode() == Instruction::Add ||
      (operation->getOpcode() == Instruction::Or && match(right, m_APInt(bits)) &&
       bits->getActiveBits() <= LowZeros(assumed, loops, layout).of(left)) ||
      (operation->getOpcode() == Instruction::Or && haveNoCommonBitsSet(left, right, layout));
  return adds ? std::optional(Sum{left, right}) : std::nullopt;
}

/// A comparison that tells what a select between the sides' minimum and maximum is to choose.
struct Comparison {
  ICmpInst *compare = nullptr;
  bool chooses = false; ///< the first of the two where it holds
};

/// `value` for all who use it, where it is undefined, too. Null where there is no place for that.
Value *settled(Value *value) {
  auto *made = dyn_cast<Instruction>(value);
  if (isGuaranteedNotToBeUndefOrPoison(value))
    return value;
  if (!made || made->isTerminator())
    return nullptr;
  auto *frozen = new FreezeInst(value, value->getName() + ".settled",
                                isa<PHINode>(made) ? &*made->getParent()->getFirstInsertionPt()
                                                   : made->getNextNode());
  value->replaceUsesWithIf(frozen, [&](const Use &use) { return use.getUser() != frozen; });
  return frozen;
}

class Simplifying {
public:
  Simplifying(Function &function, const DivergenceInfo &divergence, const DominatorTree &dominators)
      : layout_(function.getParent()->getDataLayout()), divergence_(divergence),
        dominators_(dominators), cost_(function, divergence.gpu()),
        pressure_(function, divergence, cost_), peak_(pressure_.functionPeak()) {}

  /// Whether the select has become another value, and is gone.
  bool simplify(SelectInst &select) { return joinSums(select) || joinExtremes(select); }

  /// An LDS address whose index is a sum with a distance that stands in front of the loop.
  bool split(GetElementPtrInst &address) const {
    if (!address.getType()->isPointerTy() || address.getPointerAddressSpace() != ldsSpace ||
        address.getNumIndices() == 0)
      return false;
    const unsigned last = address.getNumOperands() - 1;
    auto type = gep_type_begin(address);
    std::advance(type, last - 1);
    const TypeSize size = layout_.getTypeAllocSize(type.getIndexedType());
    if (type.isStruct() || size.isScalable() ||
        !address.getOperand(last)->getType()->isIntegerTy(32))
      return false;
    Instruction *distance = nullptr;
    Value *index = without(*address.getOperand(last), address, distance);
    if (!index)
      return false;
    IRBuilder<> front(distance->getNextNode());
    Value *bytes = front.CreateMul(distance, front.getInt32(uint32_t(size.getFixedValue())));
    IRBuilder<> builder(&address);
    auto *near = cast<GetElementPtrInst>(address.clone());
    near->setIsInBounds(false);
    near->setOperand(last, index);
    builder.Insert(near);
    Value *far = builder.CreateGEP(
        builder.getInt8Ty(),
        builder.CreatePointerCast(near, compat::bytePointer(address.getContext(), ldsSpace)),
        bytes);
    address.replaceAllUsesWith(builder.CreatePointerCast(far, address.getType()));
    Value *old = address.getOperand(last);
    address.eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(old);
    return true;
  }

private:
  /// `index` without the distance that is part of it, computed in front of `address`: of a sum, or of
  /// a sum of that sum.
  Value *without(Value &index, Instruction &address, Instruction *&distance) const {
    auto *sum = dyn_cast<BinaryOperator>(&index);
    if (!sum || sum->getOpcode() != Instruction::Add)
      return nullptr;
    for (const unsigned side : {0u, 1u}) {
      Value *rest = sum->getOperand(1 - side);
      if (distances_.contains(sum->getOperand(side))) {
        distance = cast<Instruction>(sum->getOperand(side));
        return rest;
      }
      auto *inner = dyn_cast<BinaryOperator>(sum->getOperand(side));
      if (inner && inner->getOpcode() == Instruction::Add &&
          distances_.contains(inner->getOperand(1))) {
        distance = cast<Instruction>(inner->getOperand(1));
        return BinaryOperator::CreateAdd(inner->getOperand(0), rest, "", &address);
      }
    }
    return nullptr;
  }

  bool joinSums(SelectInst &select) {
    Type *type = select.getType();
    if (!type->isIntegerTy() || type->getIntegerBitWidth() > 32 || type->isIntegerTy(1) ||
        !select.getCondition()->getType()->isIntegerTy(1))
      return false;
    const auto sum = [&](Value *value, bool holds) {
      return sumOf(value, {select.getCondition(), holds}, divergence_.loops(), layout_);
    };
    auto left = sum(select.getTrueValue(), true), right = sum(select.getFalseValue(), false);
    if (!left || !right)
      return false;
    if (left->base != right->base) // what they have in common may stand on the right
      for (Sum *one : {&*left, &*right})
        if (const Sum &other = one == &*left ? *right : *left;
            one->distance == other.base || one->distance == other.distance)
          std::swap(one->base, one->distance);
    if (left->base != right->base || left->distance == right->distance)
      return false;
    const Loop *loop = outermost(select, *left, *right);
    if (!loop && !(isa<Constant>(left->distance) && isa<Constant>(right->distance)))
      return false;
    if (loop) {
      const unsigned words = unsigned(cost_.words(type));
      if (pressure_.waves(peak_ + added_ + words) < pressure_.waves(peak_))
        return false;
      added_ += words;
    }
    auto *old = cast<Instruction>(select.getTrueValue()),
         *older = cast<Instruction>(select.getFalseValue());
    auto *distance =
        SelectInst::Create(select.getCondition(), left->distance, right->distance, "distance",
                           loop ? loop->getLoopPreheader()->getTerminator() : &select);
    distance->setDebugLoc(select.getDebugLoc());
    auto *joined = BinaryOperator::CreateAdd(left->base, distance, "", &select);
    joined->takeName(&select);
    joined->setDebugLoc(select.getDebugLoc());
    if (loop)
      distances_.insert(distance);
    select.replaceAllUsesWith(joined);
    select.eraseFromParent();
    old->eraseFromParent();
    older->eraseFromParent();
    return true;
  }

  /// The outermost loop around it that changes neither the condition nor the distances.
  const Loop *outermost(const SelectInst &select, const Sum &left, const Sum &right) const {
    const Loop *found = nullptr;
    for (const Loop *loop = divergence_.loops().getLoopFor(select.getParent()); loop;
         loop = loop->getParentLoop()) {
      if (!loop->isLoopInvariant(select.getCondition()) || !loop->isLoopInvariant(left.distance) ||
          !loop->isLoopInvariant(right.distance))
        break;
      if (loop->getLoopPreheader())
        found = loop;
    }
    return found;
  }

  bool joinExtremes(SelectInst &select) const {
    Value *a = nullptr, *b = nullptr;
    const auto isBoth = [&](Value *one, Value *other, auto least, auto most) {
      return one->hasOneUse() && other->hasOneUse() && match(one, least) && match(other, most);
    };
    for (const bool leastFirst : {true, false}) {
      Value *least = leastFirst ? select.getTrueValue() : select.getFalseValue(),
            *most = leastFirst ? select.getFalseValue() : select.getTrueValue();
      const bool isSigned = isBoth(least, most, m_SMin(m_Value(a), m_Value(b)),
                                   m_c_SMax(m_Deferred(a), m_Deferred(b)));
      if (!isSigned && !isBoth(least, most, m_UMin(m_Value(a), m_Value(b)),
                               m_c_UMax(m_Deferred(a), m_Deferred(b))))
        continue;
      const auto found = comparisonFor(select, a, b, leastFirst, isSigned);
      Value *first = found ? settled(a) : nullptr, *second = first ? settled(b) : nullptr;
      if (!second)
        return false;
      if (!found->chooses)
        std::swap(first, second);
      auto *left = cast<Instruction>(least), *right = cast<Instruction>(most);
      auto *chosen = SelectInst::Create(found->compare, first, second, "", &select);
      chosen->takeName(&select);
      chosen->setDebugLoc(select.getDebugLoc());
      select.replaceAllUsesWith(chosen);
      select.eraseFromParent();
      left->eraseFromParent();
      right->eraseFromParent();
      return true;
    }
    return false;
  }

  /// p of (c ? a : b) > (c ? b : a) is c ? a > b : b > a: where it holds, b is what
  /// c ? min(a, b) : max(a, b) is, and a where not. With the other comparisons and with the maximum
  /// first the other way round.
  std::optional<Comparison> comparisonFor(SelectInst &select, Value *a, Value *b, bool leastFirst,
                                          bool isSigned) const {
    const Value *condition = select.getCondition();
    const auto chooses = [&](const Value *value, const Value *one, const Value *other) {
      return match(value, m_Select(m_Specific(condition), m_Specific(one), m_Specific(other)));
    };
    unsigned looks = mostUsers;
    for (User *choice : a->users()) {
      if (!chooses(choice, a, b))
        continue;
      for (User *user : choice->users()) {
        auto *compare = dyn_cast<ICmpInst>(user);
        if (!compare || compare->isEquality() || compare->isSigned() != isSigned ||
            !dominators_.dominates(compare, &select))
          continue;
        const bool isLeft = compare->getOperand(0) == choice;
        if (!chooses(compare->getOperand(isLeft ? 1 : 0), b, a))
          continue;
        const CmpInst::Predicate predicate = compare->getPredicate();
        const bool greater = (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)) == isLeft;
        return Comparison{compare, greater != leastFirst};
      }
      if (!--looks)
        break;
    }
    return std::nullopt;
  }

  const DataLayout &layout_;
  const DivergenceInfo &divergence_;
  const DominatorTree &dominators_;
  CostModel cost_;
  PressureModel pressure_;
  unsigned peak_, added_ = 0;
  SmallPtrSet<const Value *, 8> distances_; ///< in front of loops; looked up only
};

} // namespace

PreservedAnalyses SimplifySelectsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || function.isDeclaration())
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (divergence.gpu().kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  Simplifying simplifying(function, divergence,
                          analyses.getResult<DominatorTreeAnalysis>(function));
  unsigned selects = 0, addresses = 0;
  SmallVector<WeakTrackingVH, 16> found;
  for (Instruction &instruction : instructions(function))
    if (isa<SelectInst>(instruction) || isa<GetElementPtrInst>(instruction))
      found.emplace_back(&instruction);
  for (const WeakTrackingVH &one : found)
    if (auto *select = dyn_cast_or_null<SelectInst>(one))
      selects += simplifying.simplify(*select);
  for (const WeakTrackingVH &one : found)
    if (auto *address = dyn_cast_or_null<GetElementPtrInst>(one))
      addresses += simplifying.split(*address);
  if (!selects)
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-simplify-selects", point_);
  Decision decision;
  decision.pass = "meld-simplify-selects";
  decision.location = function.getName().str();
  decision.melded = true;
  decision.reason = "selects between the sides' results made simpler: " + std::to_string(selects) +
                    ", addresses: " + std::to_string(addresses);
  recorder.record(std::move(decision), DebugLoc());
  return blocksKept(true);
}

} // namespace meld::passes
