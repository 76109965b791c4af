// The entries of ROCr's API table that libmeld replaces.
#pragma once

#include "shim/hsa.h"

namespace meld {

struct Process;

/// Checks versions and sizes, saves the previous pointers (another tool's or ROCr's) and puts ours
/// in. False, with one warning in the log, when the table does not have the entries: nothing was
/// changed then.
bool installHooks(HsaApiTable *table, Process *process) noexcept;

/// While one exists, what its thread calls through the table is libmeld's own: our hooks pass it on
/// as it is. For work outside of a hook, on a thread of ours.
class OwnCalls {
public:
  OwnCalls() noexcept;
  ~OwnCalls();
  OwnCalls(const OwnCalls &) = delete;
  OwnCalls &operator=(const OwnCalls &) = delete;

private:
  bool before_;
};

/// Puts the previous pointers back where ours still are; an entry that another tool patched after
/// us stays.
void removeHooks() noexcept;

} // namespace meld
