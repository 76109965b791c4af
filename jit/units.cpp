#include "jit/units.h"

#include "jit/comgr.h"
#include "jit/device_libs.h"
#include "jit/error.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace meld::jit {

namespace {

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

} // namespace

ContextErrors::ContextErrors(LLVMContext &context)
    : context_(context), old_(context.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<CollectErrors>(&first_), /*RespectFilters=*/false);
}

ContextErrors::~ContextErrors() { context_.setDiagnosticHandler(std::move(old_)); }

Error ContextErrors::take(const char *what) {
  return first_.empty() ? Error::success() : compilerError(Twine(what) + ": " + first_);
}

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

} // namespace meld::jit
