// The address of a global access as what the wave has in common plus what each lane adds.
//
//   a[wg * 256 + tid + 3]      base a, uniform 4 * sext(wg * 256), lane 4 * tid, constant 12
//   a[row * n + tid - 1]       base a, uniform 4 * sext(row * n), lane 4 * tid, constant -4
//
// base + constant + sum of scale * ext(leaf), exact in 64 bits. linear_form.h is modular and looks
// at the value alone; here the place of the access counts too: a sum under an extension is taken
// apart where it cannot wrap, which the flags of the instruction say, or the ranges that hold at
// the access (branches passed on the way, workgroup sizes; LazyValueInfo), or an assumption: for
//
//   i = wg * size + tid        (unsigned, so without flags; `size` is known at launch only)
//
// the sum is exact whenever wg * size <= 2^31 - 1 - max(tid). That one comparison of scalars is
// handed back as an Assumption for the caller to test.
//
// Terminates: each step goes from a value to its operands, at most 12 deep, at most 12 terms. Costs
// range queries for the leaves and for sums without flags. Unsafe: nothing here says that the
// address is not poison; a poison address is undefined behaviour at the access itself.
#pragma once

#include "passes/analysis/divergence.h"
#include "passes/analysis/linear_form.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/IR/ConstantRange.h"
#include <functional>

namespace meld::passes {

/// A sum of scalars in 32-bit wrapping arithmetic, not yet an instruction.
struct ScalarSum {
  llvm::APInt constant{32, 0};
  llvm::SmallVector<std::pair<llvm::Value *, llvm::APInt>, 2> terms;
  bool operator==(const ScalarSum &other) const {
    return constant == other.constant && terms == other.terms;
  }
};

/// `sum` is at most `most`, both unsigned.
struct Assumption {
  ScalarSum sum;
  uint32_t most = 0;
};

struct AddressTerm {
  llvm::Value *leaf = nullptr; ///< null: assumptions[sum] of the form instead
  unsigned sum = 0;
  Extension extension = Extension::low;
  int64_t scale = 0; ///< bytes
};

struct AddressForm {
  llvm::Value *base = nullptr; ///< a pointer, the same in all lanes
  llvm::SmallVector<AddressTerm, 4> uniform, lane;
  int64_t constant = 0;                ///< bytes
  int64_t laneLeast = 0, laneMost = 0; ///< of the sum of the lane terms, bytes
  llvm::SmallVector<Assumption, 1> assumptions;
  const char *rejected = nullptr; ///< why there is no form
};

struct AddressContext {
  const GpuInfo &gpu;
  llvm::LazyValueInfo &ranges;
  const llvm::DataLayout &layout;
  /// The same in all lanes where the access stands, and known to be by code generation.
  std::function<bool(const llvm::Value &, const llvm::Instruction &)> isUniform;
  /// May stand in an assumption.
  std::function<bool(const llvm::Value &)> isEarly;
};

/// The form of `pointer` as `access` uses it.
AddressForm addressForm(llvm::Value &pointer, llvm::Instruction &access,
                        const AddressContext &context);

} // namespace meld::passes
