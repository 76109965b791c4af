// Which opcodes of each processor the executor runs.
#pragma once

#include "runtime/result.h"

#include <string>

namespace meld::softgpu {

/// A table per encoding: opcodes the decoder defines, those that execute, and why others do not.
/// `target` empty: all processors. Error: notFound for a processor we do not know.
Result<std::string> coverageTable(const std::string &target, bool listMissing);

} // namespace meld::softgpu
