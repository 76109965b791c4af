#include "passes/analysis/call_summary.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/per_callee.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr unsigned maxArguments = 16;

class SummariesByDivergence : public CallSummaries {
public:
  explicit SummariesByDivergence(GpuInfo machine) : machine_(std::move(machine)) {}
  const CallSummary *find(const Function &callee) override;

private:
  CallSummary summarise(Function &callee);

  GpuInfo machine_;
  unsigned depth_ = 0;
  DenseMap<const Function *, std::unique_ptr<CallSummary>> known_;
};

const CallSummary *SummariesByDivergence::find(const Function &callee) {
  if (callee.isDeclaration() || !callee.hasExactDefinition())
    return nullptr;
  auto found = known_.find(&callee);
  if (found != known_.end())
    return found->second.get();
  // What a cycle of calls finds while we are at work: nothing is known.
  auto unknown = std::make_unique<CallSummary>();
  unknown->hangsOn.resize(unsigned(callee.arg_size()), true);
  known_[&callee] = std::move(unknown);
  if (depth_ == maxChainOfCalls || callee.getInstructionCount() > maxInstructionsOfCallee)
    return known_[&callee].get();
  ++depth_;
  CallSummary summary = summarise(const_cast<Function &>(callee)); // LLVM's trees take no const
  --depth_;
  *known_[&callee] = std::move(summary);
  return known_[&callee].get();
}

CallSummary SummariesByDivergence::summarise(Function &callee) {
  CallSummary summary;
  const unsigned count = unsigned(callee.arg_size());
  summary.hangsOn.resize(count, true);
  summary.mayReadMemory = summary.mayWriteMemory = summary.mayNotReturn = false;
  for (const Instruction &instruction : instructions(callee)) {
    summary.mayNotReturn |= isa<UnreachableInst>(instruction);
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *target = call ? call->getCalledFunction() : nullptr;
    const CallSummary *inner = target && !target->isIntrinsic() ? find(*target) : nullptr;
    if (inner) {
      summary.mayReadMemory |= inner->mayReadMemory;
      summary.mayWriteMemory |= inner->mayWriteMemory;
      summary.mayNotReturn |= inner->mayNotReturn;
      continue;
    }
    summary.mayReadMemory |= instruction.mayReadFromMemory();
    summary.mayWriteMemory |= instruction.mayWriteToMemory();
    if (call && !instruction.willReturn())
      summary.mayNotReturn = true;
  }

  DominatorTree dominators(callee);
  PostDominatorTree postDominators(callee);
  LoopInfo loops(dominators);
  DivergenceOptions options;
  options.machine = &machine_;
  options.summaries = this;
  options.arguments.assign(count, Width::all);
  options.meaning = Meaning::firstLane; // callers of both kinds ask
  DivergenceInfo divergence(callee, loops, dominators, postDominators, options);
  summary.mayNotReturn |= !loops.empty() && !callee.hasFnAttribute(Attribute::WillReturn) &&
                          !callee.hasFnAttribute(Attribute::MustProgress);
  summary.own = divergence.returnWidth();
  summary.mayDiverge = false;
  for (const BasicBlock &block : callee)
    summary.mayDiverge |= divergence.isDivergentBranch(&block);
  if (summary.own == Width::thread || count > maxArguments)
    return summary;
  for (unsigned i = 0; i < count; ++i) {
    std::vector<Width> arguments(count, Width::all);
    arguments[i] = Width::thread;
    divergence.setArguments(std::move(arguments));
    if (divergence.returnWidth() == summary.own)
      summary.hangsOn.reset(i);
  }
  return summary;
}

} // namespace

std::unique_ptr<CallSummaries> newCallSummaries(GpuInfo machine) {
  return std::make_unique<SummariesByDivergence>(std::move(machine));
}

} // namespace meld::passes
