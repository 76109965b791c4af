// The bitcode of a code object as one module.
//
// Untrusted input: errors name the unit. Thread rule: one context, one thread.
#pragma once

#include "jit/code_object.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
struct DiagnosticHandler;
} // namespace llvm

namespace meld::jit {

/// While it lives, keeps the first error that LLVM reports through a context. Without a handler LLVM
/// prints diagnostics to stderr and calls exit() on an error.
class ContextErrors {
public:
  explicit ContextErrors(llvm::LLVMContext &context);
  ~ContextErrors();
  ContextErrors(const ContextErrors &) = delete;
  llvm::Error take(const char *what);

private:
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::DiagnosticHandler> old_;
  std::string first_;
};

/// Parses the units; several (-fgpu-rdc) are linked into one module, as the original device link
/// did: what comes of it has one metadata note, whose kernels are those of all.
llvm::Expected<std::unique_ptr<llvm::Module>> parseUnits(llvm::ArrayRef<llvm::StringRef> units,
                                                         llvm::LLVMContext &context);

/// Whether the object's machine code can have come from this module: the same processor and the same
/// code-object version, where the module says (a function without a processor is for any). Nothing
/// else would notice: the code generator goes by what the functions say, the object's header by what it
/// is asked for, and implicit arguments lie elsewhere in other versions. Functions need no bodies.
llvm::Error fitsObject(const llvm::Module &module, const DeviceObject &object);

/// parseUnits() of a whole object, with the device libraries where the bitcode came without them.
/// Errors: also those of fitsObject().
llvm::Expected<std::unique_ptr<llvm::Module>> readUnits(const DeviceObject &object,
                                                        llvm::LLVMContext &context);

} // namespace meld::jit
