#include "passes/analysis/call_sites.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

using namespace llvm;

static constexpr unsigned mostCalls = 32, mostValues = 128;

namespace {

class LookBack {
public:
  Width of(const Value &value) {
    if (isa<Constant>(value))
      return Width::all;
    auto found = known_.find(&value);
    if (found != known_.end())
      return found->second;
    if (known_.size() >= mostValues)
      return Width::thread;
    known_[&value] = Width::thread; // what a cycle finds
    const Width width = compute(value);
    known_[&value] = width;
    return width;
  }

private:
  Width compute(const Value &value) {
    if (auto *argument = dyn_cast<Argument>(&value))
      return ofArgument(*argument);
    auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction)
      return Width::thread;
    Width result = Width::all;
    if (auto *call = dyn_cast<CallBase>(instruction)) {
      const CallWidth known = GpuInfo(*call->getFunction()).callWidth(*call);
      result = known.own;
      if (!known.meetsOperands)
        return result;
    } else if (!isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst,
                    FreezeInst, ExtractValueInst, InsertValueInst, ExtractElementInst,
                    InsertElementInst, ShuffleVectorInst>(instruction) ||
               isa<AddrSpaceCastInst>(instruction)) {
      return Width::thread;
    }
    for (const Use &operand : instruction->operands()) {
      if (result == Width::thread)
        break;
      if (!isa<BasicBlock>(operand))
        result = meet(result, of(*operand));
    }
    return result;
  }

  Width ofArgument(const Argument &argument) {
    const Function &function = *argument.getParent();
    if (GpuInfo(function).isKernel())
      return Width::all;
    if (function.use_empty())
      return Width::thread;
    Width result = Width::all;
    unsigned calls = 0;
    for (const Use &use : function.uses()) {
      auto *call = dyn_cast<CallBase>(use.getUser());
      if (!call || !call->isCallee(&use) || ++calls > mostCalls ||
          call->getFunctionType() != function.getFunctionType())
        return Width::thread;
      result = meet(result, of(*call->getArgOperand(argument.getArgNo())));
      if (result == Width::thread)
        return result;
    }
    return result;
  }

  DenseMap<const Value *, Width> known_;
};

} // namespace

std::vector<Width> argumentsAtCalls(const Function &function) {
  if (function.use_empty() || GpuInfo(function).isKernel())
    return {};
  std::vector<Width> widths;
  for (const Argument &argument : function.args()) {
    LookBack look; // bounded for each argument, so that their order does not matter
    widths.push_back(look.of(argument));
    if (widths.back() == Width::thread && argument.hasInRegAttr())
      widths.back() = Width::wave;
  }
  return widths;
}

} // namespace meld::passes
