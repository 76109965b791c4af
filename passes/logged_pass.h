// What our function passes have in common: options, a log for their decisions, and the point of the
// pipeline at which they run.
#pragma once

#include "passes/decision_log.h"
#include "passes/options.h"
#include "llvm/IR/PassManager.h"

namespace meld::passes {

template <typename Pass> class LoggedPass : public llvm::PassInfoMixin<Pass> {
public:
  /// `log` may be null and must outlive the pass.
  LoggedPass(MeldOptions options, DecisionLog *log, Point point = Point::byName)
      : options_(std::move(options)), log_(log), point_(point) {}

protected:
  MeldOptions options_;
  DecisionLog *log_;
  Point point_;
};

} // namespace meld::passes
