// Has the application confined itself since libmeld attached?
//
// A program may install a seccomp filter once it has set itself up, one that ends it for system
// calls that it never makes: creating folders, renaming, starting programs. Ours would end it. So
// from then on nothing is compiled and nothing is written; what is cached is still used. Filters of
// before (containers have them) are no reason: Linux counts them ("Seccomp_filters" of
// /proc/PID/status, 5.9 and later; older kernels say only whether there are any).
#pragma once

namespace meld {

/// To be called once, when libmeld starts in this process. Any thread.
void rememberConfinement() noexcept;

/// The calling thread has more filters than there were then. Reads a file of /proc: some tens of
/// microseconds. False where rememberConfinement() was never called. Any thread, no memory.
bool confinedSince() noexcept;

} // namespace meld
