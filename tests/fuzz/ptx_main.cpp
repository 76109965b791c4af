// meld-fuzz-ptx: random kernels for NVIDIA GPUs, and what an AMD GPU's code for them leaves.
//
//   meld-fuzz-ptx FOLDER --count 2000 [--seed 1] [--generator N]
//   nvptx-fuzz FOLDER/seeds-*.json        on a machine with an NVIDIA GPU (ptx_run.cpp)
//
// Every seed is one kernel (kernel_ast.h), compiled for AMD as it is, and for NVIDIA as it is
// (plain), with the passes as they are by default (melded), with all that is legal (forced), and
// with nested loops made one (flattened). The AMD code runs on the software GPU, on the inputs of
// the seed; its results' hash is what all the others have to leave on silicon. So a run there is
// two checks by one: of the passes, and of the executor of AMD's instructions, by machines and
// compilers that share nothing behind LLVM's IR.
//
// FOLDER/gGENERATOR-SEED.FORM.ptx, and FOLDER/seeds-gGENERATOR-FIRST.json: {"generator", "kernels":
// [{"seed", "hash", "forms": [...]}]}. A form that comes out as the plain one is left out. Kernels
// with operations across lanes are skipped (waves have 64 lanes there and 32 here), and those that
// LLVM has no PTX for.
#include "jit/compat.h"
#include "jit/options.h"
#include "passes/compat.h"
#include "passes/pipeline.h"
#include "tests/fuzz/kernel_ir.h"
#include "tests/fuzz/kernel_run.h"
#include "tests/fuzz/run_pipeline.h"

#include "jit/optimizer.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace llvm;
using namespace meld;
using namespace meld::fuzz;

extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

namespace {

constexpr char processor[] = "sm_75", triple[] = "nvptx64-nvidia-cuda";

struct NamedForm {
  const char *name, *options; ///< null: without our passes
} constexpr forms[] = {{"plain", nullptr},
                       {"melded", ""},
                       {"forced", "force"},
                       {"flattened", "passes=all,flatten-loops;flatten-steps=3"}};

std::unique_ptr<TargetMachine> machine() {
  std::string problem;
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    report_fatal_error(Twine(problem));
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      jit::compat::machineTriple(triple), processor, "+ptx75", TargetOptions(), {}, {},
      passes::compat::CodeGenLevel::Aggressive));
}

/// Empty where LLVM has no code for it: an atomic change by nothing, which it makes a load.
std::string ptxOf(const KernelAst &ast, const char *options) {
  LLVMContext context;
#if LLVM_VERSION_MAJOR < 17
  context.setOpaquePointers(true);
#endif
  const auto target = machine();
  auto module = emitKernel(ast, context, processor);
  PassBuilder builder(target.get());
  if (options)
    passes::registerMeldCallbacks(builder, cantFail(passes::MeldOptions::parse(options)), nullptr);
  runPipeline(*module, builder, "default<O3>");
  if (verifyModule(*module, &errs()))
    report_fatal_error("the passes have left IR that is none");
  for (const Function &function : *module)
    for (const Instruction &instruction : instructions(function))
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isAtomic())
        return {};
  SmallString<0> text;
  raw_svector_ostream out(text);
  legacy::PassManager backend;
  if (target->addPassesToEmitFile(backend, out, nullptr, passes::compat::assemblyFile))
    report_fatal_error("the target cannot write PTX");
  backend.run(*module);
  return std::string(text);
}

Expected<uint64_t> expectedOf(const KernelAst &ast, const FuzzTarget &target, softgpu::Gpu &gpu) {
  LLVMContext context;
#if LLVM_VERSION_MAJOR < 17
  context.setOpaquePointers(true);
#endif
  auto module = emitKernel(ast, context, target.cpu);
  if (llvm::Error e = jit::optimize(*module, target.options('3'), target.processor(),
                                    /*verify=*/true, [](PassBuilder &) {}))
    return Expected<uint64_t>(std::move(e));
  auto code = generateCode(*module, target, '3');
  if (!code)
    return code.takeError();
  auto memory = execute(gpu, ast, (*code)->getBuffer());
  if (!memory)
    return memory.takeError();
  return hashOf(memory->out.data(), memory->out.size(), memory->acc.data(), memory->acc.size());
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{
      "Random kernels as PTX in several forms, with what an AMD GPU's code leaves of them."};
  std::string folder;
  uint64_t count = 500, first = 1;
  unsigned generator = defaultGenerator;
  app.add_option("folder", folder, "Where the PTX goes")->required();
  app.add_option("--count", count, "Seeds to try")->capture_default_str();
  app.add_option("--seed", first, "First seed")->capture_default_str();
  app.add_option("--generator", generator, "Of kernels, 1 to 6; 5 makes nests of loops")
      ->check(CLI::Range(1u, newestGenerator))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  initializeCompiler();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  std::filesystem::create_directories(folder);
  const FuzzTarget target;
  const auto gpu = makeGpu(target);
  if (!gpu)
    return 1;
  nlohmann::json kernels = nlohmann::json::array();
  unsigned lanes = 0, noCode = 0, failed = 0;
  std::map<std::string, unsigned> made; // by form
  const std::string prefix = "g" + std::to_string(generator) + "-";
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const KernelAst ast = generateKernel(seed, generator);
    if (usesLanes(ast)) {
      ++lanes;
      continue;
    }
    auto hash = expectedOf(ast, target, *gpu);
    if (!hash) {
      errs() << "seed " << seed << ": " << toString(hash.takeError()) << "\n";
      ++failed;
      continue;
    }
    std::vector<std::pair<std::string, std::string>> texts;
    for (const NamedForm &form : forms)
      texts.emplace_back(form.name, ptxOf(ast, form.options));
    if (any_of(texts, [](const auto &text) { return text.second.empty(); })) {
      ++noCode;
      continue;
    }
    std::vector<std::string> different;
    for (const auto &[form, text] : texts) {
      if (!different.empty() && text == texts.front().second)
        continue;
      std::ofstream(std::filesystem::path(folder) /
                    (prefix + std::to_string(seed) + "." + form + ".ptx"))
          << text;
      ++made[form];
      different.push_back(form);
    }
    kernels.push_back({{"seed", seed}, {"hash", *hash}, {"forms", different}});
  }
  std::ofstream(std::filesystem::path(folder) /
                ("seeds-" + prefix + std::to_string(first) + ".json"))
      << nlohmann::json{{"generator", generator}, {"kernels", kernels}}.dump(1) << "\n";
  std::printf(
      "%zu kernels, %u with operations across lanes and %u without PTX are left out, %u failed\n",
      kernels.size(), lanes, noCode, failed);
  for (const NamedForm &form : forms)
    std::printf("%s %u\n", form.name, made[form.name]);
  return failed ? 1 : 0;
}
