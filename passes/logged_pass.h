// What our function passes have in common: options, a log for their decisions, and the point of the
// pipeline at which they run ("early", "late", or "" when run by name).
#pragma once

#include "passes/pipeline.h"
#include "llvm/IR/PassManager.h"

namespace meld::passes {

template <typename Pass> class LoggedPass : public llvm::PassInfoMixin<Pass> {
public:
  /// `log` may be null and must outlive the pass.
  LoggedPass(MeldOptions options, DecisionLog *log, std::string point = "")
      : options_(std::move(options)), log_(log), point_(std::move(point)) {}

protected:
  MeldOptions options_;
  DecisionLog *log_;
  std::string point_;
};

} // namespace meld::passes
