// Our own run of the optimisation pipeline, the one clang would have run, with melding in it.
//
// comgr can optimise too, but offers no way to add passes. So the pipeline runs here and comgr
// generates code with -disable-llvm-passes; without melding the result is byte-identical to comgr's
// (and hipcc's) own.
//
// The pipeline depends on LLVM's global command-line options (the original -mllvm options). They
// are set right before the run and reset after it, under a process-wide lock. comgr actions reset
// them as well, hence no other state of ours may live there; those of the application are kept away
// by the gate.
#pragma once

#include "jit/options.h"
#include "jit/options_gate.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>

namespace llvm {
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace meld::jit {

/// Registers AMDGPU with LLVM, once.
void initializeTargets();

/// Takes back what lld and clang, in a comgr that shares our LLVM, have set of LLVM's options, as a
/// run of the pipeline does with its own. Nothing while one is under way.
void resetCommandLine();

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CompileOptions &options, llvm::StringRef processor);

/// Runs clang's pipeline for `options.level`. `extend` may register callbacks at the extension
/// points. `ownMs` (may be null) grows by the processor time spent in passes of meld::passes.
/// `gate` keeps other users of LLVM's options away meanwhile.
llvm::Error optimize(llvm::Module &module, const CompileOptions &options, llvm::StringRef processor,
                     bool verify, const std::function<void(llvm::PassBuilder &)> &extend,
                     double *ownMs = nullptr, const OptionsGate &gate = {});

} // namespace meld::jit
