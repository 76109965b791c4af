#include "passes/decisions.h"
#include "passes/compat.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

namespace meld::passes {

using namespace llvm;

std::string locationOf(const Instruction &terminator) {
  std::string text;
  raw_string_ostream out(text);
  const BasicBlock *block = terminator.getParent();
  if (block->hasName())
    out << "%" << block->getName().take_front(120);
  else
    out << "block " << std::distance(block->getParent()->begin(), Function::const_iterator(block));
  if (const DebugLoc &location = terminator.getDebugLoc())
    out << " at " << cast<DIScope>(location.getScope())->getFilename() << ":" << location.getLine();
  return out.str();
}

bool hasConvergenceTokens(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || !call->getType()->isTokenTy())
      return false;
    const Function *callee = call->getCalledFunction();
    return callee && callee->isIntrinsic() &&
           compat::startsWith(callee->getName(), "llvm.experimental.convergence.");
  });
}

static bool hasScalarArguments(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || isa<IntrinsicInst>(call))
      return false;
    for (unsigned i = 0; i < call->arg_size(); ++i)
      if (call->paramHasAttr(i, Attribute::InReg))
        return true;
    return false;
  });
}

bool worthLooking(const Function &function) {
  if (function.isDeclaration() || function.hasFnAttribute(Attribute::OptimizeNone) ||
      function.hasPersonalityFn() || hasConvergenceTokens(function) || hasScalarArguments(function))
    return false;
  for (const BasicBlock &block : function)
    if (block.hasAddressTaken() || isa<IndirectBrInst>(block.getTerminator()) ||
        isa<CallBrInst>(block.getTerminator()))
      return false;
  return true;
}

DecisionRecorder::DecisionRecorder(Function &function, FunctionAnalysisManager &analyses,
                                   DecisionLog *log, std::string pass, Point point)
    : function_(function), analyses_(analyses), log_(log), pass_(std::move(pass)), point_(point) {}

Decision DecisionRecorder::at(const Instruction &terminator) const {
  Decision decision;
  decision.kernel = function_.getName().str();
  decision.pass = pass_;
  decision.point = point_;
  decision.location = locationOf(terminator);
  return decision;
}

void DecisionRecorder::record(Decision decision, DebugLoc where) {
  decision.kernel = function_.getName().str();
  decision.point = point_;
  if (decision.pass.empty())
    decision.pass = pass_;
  if (!where)
    where = function_.getEntryBlock().getTerminator()->getDebugLoc();
  auto &remarks = analyses_.getResult<OptimizationRemarkEmitterAnalysis>(function_);
  BasicBlock *region = &function_.getEntryBlock();
  if (decision.melded)
    remarks.emit([&] {
      return OptimizationRemark("meld", "Melded", DiagnosticLocation(where), region)
             << ore::NV("Pass", decision.pass) << " melded " << ore::NV("Place", decision.location)
             << " (" << ore::NV("Case", decision.reason)
             << "): " << ore::NV("Alignment", decision.alignment);
    });
  else
    remarks.emit([&] {
      return OptimizationRemarkMissed("meld", "NotMelded", DiagnosticLocation(where), region)
             << ore::NV("Pass", decision.pass) << " left " << ore::NV("Place", decision.location)
             << ": " << ore::NV("Reason", decision.reason);
    });
  if (log_)
    log_->add(std::move(decision));
}

} // namespace meld::passes
