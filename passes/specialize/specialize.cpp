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

/// The facts of which a value pays, sorted.
Facts payingFacts(const std::vector<KnownValue> &known, const DivergenceInfo &divergence) {
  Facts facts;
  for (const KnownValue &one : known)
    if (paysAsConstant(*one.value, divergence))
      facts.insert(facts.end(), one.from.begin(), one.from.end());
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

/// What is to be used, and what that makes of the kernel's values; `why` where nothing is.
std::vector<KnownValue> choose(Function &kernel, const DivergenceInfo &divergence,
                               const DominatorTree &dominators, Specialization &about) {
  std::vector<KnownValue> known = knownValues(kernel, about.offered);
  if (about.kept.empty())
    about.why = known.empty() ? "the kernel reads nothing of what its launches have in common"
                              : "nothing is decided by what its launches have in common";
  for (const Fact &fact : payingFacts(known, divergence))
    if (auto at = std::lower_bound(about.kept.begin(), about.kept.end(), fact);
        at == about.kept.end() || *at != fact)
      about.kept.insert(at, fact);
  erase_if(known, [&](const KnownValue &one) { return !isKept(one, about.kept); });
  if (about.kept.empty())
    return {};
  if (const Instruction *inexact = inexactlyFolded(kernel, known, dominators, divergence.loops())) {
    about.why = "a constant might be computed in another way than by the machine, " +
                locationOf(*inexact->getParent()->getTerminator());
    about.kept.clear();
    about.refused = true;
    return {};
  }
  return known;
}

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
  const auto known = choose(function, *analyses.getResult<DivergenceAnalysis>(function),
                            analyses.getResult<DominatorTreeAnalysis>(function), *about);
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
