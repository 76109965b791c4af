// One run of a program under verification, and what its processes reported.
#pragma once

#include "shim/cli/launch.h"

#include <compare>
#include <map>

namespace meld::cli {

/// What was compared with an original.
struct VerifiedName {
  std::string kernel;
  std::string facts; ///< of a specialised version
  auto operator<=>(const VerifiedName &) const = default;
};

struct VerifiedKernel {
  uint64_t dispatches = 0, equal = 0, different = 0, notRepeatable = 0;
  std::map<std::string, uint64_t> notVerified; ///< by reason
};

struct VerifyReport {
  int status = 0;                                 ///< the program's, as a shell has it
  unsigned processes = 0;                         ///< that used the software GPU
  std::map<VerifiedName, VerifiedKernel> kernels; ///< replaced ones that were dispatched
  Json differences = Json::array();               ///< as the processes wrote them
  bool different() const;
};

/// Runs `command` with `environment` and verification; processes write into `folder`.
/// Errors: a report that cannot be read.
Result<VerifyReport> verifyOnce(Environment environment, const std::vector<std::string> &command,
                                const std::string &folder, bool quiet);

/// A folder under $TMPDIR or /tmp that nobody else can write to. Errors: io.
Result<std::string> temporaryFolder(const std::string &stem);

/// As people read it.
std::string nameText(const VerifiedName &name);
/// A difference as people read it, some lines.
std::string differenceText(const Json &difference);

} // namespace meld::cli
