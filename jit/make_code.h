// A code object made anew:
//
//   read units (units.h) -> optimise (the caller's transform) -> generate code -> link (comgr.h)
//
// A fatal error of LLVM's in any of these is an error of makeCode() (guard.h).
// Thread rule: any thread, one call at a time (the caller's lock).
#pragma once

#include "jit/code_object.h"
#include "jit/options.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace meld::jit {

class RelocatableCache;

/// What is to be done with an optimised module.
enum class Next : bool {
  stop,     ///< no code of it is wanted
  generate, ///< code
};

enum class Optimizer : uint8_t {
  ours,  ///< CompileJob::transform
  comgr, ///< comgr's, without our passes: for comparison
};

struct CompileJob {
  const DeviceObject *object = nullptr;
  CompileOptions options;
  std::vector<std::string> kernels; ///< those that the code object must have
  Optimizer optimizer = Optimizer::ours;
  /// Read in place of the object's units, where it is not empty: what the transform of another
  /// job had made of them.
  llvm::StringRef bitcode;
  /// The optimisation step; called with Optimizer::ours only.
  std::function<llvm::Expected<Next>(llvm::Module &)> transform;
  RelocatableCache *cache = nullptr;
};

struct CompiledObject {
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::vector<Kernel> kernels; ///< views of `bytes`
  double codegenMs = 0;        ///< comgr's code generation; 0 when it was cached
};

/// Nothing where the transform wanted no code.
llvm::Expected<std::optional<CompiledObject>> makeCode(const CompileJob &job);

} // namespace meld::jit
