// A code object's bitcode through the compiler again, without melding and without any cache.
#pragma once

#include "jit/code_object.h"
#include "jit/guard.h"
#include "jit/make_code.h"
#include "jit/optimizer.h"
#include "jit/units.h"
#include "tests/jit/test_objects.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace meld::jit::test {

inline llvm::Expected<CompiledObject> recompile(llvm::MemoryBufferRef file, bool inComgr) {
  auto object = readDeviceObject(file);
  if (!object)
    return object.takeError();
  auto options = recoverOptions(llvm::ArrayRef<std::vector<std::string>>(object->commands));
  if (!options)
    return options.takeError();
  CompileJob job;
  job.object = &*object;
  job.options = *options;
  for (auto &k : object->kernels)
    job.kernels.push_back(k.name);
  job.optimizer = inComgr ? Optimizer::comgr : Optimizer::ours;
  // As the product does: clang takes llvm.compiler.used, which held it, out of the bitcode that it embeds.
  const auto keepName = [](llvm::Module &m) {
    auto *namesBuild = m.getNamedGlobal("__hip_cuid_");
    if (namesBuild)
      llvm::appendToCompilerUsed(m, {namesBuild});
    return namesBuild != nullptr;
  };
  llvm::SmallString<0> kept;
  if (inComgr) { // where nothing is transformed
    llvm::LLVMContext context;
    auto module = parseUnits(object->modules, context);
    if (!module)
      return module.takeError();
    if (keepName(**module)) {
      llvm::raw_svector_ostream out(kept);
      llvm::WriteBitcodeToFile(**module, out);
      job.bitcode = kept;
    }
  }
  job.transform = [&](llvm::Module &m) -> llvm::Expected<Next> {
    keepName(m);
    if (auto e = optimize(m, job.options, object->processor, true, nullptr))
      return e;
    return Next::generate;
  };
  CompiledObject made;
  if (auto e = runGuarded([&]() -> llvm::Error {
        auto r = makeCode(job);
        if (!r)
          return r.takeError();
        made = std::move(r->value());
        return llvm::Error::success();
      }))
    return e;
  return made;
}

/// The object's machine code stays, its bitcode is changed.
inline std::string withOtherBitcode(const char *name,
                                    llvm::function_ref<void(llvm::Module &)> change) {
  const auto file = codeObject(name);
  auto object = llvm::cantFail(readDeviceObject(*file));
  llvm::LLVMContext context;
  auto module = llvm::cantFail(parseUnits(object.modules, context));
  change(*module);
  llvm::SmallString<0> bitcode;
  llvm::raw_svector_ostream out(bitcode);
  llvm::WriteBitcodeToFile(*module, out);
  return withSection(file->getBuffer(), ".llvmbc", bitcode);
}

/// The kernel's bitcode gets so many more stores in front: what is compiled from it is melded as
/// before, and yet worse than what is there.
inline std::string withMoreWork(const char *name, const char *kernelName, unsigned stores) {
  return withOtherBitcode(name, [&](llvm::Module &module) {
    llvm::Function &kernel = *module.getFunction(kernelName);
    llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
    for (unsigned i = 0; i < stores; ++i)
      builder.CreateStore(builder.getInt32(i), kernel.getArg(0), /*isVolatile=*/true);
  });
}

} // namespace meld::jit::test
