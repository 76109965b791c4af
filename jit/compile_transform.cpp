// One run of the pipeline of a compile: the module that it is about, our passes in the optimiser,
// what they say, and the code that comes of it.
#include "jit/compilation.h"

#include "jit/cut.h"
#include "jit/error.h"
#include "jit/optimizer.h"
#include "jit/relocatable_cache.h"
#include "jit/variant/waits.h"
#include "passes/analysis/gpu_info.h"
#include "passes/decision_json.h"
#include "passes/melder/meld_choice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace meld::jit {

namespace {

constexpr size_t cacheBytes = 32 << 20;

RelocatableCache &relocatables() {
  static auto *cache = new RelocatableCache(cacheBytes); // other threads may outlive exit handlers
  return *cache;
}

/// A pass that looks at each function once, and remembers which it has seen.
template <typename Pass> void atFirstPeephole(PassBuilder &builder, Pass pass) {
  builder.registerPeepholeEPCallback(
      [pass = std::move(pass)](FunctionPassManager &manager, OptimizationLevel) {
        manager.addPass(Pass(pass));
      });
}

} // namespace

// Kernels that are not to change, and the functions they call: those are simplified, and would be
// melded, before they are inlined. A kernel that shares such a function can still be melded after
// inlining.
Compilation::Names Compilation::leftAlone(const Module &module) const {
  Names names;
  std::set<const Constant *> seen;
  std::vector<const Constant *> work;
  auto reach = [&](const Value *value) {
    if (auto *constant = dyn_cast_or_null<Constant>(value);
        constant && seen.insert(constant).second)
      work.push_back(constant);
  };
  for (const Kernel &kernel : kernels_) {
    // The wave's size is a fact of the kernel that was compiled; the IR's is a guess where its features
    // do not say it and the processor is a new one.
    const Function *function = module.getFunction(kernel.name);
    if (function && passes::GpuInfo(*function).waveSize() != kernel.resources.waveSize)
      reach(function);
  }
  for (const auto &[name, state] : states_)
    if (state.excluded || !selected_.count(name))
      reach(module.getFunction(name));
  while (!work.empty()) {
    const Constant *constant = work.back();
    work.pop_back();
    // Held by a constant or a variable: a table of functions.
    for (const Use &operand : constant->operands())
      reach(operand);
    auto *function = dyn_cast<Function>(constant);
    if (!function || function->isDeclaration())
      continue;
    names.insert(function->getName().str());
    for (const auto &i : instructions(function))
      for (const Use &operand : i.operands())
        reach(operand);
  }
  return names;
}

// The original device link saw all units and made everything local that nobody outside can name.
// Its result says what that was.
void Compilation::linkUnits(Module &module) const {
  if (options_.deviceLink || object_.modules.size() > 1)
    internalizeModule(module, [this](const GlobalValue &value) {
      return exports_.count(value.getName().str()) != 0;
    });
}

void Compilation::keepExports(Module &module) const {
  linkUnits(module);
  // clang takes llvm.compiler.used out of the bitcode it embeds. What it held there for the host
  // alone, a variable that no kernel uses or the unit's id, would be internalised and lost.
  SmallVector<GlobalValue *, 4> unused;
  for (GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !variable.hasLocalLinkage() && variable.use_empty() &&
        exports_.count(variable.getName().str()))
      unused.push_back(&variable);
  if (!unused.empty())
    appendToCompilerUsed(module, unused);
}

// Before the optimiser, which may raise what nobody outside has been promised.
void Compilation::noteVariables(const Module &module) {
  variables_.clear();
  for (const GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && exports_.count(variable.getName().str())) {
      const auto declared = variable.getAlign();
      variables_[variable.getName().str()] =
          (declared ? *declared : module.getDataLayout().getPreferredAlign(&variable)).value();
    }
}

// An object of thousands of meldings shows its first ones.
Json Compilation::sidesOf(const passes::Decision &decision) {
  constexpr size_t mostRows = 2000;
  if (decision.sides.empty() || sideRows_ + decision.sides.size() > mostRows)
    return {};
  sideRows_ += decision.sides.size();
  return passes::sidesJson(decision);
}

// What the passes have said of the functions that the compile is about; what was said of others, in
// an earlier compile, stays.
void Compilation::note(const passes::DecisionLog &log) {
  auto isAsked = [&](const std::string &function) { return !only_ || only_->count(function); };
  erase_if(decisions_, [&](const Decided &decided) { return isAsked(decided.kernel); });
  std::erase_if(scalarized_, isAsked);
  sideRows_ = 0;
  for (const Decided &decided : decisions_)
    if (!decided.sides.is_null())
      sideRows_ += decided.sides["rows"].size();
  for (const auto &d : log.entries()) {
    if (!isAsked(d.kernel))
      continue;
    if (d.melded && passes::isScalarizer(d.pass))
      scalarized_.insert(d.kernel);
    decisions_.push_back({d.kernel, d.melded, passes::toJson(d), sidesOf(d)});
  }
}

// The kernels that came out of it as they were need no code. Where that is most of them, only the
// others are generated now, from what is kept here; all of them once, when they are wanted.
Next Compilation::looked(Module &module) {
  for (const std::string &name : choice_->changedFunctions())
    if (states_.count(name))
      touched_.insert(name);
  if (touched_.empty())
    return Next::stop;
  if (coversMost(touched_))
    return Next::generate;
  raw_string_ostream os(looked_);
  WriteBitcodeToFile(module, os, /*ShouldPreserveUseListOrder=*/true);
  return Next::stop;
}

Expected<Next> Compilation::transform(Module &module) {
  auto begin = std::chrono::steady_clock::now();
  const bool looking = survey_ == Survey::looking;
  std::function<void(PassBuilder &)> extend;
  passes::DecisionLog decisionLog;
  auto options = passOptions();
  if (!options)
    return options.takeError();
  passes::MeldOptions &meld = *options;
  if (recipe_ && !changesNothing_) {
    linkUnits(module);
    if (!isolateVersion(module))
      return Next::stop;
  }
  meld.leaveAlone =
      std::make_shared<const Names>(leftAlone(module)); // includes what the request leaves out
  passes::MeldChoice::ByFunction leftOut;
  for (const auto &[name, state] : states_)
    if (state.search)
      leftOut[name] = state.search->leftOut();
  meld.settling = settling_;
  if (recipe_ && recipe_->specialized)
    meld.specialization = specialization_ = std::make_shared<passes::Specialization>(
        passes::Specialization{request_.kernel, *facts_, {}, {}, false, false});
  meld.choice = choice_ =
      std::make_shared<passes::MeldChoice>(std::move(leftOut), meld.meldings ? meld.meldings : ~0u);
  countsUse_ = std::make_shared<CountsUse>();
  marks_ = marking() ? std::make_shared<Marks>() : nullptr;
  if (!recompileOnly() && !changesNothing_)
    extend = [&](PassBuilder &builder) {
      // Before the passes of ours: they register for the same point.
      if (marks_)
        atFirstPeephole(builder, MarkPass(marks_));
      else if (counts_)
        atFirstPeephole(builder, AttachCountsPass(counts_, countsUse_));
      passes::registerMeldCallbacks(builder, meld, &decisionLog);
    };
  if (!recipe_ || changesNothing_)
    keepExports(module);
  noteVariables(module);
  if (only_)
    settling_->choicesElsewhere = cutDown(module, *only_, settling_->contractAll);
  double passes = 0;
  auto e = optimize(module, options_, object_.processor, request_.meld.verify, extend, &passes,
                    request_.options);
  passesMs_ += passes;
  optimiseMs_ += milliseconds(begin);
  if (e)
    return e;
  if (survey_ == Survey::proving)
    return Next::generate;
  if (looking) {
    firstPassesMs_ = passes;
    noteCandidates(decisionLog);
  } else if (!recompileOnly() && !changesNothing_) {
    settledOtherwise_ = settledOtherwise();
    if (!settledOtherwise_.empty())
      return Next::stop;
  }
  note(decisionLog);
  if (!specialized())
    return Next::stop;
  if (dumps_.wants("ir") && !only_) {
    ir_.clear();
    raw_string_ostream os(ir_);
    module.print(os, nullptr);
  }
  if (marks_ && !refuse(marks_->tooMany ? "more blocks than there are marks" : ""))
    return Next::stop;
  if (!recompileOnly() && !changesNothing_ && !marks_ && decisionLog.meldedCount() == 0)
    return Next::stop; // the original is what would come out
  if (!needsMet(decisionLog))
    return Next::stop;
  if (looking && recipe_ && surveyed_)
    return Next::stop; // its floating point is to be settled first
  if (looking && !recipe_)
    return looked(module);
  if (!recipe_ || changesNothing_)
    return Next::generate;
  waits_ = mayWaitForWorkgroups(module);
  return bindVersion(module) ? Next::generate : Next::stop;
}

Compilation::Names Compilation::allKernels() const {
  Names names;
  for (const auto &k : kernels_)
    names.insert(k.name);
  return names;
}

Expected<bool> Compilation::make(CompileJob job) {
  job.object = &object_;
  job.options = options_;
  job.cache = &relocatables();
  auto begin = std::chrono::steady_clock::now();
  auto made = makeCode(job);
  compileMs_ += milliseconds(begin);
  if (!made)
    return made.takeError();
  if (!*made)
    return false;
  made_ = std::make_shared<CompiledObject>(std::move(**made));
  codegenMs_ += made_->codegenMs;
  madeKernels_ = made_->kernels;
  for (const Kernel &kernel : madeKernels_)
    if (auto it = states_.find(kernel.name); it != states_.end())
      ++it->second.generated;
  return true;
}

Expected<bool> Compilation::compileOnce() {
  ++rounds_;
  wholeRounds_ += !only_;
  refused_.clear();
  settledOtherwise_.clear();
  CompileJob job;
  for (const auto &k : kernels_)
    if (!only_ || only_->count(k.name))
      job.kernels.push_back(k.name);
  job.transform = [this](Module &m) { return transform(m); };
  return make(std::move(job));
}

Error Compilation::generate(const Names &kernels) {
  CompileJob job;
  job.bitcode = looked_;
  for (const auto &k : kernels_)
    if (kernels.count(k.name))
      job.kernels.push_back(k.name);
  job.transform = [&](Module &m) {
    if (kernels.size() < kernels_.size())
      cutDown(m, kernels, settling_->contractAll);
    return Next::generate;
  };
  auto made = make(std::move(job));
  return made ? Error::success() : made.takeError();
}

} // namespace meld::jit
