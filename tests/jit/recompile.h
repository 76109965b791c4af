// A code object's bitcode through the compiler again, without melding and without any cache.
#pragma once

#include "jit/code_object.h"
#include "jit/guard.h"
#include "jit/make_code.h"
#include "jit/optimizer.h"
#include "tests/jit/test_objects.h"

#include "llvm/IR/Module.h"
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
  job.transform = [&](llvm::Module &m) -> llvm::Expected<Next> {
    // As the product does: clang takes llvm.compiler.used, which held it, out of the bitcode that it embeds.
    if (auto *namesBuild = m.getNamedGlobal("__hip_cuid_"))
      llvm::appendToCompilerUsed(m, {namesBuild});
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

} // namespace meld::jit::test
