#include "passes/transform/hoist_selects.h"
#include "passes/analysis/divergence.h"
#include "passes/cost/pressure.h"
#include "passes/decisions.h"
#include "passes/preserved.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// Integer arithmetic, casts and addresses; nothing that takes a division's time or may trap.
bool isCheap(const Instruction &instruction) {
  if (instruction.getType()->isVectorTy() || instruction.getType()->isFPOrFPVectorTy())
    return false;
  if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return !binary->isIntDivRem();
  if (auto *cast = dyn_cast<CastInst>(&instruction))
    return !cast->getSrcTy()->isFPOrFPVectorTy();
  return isa<GetElementPtrInst>(instruction);
}

/// Whether all it takes besides the select stays the same in the loop, and the select stands in it
/// once.
bool movesWith(const Instruction &operation, const SelectInst &select, const Loop &loop) {
  unsigned selects = 0;
  for (const Value *operand : operation.operands())
    if (operand == &select)
      ++selects;
    else if (!loop.isLoopInvariant(operand))
      return false;
  return selects == 1 && isCheap(operation) && loop.contains(&operation);
}

/// A select of values that the loop leaves alone, all of whose users move. Three operations at most
/// become selects, those that are the same counted once.
bool moves(const SelectInst &select, const Loop &loop) {
  return select.getCondition()->getType()->isIntegerTy(1) && !select.use_empty() &&
         !select.hasNUsesOrMore(9) && !loop.isLoopInvariant(select.getCondition()) &&
         loop.isLoopInvariant(select.getTrueValue()) &&
         loop.isLoopInvariant(select.getFalseValue()) &&
         all_of(select.users(), [&](const User *user) {
           auto *operation = dyn_cast<Instruction>(user);
           return operation && movesWith(*operation, select, loop);
         });
}

/// Of a value, that are looked at for a computation that is there already: large kernels have values
/// with thousands.
constexpr unsigned kMostUsers = 64;

class Hoisting {
public:
  Hoisting(Function &function, const DivergenceInfo &divergence, const DominatorTree &dominators)
      : divergence_(divergence), dominators_(dominators), cost_(function, divergence.gpu()),
        pressure_(function, divergence, cost_), peak_(pressure_.functionPeak()) {}

  /// Moves the operations on the select, which are selects in its place then. How many there were.
  unsigned tryMove(SelectInst &select, const Loop &innermost) {
    if (!moves(select, innermost) || divergence_.width(select.getCondition()) != Width::thread)
      return 0;
    std::vector<Move> moved;
    for (User *user : select.users())
      add(*cast<Instruction>(user), select, innermost, moved);
    unsigned words = 0;
    for (const Move &move : moved)
      words += unsigned((!move.values[0] + !move.values[1]) *
                        cost_.words(move.operations.front()->getType()));
    if (moved.size() > 3 || any_of(moved, [](const Move &move) { return !move.front; }) ||
        pressure_.waves(peak_ + added_ + words) < pressure_.waves(peak_))
      return 0;
    added_ += words;
    unsigned count = 0;
    for (Move &move : moved) {
      replace(move, select);
      count += unsigned(move.operations.size());
    }
    select.eraseFromParent();
    return count;
  }

private:
  /// Operations that are the same, and their value for either value of the select where it has been
  /// computed already.
  struct Move {
    std::vector<Instruction *> operations;
    BasicBlock *front = nullptr; ///< of the loop they leave
    Instruction *values[2] = {};
  };

  void add(Instruction &operation, SelectInst &select, const Loop &innermost,
           std::vector<Move> &moved) const {
    for (Move &move : moved)
      if (move.operations.front()->isIdenticalTo(&operation)) {
        move.operations.push_back(&operation);
        return;
      }
    Move move;
    move.operations = {&operation};
    move.front = outermost(operation, select, innermost)->getLoopPreheader();
    if (move.front) {
      move.values[0] = existing(operation, select, select.getTrueValue(), *move.front);
      move.values[1] = existing(operation, select, select.getFalseValue(), *move.front);
    }
    moved.push_back(std::move(move));
  }

  static void replace(Move &move, SelectInst &select) {
    Instruction &operation = *move.operations.front();
    for (bool left : {true, false})
      if (Instruction *&value = move.values[left ? 0 : 1]; !value) {
        value = operation.clone();
        value->replaceUsesOfWith(&select, left ? select.getTrueValue() : select.getFalseValue());
        value->insertBefore(move.front->getTerminator());
        value->setName("hoisted");
      }
    auto *chosen =
        SelectInst::Create(select.getCondition(), move.values[0], move.values[1], "", &select);
    chosen->takeName(&operation);
    chosen->setDebugLoc(operation.getDebugLoc());
    for (Instruction *one : move.operations) {
      one->replaceAllUsesWith(chosen);
      one->eraseFromParent();
    }
  }

  /// The outermost loop around it in which none of what it takes changes, and that has a block in
  /// front of it.
  static const Loop *outermost(const Instruction &operation, const SelectInst &select,
                               const Loop &innermost) {
    const Loop *loop = &innermost;
    for (const Loop *next = loop->getParentLoop(); next; next = next->getParentLoop()) {
      const bool unchanged =
          next->getLoopPreheader() && next->isLoopInvariant(select.getTrueValue()) &&
          next->isLoopInvariant(select.getFalseValue()) &&
          all_of(operation.operands(), [&](const Use &operand) {
            return operand.get() == &select || next->isLoopInvariant(operand.get());
          });
      if (!unchanged)
        break;
      loop = next;
    }
    return loop;
  }

  /// The operation on `value` in the select's place, where it has been computed before `front`
  /// ends and promises no more.
  Instruction *existing(const Instruction &operation, const SelectInst &select, Value *value,
                        const BasicBlock &front) const {
    const auto same = [&](const Instruction &other) {
      if (!other.isSameOperationAs(&operation) || other.getFunction() != front.getParent() ||
          !dominators_.dominates(&other, front.getTerminator()))
        return false;
      for (unsigned i = 0; i < operation.getNumOperands(); ++i) {
        const Value *operand = operation.getOperand(i);
        if (other.getOperand(i) != (operand == &select ? value : operand))
          return false;
      }
      // LLVM 15 does not compare what a GEP steps over.
      if (auto *address = dyn_cast<GetElementPtrInst>(&operation))
        if (cast<GetElementPtrInst>(other).getSourceElementType() !=
            address->getSourceElementType())
          return false;
      return other.hasSameSubclassOptionalData(&operation) ||
             !cast<Operator>(other).hasPoisonGeneratingFlags();
    };
    // Constants have users in other functions, in an order of their own; any of the others will do.
    for (Value *operand : operation.operands())
      if (Value *with = operand == &select ? value : operand; !isa<Constant>(with)) {
        unsigned looks = kMostUsers;
        for (User *user : with->users()) {
          if (auto *other = dyn_cast<Instruction>(user); other && same(*other))
            return other;
          if (!--looks)
            break;
        }
        break;
      }
    return nullptr;
  }

  const DivergenceInfo &divergence_;
  const DominatorTree &dominators_;
  CostModel cost_;
  PressureModel pressure_;
  unsigned peak_, added_ = 0;
};

} // namespace

PreservedAnalyses HoistSelectsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || function.isDeclaration())
    return PreservedAnalyses::all();
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  // Most functions have nothing to move: they are not worth the analyses.
  if (none_of(instructions(function), [&](const Instruction &instruction) {
        const Loop *loop = loops.getLoopFor(instruction.getParent());
        auto *select = dyn_cast<SelectInst>(&instruction);
        return loop && select && moves(*select, *loop);
      }))
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  Hoisting hoisting(function, divergence, analyses.getResult<DominatorTreeAnalysis>(function));
  DecisionRecorder recorder(function, analyses, log_, "meld-hoist-selects", point_);
  unsigned moved = 0;
  // What has become a select itself is looked at behind it.
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    if (const Loop *loop = loops.getLoopFor(block))
      for (auto at = block->begin(); at != block->end();) {
        auto *select = dyn_cast<SelectInst>(&*at);
        // The first of the selects that take its place.
        Instruction *before = select ? select->getPrevNode() : nullptr;
        const unsigned count = select ? hoisting.tryMove(*select, *loop) : 0;
        moved += count;
        if (count)
          at = before ? std::next(before->getIterator()) : block->begin();
        else
          ++at;
      }
  if (!moved)
    return PreservedAnalyses::all();
  Decision decision;
  decision.pass = "meld-hoist-selects";
  decision.location = function.getName().str();
  decision.melded = true;
  decision.reason = "computed in front of the loop for both sides: " + std::to_string(moved);
  recorder.record(std::move(decision), DebugLoc());
  return blocksKept(true);
}

} // namespace meld::passes
