// The columns of passes.def.
#pragma once

#include "llvm/Config/llvm-config.h"
#include <cstdint>

namespace meld::passes {

/// Where in the pipeline a pass of passes.def runs by itself.
enum class Where : uint8_t {
  both,         ///< at both points
  bothThenCfm,  ///< at both; where it has changed something, cfm looks at the function again
  late,         ///< at the late point, or when its family runs by name
  lateIfMelded, ///< as `late`, where a pass before it has changed something
  withMelders,  ///< at both points, behind the melders of both where they have changed something
  behind,       ///< at the late point, behind `meld`
  named         ///< nowhere
};

/// Whether it runs unless it is left out.
enum class Chosen : uint8_t {
  on,
  asked,          ///< only where MELD_PASSES names it
  onBeforeLlvm16, ///< as `asked` from LLVM 16 on
  onBeforeLlvm18, ///< as `asked` from LLVM 18 on
  onBeforeLlvm19, ///< as `asked` from LLVM 19 on
  onBeforeLlvm21, ///< as `asked` from LLVM 21 on
  onLlvm17And18   ///< as `asked` with others
};

constexpr bool runsUnasked(Chosen chosen) {
  return chosen == Chosen::on || (chosen == Chosen::onBeforeLlvm16 && LLVM_VERSION_MAJOR < 16) ||
         (chosen == Chosen::onBeforeLlvm18 && LLVM_VERSION_MAJOR < 18) ||
         (chosen == Chosen::onBeforeLlvm19 && LLVM_VERSION_MAJOR < 19) ||
         (chosen == Chosen::onBeforeLlvm21 && LLVM_VERSION_MAJOR < 21) ||
         (chosen == Chosen::onLlvm17And18 &&
          (LLVM_VERSION_MAJOR == 17 || LLVM_VERSION_MAJOR == 18));
}

} // namespace meld::passes
