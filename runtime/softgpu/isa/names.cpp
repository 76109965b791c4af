// Mnemonics and target names.
#include "runtime/softgpu/isa/decoder.h"

#include <iterator>
#include <utility>

namespace meld::softgpu::isa {

namespace {
constexpr std::string_view kMnemonics[] = {
    "<invalid>",
#define MELD_OP(name) #name,
#include "runtime/softgpu/isa/op_names.def"
#undef MELD_OP
};
static_assert(std::size(kMnemonics) == size_t(Op::count));

constexpr std::string_view kTargetNames[] = {
#define TARGET(name, ...) #name,
#include "runtime/softgpu/isa/targets.def"
#undef TARGET
};
static_assert(std::size(kTargetNames) == std::size(kTargets));

/// Code of a generic processor runs on all of a family; the one that has every instruction of it.
constexpr std::pair<std::string_view, Target> kGeneric[] = {
    {"gfx9-generic", Target::gfx900},
    {"gfx9-4-generic", Target::gfx942},
};
} // namespace

std::string_view mnemonic(Op op) { return op < Op::count ? kMnemonics[size_t(op)] : kMnemonics[0]; }

std::optional<Target> targetFromName(std::string_view name) {
  // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" or "gfx90a:xnack-" or "gfx90a".
  if (size_t dash = name.rfind("--"); dash != std::string_view::npos)
    name.remove_prefix(dash + 2);
  name = name.substr(0, name.find(':'));
  for (Target target : kTargets)
    if (name == targetName(target))
      return target;
  for (const auto &[generic, target] : kGeneric)
    if (name == generic)
      return target;
  return std::nullopt;
}

std::string_view targetName(Target target) { return kTargetNames[size_t(target)]; }

} // namespace meld::softgpu::isa
