// The columns of passes.def.
#pragma once

#include "passes/logged_pass.h"
#include "llvm/Config/llvm-config.h"
#include <type_traits>

namespace meld::passes {

/// Where in the pipeline a pass of passes.def runs by itself.
enum class Where : uint8_t {
  both,         ///< at both points
  bothThenCfm,  ///< at both; where it has changed something, cfm looks at the function again
  late,         ///< at the late point, or when its family runs by name
  lateIfMelded, ///< as `late`, where a pass before it has changed something
  behind,       ///< at the late point, behind `meld`
  named         ///< nowhere
};

/// Whether it runs unless it is left out.
enum class Chosen : uint8_t {
  on,
  asked,          ///< only where MELD_PASSES names it
  onBeforeLlvm16, ///< as `asked` from LLVM 16 on
  onBeforeLlvm18  ///< as `asked` from LLVM 18 on
};

constexpr bool runsUnasked(Chosen chosen) {
  return chosen == Chosen::on || (chosen == Chosen::onBeforeLlvm16 && LLVM_VERSION_MAJOR < 16) ||
         (chosen == Chosen::onBeforeLlvm18 && LLVM_VERSION_MAJOR < 18);
}

/// A pass of that list: with all of the three, with the options, or with nothing, as it wants them.
template <typename Pass>
Pass makePass(const MeldOptions &options, DecisionLog *log, Point point = Point::byName) {
  if constexpr (std::is_constructible_v<Pass, MeldOptions, DecisionLog *, Point>)
    return Pass(options, log, point);
  else if constexpr (std::is_constructible_v<Pass, MeldOptions>)
    return Pass(options);
  else
    return Pass();
}

} // namespace meld::passes
