// The AMDGPU processors by the names and numbers that code objects give them (targets.def): which
// features a target id of theirs may fix, and which generic target's code they run.
//
// A generic target ("gfx11-generic") is code for several processors at once. Its version says which
// of them: code of version v runs on those that were added to the target in version v or before.
// Every one of today's was there in version 1 (LLVM, AMDGPUUsage, "Generic processor versioning").
//
// Thread rule: pure functions over constants.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace meld {

struct Target {
  uint32_t machine = 0; ///< EF_AMDGPU_MACH
  std::string_view name;
  bool sramecc = false, xnack = false;
  std::string_view generic; ///< empty: it runs code for itself alone
};

/// All, in the order of their numbers.
std::span<const Target> targets();

/// Null for what the table does not have.
const Target *findTarget(std::string_view name);
const Target *findTarget(uint32_t machine);

/// "gfx9-4-generic"; also of one that the table does not have.
bool isGenericTarget(std::string_view name);

/// The processors whose code this is: those of a generic target in the table's order, otherwise
/// `name` itself, as of a generic target that the table does not have.
std::vector<std::string_view> processorsOf(std::string_view name);

/// The first of them: for questions of instructions and their speed.
std::string_view processorOf(std::string_view name);

} // namespace meld
