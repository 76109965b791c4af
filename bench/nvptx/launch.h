// A launch, and what is so of it: for versions that take that for granted.
//
// Thread rule: values.
#pragma once

#include "bench/nvptx/forms.h"

#include <functional>

namespace meld::nvptx {

struct Dim3 {
  unsigned x, y, z;
};

struct Launch {
  std::string entry;
  Dim3 grid, block;
  void **arguments; ///< as cudaLaunchKernel has them: a pointer to each
  size_t shared;    ///< bytes of dynamic shared memory
};

/// All that a specialised version may be made for. `isAddress`: of 64-bit arguments, which are told
/// apart from numbers by being addresses of memory that the program has.
Facts factsOf(const Launch &launch, const std::vector<Parameter> &parameters,
              const std::function<bool(uint64_t)> &isAddress);

} // namespace meld::nvptx
