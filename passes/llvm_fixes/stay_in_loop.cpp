#include "passes/llvm_fixes/stay_in_loop.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/stay_put.h"
#include "passes/preserved.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CycleAnalysis.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// What the code behind the loop uses. Phis are copies, but where a branch always goes one way the
/// code generator finds that they are what they copy; not so those that take what the last
/// iteration hands on.
SmallVector<Instruction *, 16> usedBehind(const Cycle &loop, ArrayRef<BasicBlock *> postOrder) {
  SmallVector<Instruction *, 16> found;
  auto isBehind = [&](const User *user) {
    return !loop.contains(cast<Instruction>(user)->getParent());
  };
  for (BasicBlock *block : postOrder)
    if (loop.contains(block))
      for (Instruction &instruction : reverse(*block))
        if ((isa<PHINode>(instruction) ? !loop.isEntry(block) : canSink(instruction)) &&
            any_of(instruction.users(), isBehind))
          found.push_back(&instruction);
  return found;
}

bool isMask(const Value &value) { return value.getType()->isIntOrIntVectorTy(1); }

/// Whether the code generator makes it of instructions that pass no lane mask to each other. An
/// addition's carry is one, but nothing else uses that: it moves with the addition.
bool isOneStep(const Instruction &instruction, unsigned privateSpace) {
  auto isShort = [](const Value &value) { return value.getType()->getScalarSizeInBits() <= 32; };
  auto isExtended = [&](const Value &value) {
    return (isa<ZExtInst>(value) || isa<SExtInst>(value)) &&
           isShort(*cast<CastInst>(value).getOperand(0));
  };
  switch (instruction.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::Call:
  case Instruction::AddrSpaceCast: // compares with the null pointer
    return false;
  case Instruction::Shl: // beyond two registers the word that a bit falls into is chosen by masks
  case Instruction::LShr:
  case Instruction::AShr:
    return instruction.getType()->getScalarSizeInBits() <= 64;
  case Instruction::Mul: // one multiply-add, where both are 32 bits really
    return isShort(instruction) ||
           (isExtended(*instruction.getOperand(0)) && isExtended(*instruction.getOperand(1)));
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return isShort(instruction);
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return isShort(*instruction.getOperand(0));
  case Instruction::FPTrunc: // to half from double
    return isShort(*instruction.getOperand(0)) ||
           !instruction.getType()->getScalarType()->isHalfTy();
  case Instruction::Load: // of an element of a private array, which may become registers
    return instruction.getOperand(0)->getType()->getPointerAddressSpace() != privateSpace ||
           isa<AllocaInst>(instruction.getOperand(0)->stripInBoundsConstantOffsets());
  case Instruction::ExtractElement: // with an index that varies: a chain of selects
    return isa<Constant>(instruction.getOperand(1));
  case Instruction::InsertElement:
    return isa<Constant>(instruction.getOperand(2));
  default:
    return true;
  }
}

class Keeper {
public:
  Keeper(Function &function, FunctionAnalysisManager &analyses, const DivergenceInfo &divergence)
      : divergence_(divergence), backend_(function, analyses, divergence) {}

  bool keepIn(const Cycle &loop, ArrayRef<Instruction *> used, ArrayRef<BasicBlock *> postOrder) {
    if (!hasDivergentExit(loop))
      return false;
    const auto ofScalars = madeOfScalars(loop, postOrder);
    bool changed = false;
    for (Instruction *instruction : used)
      if (!backend_.isScalar(*instruction) && ofScalars.count(instruction))
        changed |= keep(loop, *instruction);
    return changed;
  }

private:
  static bool keep(const Cycle &loop, Instruction &instruction) {
    auto isBehind = [&](const Use &use) {
      return !loop.contains(cast<Instruction>(use.getUser())->getParent());
    };
    auto isHandedToNext = [&](const User *user) {
      return isa<PHINode>(user) &&
             loop.isEntry(const_cast<BasicBlock *>(cast<Instruction>(user)->getParent()));
    };
    // It would be copied in each round, to be handed on to the code behind as well.
    if (hasRegisterType(instruction) && isWhole(instruction) &&
        any_of(instruction.users(), isHandedToNext)) {
      keepHere(instruction);
      return true;
    }
    Value *own = handOnAll(instruction);
    if (!own)
      return false;
    instruction.replaceUsesWithIf(own, isBehind);
    return true;
  }

  /// Null for what has no register. A structure is as many values as it has fields: one mask may
  /// choose between those of two.
  static Value *handOnAll(Instruction &instruction) {
    if (hasRegisterType(instruction))
      return handOn(instruction);
    auto *structure = dyn_cast<StructType>(instruction.getType());
    if (!structure)
      return nullptr;
    IRBuilder<> builder(placeBehind(instruction));
    Value *whole = PoisonValue::get(structure);
    for (unsigned i = 0; i != structure->getNumElements(); ++i) {
      Value *field = builder.CreateExtractValue(&instruction, i);
      auto *made = dyn_cast<Instruction>(field);
      Value *own = made ? handOnAll(*made) : nullptr;
      whole = builder.CreateInsertValue(whole, own ? own : field, i);
    }
    return whole;
  }

  bool hasDivergentExit(const Cycle &loop) const {
    return any_of(loop.blocks(), [&](const BasicBlock *block) {
      return any_of(successors(block),
                    [&](const BasicBlock *next) { return !loop.contains(next); }) &&
             divergence_.isDivergentBranch(block);
    });
  }

  /// What may read scalar registers that the loop writes: lane masks, and everything that LLVM
  /// calls uniform. Code generation takes one from as far off as it can see, whoever else needs the
  /// values between: `x + (y + zext c)` is an addition with c for its carry, `x & sext c` a choice
  /// by c, `x * s + y` one instruction that reads s; and with a value sinks what it alone is made
  /// of. What cannot sink ends that, and what the last iteration has handed on.
  SmallPtrSet<const Instruction *, 16> madeOfScalars(const Cycle &loop,
                                                     ArrayRef<BasicBlock *> postOrder) const {
    SmallPtrSet<const Instruction *, 16> found;
    auto isOfScalars = [&](const Value &value) {
      auto *made = dyn_cast<Instruction>(&value);
      return made && loop.contains(made->getParent()) &&
             (isMask(*made) || backend_.isScalar(*made) ||
              (found.count(made) && (isa<PHINode>(made) || canSink(*made))));
    };
    const unsigned privateSpace = divergence_.gpu().privateAddressSpace();
    for (BasicBlock *block : reverse(postOrder))
      if (loop.contains(block))
        for (const Instruction &instruction : *block)
          if (!(isa<PHINode>(instruction) && loop.isEntry(block)) &&
              (!isOneStep(instruction, privateSpace) ||
               any_of(instruction.operands(), [&](const Use &use) { return isOfScalars(*use); })))
            found.insert(&instruction);
    return found;
  }

  const DivergenceInfo &divergence_;
  BackendView backend_;
};

} // namespace

PreservedAnalyses StayInLoopPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  CycleInfo cycles;
  cycles.compute(function);
  SmallVector<const Cycle *, 8> inside(cycles.toplevel_begin(), cycles.toplevel_end());
  for (size_t i = 0; i != inside.size(); ++i)
    append_range(inside, inside[i]->children());
  if (inside.empty())
    return PreservedAnalyses::all();
  SmallVector<BasicBlock *, 32> postOrder;
  append_range(postOrder, post_order(&function.getEntryBlock()));
  std::optional<Keeper> keeper;
  bool changed = false;
  for (const Cycle *loop : reverse(inside)) { // inner ones first
    const auto used = usedBehind(*loop, postOrder);
    if (used.empty())
      continue;
    if (!keeper) {
      auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
      if (divergence.gpu().kind() != GpuKind::amdgpu)
        return PreservedAnalyses::all();
      keeper.emplace(function, analyses, divergence);
    }
    changed |= keeper->keepIn(*loop, used, postOrder);
  }
  return blocksKept(changed);
}

} // namespace meld::passes
