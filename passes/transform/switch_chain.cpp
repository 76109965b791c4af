#include "passes/transform/switch_chain.h"
#include "passes/analysis/ordered_accesses.h"
#include "passes/melder/legality.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <algorithm>
#include <optional>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr long maxCopied = 128;    // instructions of one copied case
constexpr unsigned maxCopies = 16; // per switch: a fall-through chain of n needs n * n / 2

// Threads that fall through come to the case with its own, which have waited for what they did.
bool needsBoth(const BasicBlock &entry, ArrayRef<BasicBlock *> from, const BasicBlock &choice) {
  OrderedAccesses accesses(GpuInfo(*entry.getParent()));
  if (accesses.areIn(entry))
    return true;
  unsigned before = OrderedAccesses::none;
  SmallPtrSet<const BasicBlock *, 16> seen{&choice};
  SmallVector<const BasicBlock *, 16> open(from.begin(), from.end());
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    before |= accesses.of(*block);
    append_range(open, predecessors(block));
  }
  return OrderedAccesses::keepOrder(before, accesses.of(entry));
}

// One block, one way out, and no value of it is used but in the phis of the block behind.
bool mayCopy(BasicBlock &block) {
  BasicBlock *next = block.getSingleSuccessor();
  if (!next || next == &block || block.sizeWithoutDebug() > maxCopied || obstacle(block))
    return false;
  for (Instruction &instruction : block) {
    if (auto *call = dyn_cast<CallBase>(&instruction); call && call->cannotDuplicate())
      return false;
    for (const Use &use : instruction.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      bool behind = phi && phi->getParent() == next && phi->getIncomingBlock(use) == &block;
      if (user->getParent() != &block && !behind)
        return false;
    }
  }
  return true;
}

void copyFor(BasicBlock &block, BasicBlock *from) {
  ValueToValueMapTy map;
  BasicBlock *copy = CloneBasicBlock(&block, map, ".meld.through", block.getParent());
  copy->moveAfter(from);
  for (PHINode &phi : block.phis()) {
    auto *clone = cast<PHINode>(map[&phi]);
    Value *value = phi.getIncomingValueForBlock(from);
    clone->replaceAllUsesWith(value);
    clone->eraseFromParent();
    map[&phi] = value;
  }
  for (Instruction &instruction : *copy)
    RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  for (PHINode &phi : block.getSingleSuccessor()->phis()) {
    Value *value = phi.getIncomingValueForBlock(&block);
    if (Value *mapped = map.lookup(value))
      value = mapped;
    phi.addIncoming(value, copy);
  }
  from->getTerminator()->replaceSuccessorWith(&block, copy);
  for (PHINode &phi : block.phis())
    while (phi.getBasicBlockIndex(from) >= 0)
      phi.removeIncomingValue(from, /*DeletePHIIfEmpty=*/false);
}

// A case that others run into, and from where.
struct Fallthrough {
  BasicBlock *entry;
  SmallSetVector<BasicBlock *, 4> from;
};

std::optional<Fallthrough> findFallthrough(SwitchInst &choice, const BasicBlock *behind,
                                           const DominatorTree &dominators) {
  BasicBlock *block = choice.getParent();
  SmallSetVector<BasicBlock *, 16> entries(succ_begin(block), succ_end(block));
  for (BasicBlock *entry : entries) {
    Fallthrough found{entry, {}};
    for (BasicBlock *predecessor : predecessors(entry))
      if (predecessor != block)
        found.from.insert(predecessor);
    auto isForeign = [&](BasicBlock *from) { // from outside, or the end of a loop of its own
      return !dominators.dominates(block, from) || dominators.dominates(entry, from);
    };
    if (!found.from.empty() && entry != behind && none_of(found.from, isForeign) &&
        mayCopy(*entry) && !needsBoth(*entry, found.from.getArrayRef(), *block))
      return found;
  }
  return std::nullopt;
}

struct Run {
  APInt low, high;
};

std::vector<Run> runsOf(const SwitchCase &one) {
  std::vector<Run> runs;
  for (const APInt &value : one.values) {
    if (!runs.empty() && runs.back().high + 1 == value)
      runs.back().high = value;
    else
      runs.push_back({value, value});
  }
  return runs;
}

// x is one of the case's values.
Value *test(IRBuilder<> &builder, Value *x, const SwitchCase &one) {
  Value *any = nullptr;
  for (const Run &run : runsOf(one)) {
    Value *inside;
    if (run.low == run.high) {
      inside = builder.CreateICmpEQ(x, builder.getInt(run.low), "meld.is");
    } else {
      Value *offset = builder.CreateSub(x, builder.getInt(run.low), "meld.from");
      inside = builder.CreateICmpULE(offset, builder.getInt(run.high - run.low), "meld.in");
    }
    any = any ? builder.CreateOr(any, inside, "meld.any") : inside;
  }
  return any;
}

} // namespace

bool separateFallthrough(SwitchInst &choice, const BasicBlock *behind) {
  unsigned copies = 0;
  for (;;) { // a copy may fall through into a further case
    const auto found =
        findFallthrough(choice, behind, DominatorTree(*choice.getParent()->getParent()));
    if (!found)
      return copies != 0;
    for (BasicBlock *from : found->from) {
      if (copies == maxCopies)
        return true;
      ++copies;
      copyFor(*found->entry, from);
    }
  }
}

bool hasFallthrough(SwitchInst &choice, const BasicBlock *behind, const DominatorTree &dominators) {
  return findFallthrough(choice, behind, dominators).has_value();
}

std::vector<SwitchCase> casesOf(SwitchInst &choice) {
  MapVector<BasicBlock *, SwitchCase> found;
  for (auto handle : choice.cases()) {
    SwitchCase &one = found[handle.getCaseSuccessor()];
    one.entry = handle.getCaseSuccessor();
    one.values.push_back(handle.getCaseValue()->getValue());
  }
  SwitchCase &other = found[choice.getDefaultDest()];
  other.entry = choice.getDefaultDest();
  other.isDefault = true;
  std::vector<SwitchCase> cases;
  for (auto &[block, one] : found) {
    llvm::sort(one.values, [](const APInt &a, const APInt &b) { return a.ult(b); });
    cases.push_back(std::move(one));
  }
  std::stable_partition(cases.begin(), cases.end(),
                        [](const SwitchCase &one) { return !one.isDefault; });
  return cases;
}

unsigned testsFor(const SwitchCase &one) {
  return one.isDefault ? 0 : unsigned(runsOf(one).size());
}

BasicBlock *makeChain(SwitchInst &choice, std::vector<SwitchCase> members) {
  BasicBlock *block = choice.getParent();
  Function &function = *block->getParent();
  LLVMContext &context = function.getContext();
  // Last comes what needs no test: the default, or the case with the most runs of values.
  auto last = std::max_element(members.begin(), members.end(), [](auto &a, auto &b) {
    return std::pair(a.isDefault, testsFor(a)) < std::pair(b.isDefault, testsFor(b));
  });
  std::rotate(last, last + 1, members.end());

  std::vector<BasicBlock *> heads;
  for (size_t i = 0; i + 1 < members.size(); ++i) {
    heads.push_back(BasicBlock::Create(context, "meld.case", &function, members[i].entry));
  }
  SmallPtrSet<BasicBlock *, 16> inChain;
  for (size_t i = 0; i < members.size(); ++i) {
    BasicBlock *head = heads[std::min(i, heads.size() - 1)];
    inChain.insert(members[i].entry);
    for (PHINode &phi : members[i].entry->phis()) {
      Value *value = phi.getIncomingValueForBlock(block);
      while (phi.getBasicBlockIndex(block) >= 0)
        phi.removeIncomingValue(block, /*DeletePHIIfEmpty=*/false);
      phi.addIncoming(value, head);
    }
  }
  for (size_t i = 0; i < heads.size(); ++i) {
    IRBuilder<> builder(heads[i]);
    builder.SetCurrentDebugLocation(choice.getDebugLoc());
    BasicBlock *otherwise = i + 1 < heads.size() ? heads[i + 1] : members.back().entry;
    builder.CreateCondBr(test(builder, choice.getCondition(), members[i]), members[i].entry,
                         otherwise);
  }

  // What stays in the switch. Its default may be unreachable: then it takes part as it is.
  IRBuilder<> builder(&choice);
  bool defaultMoves = inChain.count(choice.getDefaultDest()) != 0;
  bool otherCases = any_of(choice.cases(),
                           [&](auto handle) { return !inChain.count(handle.getCaseSuccessor()); });
  bool deadDefault = isa<UnreachableInst>(choice.getDefaultDest()->getFirstNonPHIOrDbg());
  if (!otherCases && (defaultMoves || deadDefault)) {
    if (!defaultMoves)
      choice.getDefaultDest()->removePredecessor(block);
    builder.CreateBr(heads.front());
  } else {
    SwitchInst *rest = builder.CreateSwitch(choice.getCondition(),
                                            defaultMoves ? heads.front() : choice.getDefaultDest(),
                                            choice.getNumCases());
    for (auto handle : choice.cases()) {
      bool moves = inChain.count(handle.getCaseSuccessor());
      if (!moves)
        rest->addCase(handle.getCaseValue(), handle.getCaseSuccessor());
      else if (!defaultMoves)
        rest->addCase(handle.getCaseValue(), heads.front());
    }
  }
  choice.eraseFromParent();
  return heads.front();
}

} // namespace meld::passes
