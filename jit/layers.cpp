#include "jit/layers.h"

#include "jit/code_object.h"
#include "jit/compat.h"
#include "jit/cpu_time.h"
#include "jit/error.h"
#include "jit/guard.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::orc;

namespace meld::jit {

ComgrCompiler::ComgrCompiler(const Comgr &comgr, std::string isaName,
                             std::vector<std::string> arguments, ObjectCache *cache,
                             double &milliseconds)
    : IRCompiler(IRSymbolMapper::ManglingOptions()), comgr_(comgr), isaName_(std::move(isaName)),
      arguments_(std::move(arguments)), cache_(cache), milliseconds_(milliseconds) {}

Expected<std::unique_ptr<MemoryBuffer>> ComgrCompiler::operator()(Module &module) {
  std::unique_ptr<MemoryBuffer> object;
  auto error = catchFatal("code generation", [&]() -> Error {
    SmallString<0> bitcode;
    raw_svector_ostream os(bitcode);
    // Use-list order steers code generation; keep it, so that going through bitcode changes
    // nothing.
    WriteBitcodeToFile(module, os, /*ShouldPreserveUseListOrder=*/true);

    SHA256 hash;
    auto field = [&](StringRef s) {
      uint64_t size = s.size();
      hash.update(StringRef(reinterpret_cast<const char *>(&size), sizeof size));
      hash.update(s);
    };
    field(bitcode);
    field(isaName_);
    field(comgr_.version());
    for (const auto &a : arguments_)
      field(a);
    module.setModuleIdentifier(toHex(hash.final()));

    if (cache_)
      object = cache_->getObject(&module);
    if (object)
      return Error::success();
    const double begin = threadMilliseconds();
    auto made = comgr_.codegen(bitcode, isaName_, arguments_);
    milliseconds_ += threadMilliseconds() - begin;
    if (!made)
      return made.takeError();
    object = std::move(*made);
    if (cache_)
      cache_->notifyObjectCompiled(&module, object->getMemBufferRef());
    return Error::success();
  });
  if (error)
    return error;
  return object;
}

CodeObjectLayer::CodeObjectLayer(ExecutionSession &session, const Comgr &comgr, std::string isaName,
                                 Finished finished)
    : ObjectLayer(session), comgr_(comgr), isaName_(std::move(isaName)),
      finished_(std::move(finished)) {}

Error CodeObjectLayer::linkAndResolve(MaterializationResponsibility &responsibility,
                                      MemoryBuffer &relocatable) {
  std::unique_ptr<MemoryBuffer> codeObject;
  if (auto e = catchFatal("link", [&]() -> Error {
        auto linked = comgr_.link(relocatable.getMemBufferRef(), isaName_);
        if (!linked)
          return linked.takeError();
        codeObject = std::move(*linked);
        return Error::success();
      }))
    return e;

  auto kernels = readKernels(codeObject->getMemBufferRef());
  if (!kernels)
    return kernels.takeError();
  StringMap<uint64_t> addresses;
  for (const auto &k : *kernels)
    addresses[k.name] = k.descriptor;
  SymbolMap resolved;
  for (const auto &[name, flags] : responsibility.getSymbols()) {
    auto it = addresses.find(*name);
    if (it == addresses.end())
      return compilerError("the new code object lacks kernel " + *name);
    resolved[name] = compat::symbolAt(it->second, flags);
  }
  finished_(std::move(codeObject)); // before waking anyone who waits for a symbol
  if (auto e = responsibility.notifyResolved(resolved))
    return e;
  return compat::notifyEmitted(responsibility);
}

void CodeObjectLayer::emit(std::unique_ptr<MaterializationResponsibility> responsibility,
                           std::unique_ptr<MemoryBuffer> relocatable) {
  if (auto e = linkAndResolve(*responsibility, *relocatable)) {
    getExecutionSession().reportError(std::move(e));
    responsibility->failMaterialization();
  }
}

CodeObjectUnit::CodeObjectUnit(Interface symbols, std::string name, IRLayer &layer, Parse parse)
    : MaterializationUnit(std::move(symbols)), name_(std::move(name)), layer_(layer),
      parse_(std::move(parse)) {}

void CodeObjectUnit::materialize(std::unique_ptr<MaterializationResponsibility> responsibility) {
  auto module = parse_();
  if (!module) {
    layer_.getExecutionSession().reportError(module.takeError());
    responsibility->failMaterialization();
    return;
  }
  layer_.emit(std::move(responsibility), std::move(*module));
}

} // namespace meld::jit
