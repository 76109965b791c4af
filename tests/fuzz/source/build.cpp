#include "tests/fuzz/source/build.h"
#include "jit/optimizer.h"
#include "passes/compat.h"
#include "passes/melder/meld_choice.h"
#include "passes/pipeline.h"
#include "tests/fuzz/kernel_ir.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace meld::fuzz::source {

ArrayRef<Mode> modes() {
  static const Mode list[] = {
      {"default", 0, ""},
      {"forced", -1e6, ""},
      {"all", -1e6, "all,converged-loops,dynamic-convergence"},
  };
  return list;
}

static Mode bySeed(const char *name, const std::string &pass, uint64_t seed) {
  static constexpr unsigned lanes[] = {0, 0, 8, 16, 32};
  const uint64_t mixed = ((seed - 1) / 50 + 1) * 0x9e3779b97f4a7c15ull;
  return {name, -1e6, mixed >> 63 ? "all," + pass : pass, 1 + unsigned((mixed >> 32) % 16),
          lanes[(mixed >> 48) % 5]};
}

Mode flattened(uint64_t seed) { return bySeed("flattened", "flatten-loops", seed); }

Mode delayed(uint64_t seed) { return bySeed("delayed", "delay-iterations,flatten-loops", seed); }

std::string Program::text() const {
  std::string text = prelude();
  for (const SourceKernel &kernel : kernels)
    text += "\n// " + kernel.name + ": " + kernel.shape.text() + "; " + kernel.features.names() +
            "\n" + render(kernel.program);
  return text;
}

#if LLVM_VERSION_MAJOR >= 17
using Redirect = std::optional<StringRef>;
#else
using Redirect = Optional<StringRef>;
#endif

static llvm::Error failed(const Twine &what) {
  return createStringError(inconvertibleErrorCode(), what);
}

Expected<std::string> frontEnd(const std::string &text, const std::string &cpu,
                               const std::string &folder) {
  const std::string stem = folder + "/" + cpu, source = stem + ".hip", bitcode = stem + ".bc",
                    log = stem + ".log";
  std::error_code error;
  {
    raw_fd_ostream file(source, error);
    if (error)
      return failed(source + ": " + error.message());
    file << text;
  }
  const std::string architecture = "--offload-arch=" + processorOf(cpu);
  SmallVector<StringRef, 24> arguments = {MELD_HIPCC,
                                          architecture,
                                          "-O3",
                                          "-std=c++17",
                                          "-w",
                                          "-Wno-c++11-narrowing",
                                          "--cuda-device-only",
                                          "--no-gpu-bundle-output",
                                          "-emit-llvm",
                                          "-Xclang",
                                          "-disable-llvm-passes",
                                          "-c",
                                          source,
                                          "-o",
                                          bitcode};
  if (!waveFeatures(cpu).empty()) // waves of 64, which HIP's header refuses on RDNA
    arguments.append(
        {"-mwavefrontsize64", "-U__gfx1030__", "-U__gfx1100__", "-U__gfx1201__", "-D__GFX8__"});
  const Redirect redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  std::string why;
  if (const int code = sys::ExecuteAndWait(MELD_HIPCC, arguments, passes::compat::none, redirects,
                                           300, 0, &why)) {
    auto lines = MemoryBuffer::getFile(log);
    return failed("clang: exit " + Twine(code) + " " + why + "\n" +
                  (lines ? (*lines)->getBuffer().take_front(2000) : StringRef()));
  }
  return bitcode;
}

Expected<std::unique_ptr<Unit>> Unit::parse(const std::string &bitcodeFile,
                                            const FuzzTarget &target) {
  std::unique_ptr<Unit> unit(new Unit(target));
  unit->context_ = std::make_unique<LLVMContext>();
#if LLVM_VERSION_MAJOR < 17
  unit->context_->setOpaquePointers(true);
#endif
  SMDiagnostic diagnostic;
  unit->module_ = parseIRFile(bitcodeFile, diagnostic, *unit->context_);
  if (!unit->module_)
    return failed(bitcodeFile + ": " + diagnostic.getMessage());
  return unit;
}

static bool isKernel(const Function &f) {
  return f.getCallingConv() == CallingConv::AMDGPU_KERNEL && !f.isDeclaration();
}

Unit::Kernels Unit::kernels() const {
  Kernels names;
  for (const Function &f : *module_)
    if (isKernel(f))
      names.insert(f.getName().str());
  return names;
}

/// Leaves these kernels and what they need.
static void keepOnly(Module &module, const Unit::Kernels &only) {
  for (Function &f : module)
    if (isKernel(f) && !only.count(f.getName().str()))
      f.deleteBody();
  ModuleAnalysisManager analyses;
  PassBuilder builder;
  builder.registerModuleAnalyses(analyses);
  GlobalDCEPass().run(module, analyses);
}

Unit::Object Unit::plain(char level, const Kernels &only) const {
  auto module = CloneModule(*module_);
  keepOnly(*module, only);
  if (llvm::Error e =
          jit::optimize(*module, target_.options(level), target_.processor(), false, {}))
    return Object(std::move(e));
  return generateCode(*module, target_, level, level == '0');
}

/// Whether `kernel` can reach one of `changed`, by calls or through tables of functions.
static bool reaches(const Function &kernel, const std::set<std::string> &changed) {
  SmallPtrSet<const Value *, 32> seen;
  SmallVector<const Value *, 32> work{&kernel};
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (const auto *f = dyn_cast<Function>(value)) {
      if (changed.count(f->getName().str()))
        return true;
      for (const Instruction &i : instructions(*f))
        for (const Value *operand : i.operands())
          if (isa<Constant>(operand))
            work.push_back(operand);
    } else if (const auto *constant = dyn_cast<Constant>(value)) {
      for (const Value *operand : constant->operands())
        work.push_back(operand);
    }
  }
  return false;
}

Unit::Object Unit::melded(const Mode &mode, Changes &changes, std::string *ir,
                          unsigned meldings) const {
  auto module = CloneModule(*module_);
  passes::MeldOptions options;
  options.minProfit = mode.minProfit;
  options.passes = mode.passes;
  options.flattenSteps = mode.flattenSteps, options.flattenLanes = mode.flattenLanes;
  if (meldings != ~0u) {
    passes::MeldChoice::ByFunction limits;
    for (const Function &f : *module)
      if (!f.isDeclaration())
        limits[f.getName().str()] = {{}, meldings};
    options.choice = std::make_shared<passes::MeldChoice>(limits);
  }
  passes::DecisionLog log;
  if (llvm::Error e =
          jit::optimize(*module, target_.options('3'), target_.processor(), true,
                        [&](PassBuilder &pb) { passes::registerMeldCallbacks(pb, options, &log); }))
    return Object(std::move(e));
  std::set<std::string> functions;
  for (const passes::Decision &d : log.entries())
    if (d.melded) {
      functions.insert(d.kernel);
      changes.meldings.emplace_back(d.kernel, d.pass);
    }
  for (const Function &f : *module)
    if (isKernel(f) && reaches(f, functions))
      changes.kernels.insert(f.getName().str());
  if (changes.kernels.empty())
    return std::unique_ptr<MemoryBuffer>();
  keepOnly(*module, changes.kernels);
  if (ir)
    *ir = irText(*module);
  return generateCode(*module, target_, '3');
}

} // namespace meld::fuzz::source
