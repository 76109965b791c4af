// What mnemonics and processors are called.
//
// Thread rule: pure functions.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <optional>
#include <string_view>

namespace meld::softgpu::isa {

std::string_view mnemonic(Op op);
/// The same with the name that the target's assembler knows: GFX10, GFX11 and GFX12 renamed some.
std::string_view mnemonic(Op op, Target target);
std::optional<Target> targetFromName(
    std::string_view gfxName); ///< "gfx90a", "gfx9-4-generic" or a full ISA name/target id
std::string_view targetName(Target target); ///< the processor's: the same for each wave size
/// The target of the same processor for waves of that size; `target` itself where there is none.
Target withWaveSize(Target target, unsigned waveSize);

} // namespace meld::softgpu::isa
