#include "jit/units.h"

#include "jit/comgr.h"
#include "jit/device_libs.h"
#include "jit/error.h"
#include "passes/compat.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
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

Error fitsObject(const Module &module, const DeviceObject &object) {
  const Triple triple = passes::compat::targetTriple(module);
  if (!triple.isAMDGCN() || triple.getOS() != Triple::AMDHSA)
    return inputError(".llvmbc: for '" + triple.str() +
                      "', the code object is for amdgcn-amd-amdhsa");
  const uint64_t hundreds = passes::compat::codeObjectVersion(module);
  if (hundreds && hundreds != uint64_t(object.codeObjectVersion) * 100)
    return inputError(".llvmbc: for code-object version " + Twine(hundreds / 100) +
                      ", the code object has version " + Twine(object.codeObjectVersion));
  for (const Function &f : module) {
    const StringRef cpu = f.getFnAttribute("target-cpu").getValueAsString();
    if (!f.isDeclaration() && !cpu.empty() && cpu != object.processor)
      return inputError(".llvmbc: " + f.getName() + " is for " + cpu + ", the code object is for " +
                        object.processor);
  }
  return Error::success();
}

Expected<std::unique_ptr<Module>> readUnits(const DeviceObject &object, LLVMContext &context) {
  auto module = parseUnits(object.modules, context);
  if (!module)
    return module;
  if (auto e = fitsObject(**module, object))
    return e;
  if (!needsDeviceLibraries(**module))
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
