// The processor that code is compiled for, for questions of its instructions and their speed.
#pragma once

#include "runtime/gpu/target.h"
#include "llvm/IR/Function.h"

namespace meld::passes {

/// "gfx90a"; of a generic target ("gfx9-4-generic") one of its processors (gfx942).
inline llvm::StringRef processorOf(llvm::StringRef target) {
  const std::string_view name = meld::processorOf({target.data(), target.size()});
  return {name.data(), name.size()};
}
inline llvm::StringRef processorOf(const llvm::Function &function) {
  return processorOf(function.getFnAttribute("target-cpu").getValueAsString());
}

} // namespace meld::passes
