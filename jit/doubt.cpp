// What is made is handed on only where LLVM is not known to have got it wrong (passes/cost/estimate.h, mayBeWrong): whether code pays
// may be for a measurement to say, or for nobody; whether it is right is not.
//
// Each kernel is held against the original's. What kernels call has no pairs: functions are inlined, cloned and dropped. So all that an
// object has of them is held against all that the original has, where any of it has changed. Linear in the code.
#include "jit/compilation.h"

#include "jit/machine_code.h"

using namespace llvm;

namespace meld::jit {

namespace {

struct Functions {
  std::vector<Kernel> all;
  Estimate together; ///< only what mayBeWrong() asks for
};

Expected<Functions> functionsOf(MemoryBufferRef elf, StringRef processor) {
  auto all = readFunctions(elf);
  if (!all)
    return all.takeError();
  auto disassembler = Disassembler::create(processor);
  if (!disassembler)
    return disassembler.takeError();
  Functions functions{std::move(*all), {}};
  for (const Kernel &function : functions.all) {
    const Estimate one = estimate(disassembler->decode(function), function.resources, processor);
    functions.together.swapsBehindCalls += one.swapsBehindCalls;
    functions.together.lanesMoved += one.lanesMoved;
    functions.together.beforeLanesMeet += one.beforeLanesMeet;
  }
  return functions;
}

bool areSameCode(const std::vector<Kernel> &a, const std::vector<Kernel> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Kernel &one, const Kernel &other) { return one.code == other.code; });
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
  auto after = functionsOf(made_->bytes->getMemBufferRef(), object_.processor);
  if (!after)
    return after.takeError();
  if (after->all.empty())
    return std::string();
  auto before = functionsOf(original(), object_.processor);
  if (!before)
    return before.takeError();
  if (areSameCode(before->all, after->all))
    return std::string();
  std::string why = passes::mayBeWrong(before->together, after->together);
  return why.empty() ? why : "functions that kernels call: " + why;
}

} // namespace meld::jit
