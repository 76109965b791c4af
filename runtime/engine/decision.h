// What is to be loaded in the place of a code object.
#pragma once

#include "runtime/cache/key.h"
#include "runtime/report/report.h"

#include <memory>

namespace meld {

struct Decision {
  Outcome outcome = Outcome::failed;
  Source source = Source::none;
  bool tried = false;     ///< ROCr has loaded this replacement before
  bool permanent = false; ///< of a failure: it would happen again
  CacheKey key;
  std::shared_ptr<const Bytes> replacement; ///< set exactly when outcome == replaced
  std::string isa, reason;
  std::string facts = {}; ///< of a specialised version: those that it depends on
  std::vector<std::string> kernels;

  /// Nothing is to be concluded about the code object: the disk was full, there was no memory, the
  /// process ended. The next run may have a result.
  bool isTransient() const {
    return outcome == Outcome::late || outcome == Outcome::disabled ||
           (outcome == Outcome::failed && !permanent);
  }
};

} // namespace meld
