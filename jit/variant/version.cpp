// A version of one kernel: a code object of its own, beside the original's and bound to its
// variables.
//
//   the object's module -> cut down to the kernel (isolate.h)
//                       -> floating point surveyed as for a replacement (fp_survey.cpp)
//                       -> optimised with the recipe's options (recipes.h)
//                       -> variables bound (bind.h) -> comgr code, link -> relocations checked
//                          (relocations.h)
//
// The proof that settled floating point is the original's is made with the variables unbound: code
// that takes an address from the global offset table is not the original's code, whatever it
// computes. Behind the optimiser nothing but that is different, and the two compiles are the same
// until then (checkSettled).
//
// A refusal is a verdict ("unchanged", with its reason), no failure.
#include "jit/compilation.h"
#include "jit/error.h"
#include "jit/variant/bind.h"
#include "jit/variant/isolate.h"

using namespace llvm;

namespace meld::jit {

Error Compilation::selectVersion() {
  recipe_ = findRecipe(request_.recipe);
  if (!recipe_)
    return inputError("there is no recipe " + request_.recipe);
  facts_ = parseFacts(request_.facts);
  if (!facts_)
    return inputError("facts that are none: " + request_.facts);
  if (facts_->empty() == recipe_->specialized)
    return inputError("the recipe " + request_.recipe +
                      (recipe_->specialized ? " needs facts" : " takes no facts"));
  erase_if(kernels_, [&](const Kernel &kernel) { return kernel.name != request_.kernel; });
  if (kernels_.empty())
    return inputError("the code object has no kernel " + request_.kernel);
  return Error::success();
}

bool Compilation::refuse(std::string why) {
  if (why.empty())
    return true;
  refused_ = "no version: " + why;
  return false;
}

bool Compilation::isolateVersion(Module &module) {
  return refuse(isolateKernel(module, request_.kernel));
}

bool Compilation::specialized() {
  if (!specialization_ || !specialization_->kept.empty())
    return true;
  return refuse(specialization_->why.empty() ? "the kernel cannot be specialised"
                                             : specialization_->why);
}

bool Compilation::bindVersion(Module &module) {
  return refuse(bindVariables(module, request_.kernel, object_.symbols));
}

// A recipe whose own pass has found nothing would give another recipe's version once more.
bool Compilation::needsMet(const passes::DecisionLog &decisions) {
  if (!recipe_ || changesNothing_ || recipe_->needs.empty() ||
      any_of(decisions.entries(), [&](const passes::Decision &decision) {
        return decision.melded && decision.pass == recipe_->needs;
      }))
    return true;
  return refuse("nothing to do for " + std::string(recipe_->needs));
}

// Nothing is melded, so nothing is looked for. What its floating point rounds to is what the compiler
// makes of the marked code: close to the original, and not proven to be the same.
Error Compilation::markedVersion(Disassembler &disassembler) {
  settling_ = newSettling({});
  auto made = compileOnce();
  if (!made)
    return made.takeError();
  if (!*made)
    return unchanged("no version");
  if (auto e = judgeKernels(disassembler))
    return e;
  dumpAfter(disassembler);
  for (const Kernel &kernel : madeKernels_)
    if (kernel.name == request_.kernel)
      marks_->runs = markedRuns(disassembler.decode(kernel));
  return replaced("made as " + request_.recipe);
}

Error Compilation::versionMade(const Disassembler &disassembler) {
  for (const Kernel &kernel : madeKernels_)
    if (!mayDiffer(disassembler, kernel))
      return unchanged("no version: its floating point may have come out in another way");
  return replaced("made as " + request_.recipe);
}

Expected<passes::MeldOptions> Compilation::passOptions() const {
  passes::MeldOptions meld = request_.meld;
  if (recipe_) {
    auto own =
        passes::MeldOptions::parse(StringRef(recipe_->options.data(), recipe_->options.size()));
    if (!own)
      return own.takeError();
    meld.passes = own->passes;
    meld.minProfit = own->minProfit;
    meld.force = own->force;
    meld.flattenSteps = own->flattenSteps;
    meld.flattenLanes = own->flattenLanes;
  }
  meld.kernelInclude.clear(); // they choose kernels, and what these call comes along: leaveAlone
  meld.kernelExclude.clear();
  meld.recordSides = true;
  meld.pressure = false; // the verdict on the machine code counts waves
  return meld;
}

} // namespace meld::jit
