// What is made is handed on only where LLVM is not known to have got it wrong
// (passes/cost/estimate.h, mayBeWrong): whether code pays may be for a measurement to say, or for
// nobody; whether it is right is not.
//
// Each kernel is held against the original's, and so is what kernels call, by name. What has no
// namesake there, since it was inlined, cloned or stripped, is held against nothing. Linear in the
// code.
#include "jit/compilation.h"

#include "jit/machine_code.h"
#include "jit/same_code.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace meld::jit {

namespace {

/// Of the functions that kernels call.
Expected<std::string> doubtedFunction(MemoryBufferRef before, MemoryBufferRef after,
                                      StringRef processor) {
  auto made = readFunctions(after);
  if (!made)
    return made.takeError();
  if (made->empty())
    return std::string();
  auto originals = readFunctions(before);
  if (!originals)
    return originals.takeError();
  auto disassembler = Disassembler::create(processor);
  if (!disassembler)
    return disassembler.takeError();
  const auto estimateOf = [&](const Kernel &function) {
    return estimate(disassembler->decode(function), function.resources, processor);
  };
  StringMap<const Kernel *> named;
  for (const Kernel &original : *originals)
    named.try_emplace(original.name, &original);
  for (const Kernel &function : *made) {
    const Kernel *original = named.lookup(function.name);
    if (original && isSameCode(*disassembler, *original, function))
      continue;
    std::string why =
        passes::mayBeWrong(original ? estimateOf(*original) : Estimate(), estimateOf(function));
    if (!why.empty())
      return function.name + ": " + why;
  }
  return std::string();
}

} // namespace

Expected<std::string> Compilation::doubted() const {
  for (const auto &after : madeKernels_) {
    const KernelState &s = states_.at(after.name);
    if (!s.changed)
      continue;
    std::string why = passes::mayBeWrong(s.estimateBefore, s.estimateAfter);
    if (!why.empty())
      return after.name + ": " + why;
  }
  return doubtedFunction(original(), made_->bytes->getMemBufferRef(), object_.processor);
}

} // namespace meld::jit
