// Rules of v_cmpx: the comparisons of v_cmp, whose result is EXEC.
#include "runtime/softgpu/translate/lib/rules.h"

#include <map>
#include <string>
#include <string_view>

namespace meld::softgpu::translate {

namespace {

/// By Op. The library has no part of the executor, its table of names neither.
constexpr std::string_view kNames[] = {
    "invalid",
#define MELD_OP(name) #name,
#include "runtime/softgpu/isa/op_names.def"
#undef MELD_OP
};

} // namespace

void addExecRules(RuleTable &t) {
  using isa::Op;
  constexpr std::string_view stem = "v_cmp_", execStem = "v_cmpx_";
  std::map<std::string, Op> plain;
  for (unsigned k = 0; k < unsigned(Op::count); ++k)
    if (kNames[k].starts_with(stem))
      plain.emplace(kNames[k], Op(k));
  for (unsigned k = 0; k < unsigned(Op::count); ++k) {
    const std::string_view name = kNames[k];
    if (!name.starts_with(execStem))
      continue;
    const auto at = plain.find(std::string(stem).append(name.substr(execStem.size())));
    if (at == plain.end() || !t[at->second].emit)
      continue;
    t[Op(k)] = t[at->second];
    t[Op(k)].flags |= toExec;
  }
}

} // namespace meld::softgpu::translate
