// Files that a setting names for output: the log, a trace.
#pragma once

#include "runtime/host/descriptor.h"
#include "runtime/result.h"

#include <string>

namespace meld {

/// Opens `path` for writing (made with 0600 where it is missing; symbolic links are followed, the
/// name is the user's own). Never waits: a pipe must have a reader, and what does not fit into one
/// later is EAGAIN. Regular files, pipes, terminals and the null devices are accepted. Errors: io,
/// badInput (a folder, a socket, a disk, /proc, /sys).
/// `append`: each write goes to the end; otherwise a regular file is emptied.
Result<Descriptor> openOutput(const std::string &path, bool append);

} // namespace meld
