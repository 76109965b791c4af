// Mnemonics and target names.
#include "runtime/softgpu/isa/decoder.h"

#include <iterator>

namespace meld::softgpu::isa {

namespace {
constexpr std::string_view kMnemonics[] = {
    "<invalid>",
#define MELD_OP(name) #name,
#include "runtime/softgpu/isa/op_names.def"
#undef MELD_OP
};
static_assert(std::size(kMnemonics) == size_t(Op::count));

constexpr std::string_view kTargets[] = {"gfx900", "gfx906", "gfx908", "gfx90a"};
} // namespace

std::string_view mnemonic(Op op) { return op < Op::count ? kMnemonics[size_t(op)] : kMnemonics[0]; }

std::optional<Target> targetFromName(std::string_view name) {
  // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" or "gfx90a:xnack-" or "gfx90a".
  if (size_t dash = name.rfind("--"); dash != std::string_view::npos)
    name.remove_prefix(dash + 2);
  name = name.substr(0, name.find(':'));
  for (size_t i = 0; i < std::size(kTargets); ++i)
    if (name == kTargets[i])
      return Target(i);
  return std::nullopt;
}

std::string_view targetName(Target target) { return kTargets[size_t(target)]; }

} // namespace meld::softgpu::isa
