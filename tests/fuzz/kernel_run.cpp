#include "tests/fuzz/kernel_run.h"
#include "jit/comgr.h"
#include "jit/optimizer.h"
#include "passes/compat.h"
#include "runtime/softgpu/isa/decoder.h"
#include "tests/fuzz/kernel_inputs.h"
#include "tests/fuzz/kernel_ir.h"

#include <cstring>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

namespace meld::fuzz {

namespace {

/// The features are those that ROCm's own code objects are made with.
struct {
  std::string_view cpu, features;
} constexpr kTargets[] = {
    {"gfx90a", ":sramecc+:xnack-"},
    {"gfx900", ":xnack-"},
    {"gfx942", ":sramecc+:xnack-"}, // LLVM 17 and later
    {"gfx950", ":sramecc+:xnack-"}, // LLVM 20 and later
    {"gfx1030", ""},
    {"gfx1030-wave64", ""},
    {"gfx1100", ""},
    {"gfx1100-wave64", ""},
    {"gfx1201", ""}, // LLVM 18 and later
    {"gfx1201-wave64", ""},
};

bool llvmKnows(const std::string &cpu) {
  jit::initializeTargets();
  std::string problem;
  const Triple triple("amdgcn-amd-amdhsa");
  const Target *target = TargetRegistry::lookupTarget(triple.str(), problem);
  if (!target)
    return false;
  const std::unique_ptr<MCSubtargetInfo> any(target->createMCSubtargetInfo(triple.str(), "", ""));
  return any && any->isCPUStringValid(cpu);
}

} // namespace

std::string FuzzTarget::isa() const {
  for (const auto &[name, features] : kTargets)
    if (name == cpu)
      return ("amdgcn-amd-amdhsa--" + processor() + features).str();
  report_fatal_error(Twine("no target of the fuzzers: ") + cpu);
}

std::string FuzzTarget::processor() const { return processorOf(cpu); }

softgpu::isa::Target FuzzTarget::executor() const {
  return *softgpu::isa::targetFromName(processor());
}

std::string checkCpu(const std::string &cpu) {
  std::string names;
  for (const auto &target : kTargets) {
    if (target.cpu == cpu)
      return llvmKnows(processorOf(cpu)) ? ""
                                         : "LLVM " + std::to_string(LLVM_VERSION_MAJOR) +
                                               " does not know " + cpu + "; build with a newer one";
    names += (names.empty() ? "" : ", ") + std::string(target.cpu);
  }
  return cpu + " is none of " + names;
}

jit::CompileOptions FuzzTarget::options(char level) const {
  jit::CompileOptions o;
  o.level = level;
  o.unrollLoops = o.vectorizeLoops = o.vectorizeSlp = level == '3';
  o.cpu = processor();
  if (const std::string features = waveFeatures(cpu); !features.empty())
    o.features = {features};
  o.mllvm = {"-amdgpu-early-inline-all=true", "-amdgpu-function-calls=false"};
  return o;
}

void initializeCompiler() {
  jit::initializeTargets();
  LLVMInitializeAMDGPUAsmPrinter(); // the product leaves code generation to comgr
  LLVMInitializeAMDGPUAsmParser();  // inline assembly
}

std::unique_ptr<softgpu::Gpu> makeGpu(const FuzzTarget &target, const std::string &translate) {
  softgpu::DeviceConfig config;
  config.target = target.executor();
  config.hostThreads = 1;
  config.translate = translate;
  std::string problem;
  auto gpu = softgpu::Gpu::create(config, nullptr, &problem);
  if (!gpu)
    errs() << problem << "\n";
  return gpu;
}

Expected<std::unique_ptr<MemoryBuffer>> generateCode(Module &module, const FuzzTarget &target,
                                                     char level, bool simple) {
  auto machine = jit::createTargetMachine(target.options(level), target.processor());
  if (!machine)
    return machine.takeError();
  if (simple)
    (*machine)->setOptLevel(passes::compat::CodeGenLevel::None);
  SmallString<0> object;
  {
    const char *none = "fuzz"; // process state, set again by jit::optimize
    cl::ResetAllOptionOccurrences();
    cl::ParseCommandLineOptions(1, &none);
    raw_svector_ostream out(object);
    legacy::PassManager pm;
    if ((*machine)->addPassesToEmitFile(pm, out, nullptr, passes::compat::objectFile))
      return createStringError(inconvertibleErrorCode(), "the target cannot emit objects");
    pm.run(module);
  }
  auto comgr = jit::Comgr::get();
  if (!comgr)
    return comgr.takeError();
  // A comgr may know fewer processors than its LLVM (ROCm 5.2's lacks gfx1100). What is linked says itself
  // what it is for, so that the name of another will do.
  const bool unknown = errorToBool((*comgr)->knows(target.isa()));
  return (*comgr)->link({MemoryBufferRef(object.str(), "fuzz.o")},
                        unknown ? "amdgcn-amd-amdhsa--gfx1030" : target.isa());
}

std::string irText(const Module &module) {
  std::string text;
  raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

Expected<Memory> execute(softgpu::Gpu &gpu, const KernelAst &ast, StringRef codeObject,
                         uint64_t *extra) {
  const size_t outBytes = size_t{4} * wordsPerThread * ast.blocks * ast.blockSize;
  const size_t accBytes = size_t{4} * accWords;
  DeviceMemory in(4 * KernelAst::inputWords), out(outBytes), acc(accBytes + 8);
  const KernelInputs inputs = inputsOf(ast.seed);
  std::memcpy(in.data(), inputs.in.data(), 4 * inputs.in.size());
  std::memcpy(acc.data(), inputs.acc.data(), accBytes);
  std::memset(out.data(), 0xa5, outBytes);

  Launch l;
  l.kernel = "fuzz";
  l.blocks = ast.blocks;
  l.blockSize = ast.blockSize;
  l.arguments.resize(28);
  const uint64_t pointers[3] = {in.address(), out.address(), acc.address()};
  const uint32_t n = argumentN;
  std::memcpy(l.arguments.data(), pointers, 24);
  std::memcpy(l.arguments.data() + 24, &n, 4);
  auto result = launch(gpu, codeObject, l);
  if (!result)
    return result.takeError();
  if (result->code != softgpu::DispatchCode::ok)
    return createStringError(inconvertibleErrorCode(), "dispatch: " + result->message);
  if (extra)
    std::memcpy(extra, acc.data() + accBytes, 8);
  return Memory{{out.data(), out.data() + outBytes},
                {acc.data(), acc.data() + accBytes},
                result->counters.total(),
                result->counters};
}

} // namespace meld::fuzz
