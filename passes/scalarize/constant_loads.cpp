#include "passes/scalarize/constant_loads.h"
#include "passes/analysis/address_spaces.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/constancy.h"
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/melder/first_lane.h"
#include "passes/preserved.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

namespace meld::passes {

using namespace llvm;

namespace {

// An index of 32 bits, extended or not; nothing for others.
Value *firstLaneOfIndex(IRBuilder<> &builder, Value &index) {
  Value *narrow = &index;
  auto *cast = dyn_cast<CastInst>(&index);
  if (cast && (isa<SExtInst>(cast) || isa<ZExtInst>(cast)))
    narrow = cast->getOperand(0);
  if (!narrow->getType()->isIntegerTy(32))
    return nullptr;
  Value *scalar = firstLane(builder, narrow);
  if (narrow == &index)
    return scalar;
  return isa<SExtInst>(cast) ? builder.CreateSExt(scalar, index.getType())
                             : builder.CreateZExt(scalar, index.getType());
}

// The pointer with every divergent index read from the first lane; null if that is not all there
// is to it. Nothing is written then.
Value *scalarPointer(LoadInst &load, function_ref<bool(const Value &)> isScalar) {
  SmallVector<GetElementPtrInst *, 4> chain;
  Value *pointer = load.getPointerOperand();
  while (!isScalar(*pointer)) {
    auto *gep = dyn_cast<GetElementPtrInst>(pointer);
    if (!gep || chain.size() == 4 || !gep->getType()->isPointerTy())
      return nullptr;
    for (const Use &index : gep->indices()) {
      if (isScalar(*index))
        continue;
      Value *narrow = index;
      if (isa<SExtInst>(narrow) || isa<ZExtInst>(narrow))
        narrow = cast<CastInst>(narrow)->getOperand(0);
      if (!narrow->getType()->isIntegerTy(32))
        return nullptr;
    }
    chain.push_back(gep);
    pointer = gep->getPointerOperand();
  }
  IRBuilder<> builder(&load);
  for (GetElementPtrInst *gep : reverse(chain)) {
    auto *copy = cast<GetElementPtrInst>(gep->clone());
    SmallVector<std::pair<unsigned, Value *>, 2> indices;
    for (unsigned i = 1; i < gep->getNumOperands(); ++i)
      if (!isScalar(*gep->getOperand(i)))
        copy->setOperand(i, firstLaneOfIndex(builder, *gep->getOperand(i)));
    copy->setOperand(0, pointer);
    builder.Insert(copy, "scalar");
    pointer = copy;
  }
  return pointer;
}

bool isMarked(const LoadInst &load) {
  return load.hasMetadata(LLVMContext::MD_invariant_load) || load.hasMetadata("amdgpu.noclobber");
}

} // namespace

PreservedAnalyses ConstantLoadsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function))
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  const GpuInfo &gpu = divergence.gpu();
  if (gpu.kind() != GpuKind::amdgpu || !gpu.isKernel())
    return PreservedAnalyses::all();
  SmallVector<LoadInst *, 16> loads;
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->getPointerAddressSpace() == globalSpace &&
        divergence.firstLaneWidth(load->getPointerOperand(), load) >= Width::wave)
      loads.push_back(load);
  }
  if (loads.empty())
    return PreservedAnalyses::all();
  BackendView backend(function, analyses, divergence);
  auto isScalar = [&](const Value &value) { return backend.isScalar(value); };
  auto &constancy = *analyses.getResult<ConstancyAnalysis>(function);
  MemorySSA &memory = analyses.getResult<MemorySSAAnalysis>(function).getMSSA();
  const DataLayout &layout = function.getParent()->getDataLayout();
  DecisionRecorder recorder(function, analyses, log_, "meld-scalarize-loads", point_);
  const bool mayRead = !asksForLanes(function, divergence);
  bool changed = false;
  for (LoadInst *load : loads) {
    Decision decision = recorder.at(*load);
    auto reject = [&](const char *why) {
      decision.reason = why;
      recorder.record(decision, load->getDebugLoc());
    };
    bool seenByLlvm = isScalar(*load->getPointerOperand());
    if (seenByLlvm && load->isSimple() &&
        (isMarked(*load) ||
         memory.isLiveOnEntryDef(memory.getWalker()->getClobberingMemoryAccess(load))))
      continue;
    Constancy found = constancy.of(*load);
    if (found == Constancy::written) {
      reject(constancy.whyWritten(*load));
      continue;
    }
    if (layout.getTypeStoreSize(load->getType()).getFixedValue() < 4 || load->getAlign() < 4) {
      reject("the scalar unit loads nothing below four aligned bytes");
      continue;
    }
    if (!seenByLlvm) {
      if (!divergence.isConvergent(load->getParent(), Width::wave)) {
        reject("the wave may not be together here: EXEC may be empty");
        continue;
      }
      if (!mayRead) {
        reject(lanesAskedFor);
        continue;
      }
      Value *old = load->getPointerOperand();
      Value *pointer = scalarPointer(*load, isScalar);
      if (!pointer) {
        reject("the address is no scalar base with 32-bit indices");
        continue;
      }
      load->setOperand(load->getPointerOperandIndex(), pointer);
      RecursivelyDeleteTriviallyDeadInstructions(old);
    }
    MDNode *yes = MDNode::get(function.getContext(), {});
    if (found == Constancy::constant)
      load->setMetadata(LLVMContext::MD_invariant_load, yes);
    load->setMetadata("amdgpu.noclobber", yes);
    decision.melded = true;
    decision.reason = found == Constancy::constant ? "scalar load of what the dispatch never writes"
                                                   : "scalar load of what no path has written";
    decision.alignment = seenByLlvm ? "marked" : "marked, index from the first lane";
    recorder.record(std::move(decision), load->getDebugLoc());
    changed = true;
  }
  return blocksKept(changed);
}

} // namespace meld::passes
