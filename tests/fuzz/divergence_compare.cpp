#include "tests/fuzz/divergence_compare.h"
#include "passes/analysis/divergence.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/InitializePasses.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/Analysis/UniformityAnalysis.h>
#else
#include <llvm/Analysis/LegacyDivergenceAnalysis.h>
#endif

using namespace llvm;

namespace meld::fuzz {

DivergenceCounts &DivergenceCounts::operator+=(const DivergenceCounts &other) {
  bothUniform += other.bothUniform, bothDivergent += other.bothDivergent;
  better += other.better, worse += other.worse;
  betterBranches += other.betterBranches, unchecked += other.unchecked;
  return *this;
}

namespace {

// LLVM 15's analysis exists for the legacy pass manager only; its successor's results have the same
// names.
#if LLVM_VERSION_MAJOR >= 17
using TheirPass = UniformityInfoWrapperPass;
UniformityInfo &resultOf(TheirPass &pass) { return pass.getUniformityInfo(); }
bool isDivergentUse(UniformityInfo &info, const Use &use) { return info.isDivergentUse(use); }
void initializeTheirPass(PassRegistry &r) { initializeUniformityInfoWrapperPassPass(r); }
#else
using TheirPass = LegacyDivergenceAnalysis;
LegacyDivergenceAnalysis &resultOf(TheirPass &pass) { return pass; }
bool isDivergentUse(LegacyDivergenceAnalysis &info, const Use &use) {
  return info.isDivergentUse(&use);
}
void initializeTheirPass(PassRegistry &r) { initializeLegacyDivergenceAnalysisPass(r); }
#endif

class Comparer : public FunctionPass {
public:
  static char ID;
  explicit Comparer(DivergenceComparison &result) : FunctionPass(ID), result_(result) {}

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<TheirPass>();
    usage.setPreservesAll();
  }

  bool runOnFunction(Function &function) override {
    auto &theirs = resultOf(getAnalysis<TheirPass>());
    DominatorTree dominators(function);
    PostDominatorTree postDominators(function);
    LoopInfo loops(dominators);
    passes::DivergenceInfo ours(function, loops, dominators, postDominators);
    for (Instruction &instruction : instructions(function)) {
      if (instruction.isTerminator()) {
        if (instruction.getNumSuccessors() < 2)
          continue;
        bool uniform = ours.branchWidth(instruction.getParent()) >= passes::Width::wave;
        count(instruction, uniform, !isDivergentUse(theirs, instruction.getOperandUse(0)), true);
      } else if (!instruction.getType()->isVoidTy() && !instruction.getType()->isTokenTy()) {
        bool uniform = ours.width(&instruction) >= passes::Width::wave;
        count(instruction, uniform, !theirs.isDivergent(&instruction), false);
      }
    }
    return false;
  }

private:
  void count(Instruction &instruction, bool ours, bool theirs, bool isBranch) {
    DivergenceCounts &counts = result_.counts;
    if (ours && theirs) {
      ++counts.bothUniform;
    } else if (!ours && !theirs) {
      ++counts.bothDivergent;
      if (!isBranch)
        result_.divergent.push_back(&instruction);
    } else if (theirs) {
      ++counts.worse;
      result_.worse.push_back(&instruction);
    } else {
      ++counts.better;
      counts.betterBranches += isBranch;
      result_.claims.push_back({&instruction, isBranch});
    }
  }

  DivergenceComparison &result_;
};
char Comparer::ID = 0;

// The value as 32-bit words; empty when its type has no simple ones.
std::vector<Value *> words(IRBuilder<> &b, Value *value, const DataLayout &layout) {
  Type *type = value->getType();
  if (type->isAggregateType() || !type->isSized() || isa<ScalableVectorType>(type) ||
      (type->isVectorTy() && type->getScalarType()->isPointerTy()))
    return {};
  const unsigned bits = unsigned(layout.getTypeSizeInBits(type).getFixedValue());
  if (type->isPointerTy())
    value = b.CreatePtrToInt(value, b.getIntNTy(bits));
  else if (!type->isIntegerTy())
    value = b.CreateBitCast(value, b.getIntNTy(bits));
  value = b.CreateZExt(value, b.getIntNTy((bits + 31) / 32 * 32));
  std::vector<Value *> out;
  for (unsigned i = 0; i < (bits + 31) / 32; ++i)
    out.push_back(b.CreateTrunc(b.CreateLShr(value, 32 * i), b.getInt32Ty()));
  return out;
}

} // namespace

DivergenceComparison compareDivergence(Function &function, TargetMachine &machine) {
  initializeTheirPass(*PassRegistry::getPassRegistry());
  DivergenceComparison result;
  legacy::FunctionPassManager passes(function.getParent());
  passes.add(createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  passes.add(new Comparer(result));
  passes.doInitialization();
  passes.run(function);
  passes.doFinalization();
  return result;
}

uint64_t insertChecks(Function &function, const std::vector<UniformClaim> &claims, Value *counter) {
  uint64_t unchecked = 0;
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (const UniformClaim &claim : claims) {
    Instruction *at = claim.at;
    Value *value = claim.at;
    if (claim.isBranch)
      value = at->getOperand(0);
    else
      at = isa<PHINode>(at) ? &*at->getParent()->getFirstInsertionPt() : at->getNextNode();
    IRBuilder<> b(at);
    std::vector<Value *> parts = words(b, value, layout);
    if (parts.empty()) {
      ++unchecked;
      continue;
    }
    Value *wrong = b.getFalse();
    for (Value *word : parts) {
#if LLVM_VERSION_MAJOR >= 19 // of any type
      Value *first = b.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {b.getInt32Ty()}, {word});
#else
      Value *first = b.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {}, {word});
#endif
      wrong = b.CreateOr(wrong, b.CreateICmpNE(first, word));
    }
    Value *sum = b.CreateAdd(b.getInt64(1), b.CreateShl(b.CreateZExt(wrong, b.getInt64Ty()), 32));
    b.CreateAtomicRMW(AtomicRMWInst::Add, counter, sum, Align(8), AtomicOrdering::Monotonic,
                      function.getContext().getOrInsertSyncScopeID("agent-one-as"));
  }
  return unchecked;
}

} // namespace meld::fuzz
