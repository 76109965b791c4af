#include "passes/analysis/ordered_accesses.h"
#include "passes/analysis/forward_progress.h"
#include "passes/analysis/own_memory.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/AtomicOrdering.h"
#include "llvm/Support/MathExtras.h"

namespace meld::passes {

using namespace llvm;

static unsigned plain(const Instruction &instruction) {
  return (instruction.mayReadFromMemory() ? OrderedAccesses::plainReads : OrderedAccesses::none) |
         (instruction.mayWriteToMemory() ? OrderedAccesses::plainStores : OrderedAccesses::none);
}

static unsigned ofIntrinsic(const IntrinsicInst &intrinsic) {
  if (auto *copy = dyn_cast<AnyMemIntrinsic>(&intrinsic))
    return copy->isVolatile() || !isa<MemIntrinsic>(copy) ? OrderedAccesses::anything
                                                          : plain(*copy);
  // Of LLVM's own the others are plain accesses, or none.
  if (!intrinsic.getCalledFunction()->isTargetIntrinsic())
    return intrinsic.isAssumeLikeIntrinsic() ? OrderedAccesses::none : plain(intrinsic);
  const StringRef name = intrinsic.getCalledFunction()->getName();
  if (name.contains(".ldg.") || name.contains(".ldu."))
    return OrderedAccesses::none; // NVPTX: of memory that nobody writes meanwhile
  const bool hasPolicy =
      name.contains(".raw.") || name.contains(".struct.") || name.contains(".image.");
  if (hasPolicy && !name.contains("atomic")) {
    auto *policy = dyn_cast<ConstantInt>(intrinsic.getArgOperand(intrinsic.arg_size() - 1));
    return policy && policy->isZero() ? plain(intrinsic) : OrderedAccesses::anything;
  }
  return intrinsic.onlyReadsMemory()    ? OrderedAccesses::reads
         : intrinsic.onlyWritesMemory() ? OrderedAccesses::stores
                                        : OrderedAccesses::reads | OrderedAccesses::stores;
}

// Without an instruction a statement may still be a fence for the compiler.
static unsigned ofAssembly(const InlineAsm &assembly) {
  if (!assembly.getAsmString().empty())
    return OrderedAccesses::anything;
  return StringRef(assembly.getConstraintString()).contains("~{memory}") ? OrderedAccesses::fences
                                                                         : OrderedAccesses::none;
}

static unsigned ofUpdate(const AtomicRMWInst &update) {
  if (!update.use_empty() || update.isVolatile())
    return OrderedAccesses::reads | OrderedAccesses::stores;
  switch (update.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
    return OrderedAccesses::sums;
  case AtomicRMWInst::And:
    return OrderedAccesses::ands;
  case AtomicRMWInst::Or:
    return OrderedAccesses::ors;
  case AtomicRMWInst::Xor:
    return OrderedAccesses::exclusiveOrs;
  case AtomicRMWInst::Min:
    return OrderedAccesses::minima;
  case AtomicRMWInst::Max:
    return OrderedAccesses::maxima;
  case AtomicRMWInst::UMin:
    return OrderedAccesses::unsignedMinima;
  case AtomicRMWInst::UMax:
    return OrderedAccesses::unsignedMaxima;
  default: // among them sums of floats, which are rounded
    return OrderedAccesses::reads | OrderedAccesses::stores;
  }
}

static bool ordersOthers(const Instruction &access) {
  const auto isMore = [](AtomicOrdering ordering) {
    return isStrongerThan(ordering, AtomicOrdering::Monotonic);
  };
  if (auto *load = dyn_cast<LoadInst>(&access))
    return isMore(load->getOrdering());
  if (auto *store = dyn_cast<StoreInst>(&access))
    return isMore(store->getOrdering());
  if (auto *update = dyn_cast<AtomicRMWInst>(&access))
    return isMore(update->getOrdering());
  auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access);
  return !exchange || isMore(exchange->getSuccessOrdering()) ||
         isMore(exchange->getFailureOrdering());
}

unsigned OrderedAccesses::of(const Instruction &instruction) {
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return ofCall(*call);
  if (isa<FenceInst>(instruction))
    return fences;
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (pointer && pointer->getType()->getPointerAddressSpace() == gpu_.privateAddressSpace())
    return none; // be it volatile
  if (!instruction.isAtomic() && !instruction.isVolatile())
    return isOnlyOurs(instruction, gpu_) ? none : plain(instruction);
  const unsigned order = ordersOthers(instruction) ? fences : none;
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return ofUpdate(*update) | order;
  return order | (isa<LoadInst>(instruction)    ? reads
                  : isa<StoreInst>(instruction) ? stores
                                                : reads | stores);
}

unsigned OrderedAccesses::of(const BasicBlock &block) {
  unsigned kinds = none;
  for (const Instruction &instruction : block)
    kinds |= of(instruction);
  return kinds;
}

bool OrderedAccesses::areIn(const BasicBlock &block) {
  return any_of(block, [&](const Instruction &instruction) { return of(instruction) & ordered; });
}

unsigned OrderedAccesses::seenIn(unsigned kinds) {
  return kinds & fences ? anything & ~fences : ordered & ~fences;
}

bool OrderedAccesses::keepOrder(unsigned before, unsigned behind) {
  const unsigned seen = seenIn(before | behind);
  before &= seen;
  behind &= seen;
  const unsigned all = before | behind;
  const bool sameInAnyOrder = isPowerOf2_32(all) && all >= sums;
  return before && behind && (all & ~(reads | plainReads)) && !sameInAnyOrder;
}

// Accesses of the side stand before a fence and behind it: plain ones are seen, too.
bool OrderedAccesses::isParted(ArrayRef<const BasicBlock *> side) {
  const SmallPtrSet<const BasicBlock *, 16> inside(side.begin(), side.end());
  auto isAccess = [&](const Instruction &instruction) {
    return of(instruction) & ~unsigned(fences);
  };
  auto anyFrom = [&](const BasicBlock &from, auto next) {
    SmallPtrSet<const BasicBlock *, 16> seen;
    SmallVector<const BasicBlock *, 8> open;
    append_range(open, next(&from));
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      if (!inside.contains(block) || !seen.insert(block).second)
        continue;
      if (any_of(*block, isAccess))
        return true;
      append_range(open, next(block));
    }
    return false;
  };
  for (const BasicBlock *block : side)
    for (auto at = block->begin(); at != block->end(); ++at) {
      if (!(of(*at) & fences))
        continue;
      // An access that is a fence is one of the two itself.
      const bool before = std::any_of(block->begin(), at, isAccess) ||
                          anyFrom(*block, [](const BasicBlock *b) { return predecessors(b); });
      const bool behind = std::any_of(std::next(at), block->end(), isAccess) ||
                          anyFrom(*block, [](const BasicBlock *b) { return successors(b); });
      const bool itself = isAccess(*at);
      if ((before && behind) || (itself && behind))
        return true;
    }
  return false;
}

bool OrderedAccesses::tellTurns(ArrayRef<const BasicBlock *> left,
                                ArrayRef<const BasicBlock *> right) {
  auto kindsOf = [&](ArrayRef<const BasicBlock *> blocks) {
    unsigned kinds = none;
    for (const BasicBlock *block : blocks)
      kinds |= of(*block);
    return kinds;
  };
  unsigned ofLeft = kindsOf(left), ofRight = kindsOf(right);
  if (!((ofLeft | ofRight) & fences) || !(isParted(left) || isParted(right))) {
    ofLeft &= ~unsigned(fences);
    ofRight &= ~unsigned(fences);
  }
  const unsigned seen = seenIn(ofLeft | ofRight);
  if (!keepOrder(ofLeft, ofRight) || !((ofLeft | ofRight) & seen & (reads | plainReads)))
    return false;
  auto hasSeveral = [&](ArrayRef<const BasicBlock *> blocks) {
    unsigned count = 0;
    for (const BasicBlock *block : blocks)
      for (const Instruction &instruction : *block)
        if (of(instruction) & seen)
          count += isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction) ? 2 : 1;
    return count > 1;
  };
  return hasSeveral(left) || hasSeveral(right);
}

bool OrderedAccesses::sidesTellTurns(const BasicBlock &head, const DominatorTree &dominators,
                                     const PostDominatorTree &postDominators,
                                     const ForwardProgress &progress) {
  if (head.getTerminator()->getNumSuccessors() < 2)
    return false;
  const auto *here = postDominators.getNode(&head);
  const BasicBlock *meet = here && here->getIDom() ? here->getIDom()->getBlock() : nullptr;
  const SmallSetVector<const BasicBlock *, 8> starts(succ_begin(&head), succ_end(&head));
  std::vector<SmallSetVector<const BasicBlock *, 16>> ways(starts.size());
  DenseMap<const BasicBlock *, unsigned> reached; // by how many ways
  for (unsigned way = 0; way < starts.size(); ++way) {
    SmallVector<const BasicBlock *, 16> open{starts[way]};
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      if (block == meet || dominators.dominates(block, &head) || !ways[way].insert(block))
        continue;
      ++reached[block];
      append_range(open, successors(block));
    }
  }
  std::vector<std::vector<const BasicBlock *>> own(ways.size());
  for (unsigned way = 0; way < ways.size(); ++way)
    for (const BasicBlock *block : ways[way])
      if (reached.lookup(block) == 1) // those of loops twice
        own[way].insert(own[way].end(), progress.isBehindCycleOf(*block, head) ? 2 : 1, block);
  for (unsigned left = 0; left < own.size(); ++left)
    for (unsigned right = left + 1; right < own.size(); ++right)
      if (tellTurns(own[left], own[right]))
        return true;
  return false;
}

unsigned OrderedAccesses::ofCall(const CallBase &call) {
  if (call.getIntrinsicID() == Intrinsic::amdgcn_wave_barrier)
    return fences; // for the compiler
  if (call.doesNotAccessMemory())
    return none;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return ofIntrinsic(*intrinsic);
  if (call.onlyReadsMemory())
    return plainReads; // LLVM takes a relaxed load for one that may write
  if (call.isInlineAsm())
    return ofAssembly(*cast<InlineAsm>(call.getCalledOperand()));
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || callee->isInterposable())
    return anything;
  return known_.ask(*callee, [&] {
    unsigned kinds = none;
    for (const Instruction &instruction : instructions(*callee))
      kinds |= of(instruction);
    return kinds;
  });
}

} // namespace meld::passes
