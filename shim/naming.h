// Tells the software GPU, where it is in the process, which kernel lies at which address, and
// whether libmeld made it.
#pragma once

#include "shim/hsa.h"

#include <set>
#include <string>

namespace meld {

/// Whether there is a software GPU in the process.
bool onSoftwareGpu() noexcept;

/// Walks the kernels of a frozen executable. Does nothing without a software GPU.
void nameKernels(const CoreApiTable &table, hsa_executable_t executable,
                 const std::set<std::string> &replaced);

} // namespace meld
