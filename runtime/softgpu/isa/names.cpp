// Mnemonics and target names.
#include "runtime/softgpu/isa/names.h"

#include <array>
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

/// The enumerator of the larger of two wave sizes ends in w64.
constexpr std::string_view processor(std::string_view name) {
  return name.substr(0, name.find('w'));
}

constexpr std::string_view kTargetNames[] = {
#define TARGET(name, ...) processor(#name),
#include "runtime/softgpu/isa/targets.def"
#undef TARGET
};
static_assert(std::size(kTargetNames) == std::size(kTargets));

/// Code of a generic processor runs on all of a family; the one that has every instruction of it.
constexpr std::pair<std::string_view, Target> kGeneric[] = {
    {"gfx9-generic", Target::gfx900},     {"gfx9-4-generic", Target::gfx942},
    {"gfx10-3-generic", Target::gfx1030}, {"gfx11-generic", Target::gfx1100},
    {"gfx12-generic", Target::gfx1201},
};

constexpr std::pair<Op, std::string_view> kRenamed11[] = {
#define RENAMED(op, name) {Op::op, #name},
#include "runtime/softgpu/isa/names_gfx11.def"
#undef RENAMED
};

constexpr std::pair<Op, std::string_view> kRenamed12[] = {
#define RENAMED(op, name) {Op::op, #name},
#include "runtime/softgpu/isa/names_gfx12.def"
#undef RENAMED
};

constexpr std::pair<Op, std::string_view> kRenamed10[] = {
    {Op::v_add_u32, "v_add_nc_u32"},        {Op::v_sub_u32, "v_sub_nc_u32"},
    {Op::v_subrev_u32, "v_subrev_nc_u32"},  {Op::v_addc_co_u32, "v_add_co_ci_u32"},
    {Op::v_subb_co_u32, "v_sub_co_ci_u32"}, {Op::v_subbrev_co_u32, "v_subrev_co_ci_u32"},
    {Op::v_add_u16, "v_add_nc_u16"},        {Op::v_sub_u16, "v_sub_nc_u16"},
    {Op::v_add_i16, "v_add_nc_i16"},        {Op::v_sub_i16, "v_sub_nc_i16"},
    {Op::v_add_i32, "v_add_nc_i32"},        {Op::v_sub_i32, "v_sub_nc_i32"},
};
} // namespace

std::string_view mnemonic(Op op) { return op < Op::count ? kMnemonics[size_t(op)] : kMnemonics[0]; }

std::string_view mnemonic(Op op, Target target) {
  // What GFX10, GFX11 and GFX12 call it, by generation: each has the names of the one before where
  // it has none.
  static const auto names = [] {
    std::array<std::array<std::string_view, size_t(Op::count)>, 3> all{};
    for (const auto &[renamed, name] : kRenamed10)
      all[0][size_t(renamed)] = name;
    all[1] = all[0];
    for (const auto &[renamed, name] : kRenamed11)
      all[1][size_t(renamed)] = name;
    all[2] = all[1];
    for (const auto &[renamed, name] : kRenamed12)
      all[2][size_t(renamed)] = name;
    return all;
  }();
  const unsigned generation = traitsOf(target).generation;
  if (generation >= 10 && op < Op::count)
    if (std::string_view name = names[generation - 10][size_t(op)]; !name.empty())
      return name;
  return mnemonic(op);
}

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

Target withWaveSize(Target target, unsigned waveSize) {
  for (Target other : kTargets)
    if (traitsOf(other).waveSize == waveSize && targetName(other) == targetName(target))
      return other;
  return target;
}

} // namespace meld::softgpu::isa
