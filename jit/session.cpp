#include "jit/session.h"

#include "jit/comgr.h"
#include "jit/compat.h"
#include "jit/device_libs.h"
#include "jit/error.h"
#include "jit/guard.h"
#include "jit/layers.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::orc;

namespace meld::jit {

namespace {

// Without a handler LLVM prints diagnostics to stderr and calls exit() on an error.
struct CollectErrors : DiagnosticHandler {
  std::string *first;
  explicit CollectErrors(std::string *f) : first(f) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error && first->empty()) {
      raw_string_ostream os(*first);
      DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
    }
    return true;
  }
};

class ContextErrors {
public:
  explicit ContextErrors(LLVMContext &context)
      : context_(context), old_(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<CollectErrors>(&first_),
                                 /*RespectFilters=*/false);
  }
  ~ContextErrors() { context_.setDiagnosticHandler(std::move(old_)); }
  Error take(const char *what) {
    return first_.empty() ? Error::success() : compilerError(Twine(what) + ": " + first_);
  }

private:
  LLVMContext &context_;
  std::unique_ptr<DiagnosticHandler> old_;
  std::string first_;
};

} // namespace

Expected<std::unique_ptr<Module>> parseUnits(ArrayRef<StringRef> units, LLVMContext &context) {
  ContextErrors diagnostics(context);
  std::unique_ptr<Module> whole;
  for (size_t i = 0; i < units.size(); ++i) {
    auto unit = parseBitcodeFile(MemoryBufferRef(units[i], "unit"), context);
    if (!unit) {
      auto text = toString(unit.takeError());
      return inputError(formatv(".llvmbc: unit {0}: {1}", i, text));
    }
    if (auto e = diagnostics.take(".llvmbc"))
      return e;
    if (!whole) {
      whole = std::move(*unit);
    } else if (Linker::linkModules(*whole, std::move(*unit))) {
      if (auto e = diagnostics.take("linking bitcode"))
        return e;
      return inputError(formatv(".llvmbc: unit {0} does not link with those before it", i));
    }
  }
  if (!whole)
    return inputError(".llvmbc: no units");
  return whole;
}

Expected<std::unique_ptr<Module>> readUnits(const DeviceObject &object, LLVMContext &context) {
  auto module = parseUnits(object.modules, context);
  if (!module || !needsDeviceLibraries(**module))
    return module;
  auto comgr = Comgr::get();
  if (!comgr)
    return comgr.takeError();
  ContextErrors diagnostics(context);
  if (auto e = linkDeviceLibraries(**module, **comgr, object.isaName))
    return e;
  if (auto e = diagnostics.take("device libraries"))
    return e;
  return module;
}

Session::Session(std::unique_ptr<TaskDispatcher> dispatcher) {
  session_ = std::make_unique<ExecutionSession>(
      compat::noExecutor(std::move(dispatcher), "amdgcn-amd-amdhsa", 4096));
  compat::useDispatcher(*session_);
  session_->setErrorReporter([this](Error e) {
    std::lock_guard<std::mutex> lock(errorsMutex_);
    errors_ = joinErrors(std::move(errors_), std::move(e));
  });
}

Session::~Session() {
  cantFail(session_->endSession());
  session_->getExecutorProcessControl()
      .getDispatcher()
      .shutdown(); // waits for tasks that still unwind
  consumeError(std::move(errors_));
}

Expected<CompiledObject> Session::compile(const CompileJob &job) {
  auto comgr = Comgr::get();
  if (!comgr)
    return comgr.takeError();

  CompiledObject result;
  CodeObjectLayer linkLayer(
      *session_, **comgr, job.object->isaName,
      [&](std::unique_ptr<MemoryBuffer> bytes) { result.bytes = std::move(bytes); });
  IRCompileLayer compileLayer(
      *session_, linkLayer,
      std::make_unique<ComgrCompiler>(**comgr, job.object->isaName,
                                      job.options.codegenArguments(job.optimizeInComgr), job.cache,
                                      result.codegenMs));
  IRTransformLayer transformLayer(
      *session_, compileLayer,
      [&](ThreadSafeModule module, MaterializationResponsibility &) -> Expected<ThreadSafeModule> {
        if (job.optimizeInComgr)
          return module;
        if (auto e = module.withModuleDo([&](Module &m) {
              ContextErrors diagnostics(m.getContext());
              if (auto failed = catchFatal("optimisation", [&] { return job.transform(m); }))
                return failed;
              return diagnostics.take("optimisation");
            }))
          return e;
        return module;
      });

  std::string name = formatv("{0} #{1}", job.object->isaName, ++attempts_);
  JITDylib &dylib = session_->createBareJITDylib(name);
  SymbolFlagsMap symbols;
  for (const auto &k : job.kernels)
    symbols[session_->intern(k)] = JITSymbolFlags::Exported | JITSymbolFlags::Callable;
  SymbolLookupSet wanted;
  for (const auto &k : job.kernels)
    wanted.add(session_->intern(k));

  auto unit = std::make_unique<CodeObjectUnit>(
      MaterializationUnit::Interface(std::move(symbols), nullptr), name, transformLayer,
      [&]() -> Expected<ThreadSafeModule> {
        auto context = std::make_unique<LLVMContext>();
        std::unique_ptr<Module> module;
        if (auto e = catchFatal("reading bitcode", [&]() -> Error {
              auto parsed = job.bitcode.empty() ? readUnits(*job.object, *context)
                                                : parseUnits(job.bitcode, *context);
              if (!parsed)
                return parsed.takeError();
              module = std::move(*parsed);
              return Error::success();
            }))
          return e;
        return ThreadSafeModule(std::move(module), std::move(context));
      });
  Error failed = dylib.define(std::move(unit));
  if (!failed) {
    auto found = session_->lookup(makeJITDylibSearchOrder(&dylib), std::move(wanted));
    if (found) {
      for (const auto &[symbol, value] : *found)
        result.kernels[(*symbol).str()] = compat::addressOf(value);
    } else {
      failed = found.takeError();
    }
  }
  if (auto e = session_->removeJITDylib(dylib))
    failed = joinErrors(std::move(failed), std::move(e));

  std::lock_guard<std::mutex> lock(errorsMutex_);
  Error reported = std::move(errors_);
  errors_ = Error::success();
  if (reported) { // says why; the lookup only says that
    consumeError(std::move(failed));
    return reported;
  }
  if (failed)
    return failed;
  if (!result.bytes)
    return compilerError("no code object was made");
  return result;
}

} // namespace meld::jit
