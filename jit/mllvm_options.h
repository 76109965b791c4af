// The -mllvm options that a compile of ours repeats, one list with the reason for each.
//
// An -mllvm option is a variable of the process. LLVM's reset gives most of them their default
// back, but not all: -opt-bisect-limit keeps a counter behind a callback, -regalloc= sets a default
// once per process, others are copied where nobody resets them, and any of those would change every
// later compile, the application's own included. So what is not on the list is refused, and the
// original code runs. tests/jit/mllvm_options_test.cpp compiles with each of them and compares what
// comes after with what came before.
//
// Thread rule: reads LLVM's registry of options, which does not change while compiles run.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace meld::jit {

enum class Repeat {
  yes,
  drop,  ///< changes no code: output, statistics, checks
  refuse ///< a compile without it would be another one, and with it would not be the only one
};

/// `argument` as it stands behind -mllvm: "-name", "--name=value".
Repeat repeatMllvm(llvm::StringRef argument);

struct MllvmOption {
  const char *name;
  const char *example; ///< a value for it, other than the default; "" for none
  const char *why;     ///< somebody has it, and it is a plain variable with a default
};
/// Those with `Repeat::yes`, known to this LLVM or not.
llvm::ArrayRef<MllvmOption> repeatedMllvmOptions();

/// Does this option of cc1 change code in a way that neither the bitcode nor a compile of ours
/// knows of? Instrumentation and plugins: passes that clang adds to its pipeline.
bool changesThePipeline(llvm::StringRef cc1Argument);

} // namespace meld::jit
