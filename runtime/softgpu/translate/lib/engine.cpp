#include "runtime/softgpu/translate/lib/engine.h"

#include "passes/compat.h"
#include "runtime/settings/settings.h"
#include "runtime/softgpu/translate/lib/unit.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

#include <cstdio>
#include <cstdlib>

using namespace llvm;
using namespace llvm::orc;

namespace meld::softgpu::translate {

using llvm::Error; // not meld's, which the settings bring

namespace compat = passes::compat;

namespace {

/// The JIT of the process. Never destroyed: units run until the process is gone.
class Engine {
public:
  static Expected<Engine *> get() {
    static Engine *engine = nullptr;
    if (engine)
      return engine;
    auto fresh = std::unique_ptr<Engine>(new Engine);
    if (auto e = fresh->start())
      return e;
    engine = fresh.release();
    return engine;
  }

  Expected<Compiled> compile(const UnitInst *insts, uint32_t count, isa::Target target);

private:
  Error start();

  std::unique_ptr<LLJIT> jit_;
  std::string cpu_, features_;
  unsigned lanes_ = 8;
  uint64_t units_ = 0;
};

Error Engine::start() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto machine = JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  const StringMap<bool> has = compat::hostFeatures();
  if (has.lookup("avx512f") && has.lookup("avx512bw") && has.lookup("avx512dq") &&
      has.lookup("avx512vl") && has.lookup("avx512cd"))
    lanes_ = 16;
  if (loadSettings().settings.gpuTranslateLanes == "8") {
    lanes_ = 8; // for tests: what a host without AVX-512 runs
    for (const auto &f : has)
      if (compat::startsWith(f.first(), "avx512"))
        machine->getFeatures().AddFeature(f.first(), false);
  }
  machine->getFeatures().AddFeature("prefer-256-bit", false);
  machine->setCodeGenOptLevel(compat::CodeGenLevel::Less);
  cpu_ = machine->getCPU();
  features_ = machine->getFeatures().getString();
  // Without unwind tables: nothing is thrown through a unit, and registering them looks for symbols
  // of LLVM in the process, where this library's own copy is not to be seen.
  auto jit =
      LLJITBuilder()
          .setJITTargetMachineBuilder(std::move(*machine))
          .setObjectLinkingLayerCreator(
              [](ExecutionSession &session, auto &&...) -> Expected<std::unique_ptr<ObjectLayer>> {
                return std::make_unique<ObjectLinkingLayer>(session);
              })
          .create();
  if (!jit)
    return jit.takeError();
  jit_ = std::move(*jit);
  jit_->getExecutionSession().setErrorReporter([](Error e) { consumeError(std::move(e)); });
  return Error::success();
}

Expected<Compiled> Engine::compile(const UnitInst *insts, uint32_t count, isa::Target target) {
  auto context = std::make_unique<LLVMContext>();
  auto module = std::make_unique<Module>("unit", *context);
  module->setDataLayout(jit_->getDataLayout());
  compat::setTargetTriple(*module, jit_->getTargetTriple().str());
  const std::string name = "unit" + std::to_string(units_++);
  Unit unit(*module, insts, count, target, lanes_);
  Function *fn = unit.emit(name.c_str());
  fn->addFnAttr("target-cpu", cpu_);
  fn->addFnAttr("target-features", features_);
  fn->addFnAttr("min-legal-vector-width", std::to_string(32 * lanes_));
  fn->addFnAttr("prefer-vector-width", std::to_string(32 * lanes_));
  std::string problem;
  raw_string_ostream stream(problem);
  if (verifyFunction(*fn, &stream))
    return createStringError(inconvertibleErrorCode(), "malformed code: " + problem);
  Compiled out;
  out.covered = unit.covered();
  JITDylib &dylib = jit_->getMainJITDylib();
  auto tracker = dylib.createResourceTracker();
  if (auto e = jit_->addIRModule(tracker, ThreadSafeModule(std::move(module), std::move(context))))
    return e;
  auto address = jit_->lookup(name);
  if (!address) {
    consumeError(tracker->remove());
    return address.takeError();
  }
  out.code = address->toPtr<UnitFn>();
  out.handle = new ResourceTrackerSP(std::move(tracker));
  return out;
}

bool compileEntry(const UnitInst *insts, uint32_t count, isa::Target target, Compiled &out,
                  char *message, uint32_t size) noexcept {
  auto compiled = compileUnit(insts, count, target);
  if (compiled) {
    out = *compiled;
    return true;
  }
  std::snprintf(message, size, "%s", toString(compiled.takeError()).c_str());
  return false;
}

void releaseEntry(void *handle) noexcept { releaseUnit(handle); }

} // namespace

Expected<Compiled> compileUnit(const UnitInst *insts, uint32_t count, isa::Target target) {
  auto engine = Engine::get();
  if (!engine)
    return engine.takeError();
  return (*engine)->compile(insts, count, target);
}

void releaseUnit(void *handle) {
  auto *tracker = static_cast<ResourceTrackerSP *>(handle);
  consumeError((*tracker)->remove());
  delete tracker;
}

} // namespace meld::softgpu::translate

extern "C" __attribute__((visibility("default")))
const meld::softgpu::translate::Library meldSoftgpuTranslateLibrary = {
    meld::softgpu::translate::kLibraryVersion, sizeof(meld::softgpu::Wave),
    sizeof(meld::softgpu::ExecInst), meld::softgpu::translate::compileEntry,
    meld::softgpu::translate::releaseEntry};
