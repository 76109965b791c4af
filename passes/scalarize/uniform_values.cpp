#include "passes/scalarize/uniform_values.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/melder/first_lane.h"
#include "passes/melder/place.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr unsigned maxRounds = 4;
constexpr double readCost = 2; ///< a v_readfirstlane and what waits for its scalar result
constexpr double leastGain = 2;

/// 32-bit words of a value that we can read from the first lane, 0 when we do not.
unsigned wordsOf(const Value &value) {
  Type *type = value.getType();
  if (!type->isIntOrIntVectorTy() && !type->isFPOrFPVectorTy())
    return 0;
  auto bits = type->getPrimitiveSizeInBits();
  if (bits.isScalable() || bits.getFixedValue() == 0 || bits.getFixedValue() > 128)
    return 0;
  return unsigned(bits.getFixedValue() + 31) / 32;
}

/// What the scalar unit saves the vector unit by doing this; 0 for what it cannot do (there is no
/// scalar floating point on the machines we know).
double vectorWork(const Instruction &instruction) {
  Type *type = instruction.getType();
  const double words = type->isPointerTy() ? 2 : std::max(1u, wordsOf(instruction));
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::Select:
    return words;
  case Instruction::ICmp:
    return 1;
  case Instruction::Mul:
    return words == 1 ? 4 : 12;
  case Instruction::UDiv:
  case Instruction::URem:
  case Instruction::SDiv:
  case Instruction::SRem:
    return 4; // mostly floating point inside, which stays
  case Instruction::GetElementPtr:
    return cast<GetElementPtrInst>(instruction).hasAllZeroIndices() ? 0 : 2;
  default:
    return 0;
  }
}

bool isFloatingPoint(const Instruction &instruction) {
  return instruction.getType()->isFPOrFPVectorTy() && !isa<LoadInst>(instruction) &&
         !isa<PHINode>(instruction);
}

/// What LLVM holds divergent though the wave has it in common, and hangs together: made scalar as a
/// whole, by reading its roots from the first lane, or not at all.
struct Family {
  SmallVector<Instruction *, 4> roots, waiting;
  double gain = 0, cost = 0;
  unsigned loads = 0, branches = 0, work = 0;
  const char *hindrance = nullptr;
};

class Scalarizer {
public:
  Scalarizer(Function &function, FunctionAnalysisManager &analyses, DecisionRecorder &recorder,
             bool force)
      : function_(function), analyses_(analyses),
        divergence_(*analyses.getResult<DivergenceAnalysis>(function)), recorder_(recorder),
        force_(force) {}

  /// One round; true when something became scalar.
  bool round();

private:
  using Families = MapVector<unsigned, Family>;
  void findDifference();
  bool mayCancel() const;
  bool cancel(Instruction &instruction);
  Families familiesOfDifference() const;
  void add(Instruction &instruction, Family &family) const;
  void addRoot(Instruction &root, Family &family) const;
  void addUsers(const Instruction &instruction, Family &family) const;
  bool decide(Family &family);
  void makeScalar(Instruction &root);
  bool isScalar(const Value &value) const { return backend_->isScalar(value); }
  // A loop is taken to run four times.
  double weightOf(const Instruction &instruction) const {
    const unsigned depth = divergence_.loops().getLoopDepth(instruction.getParent());
    return double(1u << (2 * std::min(3u, depth)));
  }

  Function &function_;
  FunctionAnalysisManager &analyses_;
  DivergenceInfo &divergence_;
  DecisionRecorder &recorder_;
  bool force_;
  std::optional<BackendView> backend_;
  SetVector<Instruction *> difference_; ///< uniform, and not scalar to LLVM
};

// An integer whose ids cancel, written from what remains.
bool Scalarizer::cancel(Instruction &instruction) {
  const unsigned opcode = instruction.getOpcode();
  if (!instruction.getType()->isIntegerTy() ||
      (opcode != Instruction::Add && opcode != Instruction::Sub))
    return false;
  auto form = linearForm(instruction, function_.getParent()->getDataLayout());
  if (!form || form->terms.size() > 3)
    return false;
  for (const LinearTerm &term : form->terms)
    if (!isScalar(*term.leaf) || !term.leaf->getType()->isIntegerTy())
      return false;
  IRBuilder<> builder(&instruction);
  Type *type = instruction.getType();
  Value *sum = nullptr;
  for (const LinearTerm &term : form->terms) {
    auto *leaf = const_cast<Value *>(term.leaf);
    Value *wide = term.extension == Extension::sign ? builder.CreateSExtOrTrunc(leaf, type)
                                                    : builder.CreateZExtOrTrunc(leaf, type);
    if (sum && term.scale.isAllOnes()) {
      sum = builder.CreateSub(sum, wide);
      continue;
    }
    Value *part =
        term.scale.isOne() ? wide : builder.CreateMul(wide, ConstantInt::get(type, term.scale));
    sum = sum ? builder.CreateAdd(sum, part) : part;
  }
  Value *constant = ConstantInt::get(type, form->constant);
  sum = !sum ? constant : form->constant.isZero() ? sum : builder.CreateAdd(sum, constant);
  Decision decision = recorder_.at(instruction);
  decision.melded = true;
  decision.reason = "lane ids cancel";
  decision.alignment = "written from what the wave has in common";
  recorder_.record(std::move(decision), instruction.getDebugLoc());
  instruction.replaceAllUsesWith(sum);
  RecursivelyDeleteTriviallyDeadInstructions(&instruction);
  return true;
}

void Scalarizer::makeScalar(Instruction &root) {
  auto *compare = dyn_cast<ICmpInst>(&root);
  if (compare && compare->getOperand(0)->getType()->isIntegerTy(32)) {
    IRBuilder<> builder(compare);
    Value *sides[2];
    for (unsigned i : {0u, 1u}) {
      Value *side = compare->getOperand(i);
      sides[i] = isScalar(*side) ? side : firstLane(builder, side);
    }
    Value *scalar = builder.CreateICmp(compare->getPredicate(), sides[0], sides[1], "scalar");
    root.replaceAllUsesWith(scalar);
    root.eraseFromParent();
    return;
  }
  IRBuilder<> builder(firstPlaceBehind(root));
  builder.SetCurrentDebugLocation(root.getDebugLoc());
  SmallVector<Use *, 8> uses;
  for (Use &use : root.uses())
    uses.push_back(&use);
  Value *scalar = fromFirstLane(builder, &root);
  for (Use *use : uses)
    use->set(scalar);
}

void Scalarizer::findDifference() {
  SmallVector<Instruction *, 32> uniform;
  for (Instruction &instruction : instructions(function_))
    if (!instruction.getType()->isVoidTy() && !instruction.getType()->isTokenTy() &&
        divergence_.firstLaneWidth(&instruction, &instruction) >= Width::wave)
      uniform.push_back(&instruction);
  if (uniform.empty())
    return; // LLVM's analysis is dear
  backend_.emplace(function_, analyses_, divergence_);
  for (Instruction *instruction : uniform)
    if (!isScalar(*instruction))
      difference_.insert(instruction);
}

// What is written anew could give two exchanges between lanes one operand (keep_apart.h); GVN
// (before 17) asks for nothing else.
bool Scalarizer::mayCancel() const {
  return none_of(instructions(function_), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->isConvergent() && call->doesNotAccessMemory() && !isReading(*call);
  });
}

void Scalarizer::addRoot(Instruction &root, Family &family) const {
  if (all_of(root.users(), [](const User *user) {
        auto *call = dyn_cast<CallBase>(user);
        return call && isReading(*call);
      }))
    return; // is read already: what is made of that is scalar
  family.roots.push_back(&root);
  family.cost += weightOf(root) * readCost * std::max(1u, wordsOf(root));
  if (!divergence_.isConvergent(root.getParent(), Width::wave))
    family.hindrance = "the wave may not be together here: EXEC may be empty";
  else if (!wordsOf(root))
    family.hindrance = "a pointer or aggregate starts it";
}

// Addresses of loads and conditions of branches are what is gained besides the work itself.
void Scalarizer::addUsers(const Instruction &instruction, Family &family) const {
  for (const User *user : instruction.users()) {
    if (auto *load = dyn_cast<LoadInst>(user); load && load->isSimple()) {
      family.gain += 4 * weightOf(*load);
      ++family.loads;
    } else if (isa<BranchInst>(user) || isa<SwitchInst>(user)) {
      family.gain += 4 * weightOf(*cast<Instruction>(user));
      ++family.branches;
    }
  }
}

void Scalarizer::add(Instruction &instruction, Family &family) const {
  auto *phi = dyn_cast<PHINode>(&instruction);
  bool hasOutside = false, hasInside = false;
  for (const Use &operand : instruction.operands()) {
    auto *other = dyn_cast<Instruction>(operand);
    const bool inside = other && difference_.count(other);
    hasInside |= inside;
    hasOutside |= !inside && !isScalar(*operand) && !isa<BasicBlock>(operand);
  }
  // An operand outside of the difference, or a source of divergence by itself.
  const bool isRoot = hasOutside || (!phi && !hasInside);
  if (phi && !isRoot)
    family.waiting.push_back(&instruction);
  if (isRoot) {
    addRoot(instruction, family);
  } else if (!isFloatingPoint(instruction)) {
    const double work = vectorWork(instruction);
    family.gain += weightOf(instruction) * work;
    family.work += work > 0;
  }
  addUsers(instruction, family);
}

Scalarizer::Families Scalarizer::familiesOfDifference() const {
  EquivalenceClasses<unsigned> together;
  DenseMap<const Value *, unsigned> number;
  for (unsigned i = 0; i < difference_.size(); ++i) {
    number[difference_[i]] = i;
    together.insert(i);
  }
  for (Instruction *instruction : difference_)
    for (const Use &operand : instruction->operands())
      if (auto found = number.find(operand); found != number.end())
        together.unionSets(number[instruction], found->second);
  Families families;
  for (unsigned i = 0; i < difference_.size(); ++i)
    add(*difference_[i], families[together.getLeaderValue(i)]);
  // Phis that LLVM holds divergent for their branches alone are cut when nothing else starts the
  // family; most resolve by themselves once the branches are scalar.
  for (auto &[leader, family] : families)
    if (family.roots.empty())
      for (Instruction *phi : family.waiting)
        addRoot(*phi, family);
  return families;
}

bool Scalarizer::decide(Family &family) {
  if (family.roots.empty())
    return false;
  Instruction &first = *family.roots.front();
  Decision decision = recorder_.at(first);
  const DebugLoc where = first.getDebugLoc();
  if (!family.hindrance && !force_ && family.gain < family.cost + leastGain)
    family.hindrance = "reading the first lane costs more than the scalar unit saves";
  if (family.hindrance) {
    decision.reason = family.hindrance;
    recorder_.record(std::move(decision), where);
    return false;
  }
  for (Instruction *root : family.roots)
    makeScalar(*root);
  decision.melded = true;
  decision.reason = "wave-uniform values made scalar";
  decision.alignment = std::to_string(family.roots.size()) + " read from the first lane, " +
                       std::to_string(family.work) + " operations, " +
                       std::to_string(family.loads) + " load addresses, " +
                       std::to_string(family.branches) + " branches";
  recorder_.record(std::move(decision), where);
  return true;
}

bool Scalarizer::round() {
  findDifference();
  if (difference_.empty())
    return false;
  if (mayCancel())
    for (Instruction *instruction : difference_)
      if (cancel(*instruction))
        return true; // what hangs on it may be gone with it
  bool changed = false;
  Families families = familiesOfDifference();
  for (auto &[leader, family] : families)
    changed |= decide(family);
  return changed;
}

} // namespace

PreservedAnalyses UniformValuesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function))
    return PreservedAnalyses::all();
  GpuInfo gpu(function);
  if (gpu.kind() != GpuKind::amdgpu || !gpu.isKernel())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  DecisionRecorder recorder(function, analyses, log_, "meld-scalarize-values", point_);
  if (asksForLanes(function, *analyses.getResult<DivergenceAnalysis>(function))) {
    Decision decision = recorder.at(*function.getEntryBlock().getTerminator());
    decision.reason = lanesAskedFor;
    recorder.record(std::move(decision));
    return PreservedAnalyses::all();
  }
  bool changed = false;
  for (unsigned i = 0; i < maxRounds; ++i) {
    if (!Scalarizer(function, analyses, recorder, options_.force).round())
      break;
    changed = true;
    analyses.invalidate(function, preserved);
  }
  return changed ? preserved : PreservedAnalyses::all();
}

} // namespace meld::passes
