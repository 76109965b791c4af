// Which file descriptors are ours, and the opening of nodes of the Tree.
//
// Lock-free: ioctl and close ask for every descriptor of the process.
#pragma once

#include "runtime/softgpu/kfd/sysfs.h"

#include <fcntl.h>

namespace meld::softgpu {

/// The node behind a descriptor, or nullptr when it is not ours.
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
