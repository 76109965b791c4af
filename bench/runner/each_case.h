// The loop of every table that goes through the programs.
#pragma once

#include "bench/runner/cases.h"

#include <functional>
#include <string>
#include <vector>

namespace meld::bench {

/// On a terminal: what is being worked at, in the place of what was.
void tellProgress(const std::string &what);

/// Runs `run` for the cases that `only` calls (casesCalled()), one block size of each program or,
/// with `every`, all, and tells which on a terminal. False, having said so, when there are none.
bool forEachCase(const std::string &only, bool every, const std::function<void(const Case &)> &run);

/// The cases that forEachCase() goes through.
std::vector<Case> casesFor(const std::string &only, bool every);
/// The same loop over cases of the caller's choice.
bool forEachCase(const std::vector<Case> &cases, const std::string &only,
                 const std::function<void(const Case &)> &run);

} // namespace meld::bench
