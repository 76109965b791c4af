#include "passes/scalarize/affine_address.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "passes/cost/processor.h"
#include "passes/decisions.h"
#include "passes/melder/place.h"
#include "passes/scalarize/address_form.h"
#include "passes/scalarize/version.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/Local.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr unsigned largestCopy = 1500;     // instructions that an assumption may double
constexpr unsigned leastVersioned = 12;    // vector instructions that it must save
constexpr unsigned largestFunction = 6000; // instructions, for the range queries

struct Plan {
  Instruction *access = nullptr;
  unsigned operand = 0;
  AddressForm form;
};

std::optional<unsigned> addressOperand(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction); load && !load->isVolatile())
    return load->getPointerOperandIndex();
  if (auto *store = dyn_cast<StoreInst>(&instruction); store && !store->isVolatile())
    return store->getPointerOperandIndex();
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction); update && !update->isVolatile())
    return update->getPointerOperandIndex();
  return std::nullopt;
}

enum class Written { otherwise, elsewhere, here };

// Whether the address is a scalar base and an extended 32-bit offset, perhaps with a constant: code
// generation finds that, where it all stands in the block of the access.
Written written(const Value *pointer, const BasicBlock *block,
                function_ref<bool(const Value &)> isUniform) {
  bool here = true;
  while (auto *gep = dyn_cast<GEPOperator>(pointer)) {
    if (auto *instruction = dyn_cast<Instruction>(gep))
      here = here && instruction->getParent() == block;
    if (!isUniform(*gep->getPointerOperand())) {
      if (!gep->hasAllConstantIndices())
        return Written::otherwise;
      pointer = gep->getPointerOperand();
      continue;
    }
    unsigned variable = 0;
    const Value *last = nullptr;
    for (const Use &index : gep->indices())
      if (!isa<Constant>(index)) {
        ++variable;
        last = index;
      }
    auto *extension = dyn_cast_or_null<ZExtInst>(last);
    if (variable != 1 || !extension || isUniform(*extension->getOperand(0)) ||
        !isa<CallInst>(extension->getOperand(0)))
      return Written::otherwise;
    return here && extension->getParent() == block ? Written::here : Written::elsewhere;
  }
  return Written::otherwise;
}

Value *sumOf(IRBuilder<> &builder, const ScalarSum &sum) {
  Value *total = nullptr;
  for (auto [leaf, scale] : sum.terms) {
    Value *part = scale.isOne() ? leaf : builder.CreateMul(leaf, builder.getInt(scale));
    total = total ? builder.CreateAdd(total, part) : part;
  }
  if (!sum.constant.isZero())
    total = builder.CreateAdd(total, builder.getInt(sum.constant));
  return total;
}

// llvm.annotation without a text; the last operand counts as a line.
Value *annotated(IRBuilder<> &builder, Value *value, unsigned number) {
  Value *none = ConstantPointerNull::get(compat::bytePointer(builder.getContext(), 0));
#if LLVM_VERSION_MAJOR >= 16
  SmallVector<Type *, 2> types{value->getType(), none->getType()};
#else
  SmallVector<Type *, 2> types{value->getType()};
#endif
  CallInst *call = builder.CreateIntrinsic(Intrinsic::annotation, types,
                                           {value, none, none, builder.getInt32(number)});
  call->setConvergent();
  call->setDoesNotAccessMemory();
  return call;
}

class Writer {
public:
  Writer(Function &function, const LoopInfo &loops, int64_t largestImmediate)
      : dominators_(function), loops_(loops), largestImmediate_(largestImmediate) {}

  void write(const Plan &plan) {
    Value *old = plan.access->getOperand(plan.operand);
    Value *&known = addresses_[{plan.access->getParent(), old}];
    if (!known)
      known = address(plan, *old);
    plan.access->setOperand(plan.operand, known);
    old_.push_back(old);
  }
  ArrayRef<WeakTrackingVH> replaced() const { return old_; }

private:
  Value *address(const Plan &plan, Value &old) {
    const AddressForm &form = plan.form;
    IRBuilder<> builder(plan.access);
    int64_t bias = std::min<int64_t>(form.laneLeast, 0), constant = form.constant + bias;
    bool immediate = constant >= -largestImmediate_ - 1 && constant <= largestImmediate_;
    Value *address = scalarBase(builder, form, immediate ? 0 : constant);
    Value *lane = extended(builder, lanePart(form, bias));
    address = builder.CreateGEP(builder.getInt8Ty(), address, lane, "lane");
    if (immediate && constant)
      address =
          builder.CreateGEP(builder.getInt8Ty(), address, builder.getInt64(uint64_t(constant)));
    return builder.CreatePointerCast(address, old.getType());
  }

  // One step per term, what is known earliest first, so that arrays of one loop or neighbours in
  // one array share what they begin with.
  Value *scalarBase(IRBuilder<> &builder, const AddressForm &form, int64_t constant) {
    SmallVector<AddressTerm, 4> terms = form.uniform;
    auto isBefore = [&](const AddressTerm &a, const AddressTerm &b) {
      auto *left = dyn_cast_or_null<Instruction>(a.leaf),
           *right = dyn_cast_or_null<Instruction>(b.leaf);
      if (!left || !right)
        return a.leaf != b.leaf && (!a.leaf || (b.leaf && !left && right));
      return left != right && dominators_.dominates(left, right);
    };
    stable_sort(terms, isBefore);
    Value *address = builder.CreatePointerCast(
        form.base, compat::bytePointer(form.base->getContext(),
                                       form.base->getType()->getPointerAddressSpace()));
    for (const AddressTerm &term : terms) {
      Value *part = scalarPart(builder, form, term);
      address = builder.CreateGEP(builder.getInt8Ty(), address, part, "scalar.base");
    }
    if (constant)
      address =
          builder.CreateGEP(builder.getInt8Ty(), address, builder.getInt64(uint64_t(constant)));
    return address;
  }

  // In bytes. It stands where the last of the leaves is known, once for all accesses, but for leaves
  // of a loop that the access is outside of: of sums in several blocks LLVM 17 would make one by
  // phis whose scalar registers it loses in a branch.
  Value *scalarPart(IRBuilder<> &accessBuilder, const AddressForm &form, const AddressTerm &term) {
    ScalarSum sum;
    if (term.leaf)
      sum.terms.push_back({term.leaf, APInt(32, 1)});
    else
      sum = form.assumptions[term.sum].sum;
    Instruction *place = placeBehind(sum, *accessBuilder.GetInsertBlock());
    auto known = find_if(parts_, [&](const ScalarPart &part) {
      return part.sum == sum && part.extension == term.extension && part.scale == term.scale;
    });
    if (place && known != parts_.end())
      return known->value;
    IRBuilder<> builder(place ? place : &*accessBuilder.GetInsertPoint());
    Value *leaf = term.leaf ? term.leaf : sumOf(builder, sum);
    Type *wide = builder.getInt64Ty();
    Value *part = term.extension == Extension::zero ? builder.CreateZExt(leaf, wide)
                                                    : builder.CreateSExt(leaf, wide);
    if (term.scale > 0 && isPowerOf2_64(uint64_t(term.scale)))
      part = term.scale == 1 ? part : builder.CreateShl(part, Log2_64(uint64_t(term.scale)));
    else
      part = builder.CreateMul(part, builder.getInt64(uint64_t(term.scale)));
    if (place)
      parts_.push_back({std::move(sum), term.extension, term.scale, part});
    return part;
  }

  // Null where that would be in a loop without the access.
  Instruction *placeBehind(const ScalarSum &sum, const BasicBlock &access) const {
    SmallVector<Value *, 4> leaves;
    for (auto &[leaf, scale] : sum.terms)
      leaves.push_back(leaf);
    Instruction *place = whereKnown(leaves);
    const Loop *loop = loops_.getLoopFor(place->getParent());
    return !loop || loop->contains(&access) ? place : nullptr;
  }

  // Behind the last of the leaves.
  Instruction *whereKnown(ArrayRef<Value *> leaves) const {
    const Instruction *last = nullptr;
    for (const Value *leaf : leaves)
      if (auto *made = dyn_cast<Instruction>(leaf))
        if (!last || dominators_.dominates(last, made))
          last = made;
    return last ? firstPlaceBehind(*last) : &*dominators_.getRoot()->getFirstInsertionPt();
  }

  // 32-bit arithmetic where the last of the leaves is known, once for all accesses.
  Value *lanePart(const AddressForm &form, int64_t bias) {
    LaneKey key;
    key.second = bias;
    for (const AddressTerm &term : form.lane)
      key.first.push_back({term.leaf, term.extension, term.scale});
    for (auto &[known, value] : lanes_)
      if (known == key)
        return value;
    SmallVector<Value *, 4> leaves;
    for (const AddressTerm &term : form.lane)
      leaves.push_back(term.leaf);
    IRBuilder<> builder(whereKnown(leaves));
    Type *narrow = builder.getInt32Ty();
    Value *total = nullptr;
    for (const AddressTerm &term : form.lane) {
      Value *part = term.extension == Extension::zero
                        ? builder.CreateZExtOrTrunc(term.leaf, narrow)
                        : builder.CreateSExtOrTrunc(term.leaf, narrow);
      auto scale = uint32_t(term.scale);
      if (isPowerOf2_32(scale))
        part = scale == 1 ? part : builder.CreateShl(part, Log2_32(scale));
      else
        part = builder.CreateMul(part, builder.getInt32(scale));
      total = total ? builder.CreateAdd(total, part) : part;
    }
    if (bias)
      total = builder.CreateAdd(total, builder.getInt32(uint32_t(-bias)));
    lanes_.push_back({key, total});
    return total;
  }

  Value *extended(IRBuilder<> &builder, Value *lane) {
    BasicBlock *block = builder.GetInsertBlock();
    const Loop *loop = loops_.getLoopFor(block);
    auto *made = dyn_cast<Instruction>(lane);
    if (loop && !(made && loop->contains(made)))
      return builder.CreateZExt(stays(*block, lane), builder.getInt64Ty());
    auto &blocks = widths_[lane];
    auto [place, isNew] = blocks.try_emplace(block, 32);
    if (isNew) {
      const DataLayout &layout = block->getModule()->getDataLayout();
      unsigned needed = computeKnownBits(lane, layout).countMaxActiveBits(),
               width = 33 - unsigned(blocks.size());
      place->second = width > needed && needed ? width : 32;
    }
    if (place->second < 32)
      lane = builder.CreateTrunc(lane, builder.getIntNTy(place->second));
    return builder.CreateZExt(lane, builder.getInt64Ty());
  }

  // The lane's part as a value of this block, which nothing lifts out of its loop (nor the
  // extension with it): an annotation is no instruction, and a convergent call stays where it is.
  // Each has a number of its own, lest two become one.
  Value *stays(BasicBlock &block, Value *lane) {
    Value *&known = stays_[{&block, lane}];
    if (!known) {
      IRBuilder<> builder(&*block.getFirstInsertionPt());
      known = annotated(builder, lane, unsigned(stays_.size()));
    }
    return known;
  }

  struct ScalarPart {
    ScalarSum sum;
    Extension extension;
    int64_t scale;
    Value *value;
  };
  using LaneKey = std::pair<std::vector<std::tuple<Value *, Extension, int64_t>>, int64_t>;
  DominatorTree dominators_;
  const LoopInfo &loops_;
  int64_t largestImmediate_;
  DenseMap<std::pair<BasicBlock *, Value *>, Value *> addresses_;
  std::vector<std::pair<LaneKey, Value *>> lanes_;
  std::vector<ScalarPart> parts_;
  DenseMap<Value *, DenseMap<BasicBlock *, unsigned>> widths_;
  DenseMap<std::pair<BasicBlock *, Value *>, Value *> stays_;
  SmallVector<WeakTrackingVH, 16> old_;
};

// The instruction of the entry block behind which all that `plans` assume is known.
Instruction *lastAssumed(ArrayRef<Plan> plans) {
  Instruction *last = nullptr;
  for (const Plan &plan : plans)
    for (const Assumption &assumption : plan.form.assumptions)
      for (auto &[leaf, scale] : assumption.sum.terms)
        if (auto *instruction = dyn_cast<Instruction>(leaf))
          if (!last || last->comesBefore(instruction))
            last = instruction;
  return last;
}

bool standsBefore(const Instruction &access, const Instruction *point) {
  return access.getParent() == point->getParent() && access.comesBefore(point);
}

Value *testOf(IRBuilder<> &builder, ArrayRef<Plan> plans) {
  std::vector<Assumption> all;
  for (const Plan &plan : plans)
    for (const Assumption &assumption : plan.form.assumptions) {
      auto same = find_if(all, [&](const Assumption &a) { return a.sum == assumption.sum; });
      if (same == all.end())
        all.push_back(assumption);
      else
        same->most = std::min(same->most, assumption.most);
    }
  Value *holds = nullptr;
  for (const Assumption &assumption : all) {
    Value *one = builder.CreateICmpULE(sumOf(builder, assumption.sum),
                                       builder.getInt32(assumption.most), "fits");
    holds = holds ? builder.CreateAnd(holds, one) : one;
  }
  return holds;
}

// Which accesses of a function get a scalar base, and what of them is said in the log.
class Selection {
public:
  using Reject = function_ref<void(const Instruction &access, const char *why)>;
  Selection(Function &function, const DivergenceInfo &divergence, const BackendView &backend,
            Reject reject)
      : function_(function), divergence_(divergence), backend_(backend), reject_(reject) {}

  std::vector<Plan> all(LazyValueInfo &ranges) const;
  void dropUntested(std::vector<Plan> &plans, unsigned besides, unsigned least) const;

private:
  std::optional<Plan> planOf(Instruction &access, const AddressContext &context) const;
  unsigned savedByTest(ArrayRef<Plan> plans, unsigned besides) const;
  void drop(std::vector<Plan> &plans, const char *why,
            function_ref<bool(const Plan &)> dropped) const;
  bool isScalar(const Value &value) const { return backend_.isScalar(value); }

  Function &function_;
  const DivergenceInfo &divergence_;
  const BackendView &backend_;
  Reject reject_;
};

std::optional<Plan> Selection::planOf(Instruction &access, const AddressContext &context) const {
  const auto operand = addressOperand(access);
  if (!operand)
    return std::nullopt;
  Value &pointer = *access.getOperand(*operand);
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  if ((space != 1 && space != 4) || isScalar(pointer))
    return std::nullopt;
  const Written as =
      written(&pointer, access.getParent(), [&](const Value &value) { return isScalar(value); });
  if (as == Written::here)
    return std::nullopt;
  Plan plan{&access, *operand, addressForm(pointer, access, context)};
  if (!plan.form.rejected &&
      ((plan.form.uniform.empty() && as == Written::otherwise) || plan.form.lane.empty()))
    plan.form.rejected = "nothing to take out of the lanes";
  if (!plan.form.rejected && plan.form.uniform.size() > 2)
    plan.form.rejected = "the scalar base would cost more than it saves";
  if (!plan.form.rejected)
    return plan;
  reject_(access, plan.form.rejected);
  return std::nullopt;
}

std::vector<Plan> Selection::all(LazyValueInfo &ranges) const {
  const AddressContext context{
      divergence_.gpu(), ranges, function_.getParent()->getDataLayout(),
      [&](const Value &value, const Instruction &access) {
        return isScalar(value) && divergence_.widthAtUse(&value, &access) >= Width::wave;
      },
      [&](const Value &value) {
        auto *instruction = dyn_cast<Instruction>(&value);
        return (!instruction || instruction->getParent() == &function_.getEntryBlock()) &&
               divergence_.width(&value) >= Width::workgroup;
      }};
  std::vector<Plan> plans;
  for (Instruction &instruction : instructions(function_))
    if (auto plan = planOf(instruction, context))
      plans.push_back(std::move(*plan));
  return plans;
}

// Of those that assume something.
void Selection::drop(std::vector<Plan> &plans, const char *why,
                     function_ref<bool(const Plan &)> dropped) const {
  erase_if(plans, [&](const Plan &plan) {
    if (plan.form.assumptions.empty() || !dropped(plan))
      return false;
    reject_(*plan.access, why);
    return true;
  });
}

unsigned Selection::savedByTest(ArrayRef<Plan> plans, unsigned besides) const {
  unsigned saved = 0;
  for (const Plan &plan : plans)
    if (!plan.form.assumptions.empty())
      saved += divergence_.loops().getLoopFor(plan.access->getParent()) ? 24 : besides;
  return saved;
}

// A scalar part of its own for each access is four scalar instructions for three vector ones.
bool hasTooManyBases(ArrayRef<Plan> plans) {
  using Base = SmallVector<std::tuple<Value *, int64_t>, 4>;
  std::vector<std::pair<Base, ScalarSum>> bases;
  size_t tested = 0;
  for (const Plan &plan : plans) {
    if (plan.form.assumptions.empty())
      continue;
    ++tested;
    Base base;
    for (const AddressTerm &term : plan.form.uniform)
      base.push_back({term.leaf, term.scale});
    auto key = std::make_pair(base, plan.form.assumptions.front().sum);
    if (!is_contained(bases, key))
      bases.push_back(std::move(key));
  }
  return tested > 3 && bases.size() * 2 > tested;
}

// Assumptions are worth a test when enough hangs on them; those made too late are dropped.
void Selection::dropUntested(std::vector<Plan> &plans, unsigned besides, unsigned least) const {
  const auto all = [](const Plan &) { return true; };
  if (Instruction *last = lastAssumed(plans)) {
    Instruction *point = versionPoint(function_, last);
    drop(plans, "the access stands before what it assumes can be tested",
         [&](const Plan &plan) { return standsBefore(*plan.access, point); });
  }
  if (savedByTest(plans, besides) < least)
    drop(plans, "the offset may wrap, and testing it does not pay", all);
  if (hasTooManyBases(plans))
    drop(plans, "the scalar bases would cost more than they save", all);
  if (function_.getInstructionCount() > largestCopy)
    drop(plans, "the offset may wrap, and the function is too large to be copied", all);
}

// The machines with a scalar base and a 32-bit offset in one address.
bool isForThisMachine(Function &function, const GpuInfo &gpu, StringRef processor) {
  return gpu.kind() == GpuKind::amdgpu && gpu.isKernel() &&
         (compat::startsWith(processor, "gfx9") || compat::startsWith(processor, "gfx1")) &&
         function.getInstructionCount() <= largestFunction;
}

bool branchesByLane(const Function &function, const BackendView &backend) {
  return any_of(function, [&](const BasicBlock &block) {
    const Instruction &end = *block.getTerminator();
    return end.getNumSuccessors() > 1 && !backend.isScalar(end);
  });
}

} // namespace

PreservedAnalyses AffineAddressPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function))
    return PreservedAnalyses::all();
  const StringRef processor = processorOf(function);
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (!isForThisMachine(function, divergence.gpu(), processor))
    return PreservedAnalyses::all();
  const BackendView backend(function, analyses, divergence);
  DecisionRecorder recorder(function, analyses, log_, "meld-affine-address", point_);
  auto report = [&](const Instruction &access, bool done, const char *reason, std::string what) {
    Decision decision = recorder.at(access);
    decision.melded = done;
    decision.reason = reason;
    decision.alignment = std::move(what);
    recorder.record(std::move(decision), access.getDebugLoc());
  };
  auto reject = [&](const Instruction &access, const char *why) { report(access, false, why, ""); };

  const Selection selection(function, divergence, backend, reject);
  std::vector<Plan> plans = selection.all(analyses.getResult<LazyValueAnalysis>(function));
  selection.dropUntested(plans, besides_, options_.takesLosses() ? 1 : leastVersioned);
  if (plans.empty())
    return PreservedAnalyses::all();
  for (const Plan &plan : plans)
    report(*plan.access, true, "scalar base and 32-bit lane offset",
           "lane offset " + std::to_string(plan.form.laneLeast) + " to " +
               std::to_string(plan.form.laneMost) + " bytes" +
               (plan.form.assumptions.empty() ? "" : ", tested at entry"));

  const bool versioned =
      any_of(plans, [](const Plan &plan) { return !plan.form.assumptions.empty(); });
  if (versioned)
    versionOn(function, lastAssumed(plans), branchesByLane(function, backend),
              [&](IRBuilder<> &builder) { return testOf(builder, plans); });
  Writer writer(function, divergence.loops(), compat::startsWith(processor, "gfx10") ? 2047 : 4095);
  for (const Plan &plan : plans)
    writer.write(plan);
  for (const WeakTrackingVH &old : writer.replaced())
    if (old)
      RecursivelyDeleteTriviallyDeadInstructions(old);
  PreservedAnalyses preserved;
  if (!versioned)
    preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace meld::passes
