#include "passes/transform/simplify_selects.h"
#include "passes/analysis/address_spaces.h"
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "passes/cost/pressure.h"
#include "passes/decisions.h"
#include "passes/melder/place.h"
#include "passes/preserved.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
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

#include <map>
#include <tuple>

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned mostUsers =
    64; ///< of a value, and of a choice of it, among which a comparison is looked for

/// What a condition is taken to be: all selects on it choose accordingly.
struct Assumed {
  const Value *condition = nullptr;
  bool holds = false;
};

/// How many of a value's lowest bits are zero wherever a condition is what it is taken to be. Of what
/// goes round in a loop: as many as are zero at first and stay so in each round.
class LowZeros {
public:
  /// `irreducible`: there are cycles without a header, of which `loops` does not know.
  LowZeros(Assumed assumed, const LoopInfo &loops, bool irreducible, const DataLayout &layout)
      : assumed_(assumed), loops_(loops), irreducible_(irreducible), layout_(layout) {}

  unsigned of(const Value *value, unsigned depth = 0) {
    const unsigned width = value->getType()->getScalarSizeInBits();
    const Value *one = nullptr, *other = nullptr;
    if (depth == deepest || ++looks_ > mostLooks)
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
      SmallPtrSet<const Value *, 8> seen;
      for (const Value *incoming : phi->incoming_values())
        if (seen.insert(incoming).second)
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
  static constexpr unsigned deepest = 8,
                            mostLooks = 200; ///< values, one below the other and in all

  /// Not where rounds with another condition have gone before.
  bool staysAssumed(const PHINode &phi) const {
    if (irreducible_)
      return false;
    const Loop *loop = loops_.getLoopFor(phi.getParent());
    return !loop || loop->getHeader() != phi.getParent() ||
           loop->isLoopInvariant(assumed_.condition);
  }

  Assumed assumed_;
  const LoopInfo &loops_;
  bool irreducible_;
  const DataLayout &layout_;
  DenseMap<const PHINode *, unsigned> found_; ///< so far, of those being looked at
  unsigned looks_ = 0;
};

/// A value that is `base + distance`; as `base | distance`, too, where they have no bits in common.
struct Sum {
  Value *base = nullptr, *distance = nullptr;
};

/// The sum that `value` may be, used once. An `or` is one where isSum() says so.
std::optional<Sum> sumOf(Value *value) {
  auto *operation = dyn_cast<BinaryOperator>(value);
  if (!operation || !operation->hasOneUse() ||
      (operation->getOpcode() != Instruction::Add && operation->getOpcode() != Instruction::Or))
    return std::nullopt;
  return Sum{operation->getOperand(0), operation->getOperand(1)};
}

/// An address's index that is a sum with a distance in front of the loop.
struct Split {
  GetElementPtrInst *address = nullptr;
  Value *base = nullptr, *rest = nullptr; ///< of the index; `rest` may be null
  Instruction *distance = nullptr;
  /// Of those that have this in common, one address is enough.
  auto shared() const {
    return std::make_tuple(address->getPointerOperand(), address->getSourceElementType(), base,
                           rest);
  }
};

/// A comparison that tells what a select between the sides' minimum and maximum is to choose.
struct Comparison {
  ICmpInst *compare = nullptr;
  bool chooses = false; ///< the first of the two where it holds
};

/// Where a value could be frozen for all who use it; itself where that is not necessary. Null where
/// there is no place for it.
Instruction *placeToSettle(Value *value) {
  auto *made = dyn_cast<Instruction>(value);
  return made ? firstPlaceBehind(*made) : nullptr;
}
bool canSettle(Value *value) {
  return isGuaranteedNotToBeUndefOrPoison(value) || placeToSettle(value);
}
/// `value` for all who use it, where it is undefined, too.
Value *settled(Value *value) {
  if (isGuaranteedNotToBeUndefOrPoison(value))
    return value;
  auto *frozen = new FreezeInst(value, value->getName() + ".settled", placeToSettle(value));
  value->replaceUsesWithIf(frozen, [&](const Use &use) { return use.getUser() != frozen; });
  return frozen;
}

/// What a sum, a minimum or a maximum is.
bool isOfTwo(const Value &value) {
  return value.hasOneUse() && isa<BinaryOperator, SelectInst, CallInst>(value);
}

/// `with` in the place of the select and of what it chose from, which nobody else uses.
void replace(SelectInst &select, Instruction &with) {
  auto *left = cast<Instruction>(select.getTrueValue()),
       *right = cast<Instruction>(select.getFalseValue());
  with.takeName(&select);
  with.setDebugLoc(select.getDebugLoc());
  select.replaceAllUsesWith(&with);
  select.eraseFromParent();
  left->eraseFromParent();
  right->eraseFromParent();
}

class Simplifying {
public:
  Simplifying(Function &function, const DivergenceInfo &divergence, const DominatorTree &dominators)
      : layout_(function.getParent()->getDataLayout()), divergence_(divergence),
        dominators_(dominators), cost_(function, divergence.gpu()),
        pressure_(function, divergence, cost_), peak_(pressure_.functionPeak()) {
    const ReversePostOrderTraversal<const Function *> order(&function);
    irreducible_ = containsIrreducibleCFG<const BasicBlock *>(order, divergence.loops());
  }

  /// Whether the select has become another value, and is gone.
  bool simplify(SelectInst &select) { return joinSums(select) || joinExtremes(select); }

  /// Gives addresses that differ by distances alone what they have in common, once. How many.
  unsigned split(ArrayRef<WeakTrackingVH> among) {
    std::vector<Split> found;
    for (const WeakTrackingVH &one : among)
      if (auto *address = dyn_cast_or_null<GetElementPtrInst>(one))
        if (auto split = splitOf(*address))
          found.push_back(*split);
    std::map<decltype(std::declval<Split>().shared()), unsigned> sharing;
    for (const Split &one : found)
      ++sharing[one.shared()];
    erase_if(found, [&](const Split &one) { return sharing[one.shared()] < 2; });
    return unsigned(count_if(found, [&](const Split &one) { return write(one); }));
  }

private:
  /// An LDS address whose index serves nothing else.
  std::optional<Split> splitOf(GetElementPtrInst &address) const {
    if (!address.getType()->isPointerTy() || address.getPointerAddressSpace() != ldsSpace ||
        address.getNumIndices() == 0)
      return std::nullopt;
    auto type = gep_type_begin(address);
    std::advance(type, address.getNumIndices() - 1);
    auto *sum = dyn_cast<BinaryOperator>(address.getOperand(address.getNumOperands() - 1));
    if (type.isStruct() || layout_.getTypeAllocSize(type.getIndexedType()).isScalable() || !sum ||
        !sum->hasOneUse() || sum->getOpcode() != Instruction::Add ||
        !sum->getType()->isIntegerTy(32))
      return std::nullopt;
    for (const unsigned side : {0u, 1u}) {
      Value *rest = sum->getOperand(1 - side);
      if (distances_.contains(sum->getOperand(side)))
        return Split{&address, rest, nullptr, cast<Instruction>(sum->getOperand(side))};
      auto *inner = dyn_cast<BinaryOperator>(sum->getOperand(side));
      if (inner && inner->hasOneUse() && inner->getOpcode() == Instruction::Add &&
          distances_.contains(inner->getOperand(1)))
        return Split{&address, inner->getOperand(0), rest, cast<Instruction>(inner->getOperand(1))};
    }
    return std::nullopt;
  }

  bool write(const Split &split) {
    GetElementPtrInst &address = *split.address;
    const unsigned last = address.getNumOperands() - 1;
    auto type = gep_type_begin(address);
    std::advance(type, last - 1);
    const uint64_t size = layout_.getTypeAllocSize(type.getIndexedType()).getFixedValue();
    Value *&bytes = products_[{split.distance, size}];
    if (!bytes) {
      if (!roomFor(1))
        return false;
      IRBuilder<> front(split.distance->getNextNode());
      bytes = front.CreateMul(split.distance, front.getInt32(uint32_t(size)));
    }
    IRBuilder<> builder(&address);
    auto *near = cast<GetElementPtrInst>(address.clone());
    near->dropPoisonGeneratingFlags();
    near->setOperand(last, split.rest ? builder.CreateAdd(split.base, split.rest) : split.base);
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

  /// Counts registers that stay in use through a loop, unless a wave would be lost by them.
  bool roomFor(unsigned words) {
    if (pressure_.waves(peak_ + added_ + words) < pressure_.waves(peak_))
      return false;
    added_ += words;
    return true;
  }

  /// Whether it is a sum where the select on `condition` chooses it for its being `holds`.
  bool isSum(const Value &value, const Value *condition, bool holds) const {
    auto &operation = cast<BinaryOperator>(value);
    const Value *left = operation.getOperand(0), *right = operation.getOperand(1);
    const APInt *bits = nullptr;
    return operation.getOpcode() == Instruction::Add || haveNoCommonBitsSet(left, right, layout_) ||
           (match(right, m_APInt(bits)) &&
            bits->getActiveBits() <=
                LowZeros({condition, holds}, divergence_.loops(), irreducible_, layout_).of(left));
  }

  bool joinSums(SelectInst &select) {
    Type *type = select.getType();
    if (!type->isIntegerTy() || type->getIntegerBitWidth() > 32 || type->isIntegerTy(1) ||
        !select.getCondition()->getType()->isIntegerTy(1))
      return false;
    auto left = sumOf(select.getTrueValue()), right = sumOf(select.getFalseValue());
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
    const bool areConstant = isa<Constant>(left->distance) && isa<Constant>(right->distance);
    if ((!loop && !areConstant) || !isSum(*select.getTrueValue(), select.getCondition(), true) ||
        !isSum(*select.getFalseValue(), select.getCondition(), false))
      return false;
    Value *distance = loop ? inFrontOf(*loop, select, left->distance, right->distance) : nullptr;
    if (!distance && !areConstant)
      return false;
    if (!distance) {
      auto *here = SelectInst::Create(select.getCondition(), left->distance, right->distance,
                                      "distance", &select);
      here->setDebugLoc(select.getDebugLoc());
      distance = here;
    }
    replace(select, *BinaryOperator::CreateAdd(left->base, distance, "", &select));
    return true;
  }

  /// The select of the distances in front of the loop; null where there is no room for it.
  Value *inFrontOf(const Loop &loop, SelectInst &select, Value *left, Value *right) {
    BasicBlock *front = loop.getLoopPreheader();
    Instruction *&known = selected_[std::make_tuple(front, select.getCondition(), left, right)];
    if (!known) {
      if (!roomFor(unsigned(cost_.words(left->getType()))))
        return nullptr;
      known = SelectInst::Create(select.getCondition(), left, right, "distance",
                                 front->getTerminator());
      known->setDebugLoc(select.getDebugLoc());
      distances_.insert(known);
    }
    return known;
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
      const auto found = a != b ? comparisonFor(select, a, b, leastFirst, isSigned) : std::nullopt;
      if (!found || !canSettle(a) || !canSettle(b))
        return false;
      Value *first = settled(a), *second = settled(b);
      if (!found->chooses)
        std::swap(first, second);
      replace(select, *SelectInst::Create(found->compare, first, second, "", &select));
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
    if (isa<Constant>(a)) // it has users everywhere
      return std::nullopt;
    for (User *choice : a->users()) {
      if (!looks--)
        break;
      if (!chooses(choice, a, b))
        continue;
      for (User *user : choice->users()) {
        if (!looks--)
          return std::nullopt;
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
    }
    return std::nullopt;
  }

  const DataLayout &layout_;
  const DivergenceInfo &divergence_;
  const DominatorTree &dominators_;
  CostModel cost_;
  PressureModel pressure_;
  unsigned peak_, added_ = 0;
  bool irreducible_ = false;
  // In front of loops; all of them are looked up only.
  SmallPtrSet<const Value *, 8> distances_;
  std::map<std::tuple<const BasicBlock *, const Value *, const Value *, const Value *>,
           Instruction *>
      selected_;
  std::map<std::pair<const Instruction *, uint64_t>, Value *> products_; ///< distances in bytes
};

} // namespace

PreservedAnalyses SimplifySelectsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || function.isDeclaration())
    return PreservedAnalyses::all();
  // Most functions have nothing for it: they are not worth the analyses.
  if (none_of(instructions(function), [](const Instruction &instruction) {
        auto *select = dyn_cast<SelectInst>(&instruction);
        return select && select->getType()->isIntegerTy() && isOfTwo(*select->getTrueValue()) &&
               isOfTwo(*select->getFalseValue());
      }))
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (divergence.gpu().kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  Simplifying simplifying(function, divergence,
                          analyses.getResult<DominatorTreeAnalysis>(function));
  unsigned selects = 0;
  SmallVector<WeakTrackingVH, 16> found;
  for (Instruction &instruction : instructions(function))
    if (isa<SelectInst>(instruction) || isa<GetElementPtrInst>(instruction))
      found.emplace_back(&instruction);
  for (const WeakTrackingVH &one : found)
    if (auto *select = dyn_cast_or_null<SelectInst>(one))
      selects += simplifying.simplify(*select);
  if (!selects)
    return PreservedAnalyses::all();
  const unsigned addresses = simplifying.split(found);
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
