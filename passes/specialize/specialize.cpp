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

bool isKept(const KnownValue &value, const Facts &kept) {
  return all_of(value.from, [&](const Fact &fact) {
    return std::binary_search(kept.begin(), kept.end(), fact);
  });
}

/// Both, sorted, each once.
Facts unite(Facts facts, const Facts &more) {
  facts.insert(facts.end(), more.begin(), more.end());
  std::sort(facts.begin(), facts.end());
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
  return facts;
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

void giveShape(Function &kernel, const Fact &workgroup) {
  LLVMContext &context = kernel.getContext();
  const GpuInfo gpu(kernel);
  SmallVector<Metadata *, 3> sizes;
  for (unsigned d = 0; d < 3; ++d)
    sizes.push_back(ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(context), workgroup.value >> (16 * d) & 0xffff)));
  for (Instruction &instruction : instructions(kernel))
    if (const auto dimension = gpu.workItemId(instruction)) {
      const auto most = unsigned(workgroup.value >> (16 * *dimension) & 0xffff);
      instruction.setMetadata(LLVMContext::MD_range,
                              MDBuilder(context).createRange(APInt(32, 0), APInt(32, most)));
    }
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
    std::vector<const KnownValue *> paying;
    for (const KnownValue &one : known_)
      if (!isKept(one, about_.kept) && paysAsConstant(*one.value, divergence_)) {
        paying.push_back(&one);
        all = unite(std::move(all), one.from);
      }
    if (!inexactWith(all))
      about_.kept = std::move(all);
    else
      for (const KnownValue *one : paying) { // as many as are possible
        Facts with = unite(about_.kept, one->from);
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
    erase_if(values, [&](const KnownValue &one) { return !isKept(one, facts); });
    return values;
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
  if (gpu.kind() != GpuKind::amdgpu || !gpu.isKernel() || !worthLooking(function))
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
  if (workgroup)
    giveShape(function, *workgroup);
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
