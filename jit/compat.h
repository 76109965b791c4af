// What differs between LLVM 15, 17 and 21 in code generation; the part that
// concerns IR is in passes/compat.h.
#pragma once

#include "passes/compat.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Passes/StandardInstrumentations.h"
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/TargetParser/TargetParser.h"
#else
#include "llvm/Support/TargetParser.h"
#endif

namespace meld::jit::compat {

using namespace passes::compat;

inline bool isKnownProcessor(llvm::StringRef name) {
  return llvm::AMDGPU::parseArchAMDGCN(name) != llvm::AMDGPU::GK_NONE;
}

/// Quiet instrumentation: what keeps passes away from optnone functions.
class Instrumentation {
public:
  Instrumentation([[maybe_unused]] llvm::LLVMContext &context,
                  llvm::PassInstrumentationCallbacks &callbacks)
#if LLVM_VERSION_MAJOR >= 16
      : standard_(context, /*DebugLogging=*/false)
#else
      : standard_(/*DebugLogging=*/false)
#endif
  {
    standard_.registerCallbacks(callbacks);
  }

private:
  llvm::StandardInstrumentations standard_;
};

/// What createTargetMachine takes: a Triple from 21 on.
#if LLVM_VERSION_MAJOR >= 21
inline llvm::Triple machineTriple(llvm::StringRef name) { return llvm::Triple(name); }
#else
inline llvm::StringRef machineTriple(llvm::StringRef name) { return name; }
#endif

} // namespace meld::jit::compat
