// Makes the compiler that the settings ask for.
//
// Thread rule: any thread.
#pragma once

#include "runtime/engine/compiler.h"

namespace meld {

/// As MELD_COMPILER says. Errors: notFound, badInput, with the reason.
Result<std::shared_ptr<Compiler>> openCompiler(const Settings &settings,
                                               const std::string &jitPath);

} // namespace meld
