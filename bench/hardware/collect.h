// Measures a device: microbenchmarks and every program, original and melded in turns, round by round.
#pragma once

#include "bench/hardware/launches.h"
#include "bench/runner/cases.h"

namespace meld::bench {

/// Goes on with `record` where a part of it is there, and calls `save` after each program of each
/// round. On the way out the record is complete, unless something failed as a whole: errors name it
/// (the device cannot be used, the microbenchmarks fail, `save` failed). A program that fails is
/// written down as such and left out of the rounds that follow.
Result<void> collect(const Target &target, const std::vector<Case> &cases, Record &record,
                     const std::function<Result<void>(const Record &)> &save);

/// The cases that a record is of. Errors: notFound, naming those there are.
Result<std::vector<Case>> casesOf(const RecordOptions &options);

/// What is different in how two records are made, for a person; empty: nothing.
std::string otherOptions(const RecordOptions &left, const RecordOptions &right);

} // namespace meld::bench
