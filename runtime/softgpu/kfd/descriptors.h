// Which file descriptors are ours, and the opening of nodes of the Tree.
//
// A number says little: fclose, dup2, close_range and plain system calls give it to another file
// without passing by here. So what is remembered for a number is the file behind it (device and
// inode), and the kernel is asked before a number counts as ours. A number that was never ours
// costs one load.
//
// Lock-free: ioctl and close ask for every descriptor of the process. errno is left alone.
#pragma once

#include "runtime/softgpu/kfd/sysfs.h"

#include <fcntl.h>

namespace meld::softgpu {

/// The node behind a descriptor, or nullptr when it is not (or no longer) ours.
const Node *nodeOf(int fd);

/// Forgets a descriptor that is about to be closed.
void forget(int fd);

/// Opens a node: returns a descriptor (marked as ours), or -1 with errno.
int openNode(const Node &node, int flags);

/// The node that `path` names: absolute, or relative to `directory` when that is one of our
/// folders.
const Node *resolve(int directory, const char *path);
inline const Node *resolve(const char *path) { return resolve(AT_FDCWD, path); }

} // namespace meld::softgpu
