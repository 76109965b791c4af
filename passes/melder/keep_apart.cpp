#include "passes/melder/keep_apart.h"
#include "passes/analysis/wave_state.h"
#include "passes/melder/first_lane.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include <string>

namespace meld::passes {

using namespace llvm;

static constexpr char mark[] = "meld-apart";

void keepApart(Function &function) {
  unsigned number = 0;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    // What we read ourselves is the same for any lanes, so it may come together.
    if (!call || isReading(*call) || waveOperation(*call).use == WaveUse::none)
      continue;
    call->addFnAttr(Attribute::NoMerge);
    call->addFnAttr(Attribute::get(call->getContext(), mark, std::to_string(number++)));
  }
}

} // namespace meld::passes
