// ROCr's tool interface, seen from inside.
#pragma once

namespace meld {

/// ROCr called OnLoad and the hooks are in its table.
bool attached() noexcept;

} // namespace meld
