#include "passes/scalarize/multiply_add.h"
#include "passes/analysis/address_spaces.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/linear_form.h"
#include "passes/compat.h"
#include "passes/cost/processor.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/stay_put.h"
#include "passes/preserved.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/NaryReassociate.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"
#include "llvm/Transforms/Scalar/StraightLineStrengthReduce.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned waveSizeLog = 6; // 64 lanes
constexpr unsigned maxDepth = 6, maxLanes = 2;
constexpr unsigned largestScale = 10; // as a power of two
constexpr unsigned maxVariants = 16;
// Cycles, as the estimate on the machine code counts them.
constexpr unsigned multiplyAdd = 16, shift = 8, single = 4, wideSum = 8;
constexpr unsigned leastSaved = 12; // in all of a kernel
constexpr unsigned rounds = 8;      // that a loop is taken to have

struct Lane {
  Value *index = nullptr; ///< at most 32 bits wide
  Extension extension = Extension::low;
  uint64_t scale = 0;
};

struct Address {
  GetElementPtrInst *gep = nullptr;
  bool scalarBase = false;
  Value *variable = nullptr; ///< the one divergent index
  SmallVector<std::pair<Value *, uint64_t>, 2> uniform;
  SmallVector<Lane, 2> lanes;
  uint64_t constant = 0;
};

class Finder {
public:
  Finder(const DataLayout &layout, function_ref<bool(const Value &)> isScalar)
      : layout_(layout), isScalar_(isScalar) {}

  /// No lanes: not an address for a multiply-add.
  Address addressOf(GetElementPtrInst &gep) {
    if (!gep.getType()->isPointerTy() || (gep.getPointerAddressSpace() != globalSpace &&
                                          gep.getPointerAddressSpace() != constantSpace))
      return {};
    Address address;
    address.gep = &gep;
    address.scalarBase = isScalar_(*gep.getPointerOperand());
    for (auto type = gep_type_begin(gep), end = gep_type_end(gep); type != end; ++type) {
      Value &index = *type.getOperand();
      if (StructType *structure = type.getStructTypeOrNull()) {
        address.constant += layout_.getStructLayout(structure)->getElementOffset(
            unsigned(cast<ConstantInt>(index).getZExtValue()));
        continue;
      }
      TypeSize size = layout_.getTypeAllocSize(type.getIndexedType());
      if (size.isScalable() || !index.getType()->isIntegerTy() ||
          index.getType()->getIntegerBitWidth() > 64)
        return {};
      if (auto *number = dyn_cast<ConstantInt>(&index)) {
        address.constant += uint64_t(number->getSExtValue()) * size.getFixedValue();
        continue;
      }
      if (!isScalar_(index)) {
        if (address.variable)
          return {};
        address.variable = &index;
      }
      if (!take(index, size.getFixedValue(), address, 0))
        return {};
    }
    return address;
  }

private:
  bool take(Value &value, uint64_t scale, Address &address, unsigned depth) {
    if (isScalar_(value)) {
      address.uniform.push_back({&value, scale});
      return address.uniform.size() <= 2;
    }
    auto lane = [&](Value &index, Extension extension) {
      address.lanes.push_back({&index, extension, scale});
      return address.lanes.size() <= maxLanes && isPowerOf2_64(scale) &&
             Log2_64(scale) <= largestScale;
    };
    if (!value.getType()->isIntegerTy(64))
      return value.getType()->getIntegerBitWidth() <= 32 && lane(value, Extension::sign);
    auto *op = dyn_cast<Operator>(&value);
    if (!op || depth == maxDepth)
      return false;
    uint64_t number = 0;
    auto both = [&] {
      return take(*op->getOperand(0), scale, address, depth + 1) &&
             take(*op->getOperand(1), scale, address, depth + 1);
    };
    switch (op->getOpcode()) {
    case Instruction::ZExt:
    case Instruction::SExt:
      return op->getOperand(0)->getType()->getIntegerBitWidth() <= 32 &&
             lane(*op->getOperand(0),
                  op->getOpcode() == Instruction::ZExt ? Extension::zero : Extension::sign);
    case Instruction::Add:
      return both();
    case Instruction::Or:
      return haveNoCommonBitsSet(op->getOperand(0), op->getOperand(1), layout_) && both();
    case Instruction::Shl:
      if (!match(op->getOperand(1), m_ConstantInt(number)) || number > largestScale)
        return false;
      scale <<= number;
      return take(*op->getOperand(0), scale, address, depth + 1);
    default:
      return false;
    }
  }

  const DataLayout &layout_;
  function_ref<bool(const Value &)> isScalar_;
};

class Writer {
public:
  Writer(Function &function, const LoopInfo &loops)
      : entry_(function.getEntryBlock()), loops_(loops) {}

  void write(const Address &address) {
    IRBuilder<> builder(address.gep);
    Value *place = builder.CreatePointerCast(
        address.gep->getPointerOperand(),
        compat::bytePointer(address.gep->getContext(), address.gep->getPointerAddressSpace()));
    for (auto &[value, scale] : address.uniform) {
      Value *wide = builder.CreateSExtOrTrunc(value, builder.getInt64Ty());
      place = builder.CreateGEP(builder.getInt8Ty(), place,
                                builder.CreateMul(wide, builder.getInt64(scale)), "scalar.base");
    }
    Value *scalar = place;
    for (const Lane &lane : address.lanes) {
      Value *wide = lane.extension == Extension::zero
                        ? builder.CreateZExt(lane.index, builder.getInt64Ty())
                        : builder.CreateSExt(lane.index, builder.getInt64Ty());
      place =
          builder.CreateGEP(builder.getInt8Ty(), place,
                            builder.CreateMul(wide, power(lane, address.gep->getParent())), "lane");
    }
    if (address.scalarBase)
      keepScalar(builder, *scalar);
    if (address.constant)
      place = builder.CreateGEP(builder.getInt8Ty(), place, builder.getInt64(address.constant));
    place = builder.CreatePointerCast(place, address.gep->getType());
    place->takeName(address.gep);
    address.gep->replaceAllUsesWith(place);
    RecursivelyDeleteTriviallyDeadInstructions(address.gep);
  }

private:
  // 2^k as an instruction. Products of one index in several blocks get different ones: made equal
  // and done once, a product would be no part of a multiply-add in the other blocks.
  Value *power(const Lane &lane, BasicBlock *block) {
    auto &blocks = blocks_[{lane.index, lane.extension}];
    if (!is_contained(blocks, block))
      blocks.push_back(block);
    auto variant = unsigned(find(blocks, block) - blocks.begin()) % maxVariants;
    const unsigned k = Log2_64(lane.scale);
    Value *&known = powers_[{k, variant}];
    if (!known) {
      Instruction *first = &*entry_.getFirstInsertionPt();
      IRBuilder<> builder(wave_ ? cast<Instruction>(wave_)->getNextNode() : first);
      if (!wave_) // and not above 127, as far as anyone can see: signed or not is then the same
        wave_ = builder.CreateAnd(builder.CreateIntrinsic(Intrinsic::amdgcn_wavefrontsize,
                                                          ArrayRef<Type *>(), ArrayRef<Value *>()),
                                  2 * (1u << waveSizeLog) - 1);
      known = variant ? builder.CreateShl(wave_, variant) : wave_; // now 2^(6 + variant)
      if (k > waveSizeLog + variant)
        known = builder.CreateShl(known, k - waveSizeLog - variant);
      else if (k < waveSizeLog + variant)
        known = builder.CreateLShr(known, waveSizeLog + variant - k);
      known = builder.CreateZExt(known, builder.getInt64Ty(), "scale");
    }
    return known;
  }

  // A base that is put together from two registers for one vector instruction alone, LLVM (15 at
  // least, SIFixSGPRCopies) puts together from vector registers: two copies. An empty assembly
  // statement is the second use that keeps it scalar.
  void keepScalar(IRBuilder<> &builder, Value &base) {
    auto *made = dyn_cast<Instruction>(&base);
    const Loop *inside = made ? loops_.getLoopFor(made->getParent()) : nullptr;
    if (isa<Constant>(base) || (inside && !inside->contains(builder.GetInsertBlock())) ||
        !kept_.insert({builder.GetInsertBlock(), &base}).second)
      return;
    useHere(builder, base, /*scalar=*/true);
  }

  BasicBlock &entry_;
  const LoopInfo &loops_;
  DenseSet<std::pair<BasicBlock *, Value *>> kept_;
  Value *wave_ = nullptr;
  std::map<std::pair<Value *, Extension>, SmallVector<BasicBlock *, 4>> blocks_; // looked up only
  std::map<std::pair<unsigned, unsigned>, Value *> powers_;
};

// Whether the shifted index is known to fit into 32 bits; with a scalar base code generation then
// uses the offset form by itself.
bool fitsOffset(const Address &address, const DataLayout &layout) {
  const Lane &lane = address.lanes.front();
  return address.lanes.size() == 1 && lane.extension == Extension::zero &&
         computeKnownBits(lane.index, layout).countMinLeadingZeros() +
                 (32 - lane.index->getType()->getIntegerBitWidth()) >=
             Log2_64(lane.scale);
}

// Whether LLVM by itself makes the address of a multiply-add of the unextended index: where its
// elements' size is no power of two.
bool isProduct(const User &user, const Value &index, const DataLayout &layout) {
  auto *gep = dyn_cast<GetElementPtrInst>(&user);
  if (!gep || gep->getPointerOperand() == &index)
    return false;
  for (auto type = gep_type_begin(gep), end = gep_type_end(gep); type != end; ++type)
    if (type.getOperand() == &index) {
      TypeSize size = layout.getTypeAllocSize(type.getIndexedType());
      if (size.isScalable() || isPowerOf2_64(size.getFixedValue()))
        return false;
    }
  return true;
}

// Indices as they are when a loop begins.
using Starts = SmallPtrSet<const SCEV *, 8>;

// LLVM adds the step of the loop to such an address and begins with the one that it has before the
// loop; with an index alone that advances it still has to extend and shift it each time.
bool advances(const Address &address, ScalarEvolution &evolution, Starts &starts) {
  const bool found = isa<SCEVAddRecExpr>(evolution.getSCEV(address.gep));
  for (const Lane &lane : address.lanes)
    if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(lane.index))) {
      if (found)
        starts.insert(recurrence->getStart());
      else if (lane.scale == 1) // no shift to save
        return true;
    }
  return found;
}

// Vector instructions, in cycles, for all addresses of one index: as LLVM does it and as we would.
struct Price {
  unsigned before = 0, after = 0;
};

Price priceOf(ArrayRef<Address> group, const LoopInfo &loops, ScalarEvolution &evolution,
              const Starts &starts, const DataLayout &layout) {
  Price price;
  SmallPtrSet<const User *, 8> rewritten;
  const Address &first = group.front();
  bool together = true;
  for (const Address &address : group) {
    rewritten.insert(address.gep);
    price.before += address.scalarBase ? wideSum + single : wideSum;
    price.after += multiplyAdd * unsigned(address.lanes.size()) +
                   (wideSum + single) * unsigned(address.uniform.size());
    auto *index = dyn_cast<Instruction>(address.variable);
    together = together && (!index || loops.getLoopFor(index->getParent()) ==
                                          loops.getLoopFor(address.gep->getParent()));
  }
  // What they share counts when it goes away, and where it is as frequent as they are.
  auto needsNoShift = [&](const User *user) {
    return rewritten.contains(user) || isProduct(*user, *first.variable, layout);
  };
  auto isStart = [&](const Lane &lane) { return starts.contains(evolution.getSCEV(lane.index)); };
  if (!together || !all_of(first.variable->users(), needsNoShift) || any_of(first.lanes, isStart))
    return price;
  if (fitsOffset(first, layout)) {
    price.before += first.lanes.front().scale > 1 ? single : 0;
    return price;
  }
  price.before += single * unsigned(first.lanes.size()) +
                  (first.lanes.front().scale > 1 ? shift : 0) +
                  wideSum * unsigned(first.lanes.size() + first.uniform.size() - 1);
  return price;
}

// What could become multiply-adds and has no better form.
std::vector<Address> addressesOf(Function &function, FunctionAnalysisManager &analyses) {
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  BackendView backend(function, analyses, divergence);
  auto isScalar = [&](const Value &value) { return backend.isScalar(value); };
  const DataLayout &layout = function.getParent()->getDataLayout();
  Finder finder(layout, isScalar);
  std::vector<Address> found;
  for (Instruction &instruction : instructions(function)) {
    auto *gep = dyn_cast<GetElementPtrInst>(&instruction);
    if (!gep || isScalar(*gep))
      continue;
    Address address = finder.addressOf(*gep);
    const bool better = address.scalarBase ? !address.lanes.empty() && fitsOffset(address, layout)
                                           : !address.uniform.empty();
    if (!address.lanes.empty() && !better)
      found.push_back(std::move(address));
  }
  return found;
}

// What code generation does to addresses in a row, in its order (AMDGPUTargetMachine.cpp,
// addStraightLineScalarOptimizationPasses): constants apart, a neighbour as the first and a step,
// sums that share. It could not look through our products any more.
bool asCodeGeneration(Function &function, FunctionAnalysisManager &analyses) {
  bool changed = false;
  auto step = [&](auto &&pass) {
    PreservedAnalyses preserved = pass.run(function, analyses);
    changed = changed || !preserved.areAllPreserved();
    analyses.invalidate(function, preserved);
  };
  step(SeparateConstOffsetFromGEPPass());
  step(StraightLineStrengthReducePass());
  step(EarlyCSEPass());
  step(NaryReassociatePass());
  step(EarlyCSEPass());
  return changed;
}

} // namespace

bool hasMultiplyAddAddresses(const Function &function) {
  const StringRef processor = processorOf(function);
  return compat::startsWith(processor, "gfx9") && !compat::startsWith(processor, "gfx94") &&
         !compat::startsWith(processor, "gfx95");
}

PreservedAnalyses MultiplyAddPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function) ||
      GpuInfo(function).kind() != GpuKind::amdgpu || !hasMultiplyAddAddresses(function))
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  if (addressesOf(function, analyses).empty())
    return PreservedAnalyses::all();
  bool changed = asCodeGeneration(function, analyses);

  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const bool force = options_.force;
  MapVector<Value *, std::vector<Address>> groups;
  Starts starts;
  for (Address &address : addressesOf(function, analyses))
    if (force || !loops.getLoopFor(address.gep->getParent()) ||
        !advances(address, evolution, starts))
      groups[address.variable].push_back(std::move(address));
  MapVector<Value *, Price> prices;
  unsigned saved = 0;
  for (auto &[variable, addresses] : groups) {
    const Price price = prices[variable] = priceOf(addresses, loops, evolution, starts, layout);
    if (price.after <= price.before)
      saved += (price.before - price.after) *
               (loops.getLoopFor(addresses.front().gep->getParent()) ? rounds : 1);
  }
  DecisionRecorder recorder(function, analyses, log_, "meld-multiply-add-address", point_);
  Writer writer(function, loops);
  const unsigned least = options_.takesLosses() ? 0 : leastSaved;
  for (auto &[variable, addresses] : groups) {
    const Price price = prices[variable];
    Decision decision = recorder.at(*addresses.front().gep);
    const char *why = price.after > price.before
                          ? "the multiply-adds would cost more than shift and sums"
                      : saved < least ? "the kernel would save less than another schedule may lose"
                                      : nullptr;
    decision.melded = !why || force;
    decision.reason = decision.melded ? "address as multiply-add of its scalar base" : why;
    decision.alignment = std::to_string(addresses.size()) + " addresses, " +
                         std::to_string(price.before) + " cycles before, " +
                         std::to_string(price.after) + " after";
    bool rewrite = decision.melded;
    recorder.record(std::move(decision), addresses.front().gep->getDebugLoc());
    if (!rewrite)
      continue;
    changed = true;
    for (const Address &address : addresses)
      writer.write(address);
  }
  return blocksKept(changed);
}

} // namespace meld::passes
