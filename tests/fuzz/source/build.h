// Source -> bitcode -> code objects: clang's front end once per file and target, LLVM in this
// process for all variants of it.
#pragma once

#include "tests/fuzz/kernel_run.h"
#include "tests/fuzz/source/generator.h"

#include <functional>
#include <llvm/IR/LLVMContext.h>
#include <set>

namespace meld::fuzz::source {

/// One way to meld.
struct Mode {
  std::string name;
  double minProfit = 0;
  std::string passes; ///< as MELD_PASSES
  unsigned flattenSteps = 1, flattenLanes = 0;
};
/// default: as users get it, without the verdict on machine code. forced: whatever is legal. all:
/// the passes that run by their own name only, too.
llvm::ArrayRef<Mode> modes();

/// Nests of loops as one, with steps and lanes that hang on the seed, alone or with all the rest.
/// The same for fifty seeds in a row, so that a batch has them in common with each of its kernels.
Mode flattened(uint64_t seed);
/// The same with loops whose dear side waits for lanes.
Mode delayed(uint64_t seed);

struct Program {
  std::vector<SourceKernel> kernels;
  std::string text() const;
};

/// Bitcode of `program` as -O3 hands it to the first pass, device libraries linked. `folder` takes
/// the files. Errors hold clang's first lines.
llvm::Expected<std::string> frontEnd(const std::string &text, const std::string &cpu,
                                     const std::string &folder);

/// What melding did to a module.
struct Changes {
  std::set<std::string> kernels; ///< in which, or in whose callees, something was melded
  std::vector<std::pair<std::string, std::string>> meldings; ///< function, pass
};

class Unit {
public:
  static llvm::Expected<std::unique_ptr<Unit>> parse(const std::string &bitcodeFile,
                                                     const FuzzTarget &target);
  using Kernels = std::set<std::string>;
  using Object = llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>;
  /// Optimises at `level` and makes code of that level, of `only` these kernels.
  Object plain(char level, const Kernels &only) const;
  /// The code of the kernels that `mode` melds something in, null when there are none.
  /// `meldings`: of a kernel, only the first so many.
  Object melded(const Mode &mode, Changes &changes, std::string *ir = nullptr,
                unsigned meldings = ~0u) const;
  Kernels kernels() const;

private:
  explicit Unit(const FuzzTarget &target) : target_(target) {}

  FuzzTarget target_;
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
};

} // namespace meld::fuzz::source
