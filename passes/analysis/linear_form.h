// A value as constant + sum of coefficient * leaf, in the value's own modular arithmetic.
//
//   %a = add i32 %t, %n          n + t
//   %b = sub i32 %t, 4           t - 4
//   %d = sub i32 %a, %b          n + 4: the work-item id has cancelled (Lee et al. 2013, 3.5)
//   %p = getelementptr i32, ptr %base, i64 (sext nsw (t + n))      base + 4 t + 4 n
//
// A leaf is whatever is not an addition, subtraction, constant multiple, disjoint or, extension or
// address computation; extensions are looked through only where the arithmetic below cannot wrap
// (nuw, nsw). Two leaves are one only when they are the same value under the same extension, and
// one thread then sees the same dynamic instance of it through both (definitions dominate uses), so
// cancelling is right inside and outside of loops. The caller meets the widths of the leaves that
// remain.
//
// Terminates: the walk is cut at a depth of 8 and at 16 leaves. Costs at most a few hundred steps
// per value. Unsafe: none of it says anything about poison; a cancelled leaf may have been poison.
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace meld::passes {

enum class Extension : uint8_t { low, zero, sign };

struct LinearTerm {
  const llvm::Value *leaf = nullptr;
  Extension extension = Extension::low; ///< how a narrower leaf reaches the form's width
  llvm::APInt scale;
};

struct LinearForm {
  llvm::APInt constant;
  llvm::SmallVector<LinearTerm, 4> terms; ///< no zero scales
};

/// The form of an integer or pointer value at `bits` bits; nothing for other types or when the
/// limits are met. `extension` tells how a value narrower than that is widened.
std::optional<LinearForm> linearForm(const llvm::Value &value, const llvm::DataLayout &layout);

/// The form of what decides a comparison: left - right for (in)equality; for an order the exact
/// difference in twice the bits, where the arithmetic on both sides cannot wrap.
std::optional<LinearForm> linearDifference(const llvm::ICmpInst &compare,
                                           const llvm::DataLayout &layout);

} // namespace meld::passes
