#include "jit/optimizer.h"

#include "jit/cancel.h"
#include "jit/compat.h"
#include "jit/cpu_time.h"
#include "jit/error.h"
#include "passes/transform/fp_choices.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

using namespace llvm;

namespace meld::jit {

namespace {

constexpr const char *tripleName = "amdgcn-amd-amdhsa";

std::mutex &commandLineMutex() {
  static auto *m = new std::mutex;
  return *m;
}

class CommandLineScope {
public:
  CommandLineScope(const CompileOptions &options, const OptionsGate &gate)
      : lock_(commandLineMutex()), turn_(gate) {
    if (!turn_.given())
      return;
    std::vector<const char *> argv{"meld-jit"};
    for (const auto &m : options.mllvm)
      argv.push_back(m.c_str());
    cl::ResetAllOptionOccurrences();
    raw_string_ostream errors(errors_);
    ok_ = cl::ParseCommandLineOptions(int(argv.size()), argv.data(), "", &errors);
  }
  ~CommandLineScope() {
    if (turn_.given())
      cl::ResetAllOptionOccurrences();
  }
  Error error() const {
    if (!turn_.given())
      return compilerError(OptionsTurn::kRefused);
    return ok_ ? Error::success() : inputError(".llvmcmd: -mllvm: " + StringRef(errors_).trim());
  }

private:
  std::lock_guard<std::mutex> lock_;
  OptionsTurn turn_;
  std::string errors_;
  bool ok_ = false;
};

} // namespace

void resetCommandLine() {
  if (const std::unique_lock lock(commandLineMutex(), std::try_to_lock); lock)
    cl::ResetAllOptionOccurrences();
}

namespace {

// The time in our own passes, what they call included. They do not run inside each other.
class OwnPassClock {
public:
  OwnPassClock(PassInstrumentationCallbacks &callbacks, double *sum) {
    if (!sum)
      return;
    callbacks.registerBeforeNonSkippedPassCallback([this](StringRef pass, auto &&) {
      if (isOwn(pass))
        begin_ = threadMilliseconds();
    });
    callbacks.registerAfterPassCallback([this, sum](StringRef pass, auto &&...) {
      if (isOwn(pass))
        *sum += threadMilliseconds() - begin_;
    });
  }

private:
  static bool isOwn(StringRef pass) { return compat::startsWith(pass, "meld::passes::"); }
  double begin_ = 0;
};

OptimizationLevel passLevel(char c) {
  switch (c) {
  case '0':
    return OptimizationLevel::O0;
  case '1':
  case 'g':
    return OptimizationLevel::O1;
  case '2':
    return OptimizationLevel::O2;
  case 's':
    return OptimizationLevel::Os;
  case 'z':
    return OptimizationLevel::Oz;
  default:
    return OptimizationLevel::O3;
  }
}

compat::CodeGenLevel codegenLevel(char c) {
  switch (c) {
  case '0':
    return compat::CodeGenLevel::None;
  case '1':
  case 'g':
    return compat::CodeGenLevel::Less;
  case '3':
    return compat::CodeGenLevel::Aggressive;
  default:
    return compat::CodeGenLevel::Default;
  }
}

} // namespace

void initializeTargets() {
  static const bool once = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    return true;
  }();
  (void)once;
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const CompileOptions &options,
                                                             StringRef processor) {
  initializeTargets();
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(tripleName, error);
  if (!target)
    return compilerError("LLVM: " + error);
  TargetOptions to;
  if (options.fpContract == "fast")
    to.AllowFPOpFusion = FPOpFusion::Fast;
  std::string cpu = options.cpu.empty() ? processor.str() : options.cpu;
  std::unique_ptr<TargetMachine> tm(target->createTargetMachine(
      compat::machineTriple(tripleName), cpu, join(options.features, ","), to, Reloc::PIC_,
      compat::none, codegenLevel(options.level)));
  if (!tm)
    return compilerError("LLVM: no target machine for " + cpu);
  return tm;
}

Error optimize(Module &module, const CompileOptions &options, StringRef processor, bool verify,
               const std::function<void(PassBuilder &)> &extend, double *ownMs,
               const OptionsGate &gate) {
  CommandLineScope commandLine(options, gate);
  if (auto e = commandLine.error())
    return e;
  auto tm = createTargetMachine(options, processor);
  if (!tm)
    return tm.takeError();

  // As clang's EmitAssemblyHelper does it, so that the unextended pipeline gives identical code.
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = options.unrollLoops;
  tuning.LoopInterleaving = options.unrollLoops;
  tuning.LoopVectorization = options.vectorizeLoops;
  tuning.SLPVectorization = options.vectorizeSlp;
  tuning.MergeFunctions = options.mergeFunctions;
  tuning.CallGraphProfile = true;

  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  // Keeps passes away from optnone functions of the device libraries.
  PassInstrumentationCallbacks callbacks;
  compat::Instrumentation instrumentation(module.getContext(), callbacks);
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef, auto &&) { return !compilesCancelled(); });

  OwnPassClock clock(callbacks, ownMs);

  PassBuilder builder(tm->get(), tuning, compat::none, &callbacks);
  if (extend)
    extend(builder); // may bring analyses of its own, so it comes before they are registered
  TargetLibraryInfoImpl libraryInfo{compat::targetTriple(module)};
  fam.registerPass([&] { return builder.buildDefaultAAPipeline(); });
  fam.registerPass([&] { return TargetLibraryAnalysis(libraryInfo); });
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  auto level = passLevel(options.level);
  ModulePassManager passes = level == OptimizationLevel::O0
                                 ? builder.buildO0DefaultPipeline(level)
                                 : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, mam);
  if (compilesCancelled())
    return compilerError("stopped: the process ends");

  // -ffp-contract=fast is a back-end switch without an IR form, and clang takes no language options
  // for IR input. A `contract` flag on every operation allows the back end the same fusions.
  if (options.fpContract == "fast")
    for (auto &f : make_filter_range(module, [](auto &f) { return !passes::isSettled(f); }))
      for (auto &i : instructions(f))
        if (isa<FPMathOperator>(i))
          i.setHasAllowContract(true);
  for (auto &f : module)
    passes::dropSettledMark(f);

  if (verify) {
    std::string text;
    raw_string_ostream os(text);
    if (verifyModule(module, &os))
      return compilerError("the optimised IR is invalid: " + StringRef(os.str()).split('\n').first);
  }
  return Error::success();
}

} // namespace meld::jit
