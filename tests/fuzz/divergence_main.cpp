// meld-fuzz-divergence: our divergence analysis against LLVM 15's.
//
//   meld-fuzz-divergence --count 200 [--seed 1] [--wrong]     random kernels, with checks, executed
//   meld-fuzz-divergence --ir FILE...                         IR files, compared only
//
// Random kernels are looked at twice, after a light clean-up and after -O3. Every value that only
// we call uniform is checked while the kernel runs on the software GPU; one disagreement is a
// finding.
// --wrong claims a divergent value of each kernel to be uniform: the check has to notice.
#include "jit/optimizer.h"
#include "tests/fuzz/divergence_compare.h"
#include "tests/fuzz/kernel_ir.h"
#include "tests/fuzz/kernel_run.h"
#include "tests/fuzz/run_pipeline.h"

#include <CLI/CLI.hpp>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;
using namespace meld;
using namespace meld::fuzz;

namespace {

struct Tally {
  DivergenceCounts counts;
  uint64_t kernels = 0, executed = 0, laneChecks = 0, contradicted = 0, failures = 0;
};

void run(Module &module, TargetMachine &machine, StringRef pipeline) {
  PassBuilder builder(&machine);
  runPipeline(module, builder, pipeline);
}

#if LLVM_VERSION_MAJOR >= 18 // otherwise it is an error when one round is not enough
#define INSTCOMBINE "instcombine<no-verify-fixpoint>"
#else
#define INSTCOMBINE "instcombine"
#endif
constexpr const char *lightCleanup =
    "always-inline,cgscc(inline),function(sroa,early-cse<memssa>," INSTCOMBINE ",simplifycfg)";

bool isKernel(const Function &function) {
  return !function.isDeclaration() && function.getCallingConv() == CallingConv::AMDGPU_KERNEL;
}

struct Settings {
  FuzzTarget target;
  unsigned generator = defaultGenerator;
  bool wrong = false, verbose = false;
};

void runSeed(softgpu::Gpu &gpu, TargetMachine &machine, const Settings &settings, uint64_t seed,
             const char *pipeline, Tally &tally) {
  const KernelAst ast = generateKernel(seed, settings.generator);
  LLVMContext context;
#if LLVM_VERSION_MAJOR < 17
  context.setOpaquePointers(true);
#endif
  auto module = emitKernel(ast, context, settings.target.cpu);
  Function &function = *module->getFunction("fuzz");
  if (seed & 1) { // half of them say their shape: more can be proven
    auto *type = Type::getInt32Ty(context);
    auto number = [&](uint32_t n) { return ConstantAsMetadata::get(ConstantInt::get(type, n)); };
    function.setMetadata("reqd_work_group_size",
                         MDNode::get(context, {number(ast.blockSize), number(1), number(1)}));
  }
  run(*module, machine, pipeline);
  ++tally.kernels;
  DivergenceComparison comparison = compareDivergence(function, machine);
  if (settings.verbose)
    for (Instruction *instruction : comparison.worse)
      errs() << "worse, seed " << seed << ":" << *instruction << "\n";
  std::vector<UniformClaim> claims = comparison.claims;
  if (settings.wrong) {
    claims.clear();
    if (!comparison.divergent.empty())
      claims.push_back({comparison.divergent[seed % comparison.divergent.size()], false});
  }
  tally.counts += comparison.counts;
  if (claims.empty())
    return;
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  Value *counter = builder.CreateConstInBoundsGEP1_32(builder.getInt32Ty(), function.getArg(2),
                                                      KernelAst::accOps * KernelAst::accRegion);
  tally.counts.unchecked += insertChecks(function, claims, counter);
  std::string text = settings.verbose ? irText(*module) : "";
  auto fail = [&](const std::string &what) {
    ++tally.failures;
    errs() << "seed " << seed << ", " << pipeline << ": " << what << "\n";
  };
  if (verifyModule(*module, &errs()))
    return fail("the instrumented module is broken");
  auto code = generateCode(*module, settings.target, '3');
  if (!code)
    return fail(toString(code.takeError()));
  uint64_t counted = 0;
  if (auto memory = execute(gpu, ast, (*code)->getBuffer(), &counted); !memory)
    return fail(toString(memory.takeError()));
  ++tally.executed;
  tally.laneChecks += counted & 0xffffffff;
  if (counted >> 32) {
    ++tally.contradicted;
    if (!settings.wrong)
      errs() << "seed " << seed << ", " << pipeline << ": " << (counted >> 32)
             << " lanes hold another value than the first one\n"
             << text;
  }
}

int compareFiles(const std::vector<std::string> &files, TargetMachine &machine, bool verbose) {
  DivergenceCounts total;
  for (const std::string &file : files) {
    LLVMContext context;
#if LLVM_VERSION_MAJOR < 17
    context.setOpaquePointers(true);
#endif
    SMDiagnostic problem;
    auto module = parseIRFile(file, problem, context);
    if (!module) {
      problem.print("meld-fuzz-divergence", errs());
      return 2;
    }
    run(*module, machine, lightCleanup);
    for (Function &function : *module) {
      if (!isKernel(function))
        continue;
      DivergenceComparison comparison = compareDivergence(function, machine);
      const DivergenceCounts &c = comparison.counts;
      outs() << function.getName() << ": uniform " << c.bothUniform << ", divergent "
             << c.bothDivergent << ", better " << c.better << " (" << c.betterBranches
             << " branches), worse " << c.worse << "\n";
      total += c;
      if (verbose)
        for (const UniformClaim &claim : comparison.claims)
          outs() << "  better:" << *claim.at << "\n";
      for (Instruction *instruction : comparison.worse)
        outs() << "  worse:" << *instruction << "\n";
    }
  }
  outs() << "all: uniform " << total.bothUniform << ", divergent " << total.bothDivergent
         << ", strictly better " << total.better << " (" << total.betterBranches
         << " branches), worse " << total.worse << "\n";
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Our divergence analysis against LLVM's, checked on the software GPU."};
  uint64_t count = 200, seed = 1;
  Settings settings;
  std::vector<std::string> files;
  app.add_option("--count", count, "Random kernels")->capture_default_str();
  app.add_option("--seed", seed, "First seed")->capture_default_str();
  app.add_option("--cpu", settings.target.cpu,
                 "Target: gfx90a, gfx900, gfx942, gfx950, gfx1030, gfx1030-wave64, gfx1100, "
                 "gfx1100-wave64, gfx1201 or gfx1201-wave64")
      ->capture_default_str()
      ->check(checkCpu);
  app.add_option("--generator", settings.generator, "Of kernels: 1 or 2")->capture_default_str();
  app.add_flag("--wrong", settings.wrong, "Claim a divergent value uniform: has to be noticed");
  app.add_flag("--verbose", settings.verbose, "Print the values");
  app.add_option("--ir", files, "Compare these IR files and execute nothing");
  CLI11_PARSE(app, argc, argv);

  initializeCompiler();
  auto machine =
      jit::createTargetMachine(settings.target.options('3'), settings.target.processor());
  if (!machine) {
    errs() << toString(machine.takeError()) << "\n";
    return 2;
  }
  if (!files.empty())
    return compareFiles(files, **machine, settings.verbose);
  auto gpu = makeGpu(settings.target);
  if (!gpu)
    return 2;
  Tally tally;
  for (uint64_t s = seed; s < seed + count; ++s)
    for (const char *pipeline : {lightCleanup, "default<O3>"})
      runSeed(*gpu, **machine, settings, s, pipeline, tally);
  const DivergenceCounts &c = tally.counts;
  outs() << tally.kernels << " kernels: uniform " << c.bothUniform << ", divergent "
         << c.bothDivergent << ", strictly better " << c.better << " (" << c.betterBranches
         << " branches, " << c.unchecked << " of a type without check), worse " << c.worse << "\n"
         << tally.executed << " executed with checks, " << tally.laneChecks << " lane checks, "
         << tally.contradicted << " contradicted, " << tally.failures << " failed\n";
  return tally.contradicted || tally.failures || (c.better && !tally.laneChecks) ? 1 : 0;
}
