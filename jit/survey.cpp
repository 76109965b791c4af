#include "jit/survey.h"

#include "jit/code_object.h"
#include "jit/comgr.h"
#include "jit/compilation.h"
#include "jit/error.h"
#include "jit/guard.h"
#include "jit/optimizer.h"
#include "jit/options.h"
#include "jit/units.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace llvm;

namespace meld::jit {

namespace {

/// Names of the kernels that the object's units define.
Expected<std::set<std::string>> kernelsIn(const DeviceObject &object) {
  const ArrayRef<StringRef> units = object.modules;
  std::set<std::string> names;
  LLVMContext context;
  ContextErrors diagnostics(context);
  for (size_t i = 0; i < units.size(); ++i) {
    auto unit = getLazyBitcodeModule(MemoryBufferRef(units[i], "unit"), context);
    if (!unit) {
      auto text = toString(unit.takeError());
      return inputError(formatv(".llvmbc: unit {0}: {1}", i, text));
    }
    if (auto e = diagnostics.take(".llvmbc"))
      return e;
    if (auto e = fitsObject(**unit, object))
      return e;
    for (const Function &f : **unit)
      if (f.getCallingConv() == CallingConv::AMDGPU_KERNEL && !f.isDeclaration())
        names.insert(f.getName().str());
  }
  return names;
}

/// What keeps a compile from all of the object's kernels.
Error whatRefusesAll(const DeviceObject &object) {
  initializeTargets(); // registers the options that recoverOptions looks up
  auto options = recoverOptions(ArrayRef<std::vector<std::string>>(object.commands));
  if (!options)
    return options.takeError();
  if (!options->cpu.empty() && options->cpu != object.processor)
    return inputError(".llvmcmd: for " + options->cpu + ", the code object is for " +
                      object.processor);
  if (!object.commands.empty() && object.commands.size() != object.modules.size())
    return inputError(".llvmcmd: " + Twine(object.commands.size()) + " lines for " +
                      Twine(object.modules.size()) + " units");
  if (options->level == '0')
    return inputError("compiled with -O0");
  auto comgr = Comgr::get();
  if (comgr)
    return (*comgr)->knows(object.isaName);
  consumeError(comgr.takeError()); // of this machine, and not of the object
  return Error::success();
}

} // namespace

Expected<std::vector<SurveyedKernel>> surveyKernels(StringRef codeObject) {
  auto object = readDeviceObject(MemoryBufferRef(codeObject, "code object"));
  if (!object)
    return object.takeError();
  std::string all;
  std::set<std::string> there;
  if (object->modules.empty()) {
    all = "no bitcode";
  } else if (auto e = whatRefusesAll(*object)) {
    all = toString(std::move(e));
  } else if (auto names = kernelsIn(*object)) {
    there = std::move(*names);
  } else {
    all = toString(names.takeError());
  }
  std::vector<SurveyedKernel> kernels;
  for (const Kernel &kernel : object->kernels)
    kernels.push_back({kernel.name, !all.empty() ? all
                                    : there.count(kernel.name)
                                        ? ""
                                        : "not in the bitcode: its translation unit was compiled "
                                          "without, or is assembly"});
  return kernels;
}

CompileReply survey(StringRef codeObject) {
  CompileReply reply;
  Json list = Json::array();
  if (Error failed = runGuarded([&]() -> Error {
        auto kernels = surveyKernels(codeObject);
        if (!kernels)
          return kernels.takeError();
        for (const SurveyedKernel &kernel : *kernels)
          list.push_back({{"name", kernel.name}, {"ir", kernel.why.empty()}, {"why", kernel.why}});
        return Error::success();
      })) {
    reply.reason = toString(std::move(failed));
    return reply;
  }
  reply.status = CompileReply::Status::unchanged;
  reply.json = dumpJson(Json{{"kernels", list}});
  return reply;
}

} // namespace meld::jit
