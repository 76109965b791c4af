// Which processors the ROCr of this process knows. It takes none that it does not know ("The GPU
// node has an unrecognized id"), and HIP then ends a program that launches a kernel, by a signal:
// so such a device is refused by name before.
//
// ROCr says so by its interface only once it is up, and it is up only after it has seen the
// devices. The names are in its table of instruction sets (core/runtime/isa.cpp), as text, and
// there they are looked for.
//
// Thread rule: any thread.
#pragma once

#include <string>
#include <string_view>

namespace meld::softgpu {

/// Is this processor ("gfx1100") named in these bytes, not as a part of a longer name?
bool namesProcessor(std::string_view bytes, std::string_view processor) noexcept;

/// The file name of the process's ROCr if that does not know the processor. Empty if it does, and
/// where no ROCr is found (not loaded yet, or linked into something else).
std::string rocrWithout(std::string_view processor);

} // namespace meld::softgpu
