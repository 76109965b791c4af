// Module -> code object -> memory: what the fuzzers share.
#pragma once

#include "jit/options.h"
#include "tests/fuzz/code_object_runner.h"
#include "tests/fuzz/kernel_ast.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <string>

namespace meld::fuzz {

/// A processor whose code the software GPU runs, with waves of one size; one of the table in
/// kernel_run.cpp.
struct FuzzTarget {
  std::string cpu = "gfx90a";    ///< or "gfx1030-wave64"
  std::string processor() const; ///< "gfx1030"
  std::string isa() const;       ///< with its features, as comgr calls it
  softgpu::isa::Target executor() const;
  /// As the product compiles: level '1' or '3'.
  jit::CompileOptions options(char level) const;
};

/// Once per process, before anything is compiled.
void initializeCompiler();

/// For command lines: empty if there is such a FuzzTarget and the LLVM at hand knows it, else what
/// is the matter.
std::string checkCpu(const std::string &cpu);

/// A GPU of `target`, one host thread; null with a text on stderr when there is none. `translate`:
/// as MELD_GPU_TRANSLATE, which decides when it is empty.
std::unique_ptr<softgpu::Gpu> makeGpu(const FuzzTarget &target, const std::string &translate = {});

/// Code generation and link of an optimised module. `simple`: -O0 code.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
generateCode(llvm::Module &module, const FuzzTarget &target, char level, bool simple = false);

std::string irText(const llvm::Module &module);

struct Memory {
  std::vector<uint8_t> out, acc;
  uint64_t instructions = 0; ///< executed by all waves
  softgpu::WaveCounters counters;
  bool operator==(const Memory &other) const { return out == other.out && acc == other.acc; }
};

/// Runs the kernel `fuzz` of `codeObject` on inputs made from the seed of `ast`. `extra`, when
/// given, is a 64-bit word behind the atomics' words: zero before, its value afterwards.
llvm::Expected<Memory> execute(softgpu::Gpu &gpu, const KernelAst &ast, llvm::StringRef codeObject,
                               uint64_t *extra = nullptr);

} // namespace meld::fuzz
