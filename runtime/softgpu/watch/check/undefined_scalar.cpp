#include "runtime/softgpu/watch/check/undefined_scalar.h"

#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <vector>

namespace meld::softgpu::check {

using isa::Op;

namespace {

bool startsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return name.starts_with(p); });
}

Traits byName(std::string_view name) {
  Traits t;
  t.saveexec = name.find("saveexec") != name.npos;
  t.wrexec = name.find("wrexec") != name.npos;
  auto is = [&](std::string_view p) { return name.starts_with(p); };
  t.logic = is("s_andn2_")   ? Traits::landn2
            : is("s_orn2_")  ? Traits::lorn2
            : is("s_andn1_") ? Traits::landn1
            : is("s_orn1_")  ? Traits::lorn1
            : is("s_and_")   ? Traits::land
            : is("s_or_")    ? Traits::lor
            : is("s_xor_")   ? Traits::lxor
            : is("s_mov_")   ? Traits::lmove
            : is("s_not_")   ? Traits::lnot
                             : Traits::arithmetic;
  t.readsScc = startsWithAny(name, {"s_cselect", "s_addc_", "s_subb_", "s_cmov"});
  const bool noScc = startsWithAny(
      name, {"s_mov",         "s_cmov",     "s_cselect", "s_mul_",      "s_bfm",     "s_pack",
             "s_brev",        "s_ff",       "s_flbit",   "s_sext",      "s_bitset",  "s_getpc",
             "s_setpc",       "s_swappc",   "s_call",    "s_getreg",    "s_setreg",  "s_set_gpr",
             "s_bitrep",      "s_waitcnt_", "s_version", "s_subvector", "s_sendmsg", "s_sleep",
             "s_get_barrier", "s_prefetch"});
  const bool ofFloats = name.find("_f32") != name.npos || name.find("_f16") != name.npos;
  const bool keeps = name == "s_add_nc_u64" || name == "s_sub_nc_u64" || name == "s_barrier_signal";
  t.writesScc = is("s_") && !noScc && !keeps && (!ofFloats || is("s_cmp_"));
  t.addsToOld = is("s_fmac_");
  t.alwaysDefined = name.find("permute") != name.npos || name.find("swizzle") != name.npos ||
                    name.starts_with("v_mfma") || name.starts_with("v_smfmac") ||
                    name.starts_with("v_wmma") || name.starts_with("v_swmmac") ||
                    name.starts_with("s_get_barrier") || name.starts_with("s_sendmsg") ||
                    name.starts_with("s_movrel") || name.starts_with("v_permlane") ||
                    name.starts_with("v_swaprel") || name.starts_with("s_getpc") ||
                    name.starts_with("s_getreg") || name.starts_with("s_swappc") ||
                    name.starts_with("s_call");
  return t;
}

} // namespace

const Traits &traitsOf(Op op) {
  // Never freed: queues may still be at work while the process ends.
  static const std::vector<Traits> &table = *[] {
    auto *traits = new std::vector<Traits>(size_t(Op::count));
    auto &t = *traits;
    for (size_t k = 1; k < t.size(); ++k)
      t[k] = byName(isa::mnemonic(Op(k)));
    return traits;
  }();
  return table[size_t(op)];
}

ScalarValue combine(Traits::Logic logic, ScalarValue a, ScalarValue b, uint64_t width) {
  if (logic == Traits::landn1 || logic == Traits::lorn1 || logic == Traits::lnot)
    a.value = ~a.value;
  if (logic == Traits::landn2 || logic == Traits::lorn2)
    b.value = ~b.value;
  const uint64_t both = a.defined & b.defined;
  ScalarValue r;
  switch (logic) {
  case Traits::land:
  case Traits::landn1:
  case Traits::landn2:
    r = {a.value & b.value, both | (a.defined & ~a.value) | (b.defined & ~b.value)};
    break;
  case Traits::lor:
  case Traits::lorn1:
  case Traits::lorn2:
    r = {a.value | b.value, both | (a.defined & a.value) | (b.defined & b.value)};
    break;
  case Traits::lxor:
    r = {a.value ^ b.value, both};
    break;
  case Traits::lmove:
  case Traits::lnot:
    r = a;
    break;
  case Traits::arithmetic:
    r = {0, (both & width) == width ? ~0ull : 0};
    break;
  }
  r.defined |= ~width;
  return r;
}

} // namespace meld::softgpu::check
