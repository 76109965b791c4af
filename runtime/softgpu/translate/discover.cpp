// The code of a kernel that can be reached without an indirect jump, cut into units.
//
// What: a worklist of instructions starting at the kernel's entry; each is followed to the end of
// its straight line, direct branches add their targets. Instructions are then ordered by address
// and cut into units at block starts; a block longer than a unit is cut, too. Indirect jumps end a
// line: what they lead to is interpreted (and what follows a call starts a block of its own).
//
// Terminates: every instruction enters the worklist's map once. Cost: a map insertion per
// instruction.
#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/isa/control_flow.h"
#include "runtime/softgpu/translate/tier.h"

#include <map>

namespace meld::softgpu::translate {

namespace {

using isa::Op;

const CodeInst &codeOf(const ExecInst *i) { return *reinterpret_cast<const CodeInst *>(i->inst); }

} // namespace

std::vector<std::vector<UnitInst>> discoverUnits(CodeCache &code, const ExecInst *entry,
                                                 size_t maxUnit) {
  std::map<uint64_t, UnitInst> found; // by address
  std::vector<const ExecInst *> work{entry};
  constexpr size_t kMaxKernel = 20000;
  std::vector<const ExecInst *> leaders;

  while (!work.empty()) {
    const ExecInst *i = work.back();
    work.pop_back();
    leaders.push_back(i);
    for (; found.size() < kMaxKernel; i = following(i)) {
      if (i->category == kCoreEntry)
        break;
      const CodeInst &c = codeOf(i);
      auto [at, fresh] = found.try_emplace(c.pc);
      if (!fresh)
        break;
      UnitInst &u = at->second;
      u.exec = i;
      u.pc = c.pc;
      if (c.problem) {
        u.flags |= onlyHandler;
        break;
      }
      const Op op = c.inst.op;
      const bool conditional = isa::branchOf(op).isConditional();
      if (op == Op::s_branch || op == Op::s_call_b64 || conditional) {
        u.target = code.targetOf(i);
        leaders.push_back(u.target);
        work.push_back(u.target);
      }
      if (isa::endsLine(op))
        break;
      const ExecInst *next = following(i);
      if (next->category == kCoreEntry && next->targetPc) { // the line goes on elsewhere
        u.link = code.targetOf(next);
        work.push_back(u.link);
      }
      if (conditional || suspends(op)) {
        if (next->category != kCoreEntry)
          leaders.push_back(next);
      }
    }
  }
  for (const ExecInst *l : leaders)
    if (auto at = found.find(pcOf(l)); at != found.end() && at->second.exec == l)
      at->second.flags |= startsBlock;

  std::vector<std::vector<UnitInst>> units;
  const UnitInst *before = nullptr;
  size_t sinceLeader = 0;
  for (auto &[pc, u] : found) {
    const bool continues = before && following(before->exec) == u.exec;
    sinceLeader = u.flags & startsBlock ? 0 : sinceLeader + 1;
    if (units.empty() || (units.back().size() >= maxUnit && u.flags & startsBlock) ||
        sinceLeader >= maxUnit) {
      units.emplace_back();
      u.flags |= startsBlock;
      sinceLeader = 0;
    }
    if (!continues)
      u.flags |= startsBlock;
    units.back().push_back(u);
    before = &u;
  }
  for (auto &unit : units) {
    std::map<const ExecInst *, int32_t> index;
    for (size_t k = 0; k < unit.size(); ++k)
      index.emplace(unit[k].exec, int32_t(k));
    for (auto &u : unit) {
      if (auto at = index.find(u.target); u.target && at != index.end())
        u.targetIndex = at->second;
      if (auto at = index.find(u.link); u.link && at != index.end())
        u.linkIndex = at->second;
      if (auto at = index.find(following(u.exec)); at != index.end())
        u.nextIndex = at->second;
    }
  }
  return units;
}

} // namespace meld::softgpu::translate
