#include "passes/analysis/divergence.h"
#include "passes/analysis/undefined_lanes.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace meld::passes {

using namespace llvm;

DivergenceInfo::DivergenceInfo(Function &function, const LoopInfo &loops,
                               const DominatorTree &dominators,
                               const PostDominatorTree &postDominators, DivergenceOptions options)
    : function_(function), loops_(loops), dominators_(dominators),
      gpu_(options.machine ? options.machine->forCallee(function) : GpuInfo(function)),
      options_(std::move(options)), dependence_(function, postDominators) {
  ReversePostOrderTraversal<const Function *> order(&function);
  order_.assign(order.begin(), order.end());
  irreducible_ = hasIrreducibleLoop();

  // One row of threads: x is the flat id, so waves are consecutive aligned runs of x.
  bool readsOtherIds = false, calls = false;
  for (Instruction &instruction : instructions(function)) {
    if (auto dimension = gpu_.workItemId(instruction))
      readsOtherIds |= *dimension > 0;
    if (auto *call = dyn_cast<CallBase>(&instruction))
      calls |= !isa<IntrinsicInst>(call);
  }
  if (auto shape = gpu_.workgroupShape())
    oneRow_ = (*shape)[1] == 1 && (*shape)[2] == 1;
  else
    oneRow_ = options_.assumeOneDimension && gpu_.isKernel() && !readsOtherIds && !calls;

  tables_ = std::make_unique<ThreadTables>(gpu_, oneRow_);
  summaries_ = options_.summaries;
  if (calls && !summaries_) {
    ownSummaries_ = newCallSummaries(gpu_);
    summaries_ = ownSummaries_.get();
  }

  collectLoopExits();
  if (irreducible_)
    collectIrreducibleCycles();
  collectDeciders();
  initialise();
  sweep();
  if (options_.meaning == Meaning::scalarRegister && !options_.assumeOneDimension &&
      hasUndefinedLanes(function)) {
    DivergenceOptions stricter = options_;
    stricter.meaning = Meaning::firstLane;
    stricter.summaries = summaries_;
    firstLane_ =
        std::make_unique<DivergenceInfo>(function, loops, dominators, postDominators, stricter);
  }
}

// A natural loop has one way in, so all threads of one of its rounds are in it together. A cycle
// with several is made one by a block that sends each thread on its way in turns (FixIrreducible):
// a block of it is run by different threads at different times, and what it computes is as old as
// each thread's last visit.
void DivergenceInfo::collectIrreducibleCycles() {
  for (auto part = scc_begin(&function_); !part.isAtEnd(); ++part) {
    const auto &blocks = *part;
    SmallPtrSet<const BasicBlock *, 16> inside(blocks.begin(), blocks.end());
    if (!isIrreducible(inside))
      continue;
    for (const BasicBlock *block : blocks)
      cycleOf_[block] = unsigned(cycles_.size());
    cycles_.push_back({{blocks.begin(), blocks.end()}, Width::all});
  }
}

bool DivergenceInfo::hasIrreducibleLoop() const {
  SmallPtrSet<const BasicBlock *, 16> everywhere(order_.begin(), order_.end());
  return isIrreducible(everywhere);
}

// An edge back between these blocks, in this order, that does not lead to the header of a loop
// around it.
bool DivergenceInfo::isIrreducible(const SmallPtrSetImpl<const BasicBlock *> &inside) const {
  BitVector seen(dependence_.size());
  for (const BasicBlock *block : order_) {
    if (!inside.count(block))
      continue;
    seen.set(dependence_.index(block));
    for (const BasicBlock *successor : successors(block)) {
      if (!inside.count(successor) || !seen.test(dependence_.index(successor)))
        continue;
      const Loop *loop = loops_.getLoopFor(block);
      while (loop && loop->getHeader() != successor)
        loop = loop->getParentLoop();
      if (!loop)
        return true;
    }
  }
  return false;
}

// Blocks of `loop` from which `targets` are reached in the same iteration without passing `avoid`.
static SmallPtrSet<const BasicBlock *, 16>
reaching(const Loop &loop, ArrayRef<const BasicBlock *> targets, const BasicBlock *avoid) {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const BasicBlock *, 16> work;
  auto visit = [&](const BasicBlock *block) {
    if (loop.contains(block) && block != avoid && seen.insert(block).second)
      work.push_back(block);
  };
  for (const BasicBlock *target : targets)
    visit(target);
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (block == loop.getHeader())
      continue; // before it is the previous iteration
    for (const BasicBlock *predecessor : predecessors(block))
      visit(predecessor);
  }
  return seen;
}

// Branches of `loop` from which threads come by `block`, and go round again past it, in the same
// round: they decide in which round a thread is there. (A block that every run of the loop comes by
// in its last round post-dominates the whole loop, so control dependence alone misses them.)
void DivergenceInfo::addDecidersOfRound(BitVector &deciders, const Loop &loop,
                                        const BasicBlock &block) const {
  SmallVector<BasicBlock *, 8> latches;
  loop.getLoopLatches(latches);
  const SmallVector<const BasicBlock *, 8> again(latches.begin(), latches.end());
  const auto toBlock = reaching(loop, {&block}, nullptr);
  const auto pastBlock = reaching(loop, again, &block);
  for (const BasicBlock *branch : loop.blocks()) {
    if (branch->getTerminator()->getNumSuccessors() < 2)
      continue;
    bool leadsTo = false, leadsPast = false;
    for (const BasicBlock *successor : successors(branch)) {
      if (successor == loop.getHeader()) {
        leadsPast = true;
        continue;
      }
      leadsTo |= toBlock.contains(successor);
      leadsPast |= pastBlock.contains(successor);
    }
    if (leadsTo && leadsPast)
      deciders.set(dependence_.index(branch));
  }
}

void DivergenceInfo::collectLoopExits() {
  const auto outerFirst = loops_.getLoopsInPreorder();
  for (const Loop *loop : reverse(outerFirst)) { // of inner ones the rounds count, too
    // Whatever decides in which iteration an exit is taken, inside the loop: the exit's own branch,
    // what it depends on, and branches that may go round again past it.
    BitVector deciders(dependence_.size());
    SmallVector<BasicBlock *, 8> exiting;
    loop->getExitingBlocks(exiting);
    for (BasicBlock *exit : exiting) {
      deciders.set(dependence_.index(exit));
      deciders |= dependence_.dependsOn(exit);
      addDecidersOfRound(deciders, *loop, *exit);
    }
    addRoundsOf(deciders, *loop->getHeader());
    for (unsigned i : deciders.set_bits())
      if (loop->contains(dependence_.block(i)))
        exitDeciders_[loop].push_back(dependence_.block(i));
  }
}

// What decides by a branch in a loop decides in the round in which a thread comes by: threads that
// come in different rounds may decide differently, however uniform the branch is in each. That is
// up to what decides in which round the loop is left. In loops around `block` the threads that are
// there together are in the same round.
void DivergenceInfo::addRoundsOf(BitVector &deciders, const BasicBlock &block) const {
  SmallPtrSet<const Loop *, 8> seen;
  const BitVector before = deciders;
  for (unsigned i : before.set_bits())
    for (const Loop *loop = loops_.getLoopFor(dependence_.block(i));
         loop && !loop->contains(&block); loop = loop->getParentLoop()) {
      auto exits = exitDeciders_.find(loop);
      if (exits == exitDeciders_.end() || !seen.insert(loop).second)
        continue;
      for (const BasicBlock *decider : exits->second)
        deciders.set(dependence_.index(decider));
    }
}

void DivergenceInfo::collectDeciders() {
  for (BasicBlock &block : function_) {
    if (block.phis().empty() || pred_empty(&block))
      continue;
    const Loop *loop = loops_.getLoopFor(&block);
    bool header = loop && loop->getHeader() == &block;
    BitVector deciders = irreducible_ ? BitVector(dependence_.size(), true)
                                      : dependence_.decidersOfEdge(&block, dominators_, header);
    addRoundsOf(deciders, block);
    for (unsigned i : deciders.set_bits()) {
      BasicBlock *decider = dependence_.block(i);
      if (decider->getTerminator()->getNumSuccessors() < 2)
        continue;
      // At a loop header the edges are "first time" and "again": all threads still in the loop
      // agree on that, unless two latches or two entries compete.
      if (header && !irreducible_) {
        bool inside = loop->contains(decider);
        if (inside && loop->getLoopLatch() != nullptr)
          continue;
        if (!inside && loop->getLoopPredecessor() != nullptr)
          continue;
      }
      deciders_[&block].push_back(decider);
    }
  }
}

void DivergenceInfo::initialise() {
  widths_.clear(); // what is not in there has `all`
  // LLVM before 18 puts no argument of an ordinary function into a scalar register, whatever is asked for.
  const bool inScalars = function_.getCallingConv() != CallingConv::C &&
                         function_.getCallingConv() != CallingConv::Fast;
  for (Argument &argument : function_.args()) {
    Width width = gpu_.isKernel()                        ? Width::all
                  : inScalars && argument.hasInRegAttr() ? Width::wave
                                                         : Width::thread;
    if (argument.getArgNo() < options_.arguments.size())
      width = options_.arguments[argument.getArgNo()];
    if (width < Width::all)
      widths_[&argument] = width;
  }
}

void DivergenceInfo::setArguments(std::vector<Width> widths) {
  if (firstLane_)
    firstLane_->setArguments(widths);
  options_.arguments = std::move(widths);
  exitWidth_.clear();
  for (Cycle &cycle : cycles_)
    cycle.width = Width::all;
  initialise();
  sweep();
}

Width DivergenceInfo::returnWidth() const {
  Width result = Width::all;
  unsigned returns = 0;
  for (const BasicBlock &block : function_)
    if (auto *leave = dyn_cast<ReturnInst>(block.getTerminator())) {
      ++returns;
      if (const Value *value = leave->getReturnValue())
        result = meet(result, widthAtUse(value, leave));
    }
  if (returns > 1) // which of them is a branch's choice
    for (const BasicBlock &block : function_)
      result = meet(result, branchWidth(&block));
  return result;
}

void DivergenceInfo::sweep() {
  bool changed = true;
  while (changed) {
    changed = false;
    auto narrow = [&](Width &width, ArrayRef<const BasicBlock *> deciders) {
      const Width before = width;
      for (const BasicBlock *decider : deciders)
        width = meet(width, branchWidth(decider));
      changed |= width != before; // a branch may meet it and no value
    };
    for (Cycle &cycle : cycles_)
      narrow(cycle.width, cycle.blocks);
    for (auto &[loop, deciders] : exitDeciders_)
      narrow(exitWidth_.try_emplace(loop, Width::all).first->second, deciders);
    for (const BasicBlock *block : order_)
      for (const Instruction &instruction : *block) {
        if (instruction.getType()->isVoidTy())
          continue;
        const Width stored = width(&instruction);
        if (stored == Width::thread) // there is nothing below
          continue;
        if (const Width found = transfer(instruction); found < stored) {
          widths_[&instruction] = found;
          changed = true;
        }
      }
  }
}

Width DivergenceInfo::width(const Value *value) const {
  if (isa<Constant>(value))
    return Width::all;
  auto found = widths_.find(value);
  return found == widths_.end() ? Width::all : found->second;
}

Width DivergenceInfo::widthAtUse(const Value *value, const Instruction *user) const {
  Width result = width(value);
  if (result == Width::thread || (exitWidth_.empty() && cycles_.empty()))
    return result;
  auto *definition = dyn_cast<Instruction>(value);
  const BasicBlock *at = user->getParent();
  if (!definition || (definition->getParent() == at && !isa<PHINode>(user)))
    return result;
  if (auto cycle = cycleOf_.find(definition->getParent()); cycle != cycleOf_.end())
    result = meet(result, cycles_[cycle->second].width);
  if (definition->getParent() == at)
    return result;
  for (const Loop *loop = loops_.getLoopFor(definition->getParent()); loop && !loop->contains(at);
       loop = loop->getParentLoop())
    result = meet(result, exitWidth(*loop));
  return result;
}

Width DivergenceInfo::exitWidth(const Loop &loop) const {
  auto found = exitWidth_.find(&loop);
  return found == exitWidth_.end() ? Width::all : found->second;
}

Width DivergenceInfo::firstLaneExitWidth(const Loop &loop) const {
  return firstLane_ ? firstLane_->exitWidth(loop) : exitWidth(loop);
}

Width DivergenceInfo::firstLaneWidth(const Value *value, const Instruction *user) const {
  if (options_.assumeOneDimension)
    return Width::thread; // what is assumed proves nothing
  return firstLane_ ? firstLane_->widthAtUse(value, user) : widthAtUse(value, user);
}

Width DivergenceInfo::firstLaneBranchWidth(const BasicBlock *block) const {
  if (options_.assumeOneDimension)
    return Width::thread;
  return firstLane_ ? firstLane_->branchWidth(block) : branchWidth(block);
}

Width DivergenceInfo::branchWidth(const BasicBlock *block) const {
  const Instruction *terminator = block->getTerminator();
  if (auto *branch = dyn_cast<BranchInst>(terminator))
    return branch->isConditional() ? widthAtUse(branch->getCondition(), branch) : Width::all;
  if (auto *choice = dyn_cast<SwitchInst>(terminator))
    return widthAtUse(choice->getCondition(), choice);
  return terminator->getNumSuccessors() < 2 ? Width::all : Width::thread;
}

// Whether a thread comes to `block` is up to the branches that it depends on; whether those that
// come are there at one time, also to what decides in which round of a loop around it they come,
// and in which round of another loop they leave that.
const BitVector &DivergenceInfo::decidersOfMeeting(const BasicBlock &block) const {
  auto [found, isNew] = meetings_.try_emplace(&block);
  BitVector &deciders = found->second;
  if (!isNew)
    return deciders;
  deciders = dependence_.dependsOn(&block);
  for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
    addDecidersOfRound(deciders, *loop, block);
  addRoundsOf(deciders, block);
  // In a cycle with several ways in threads are at one place at different times.
  bool inCycle = cycleOf_.count(&block);
  for (unsigned i : deciders.set_bits())
    inCycle |= cycleOf_.count(dependence_.block(i)) != 0;
  if (inCycle)
    deciders.set();
  return deciders;
}

bool DivergenceInfo::isConvergent(const BasicBlock *block, Width width) const {
  if (firstLane_) // threads without a value go where they like
    return firstLane_->isConvergent(block, width);
  for (unsigned i : decidersOfMeeting(*block).set_bits())
    if (branchWidth(dependence_.block(i)) < width)
      return false;
  return true;
}

// Nothing but an empty way to a return.
bool DivergenceInfo::returnsAtOnce(const BasicBlock *from) const {
  for (unsigned steps = 0; from && steps < 8; ++steps) {
    for (const Instruction &instruction : *from)
      if (!isa<PHINode>(instruction) && !isa<DbgInfoIntrinsic>(instruction) &&
          !instruction.isTerminator())
        return false;
    if (isa<ReturnInst>(from->getTerminator()))
      return true;
    from = from->getSingleSuccessor();
  }
  return false;
}

bool DivergenceInfo::isConvergentExceptExits(const BasicBlock *block, Width width) const {
  if (firstLane_)
    return firstLane_->isConvergentExceptExits(block, width);
  for (unsigned i : decidersOfMeeting(*block).set_bits()) {
    const BasicBlock *decider = dependence_.block(i);
    if (branchWidth(decider) >= width)
      continue;
    unsigned stay = 0;
    for (const BasicBlock *successor : successors(decider))
      stay += !returnsAtOnce(successor);
    if (stay > 1 || returnsAtOnce(block))
      return false;
  }
  return true;
}

const std::optional<LinearForm> &DivergenceInfo::formOf(const Instruction &instruction) const {
  auto found = forms_.find(&instruction);
  if (found != forms_.end())
    return found->second;
  const DataLayout &layout = function_.getParent()->getDataLayout();
  auto *compare = dyn_cast<ICmpInst>(&instruction);
  return forms_[&instruction] =
             compare ? linearDifference(*compare, layout) : linearForm(instruction, layout);
}

Width DivergenceInfo::arithmeticWidth(const Instruction &instruction) const {
  Width result = Width::thread;
  switch (instruction.getOpcode()) {
  case Instruction::Sub: // only a subtraction, or the comparison that stands for one, cancels
  case Instruction::Add:
  case Instruction::ICmp:
  case Instruction::GetElementPtr:
    if (count_if(instruction.operands(), [](const Use &use) { return !isa<Constant>(use); }) < 2)
      break; // the operand's own form says it already
    if (const auto &form = formOf(instruction)) {
      result = Width::all;
      for (const LinearTerm &term : form->terms)
        result = meet(result, widthAtUse(term.leaf, &instruction));
    }
    break;
  default:
    break;
  }
  if (result == Width::thread)
    if (auto tabled = tables_->width(instruction))
      result = *tabled;
  return result;
}

/// A flat pointer may lead into private memory; not where the host has made it, whose pointers are
/// flat in PTX.
static bool mayBePrivate(const Value &pointer, const GpuInfo &gpu) {
  if (const unsigned space = pointer.getType()->getPointerAddressSpace())
    return space == gpu.privateAddressSpace();
  if (gpu.kind() != GpuKind::nvptx || !gpu.isKernel())
    return true;
  const auto *argument = dyn_cast<Argument>(getUnderlyingObject(&pointer));
  return !argument || argument->hasByValAttr();
}

Width DivergenceInfo::loadWidth(const LoadInst &load) const {
  unsigned space = load.getPointerAddressSpace();
  if (load.isVolatile() || load.isAtomic() || mayBePrivate(*load.getPointerOperand(), gpu_))
    return Width::thread;
  Width pointer = widthAtUse(load.getPointerOperand(), &load);
  // Waves read writable memory at different times.
  bool constant =
      gpu_.isConstantAddressSpace(space) || load.hasMetadata(LLVMContext::MD_invariant_load);
  return constant ? pointer : meet(pointer, Width::wave);
}

Width DivergenceInfo::transferCall(const CallBase &call) const {
  if (const Function *callee = call.getCalledFunction();
      callee && summaries_ && !callee->isIntrinsic() && !call.isMustTailCall() &&
      callee->getFunctionType() == call.getFunctionType())
    if (const CallSummary *summary = summaries_->find(*callee)) {
      Width result = summary->own;
      for (unsigned i : summary->hangsOn.set_bits())
        result = meet(result, widthAtUse(call.getArgOperand(i), &call));
      return result;
    }
  CallWidth known = gpu_.callWidth(call);
  Width result = known.own;
  if (known.meetsOperands)
    for (const Use &argument : call.args())
      if (!argument->getType()->isMetadataTy())
        result = meet(result, widthAtUse(argument, &call));
  return result;
}

Width DivergenceInfo::transfer(const Instruction &instruction) const {
  if (instruction.getType()->isVoidTy())
    return Width::all;
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return loadWidth(*load);
  if (auto *call = dyn_cast<CallBase>(&instruction)) {
    Width width = transferCall(*call);
    bool computed = isa<MinMaxIntrinsic>(call) || gpu_.workItemId(*call);
    return width == Width::thread && computed ? arithmeticWidth(instruction) : width;
  }
  if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction) ||
      isa<VAArgInst>(instruction))
    return Width::thread;
  if (isa<AllocaInst>(instruction)) // the same offset in every thread's own frame
    return Width::wave;
  if (auto *cast = dyn_cast<AddrSpaceCastInst>(&instruction);
      cast && cast->getSrcAddressSpace() == gpu_.privateAddressSpace())
    return meet(Width::wave, widthAtUse(cast->getOperand(0), cast));

  const bool strict = options_.meaning == Meaning::firstLane;
  Width result = Width::all;
  bool undefined = false;
  for (const Use &operand : instruction.operands()) {
    result = meet(result, widthAtUse(operand, &instruction));
    undefined |= strict && mayBeUndefined(operand, instruction);
    if (result == Width::thread)
      break;
  }
  if (undefined && isa<FreezeInst>(instruction))
    return Width::thread;
  if (auto *phi = dyn_cast<PHINode>(&instruction)) {
    if (result == Width::thread)
      return result;
    auto found = deciders_.find(instruction.getParent());
    // Equal inputs: it does not matter which edge was taken. The phi itself is an input of another
    // round, as old as that is.
    const bool equal = phi->hasConstantOrUndefValue() && !is_contained(phi->incoming_values(), phi);
    if (found != deciders_.end() && (undefined || !equal))
      for (const BasicBlock *decider : found->second)
        result = meet(result, branchWidth(decider));
  } else if (result == Width::thread)
    result = arithmeticWidth(instruction);
  return result;
}

void DivergenceInfo::print(raw_ostream &out) const {
  out << "meld-divergence for function: " << function_.getName() << ", wave " << gpu_.waveSize()
      << "\n";
  for (const Argument &argument : function_.args())
    out << "  " << name(width(&argument)) << ": " << argument << "\n";
  for (const BasicBlock &block : function_) {
    out << "  block ";
    block.printAsOperand(out, false);
    auto widest = [&](auto &&isTogether) {
      for (Width width : {Width::all, Width::workgroup, Width::wave})
        if (isTogether(width))
          return width;
      return Width::thread;
    };
    Width together = widest([&](Width width) { return isConvergent(&block, width); });
    Width stayed = widest([&](Width width) { return isConvergentExceptExits(&block, width); });
    out << " convergent " << name(together);
    if (stayed != together)
      out << ", exits aside " << name(stayed);
    out << "\n";
    for (const Instruction &instruction : block) {
      if (isa<DbgInfoIntrinsic>(instruction))
        continue;
      if (instruction.isTerminator() && instruction.getNumSuccessors() > 1)
        out << "    branch " << name(branchWidth(&block)) << ":" << instruction << "\n";
      else if (!instruction.getType()->isVoidTy()) {
        out << "    " << name(width(&instruction));
        const Width read = firstLane_ ? firstLane_->width(&instruction) : width(&instruction);
        if (read != width(&instruction))
          out << ", first lane " << name(read);
        out << ":" << instruction << "\n";
      }
    }
  }
}

AnalysisKey DivergenceAnalysis::Key;

DivergenceAnalysis::Result DivergenceAnalysis::run(Function &function,
                                                   FunctionAnalysisManager &analyses) {
  return std::make_unique<DivergenceInfo>(function, analyses.getResult<LoopAnalysis>(function),
                                          analyses.getResult<DominatorTreeAnalysis>(function),
                                          analyses.getResult<PostDominatorTreeAnalysis>(function));
}

PreservedAnalyses DivergencePrinterPass::run(Function &function,
                                             FunctionAnalysisManager &analyses) {
  analyses.getResult<DivergenceAnalysis>(function)->print(out_);
  return PreservedAnalyses::all();
}

} // namespace meld::passes
