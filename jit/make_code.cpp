#include "jit/make_code.h"

#include "jit/comgr.h"
#include "jit/cpu_time.h"
#include "jit/error.h"
#include "jit/guard.h"
#include "jit/relocatable_cache.h"
#include "jit/units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace meld::jit {

namespace {

/// What `make` makes, or the fatal error of LLVM's on the way to it.
template <class T, class Make> Expected<T> guarded(const char *stage, Make make) {
  T value{};
  if (auto e = catchFatal(stage, [&]() -> Error {
        Expected<T> made = make();
        if (!made)
          return made.takeError();
        value = std::move(*made);
        return Error::success();
      }))
    return e;
  return value;
}

Expected<Next> optimise(const CompileJob &job, Module &module) {
  if (job.optimizer == Optimizer::comgr)
    return Next::generate;
  ContextErrors diagnostics(module.getContext());
  auto next = guarded<Next>("optimisation", [&] { return job.transform(module); });
  if (!next || *next == Next::stop)
    return next;
  if (auto e = diagnostics.take("optimisation"))
    return e;
  return next;
}

/// Of the bitcode and of everything else that determines the relocatable.
std::string cacheKey(StringRef bitcode, StringRef isaName, StringRef comgrVersion,
                     ArrayRef<std::string> arguments) {
  SHA256 hash;
  auto field = [&](StringRef s) {
    uint64_t size = s.size();
    hash.update(StringRef(reinterpret_cast<const char *>(&size), sizeof size));
    hash.update(s);
  };
  field(bitcode);
  field(isaName);
  field(comgrVersion);
  for (const auto &a : arguments)
    field(a);
  return toHex(hash.final());
}

/// IR to relocatable.
Expected<std::unique_ptr<MemoryBuffer>> generate(const CompileJob &job, const Comgr &comgr,
                                                 const Module &module, double &milliseconds) {
  SmallString<0> bitcode;
  raw_svector_ostream os(bitcode);
  // Use-list order steers code generation; keep it, so that going through bitcode changes nothing.
  WriteBitcodeToFile(module, os, /*ShouldPreserveUseListOrder=*/true);
  const StringRef isa = job.object->isaName;
  const auto arguments = job.options.codegenArguments(job.optimizer == Optimizer::comgr);
  std::string key;
  if (job.cache) {
    key = cacheKey(bitcode, isa, comgr.version(), arguments);
    if (auto known = job.cache->find(key))
      return known;
  }
  const double begin = threadMilliseconds();
  auto made = comgr.codegen(bitcode, job.object->isaName, arguments);
  milliseconds = threadMilliseconds() - begin;
  if (made && job.cache)
    job.cache->keep(key, (*made)->getMemBufferRef());
  return made;
}

} // namespace

Expected<std::optional<CompiledObject>> makeCode(const CompileJob &job) {
  auto comgr = Comgr::get();
  if (!comgr)
    return comgr.takeError();

  LLVMContext context;
  auto module = guarded<std::unique_ptr<Module>>("reading bitcode", [&] {
    return job.bitcode.empty() ? readUnits(*job.object, context) : parseUnits(job.bitcode, context);
  });
  if (!module)
    return module.takeError();

  auto next = optimise(job, **module);
  if (!next)
    return next.takeError();
  if (*next == Next::stop)
    return std::nullopt;

  CompiledObject result;
  using Buffer = std::unique_ptr<MemoryBuffer>;
  auto relocatable = guarded<Buffer>(
      "code generation", [&] { return generate(job, **comgr, **module, result.codegenMs); });
  if (!relocatable)
    return relocatable.takeError();
  auto linked = guarded<Buffer>("link", [&] {
    return (*comgr)->link((*relocatable)->getMemBufferRef(), job.object->isaName);
  });
  if (!linked)
    return linked.takeError();
  result.bytes = std::move(*linked);

  auto kernels = readKernels(result.bytes->getMemBufferRef());
  if (!kernels)
    return kernels.takeError();
  result.kernels = std::move(*kernels);
  for (const std::string &name : job.kernels)
    if (none_of(result.kernels, [&](const Kernel &kernel) { return kernel.name == name; }))
      return compilerError("the new code object lacks kernel " + name);
  return result;
}

} // namespace meld::jit
