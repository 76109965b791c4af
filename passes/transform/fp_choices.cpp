#include "passes/transform/fp_choices.h"
#include "passes/analysis/gpu_info.h"
#include "passes/melder/function_copy.h"
#include "passes/transform/fp_settler.h"
#include "passes/transform/one_by_one.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr const char *settledMark = "meld-fp-settled";

bool isArithmetic(const Instruction &instruction) {
  return isa<FPMathOperator>(instruction) &&
         !isa<PHINode, SelectInst, FCmpInst, UnaryOperator>(instruction);
}

bool otherFlags(const FPMathOperator &op) {
  FastMathFlags flags = op.getFastMathFlags();
  flags.setAllowContract(false);
  return flags.any();
}

// The function's text, without what hangs on the rest of the module: numbers of metadata and
// attributes, and names of values, which an inlined call brings along. A value is told by where it
// first comes up.
class PlainText {
public:
  explicit PlainText(const Function &function) : values_(*function.getValueSymbolTable()) {
    raw_string_ostream os(text_);
    function.print(os);
    os.flush();
  }

  std::string take() {
    std::string plain;
    plain.reserve(text_.size());
    for (size_t i = 0; i < text_.size();) {
      const char c = text_[i];
      const bool atStart = i == 0 || text_[i - 1] == '\n';
      if (c == '!' || c == '#') {
        plain += c;
        for (++i; i < text_.size() && isDigit(text_[i]);)
          ++i;
      } else if (const size_t end = c == '%'  ? endOfName(i + 1)
                                    : atStart ? endOfName(i)
                                              : i;
                 end > i && (c == '%' || (end < text_.size() && text_[end] == ':'))) {
        const StringRef name = StringRef(text_).slice(c == '%' ? i + 1 : i, end);
        plain += c == '%' ? "%" : "";
        plain += isValue(name) ? std::to_string(numberOf(name)) : name.str();
        i = end;
      } else {
        if (c != ' ' || plain.empty() || plain.back() != ' ') // labels are padded
          plain += c;
        ++i;
      }
    }
    return plain;
  }

private:
  size_t endOfName(size_t at) const {
    if (at < text_.size() && text_[at] == '"')
      return std::min(text_.find('"', at + 1), text_.size() - 1) + 1;
    while (at < text_.size() && (isAlnum(text_[at]) || StringRef("-$._").contains(text_[at])))
      ++at;
    return at;
  }
  bool isValue(StringRef name) const { // not a type
    return (!name.empty() && isDigit(name.front())) || values_.lookup(name.trim('"'));
  }
  size_t numberOf(StringRef name) {
    return numbers_.try_emplace(name, numbers_.size()).first->second;
  }

  const ValueSymbolTable &values_;
  std::string text_;
  StringMap<size_t> numbers_;
};

uint64_t numberOf(const Function &function) { return xxHash64(PlainText(function).take()); }

} // namespace

bool isSettled(const Function &function) { return function.hasFnAttribute(settledMark); }

void dropSettledMark(Function &function) { function.removeFnAttr(settledMark); }

bool leavesFpChoices(const Function &function, bool contractAll) {
  unsigned contracting = 0;
  bool any = false;
  for (const Instruction &instruction : instructions(function)) {
    auto *op = dyn_cast<FPMathOperator>(&instruction);
    if (!op)
      continue;
    any = true;
    if (otherFlags(*op) || instruction.getMetadata(LLVMContext::MD_fpmath))
      return true;
    if (auto *call = dyn_cast<IntrinsicInst>(op);
        call && call->getIntrinsicID() == Intrinsic::fmuladd)
      return true;
    // It takes two to be contracted.
    contracting += isArithmetic(instruction) &&
                   (op->hasAllowContract() || (contractAll && !isSettled(function)));
    if (contracting > 1)
      return true;
  }
  return any && any_of(looseFpAttributes, [&](const char *name) {
           return function.getFnAttribute(name).getValueAsString() == "true";
         });
}

bool settleFpChoices(Function &function, bool contractAll) {
  const bool changed = writeOutFpChoices(function, contractAll);
  function.addFnAttr(settledMark);
  return changed;
}

std::shared_ptr<FpSettling> FpSettling::everywhere() {
  auto all = std::make_shared<FpSettling>();
  all->everywhere_ = true;
  return all;
}

std::shared_ptr<FpSettling> FpSettling::at(Points points) {
  auto some = std::make_shared<FpSettling>();
  some->points_ = std::move(points);
  return some;
}

bool FpSettling::isDue(const Function &function, Point now) const {
  if (!GpuInfo(function).isKernel() || isSettled(function))
    return false;
  if (everywhere_)
    return true;
  auto found = points_.find(function.getName().str());
  return found != points_.end() && found->second <= now;
}

void FpSettling::settled(const Function &function) {
  const uint64_t number = numberOf(function);
  std::lock_guard lock(mutex_);
  settled_[function.getName().str()] = number;
}

void FpSettling::leftOpen(const Function &function) {
  std::lock_guard lock(mutex_);
  open_.insert(function.getName().str());
}

std::map<std::string, uint64_t> FpSettling::settledFunctions() const {
  std::lock_guard lock(mutex_);
  return settled_;
}

std::set<std::string> FpSettling::openFunctions() const {
  std::lock_guard lock(mutex_);
  return open_;
}

bool FpSettling::leavesChoicesAnywhere(const Module &module) {
  std::lock_guard lock(mutex_);
  if (!anywhere_)
    anywhere_ = choicesElsewhere ||
                any_of(module, [&](const Function &f) { return leavesFpChoices(f, contractAll); });
  return *anywhere_;
}

bool FpSettling::mayChange(const Function &function) {
  if (only || leavesFpChoices(function, contractAll))
    return false;
  return GpuInfo(function).isKernel() || !goesIntoCallers(function) ||
         !leavesChoicesAnywhere(*function.getParent());
}

bool awaitsInlining(const Function &function) {
  for (const Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (const Function *callee = call->getCalledFunction();
          callee && !callee->isDeclaration() && !callee->hasFnAttribute(Attribute::NoInline))
        return true;
  return false;
}

PreservedAnalyses SettleFpPass::run(Function &function, FunctionAnalysisManager &) {
  if (function.isDeclaration())
    return PreservedAnalyses::all();
  if (!settling_)
    return settleFpChoices(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  const bool early = point_ == Point::early;
  if ((early && awaitsInlining(function)) || !leavesFpChoices(function, settling_->contractAll))
    return PreservedAnalyses::all();
  if (!settling_->isDue(function, point_)) {
    if (!early)
      settling_->leftOpen(function);
    return PreservedAnalyses::all();
  }
  settleFpChoices(function, settling_->contractAll);
  settling_->settled(function);
  if (!settling_->only) // nothing is left to prove
    dropKeptNegations(function);
  return PreservedAnalyses::none();
}

} // namespace meld::passes
