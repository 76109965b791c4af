// The part of AMD's code-object manager that a recompile needs, loaded at run time.
//
// libamd_comgr is opened with dlopen (the copy the HIP runtime already holds, if any) and its
// functions are taken by name. Its enumerators were renumbered between major versions, so only the
// major version of the header we were built with is accepted.
//
// Every action resets LLVM's global command-line options: nothing of ours may rely on them across a
// call. Thread rule: a Comgr may be used from any thread. Later comgrs serialise actions
// themselves; that of ROCm 5.2 does not (runtime/engine/comgr_turns.h does it).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace meld::jit {

struct ComgrFunctions;

class Comgr {
public:
  /// The process's comgr; loaded at the first call, the error is repeated on later ones.
  static llvm::Expected<const Comgr *> get();

  /// Success, or that this comgr does not know the ISA: it may know fewer than its LLVM.
  llvm::Error knows(llvm::StringRef isaName) const;

  /// Bitcode to a relocatable ELF. `arguments` are clang driver options.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  codegen(llvm::StringRef bitcode, llvm::StringRef isaName,
          llvm::ArrayRef<std::string> arguments) const;

  /// Relocatable ELFs to one code object.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  link(llvm::ArrayRef<llvm::MemoryBufferRef> relocatables, llvm::StringRef isaName) const;

  /// ocml, ockl and the oclc constants for this ISA, as bitcode. An error from interface 3 on,
  /// which hands them out no more.
  llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
  deviceLibraries(llvm::StringRef isaName) const;

  /// `told(leave)` before each action, `told(nullptr)` after it, on the thread that calls it; null: nobody.
  /// leave() throws. For the whole process.
  static void tellActions(void (*told)(void (*leave)(), void (*after)()));

  /// "comgr 2.4"
  const std::string &version() const { return version_; }

private:
  Comgr() = default;
  const ComgrFunctions *functions_ = nullptr;
  std::string version_;
};

} // namespace meld::jit
