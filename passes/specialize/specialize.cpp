#include "passes/specialize/specialize.h"

#include "passes/analysis/divergence.h"
#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/changed_functions.h"
#include "passes/specialize/exact_folding.h"
#include "passes/specialize/known_values.h"
#include "passes/specialize/worth.h"
#include "passes/transform/fp_choices.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

#include <algorithm>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr char factsAttribute[] = "meld-facts", shapeAttribute[] = "meld-shape-from-facts";
constexpr char shapeName[] = "reqd_work_group_size";

/// `kept`: sorted.
bool isKept(const Facts &facts, const Facts &kept) {
  return all_of(
      facts, [&](const Fact &fact) { return std::binary_search(kept.begin(), kept.end(), fact); });
}

void replace(const std::vector<KnownValue> &known) {
  SmallVector<WeakTrackingVH, 8> done;
  for (const KnownValue &one : known) {
    one.value->replaceAllUsesWith(one.constant);
    if (isa<Instruction>(one.value))
      done.emplace_back(one.value);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(done);
}

void giveRange(Instruction &id, uint64_t count) {
  id.setMetadata(LLVMContext::MD_range,
                 MDBuilder(id.getContext()).createRange(APInt(32, 0), APInt(32, count)));
}

/// Work-groups of this size in each dimension of which the grid is known.
void giveGroups(Function &kernel, const Fact &workgroup, const Facts &facts) {
  const GpuInfo gpu(kernel);
  for (Instruction &instruction : instructions(kernel))
    if (const auto dimension = gpu.workGroupId(instruction))
      for (const Fact &fact : facts)
        if (fact.kind == Fact::Kind::grid && fact.offset == *dimension)
          giveRange(instruction,
                    divideCeil(fact.value, workgroup.value >> (16 * *dimension) & 0xffff));
}

void giveShape(Function &kernel, const Fact &workgroup) {
  LLVMContext &context = kernel.getContext();
  const GpuInfo gpu(kernel);
  SmallVector<Metadata *, 3> sizes;
  for (unsigned d = 0; d < 3; ++d)
    sizes.push_back(ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(context), workgroup.value >> (16 * d) & 0xffff)));
  for (Instruction &instruction : instructions(kernel))
    if (const auto dimension = gpu.workItemId(instruction))
      giveRange(instruction, workgroup.value >> (16 * *dimension) & 0xffff);
  if (kernel.getMetadata(shapeName))
    return;
  kernel.setMetadata(shapeName, MDNode::get(context, sizes));
  kernel.addFnAttr(shapeAttribute);
}

class Chooser {
public:
  Chooser(Function &kernel, const DivergenceInfo &divergence, const DominatorTree &dominators,
          Specialization &about)
      : kernel_(kernel), divergence_(divergence), dominators_(dominators), about_(about),
        known_(knownValues(kernel, about.offered)) {}

  /// What is to be used, and what that makes of the kernel's values; `why` where nothing is.
  std::vector<KnownValue> choose() {
    // What was used before is in the code already.
    if (const Instruction *inexact = inexactWith(about_.kept)) {
      about_.why = otherwise(*inexact);
      about_.kept.clear();
      about_.refused = true;
      return {};
    }
    if (about_.kept.empty())
      about_.why = known_.empty() ? "the kernel reads nothing of what its launches have in common"
                                  : "nothing is decided by what its launches have in common";
    Facts all = about_.kept;
    std::vector<Facts> paying = payingFacts(kernel_, known_, divergence_);
    erase_if(paying, [&](const Facts &facts) { return isKept(facts, about_.kept); });
    for (Facts &facts : paying)
      if (any_of(facts, [](const Fact &fact) { return fact.kind == Fact::Kind::grid; }))
        facts = unite(std::move(facts), shape());
    for (const Facts &facts : paying)
      all = unite(std::move(all), facts);
    if (!inexactWith(all))
      about_.kept = std::move(all);
    else
      for (const Facts &facts : paying) { // as many as are possible
        Facts with = unite(about_.kept, facts);
        if (const Instruction *inexact = inexactWith(with))
          about_.why = otherwise(*inexact);
        else
          about_.kept = std::move(with);
      }
    return valuesOf(about_.kept);
  }

private:
  std::vector<KnownValue> valuesOf(const Facts &facts) const {
    std::vector<KnownValue> values = known_;
    erase_if(values, [&](const KnownValue &one) { return !isKept(one.from, facts); });
    return values;
  }
  // The ids' ranges: how often a loop goes round whose step is the grid.
  Facts shape() const {
    Facts shape;
    copy_if(about_.offered, std::back_inserter(shape), [](const Fact &fact) {
      return fact.kind == Fact::Kind::workgroup || fact.kind == Fact::Kind::fullGroups;
    });
    return shape;
  }
  const Instruction *inexactWith(const Facts &facts) const {
    if (facts.empty())
      return nullptr;
    return inexactlyFolded(kernel_, valuesOf(facts), dominators_, divergence_.loops());
  }
  static std::string otherwise(const Instruction &inexact) {
    return "a constant might be computed in another way than by the machine, " +
           locationOf(*inexact.getParent()->getTerminator());
  }

  Function &kernel_;
  const DivergenceInfo &divergence_;
  const DominatorTree &dominators_;
  Specialization &about_;
  std::vector<KnownValue> known_;
};

} // namespace

PreservedAnalyses SpecializePass::run(Function &function, FunctionAnalysisManager &analyses) {
  Specialization own;
  Specialization *about = options_.specialization.get();
  if (!about && point_ == Point::byName && function.hasFnAttribute(factsAttribute)) {
    const auto facts = parseFacts(function.getFnAttribute(factsAttribute).getValueAsString().str());
    own = {function.getName().str(), facts.value_or(Facts()), {}, {}, false, false};
    about = &own;
  }
  if (!about || about->refused || function.getName() != about->kernel || awaitsInlining(function))
    return PreservedAnalyses::all();
  const GpuInfo gpu(function);
  if (gpu.kind() == GpuKind::other || !gpu.isKernel() || !worthLooking(function))
    return PreservedAnalyses::all();
  const auto known = Chooser(function, *analyses.getResult<DivergenceAnalysis>(function),
                             analyses.getResult<DominatorTreeAnalysis>(function), *about)
                         .choose();
  if (known.empty() && !about->kept.empty()) // all is done already
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-specialize", point_);
  Decision decision = recorder.at(*function.getEntryBlock().getTerminator());
  decision.melded = !known.empty();
  decision.reason = known.empty() ? about->why : "for " + toText(about->kept);
  recorder.record(std::move(decision));
  if (known.empty())
    return PreservedAnalyses::all();
  const Fact *workgroup = workgroupFact(about->kept);
  if (workgroup) {
    giveShape(function, *workgroup);
    giveGroups(function, *workgroup, about->kept);
  }
  replace(known);
  markChanged(function);
  about->late |= point_ == Point::late;
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

void forgetShape(Function &function) {
  if (!function.hasFnAttribute(shapeAttribute))
    return;
  function.removeFnAttr(shapeAttribute);
  function.setMetadata(shapeName, nullptr);
}

} // namespace meld::passes
