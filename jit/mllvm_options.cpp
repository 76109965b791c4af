#include "jit/mllvm_options.h"

#include "passes/compat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace meld::jit {

using passes::compat::startsWith;

namespace {

constexpr MllvmOption repeated[] = {
    {"amdgpu-internalize-symbols", "", "hipcc's own: kernels alone stay visible"},
    {"amdgpu-early-inline-all", "true", "hipcc's own: everything into the kernels, early"},
    {"amdgpu-function-calls", "false", "hipcc's own: no calls are left"},
    {"amdhsa-code-object-version", "5", "clang's way to say -mcode-object-version"},
    {"amdgpu-atomic-optimizations", "true", "atomics of a wave are combined; LLVM 15"},
    {"amdgpu-atomic-optimizer-strategy", "None", "the same; LLVM 17 and later"},
    {"amdgpu-coerce-illegal-types", "true", "composable kernels; AMD's LLVM alone knows it"},
    {"amdgpu-kernarg-preload-count", "2", "arguments in registers; LLVM 17 and later"},
    {"amdgpu-scalarize-global-loads", "false", "for kernels that alias in ways LLVM cannot see"},
    {"amdgpu-load-store-vectorizer", "false", "for kernels that read behind an array's end"},
    {"disable-promote-alloca-to-lds", "true", "for kernels that need all of LDS"},
    {"enable-post-misched", "false", "composable kernels: their order of instructions stays"},
    {"enable-misched", "false", "the same, before registers are assigned"},
    {"greedy-reverse-local-assignment", "true", "composable kernels"},
    {"lsr-drop-solution", "true", "composable kernels: address arithmetic stays in the loop"},
    {"slp-threshold", "-32", "composable kernels"},
    {"inline-threshold", "10000", "much used by hand-tuned kernels"},
    {"unroll-threshold", "1000", "the same"},
};

constexpr StringLiteral withoutCode[] = {
    "treat-scalable-fixed-error-as-warning", // clang's driver adds it itself, twice is an error
    "amdgpu-prelink", // hiprtc's, for code that meets the device libraries later
    "debug",
    "debug-only",
    "debug-pass",
    "stats",
    "stats-json",
    "time-passes",
    "time-passes-per-run",
    "track-memory",
    "verify-assumption-cache",
    "verify-dom-info",
    "verify-each",
    "verify-loop-info",
    "verify-machineinstrs",
    "verify-regalloc",
    "verify-scev"};

constexpr StringLiteral pipelineChangers[] = {
    "-load",          "-plugin",          "-add-plugin", "-fplugin=",
    "-fpass-plugin=", "-fsanitize",       "-fprofile-",  "-fcs-profile",
    "-fcoverage-m",   "-fmemory-profile", "-fxray",      "-fthinlto-index="};

} // namespace

Repeat repeatMllvm(StringRef argument) {
  if (!startsWith(argument, "-"))
    return Repeat::refuse; // a value by itself, a file of options
  const StringRef name = argument.ltrim('-').split('=').first;
  if (is_contained(withoutCode, name) || startsWith(name, "print-"))
    return Repeat::drop;
  const bool listed = any_of(repeated, [&](const MllvmOption &o) { return name == o.name; });
  return listed && cl::getRegisteredOptions().count(name) ? Repeat::yes : Repeat::refuse;
}

ArrayRef<MllvmOption> repeatedMllvmOptions() { return repeated; }

bool changesThePipeline(StringRef argument) {
  return any_of(pipelineChangers, [&](StringRef begin) { return startsWith(argument, begin); });
}

} // namespace meld::jit
