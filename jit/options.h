// The options a code object was compiled with, recovered from its cc1 line.
//
// Only what is not already in the IR matters for a recompile: the optimisation level and the pass
// switches derived from it, `-mllvm` options (they are process state, not IR), floating-point
// contraction, and the code-object version. Everything else (denormals, fast-math, target features,
// ...) travels as function attributes and module flags.
//
// Thread rule: pure functions, except that checking `-mllvm` names reads LLVM's option registry.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace meld::jit {

struct CompileOptions {
  char level = '0';         ///< of -O: '0'..'3', 's', 'z', 'g'; without -O clang means 0
  bool unrollLoops = false; ///< on from -O2, unless -fno-unroll-loops
  bool vectorizeLoops = false;
  bool vectorizeSlp = false;
  bool mergeFunctions = false;
  std::string cpu;                   ///< -target-cpu
  std::vector<std::string> features; ///< -target-feature, "+xnack"
  std::vector<std::string> mllvm;    ///< as given after -mllvm, without what changes no code
  std::string fpContract;            ///< "", "on", "off", "fast"
  unsigned codeObjectVersion = 0;    ///< 0 = the compiler's default
  bool deviceLink = false;           ///< -fgpu-rdc: the original was linked as bitcode
  bool functionSections = false, dataSections = false;

  /// Adds an -mllvm option unless it is there.
  void add(llvm::StringRef mllvmOption);

  /// For comgr's CODEGEN action: what makes it repeat the original compile's back end. With
  /// `optimize` false the IR is taken as already optimised.
  std::vector<std::string> codegenArguments(bool optimize) const;
};

/// One cc1 line, without "-cc1" itself.
llvm::Expected<CompileOptions> recoverOptions(llvm::ArrayRef<std::string> arguments);

/// The options for a whole code object: of several units (-fgpu-rdc) the first speaks, the others
/// may not contradict it. A code object whose `.llvmcmd` is missing (`-fembed-bitcode=bitcode`) is
/// taken to be hipcc's default, -O3 with hipcc's own -mllvm options.
llvm::Expected<CompileOptions> recoverOptions(llvm::ArrayRef<std::vector<std::string>> commands);

} // namespace meld::jit
