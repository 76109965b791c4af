#include "passes/scalarize/xor_address.h"
#include "passes/analysis/address_spaces.h"
#include "passes/analysis/gpu_info.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/preserved.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned maxDepth = 6; ///< of a condition, and of an index under casts

/// An index that is x ^ 2^k under casts.
struct Partner {
  SmallVector<CastInst *, 2> casts; ///< the outermost first
  Value *x = nullptr;
  APInt bit;      ///< 2^k, as wide as x
  APInt distance; ///< and under the casts
};

std::optional<Partner> partnerOf(Value *index) {
  Partner found;
  while (auto *cast = dyn_cast<CastInst>(index)) {
    if (!isa<ZExtInst, SExtInst, TruncInst>(cast) || found.casts.size() == maxDepth)
      return std::nullopt;
    found.casts.push_back(cast);
    index = cast->getOperand(0);
  }
  const APInt *bit = nullptr;
  if (!match(index, m_Xor(m_Value(found.x), m_Power2(bit))) || isa<Constant>(found.x))
    return std::nullopt;
  found.bit = *bit;
  // A sum that reaches the sign is not extended as its parts are, and what a truncation cuts off is
  // no distance.
  APInt left = *bit;
  for (CastInst *cast : reverse(found.casts)) {
    const unsigned width = cast->getType()->getScalarSizeInBits();
    if (isa<SExtInst>(cast) && left.isSignMask())
      return std::nullopt;
    left = left.zextOrTrunc(width);
    if (left.isZero())
      return std::nullopt;
  }
  if (left.getBitWidth() > 64 || (left.getBitWidth() < 32 && left.isSignMask()))
    return std::nullopt; // an address extends its index
  found.distance = left;
  return found;
}

/// Whether `compare` being `holds` tells bit `bit` of `x`: true where it is set.
std::optional<bool> setBy(const ICmpInst &compare, bool holds, const Value *x, const APInt &bit) {
  CmpInst::Predicate predicate = compare.getPredicate();
  const Value *left = compare.getOperand(0), *right = compare.getOperand(1);
  const auto isPartner = [&](const Value *value) {
    const APInt *other = nullptr;
    return match(value, m_Xor(m_Specific(x), m_APInt(other))) && *other == bit;
  };
  if (left == x && isPartner(right)) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (right == x && isPartner(left)) {
    if (CmpInst::isEquality(predicate) || (CmpInst::isSigned(predicate) && bit.isSignMask()))
      return std::nullopt;
    const bool partnerIsAbove = ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate);
    return partnerIsAbove != holds;
  }
  const APInt *mask = nullptr, *value = nullptr;
  if (compare.isEquality() && match(left, m_And(m_Specific(x), m_APInt(mask))) && *mask == bit &&
      match(right, m_APInt(value)) && (value->isZero() || *value == bit)) {
    const bool equal = (predicate == CmpInst::ICMP_EQ) == holds;
    return equal != value->isZero();
  }
  return std::nullopt;
}

std::optional<bool> setBy(Value *condition, bool holds, const Value *x, const APInt &bit,
                          unsigned depth = 0) {
  if (auto *compare = dyn_cast<ICmpInst>(condition))
    return setBy(*compare, holds, x, bit);
  Value *one = nullptr, *other = nullptr;
  if (depth == maxDepth)
    return std::nullopt;
  if (match(condition, m_Not(m_Value(one))))
    return setBy(one, !holds, x, bit, depth + 1);
  if (holds ? match(condition, m_LogicalAnd(m_Value(one), m_Value(other)))
            : match(condition, m_LogicalOr(m_Value(one), m_Value(other)))) {
    const auto known = setBy(one, holds, x, bit, depth + 1);
    return known ? known : setBy(other, holds, x, bit, depth + 1);
  }
  return std::nullopt;
}

/// The edge that tells that bit `bit` of `x` is clear wherever `block` runs.
std::optional<BasicBlockEdge> clearBehind(const BasicBlock &block, const Value *x, const APInt &bit,
                                          const DominatorTree &dominators) {
  const auto *made = dyn_cast<Instruction>(x);
  for (const auto *node = dominators.getNode(&block); node; node = node->getIDom()) {
    if (node->getBlock() != &block)
      if (auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
          branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
        for (const bool holds : {true, false}) {
          const BasicBlockEdge edge(branch->getParent(), branch->getSuccessor(holds ? 0 : 1));
          if (setBy(branch->getCondition(), holds, x, bit) == false &&
              dominators.dominates(edge, &block))
            return edge;
        }
    if (made && node->getBlock() == made->getParent())
      break; // x is not known above
  }
  return std::nullopt;
}

struct PartnerAddress {
  GetElementPtrInst *address = nullptr;
  unsigned operand = 0; ///< the index
  uint64_t bytes = 0;   ///< from x's element to its partner's
  Partner partner;
  BasicBlockEdge behind; ///< all of its uses
};

std::optional<PartnerAddress> partnerAddress(GetElementPtrInst &address,
                                             const DominatorTree &dominators,
                                             const DataLayout &layout) {
  if (!address.getType()->isPointerTy() || address.getPointerAddressSpace() != ldsSpace)
    return std::nullopt;
  for (auto type = gep_type_begin(address), end = gep_type_end(address); type != end; ++type) {
    if (type.isStruct() || isa<Constant>(type.getOperand()))
      continue;
    const TypeSize size = layout.getTypeAllocSize(type.getIndexedType());
    auto partner = size.isScalable() ? std::nullopt : partnerOf(type.getOperand());
    if (!partner)
      continue;
    const auto edge = clearBehind(*address.getParent(), partner->x, partner->bit, dominators);
    const uint64_t bytes = partner->distance.getZExtValue() * size.getFixedValue();
    if (!edge || bytes % 4) // what is nearer is joined into one dword, and taken apart again
      continue;
    unsigned operand = 1;
    for (auto before = gep_type_begin(address); before != type; ++before)
      ++operand;
    return PartnerAddress{&address, operand, bytes, std::move(*partner), *edge};
  }
  return std::nullopt;
}

void writeDistance(const PartnerAddress &plan) {
  GetElementPtrInst &old = *plan.address;
  IRBuilder<> builder(&old);
  Value *index = plan.partner.x;
  for (CastInst *cast : reverse(plan.partner.casts))
    index = builder.CreateCast(cast->getOpcode(), index, cast->getType());
  SmallVector<Value *, 4> indices(old.indices());
  indices[plan.operand - 1] = index;
  Value *near = builder.CreateGEP(old.getSourceElementType(), old.getPointerOperand(), indices);
  near = builder.CreatePointerCast(
      near, compat::bytePointer(old.getContext(), old.getPointerAddressSpace()));
  Value *far = builder.CreateGEP(builder.getInt8Ty(), near, builder.getInt32(uint32_t(plan.bytes)),
                                 "partner");
  old.replaceAllUsesWith(builder.CreatePointerCast(far, old.getType()));
  RecursivelyDeleteTriviallyDeadInstructions(&old);
}

/// Whether threads of a wave may hand values over through LDS with nothing in between that the
/// compiler sees: an access, and behind it, without a barrier or fence, another one, of which one
/// stores. As long as the addresses may be the same for all that is known, they keep their order
/// and the element is read again.
class HandsOver {
public:
  HandsOver(Function &function, const std::vector<PartnerAddress> &plans,
            const DominatorTree &dominators)
      : function_(function), plans_(plans), dominators_(dominators) {}

  bool anywhere() {
    return any_of(instructions(function_), [&](const Instruction &instruction) {
      return isPlain(instruction) && from(instruction);
    });
  }

private:
  static constexpr unsigned mostSteps = 200000; ///< instructions looked at, for all accesses

  /// An access of LDS that may be moved, joined, or left out. Of a call nobody knows.
  static bool isPlain(const Instruction &access) {
    if (auto *call = dyn_cast<CallBase>(&access))
      return call->mayReadOrWriteMemory() && !call->onlyAccessesInaccessibleMemory() &&
             !isBarrier(access);
    const Value *pointer = getLoadStorePointerOperand(&access);
    const unsigned space = pointer ? pointer->getType()->getPointerAddressSpace() : 1;
    return (space == ldsSpace || space == 0) && !access.isVolatile() && !access.isAtomic();
  }

  static bool isBarrier(const Instruction &instruction) {
    if (auto *fence = dyn_cast<FenceInst>(&instruction))
      return fence->getSyncScopeID() != SyncScope::SingleThread;
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      return false;
    if (call->isInlineAsm())
      return call->mayWriteToMemory();
    switch (call->getIntrinsicID()) {
    case Intrinsic::amdgcn_s_barrier:
    case Intrinsic::amdgcn_wave_barrier:
      return true;
    case Intrinsic::not_intrinsic:
      return call->mayWriteToMemory() && !call->onlyAccessesArgMemory();
    default:
      return false;
    }
  }

  bool from(const Instruction &access) {
    SmallPtrSet<const BasicBlock *, 32> seen;
    SmallVector<const Instruction *, 16> left{access.getNextNode()};
    while (!left.empty()) {
      const Instruction *at = left.pop_back_val();
      for (; at; at = at->getNextNode()) {
        if (++steps_ > mostSteps ||
            (isPlain(*at) && (access.mayWriteToMemory() || at->mayWriteToMemory()) &&
             !isOfOnePair(access, *at)))
          return true;
        if (isBarrier(*at))
          break;
        if (at->isTerminator())
          for (const BasicBlock *next : successors(at->getParent()))
            if (seen.insert(next).second)
              left.push_back(&next->front());
      }
    }
    return false;
  }

  /// Both behind the edge of one pair, and of its elements: no other thread's pair has them.
  bool isOfOnePair(const Instruction &one, const Instruction &other) const {
    return any_of(plans_,
                  [&](const PartnerAddress &plan) { return isOf(plan, one) && isOf(plan, other); });
  }
  /// In another round x may be another value: only one that is computed once will do.
  bool isOf(const PartnerAddress &plan, const Instruction &access) const {
    auto *made = dyn_cast<Instruction>(plan.partner.x);
    if (made && made->getParent() != &function_.getEntryBlock())
      return false;
    auto *address = dyn_cast_or_null<GetElementPtrInst>(getLoadStorePointerOperand(&access));
    if (!address || !dominators_.dominates(plan.behind, access.getParent()) ||
        address->getNumOperands() != plan.address->getNumOperands() ||
        address->getSourceElementType() != plan.address->getSourceElementType())
      return false;
    for (unsigned i = 0; i < address->getNumOperands(); ++i) {
      const Value *index = address->getOperand(i);
      if (index == plan.address->getOperand(i))
        continue;
      for (; isa<CastInst>(index); index = cast<CastInst>(index)->getOperand(0))
        ;
      if (i != plan.operand || index != plan.partner.x)
        return false;
    }
    return true;
  }

  Function &function_;
  const std::vector<PartnerAddress> &plans_;
  const DominatorTree &dominators_;
  unsigned steps_ = 0;
};

} // namespace

PreservedAnalyses XorAddressPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function) ||
      GpuInfo(function).kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  const DataLayout &layout = function.getParent()->getDataLayout();
  std::vector<PartnerAddress> plans;
  for (Instruction &instruction : instructions(function))
    if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
      if (auto plan = partnerAddress(*address, dominators, layout))
        plans.push_back(std::move(*plan));
  if (plans.empty())
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-xor-address", point_);
  const bool handsOver = HandsOver(function, plans, dominators).anywhere();
  for (const PartnerAddress &plan : plans) {
    Decision decision = recorder.at(*plan.address);
    decision.melded = !handsOver;
    decision.reason = handsOver ? "lanes may hand values over through LDS without a barrier"
                                : "the partner's address as a distance";
    recorder.record(std::move(decision), plan.address->getDebugLoc());
    if (!handsOver)
      writeDistance(plan);
  }
  return blocksKept(!handsOver);
}

} // namespace meld::passes
