// Why a value that our analysis cannot call uniform differs, or may differ, between the lanes of a
// wave: where the difference comes from. For the breakdown of what the dynamic oracle sees and no
// analysis claims (`meld-bench scalar --gap`).
//
//   %x = workitem.id.x            ids      arithmetic on ids alone
//   %p = phi [0, %a], [1, %b]     control  equal in each lane's path, which a divergent branch
//   chose %v = load %p[%x]              data     loaded, or made of what was loaded; ids or not
//
// Forward over the function until nothing changes; causes only grow, so it ends. What is uniform by
// our analysis passes nothing on.
#pragma once

#include "passes/analysis/divergence.h"

namespace meld::bench {

enum class Cause : uint8_t { none, ids, control, data }; ///< a later one covers the earlier ones

const char *name(Cause cause);

class Causes {
public:
  Causes(llvm::Function &function, const passes::DivergenceInfo &widths);
  Cause of(const llvm::Instruction &instruction) const { return causes_.lookup(&instruction); }

private:
  Cause transfer(const llvm::Instruction &instruction) const;

  const passes::DivergenceInfo &widths_;
  llvm::DenseMap<const llvm::Value *, Cause> causes_;
};

} // namespace meld::bench
