// The application's stderr, as a guest uses it.
//
// Number 2 is stderr only as long as it is what the process was started with. A daemon closes it
// and gets the number for a data file or a connection, into which a warning of ours must not go.
// From inside, that cannot be told from an application that redirects its stderr (dup2, freopen):
// nothing of ours is written then either, MELD_LOG_FILE serves. Nor is anything written into a
// regular file that is also open for reading: no shell redirects so.
//
// And nobody may read it: a full pipe or a stopped terminal is waited for once, for a fifth of a
// second; then what does not fit is dropped until there is room again.
#pragma once

#include <string_view>

namespace meld {

/// Remembers what number 2 stands for now. For a library's constructor, before the application
/// runs; takes no memory. Where it was never called (tools, tests) number 2 is taken as it is.
void rememberStderr() noexcept;

/// What is written to number 2 now reaches the stderr that this process was started with.
bool stderrIsOurs() noexcept;

/// As much of `text` as goes; nothing where stderrIsOurs() says no. No memory, any thread.
void writeToStderr(std::string_view text) noexcept;

} // namespace meld
