#include "passes/analysis/constancy.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

namespace meld::passes {

using namespace llvm;

static constexpr unsigned maxCallDepth = 8;

const char *name(Constancy constancy) {
  switch (constancy) {
  case Constancy::written:
    return "written";
  case Constancy::untouched:
    return "untouched";
  case Constancy::constant:
    return "constant";
  }
  return "?";
}

ConstancyInfo::ConstancyInfo(Function &function, AAResults &aliases)
    : function_(function), aliases_(aliases), gpu_(function) {
  auto merge = [](Effect &into, const Effect &from) {
    into.everything |= from.everything;
    into.orders |= from.orders;
    into.agrees |= from.agrees;
    for (const Value *object : from.objects)
      if (!is_contained(into.objects, object))
        into.objects.push_back(object);
  };
  for (const Instruction &instruction : instructions(function)) {
    Effect effect = effectOf(instruction, 0);
    if (!effect.any())
      continue;
    merge(whole_, effect);
    merge(blockEffects_[instruction.getParent()], effect);
    effects_[&instruction] = std::move(effect);
  }
}

ConstancyInfo::Objects ConstancyInfo::objectsOf(const Value *pointer) {
  Objects objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return objects;
}

// Scopes of AMDGPU's memory model, also those of one address space alone ("workgroup-one-as").
static bool isWithinWorkgroup(const FenceInst &fence) {
  SmallVector<StringRef, 8> names;
  fence.getContext().getSyncScopeNames(names);
  StringRef reach = names[fence.getSyncScopeID()].split('-').first;
  return reach == "singlethread" || reach == "wavefront" || reach == "workgroup";
}

ConstancyInfo::Effect ConstancyInfo::effectOf(const Instruction &instruction,
                                              unsigned depth) const {
  Effect effect;
  auto writes = [&](const Value *pointer) { append_range(effect.objects, objectsOf(pointer)); };
  auto isSeen = [&](const Value *pointer) {
    return !gpu_.isInsideDispatch(pointer->getType()->getPointerAddressSpace());
  };
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    writes(store->getPointerOperand());
    effect.orders = store->isAtomic() || store->isVolatile();
    effect.agrees = effect.orders && isSeen(store->getPointerOperand());
  } else if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    effect.orders = load->isAtomic() || load->isVolatile();
    effect.agrees = effect.orders && isSeen(load->getPointerOperand());
  } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    writes(update->getPointerOperand());
    effect.orders = true;
    effect.agrees =
        isSeen(update->getPointerOperand()) && (!update->use_empty() || update->isVolatile() ||
                                                isStrongerThanMonotonic(update->getOrdering()));
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    writes(exchange->getPointerOperand());
    effect.orders = true;
    effect.agrees = isSeen(exchange->getPointerOperand());
  } else if (auto *fence = dyn_cast<FenceInst>(&instruction)) {
    effect.orders = true;
    effect.agrees = !isWithinWorkgroup(*fence);
  } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
    addCallee(*call, effect, depth);
  } else if (instruction.mayWriteToMemory()) {
    effect.everything = effect.orders = effect.agrees = true;
  }
  return effect;
}

void ConstancyInfo::addCallee(const CallBase &call, Effect &effect, unsigned depth) const {
  auto everything = [&] { effect.everything = effect.orders = effect.agrees = true; };
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    if (isa<DbgInfoIntrinsic>(intrinsic) || intrinsic->isAssumeLikeIntrinsic())
      return;
    if (auto *copy = dyn_cast<AnyMemIntrinsic>(intrinsic)) {
      append_range(effect.objects, objectsOf(copy->getRawDest()));
      return;
    }
    // Barriers are marked as touching memory no one sees, or all of it; either way they order.
    if (call.isConvergent() && !call.doesNotAccessMemory())
      effect.orders = true;
    else if (!call.onlyReadsMemory())
      everything();
    return;
  }
  const Function *callee = call.getCalledFunction();
  if (call.doesNotAccessMemory() || (call.onlyReadsMemory() && !call.isConvergent()))
    return;
  if (!callee || callee->isDeclaration() || !callee->hasExactDefinition() ||
      depth == maxCallDepth || callee->getFunctionType() != call.getFunctionType())
    return everything();
  for (const Instruction &inner : instructions(*callee)) {
    Effect found = effectOf(inner, depth + 1);
    effect.everything |= found.everything;
    effect.orders |= found.orders;
    effect.agrees |= found.agrees;
    for (const Value *object : found.objects) {
      if (auto *argument = dyn_cast<Argument>(object))
        append_range(effect.objects, objectsOf(call.getArgOperand(argument->getArgNo())));
      else if (isa<GlobalVariable>(object))
        effect.objects.push_back(object);
      else if (!isa<AllocaInst>(object))
        effect.everything = true;
    }
  }
}

bool ConstancyInfo::mayMeet(const Value *loaded, const Value *written) const {
  auto [place, isNew] = met_.try_emplace({loaded, written}, true);
  if (!isNew)
    return place->second;
  // Whole objects: another thread's offset may be any.
  MemoryLocation left = MemoryLocation::getBeforeOrAfter(loaded),
                 right = MemoryLocation::getBeforeOrAfter(written);
  return met_[{loaded, written}] = !aliases_.isNoAlias(left, right);
}

bool ConstancyInfo::mayTouch(const Objects &loaded, const Effect &effect) const {
  return effect.everything || any_of(effect.objects, [&](const Value *written) {
           return any_of(loaded, [&](const Value *object) { return mayMeet(object, written); });
         });
}

std::pair<Constancy, const char *> ConstancyInfo::judge(const LoadInst &load) const {
  auto written = [](const char *why) { return std::make_pair(Constancy::written, why); };
  auto fine = [](Constancy found) { return std::make_pair(found, ""); };
  if (load.isVolatile())
    return written("the load is volatile");
  if (load.isAtomic())
    return written("the load is atomic");
  if (gpu_.isConstantAddressSpace(load.getPointerAddressSpace()) ||
      load.hasMetadata(LLVMContext::MD_invariant_load))
    return fine(Constancy::constant);
  Objects objects = objectsOf(load.getPointerOperand());
  if (all_of(objects, [](const Value *object) {
        auto *global = dyn_cast<GlobalVariable>(object);
        return global && global->isConstant();
      }))
    return fine(Constancy::constant);
  if (!gpu_.isKernel())
    return written("the callers may have written");
  // A workgroup's own memory starts undefined: what it holds has been written by the dispatch.
  if (gpu_.isInsideDispatch(load.getPointerAddressSpace()))
    return written("the memory is the workgroup's own");
  const bool ours = mayTouch(objects, whole_);
  if (!ours && (!whole_.agrees || all_of(objects, [&](const Value *object) {
        return gpu_.isReadOnlyArgument(*object);
      })))
    return fine(Constancy::constant);

  const char *why = "";
  auto spoils = [&](const Effect &effect) {
    if (ours && mayTouch(objects, effect))
      why = effect.everything ? "something before it may write all memory"
                              : "a store before it may write there";
    else if (effect.orders)
      why = ours ? "another thread's store may be ordered before it"
                 : "a store from outside of the dispatch may be ordered before it";
    else
      return false;
    return true;
  };
  const BasicBlock *home = load.getParent();
  for (const Instruction &before : *home) {
    if (&before == &load)
      break;
    auto found = effects_.find(&before);
    if (found != effects_.end() && spoils(found->second))
      return written(why);
  }
  SmallPtrSet<const BasicBlock *, 16> seen; // `home` comes in whole when a cycle leads back to it
  SmallVector<const BasicBlock *, 16> work(predecessors(home));
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    auto found = blockEffects_.find(block);
    if (found != blockEffects_.end() && spoils(found->second))
      return written(why);
    append_range(work, predecessors(block));
  }
  return fine(Constancy::untouched);
}

void ConstancyInfo::print(raw_ostream &out) const {
  out << "meld-constancy for function: " << function_.getName() << "\n";
  for (const Instruction &instruction : instructions(function_))
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      out << "  " << name(of(*load)) << ":" << instruction << "\n";
}

AnalysisKey ConstancyAnalysis::Key;

ConstancyAnalysis::Result ConstancyAnalysis::run(Function &function,
                                                 FunctionAnalysisManager &analyses) {
  return std::make_unique<ConstancyInfo>(function, analyses.getResult<AAManager>(function));
}

PreservedAnalyses ConstancyPrinterPass::run(Function &function, FunctionAnalysisManager &analyses) {
  analyses.getResult<ConstancyAnalysis>(function)->print(out_);
  return PreservedAnalyses::all();
}

} // namespace meld::passes
