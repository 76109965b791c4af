#include "jit/device_libs.h"

#include "jit/comgr.h"
#include "jit/error.h"
#include "passes/compat.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace meld::jit {

using passes::compat::startsWith;

namespace {

/// A library may use one that was linked before it; their order is comgr's.
constexpr unsigned maxRounds = 4;

bool ofLibrary(StringRef name) {
  return startsWith(name, "__ocml_") || startsWith(name, "__ockl_") || startsWith(name, "__oclc_");
}

size_t missing(const Module &module) {
  size_t count = 0;
  for (const GlobalValue &value : module.global_values())
    count += value.isDeclaration() && ofLibrary(value.getName()) && !value.use_empty();
  return count;
}

} // namespace

bool needsDeviceLibraries(const Module &module) { return missing(module) != 0; }

Error linkDeviceLibraries(Module &module, const Comgr &comgr, StringRef isaName) {
  auto libraries = comgr.deviceLibraries(isaName);
  if (!libraries)
    return libraries.takeError();
  StringSet<> before;
  for (const GlobalValue &value : module.global_values())
    if (!value.isDeclaration())
      before.insert(value.getName());

  size_t left = missing(module);
  for (unsigned round = 0; left && round < maxRounds; ++round) {
    for (const auto &library : *libraries) {
      auto lazy = getLazyBitcodeModule(library->getMemBufferRef(), module.getContext());
      if (!lazy)
        return compilerError("device libraries: " + toString(lazy.takeError()));
      if (Linker::linkModules(module, std::move(*lazy), Linker::LinkOnlyNeeded))
        return compilerError("device libraries do not link with the bitcode");
    }
    size_t now = missing(module);
    if (now == left)
      break;
    left = now;
  }
  internalizeModule(module, [&](const GlobalValue &value) {
    return value.isDeclaration() || before.contains(value.getName());
  });
  return Error::success();
}

} // namespace meld::jit
