#include "runtime/softgpu/execute/code_cache.h"

#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/execute/safe_read.h"
#include "runtime/softgpu/isa/control_flow.h"
#include "runtime/softgpu/isa/decoder.h"

namespace meld::softgpu {

using isa::Enc;
using isa::Operand;

namespace {

constexpr size_t kMaxRun = 8192;      // instructions
constexpr size_t kWindow = 16 * 1024; // bytes read at a time
constexpr uint64_t kPage = 4096;

const ExecInst *runIllegal(const ExecInst *i, Wave &w) {
  return w.raise(i, FaultKind::illegalInstruction,
                 reinterpret_cast<const CodeInst *>(i->inst)->problem);
}

/// Costs quantum as a backward branch does: even code without end gives others a turn.
const ExecInst *runLink(const ExecInst *i, Wave &w) {
  const ExecInst *target = w.code->targetOf(i);
  if (--w.quantum > 0) [[likely]]
    return target;
  w.status = WaveStatus::yielded;
  w.next = target;
  return nullptr;
}

bool fitsFile(const Operand &o) {
  switch (o.kind) {
  case Operand::Kind::sgpr:
    return o.index + (o.dwords ? o.dwords : 1u) <= isa::Sgpr::slots;
  case Operand::Kind::vgpr:
  case Operand::Kind::agpr:
    return o.index + (o.dwords ? o.dwords : 1u) <= 256;
  default:
    return true;
  }
}

/// Every register an instruction names lies inside the register files, so handlers need not check.
bool fitsFiles(const isa::Inst &in) {
  for (const Operand *o :
       {&in.dst, &in.sdst, &in.src[0], &in.src[1], &in.src[2], &in.src[3], &in.scaleB, &in.vaddr,
        &in.vdata, &in.vdata1, &in.saddr, &in.srsrc, &in.soffset, &in.dual.dst, &in.dual.src[0],
        &in.dual.src[1], &in.dual.src[2]})
    if (!fitsFile(*o))
      return false;
  return true;
}

bool prepare(ExecInst &e, isa::Target target) {
  switch (isa::familyOf(e.inst->enc)) {
  case isa::Family::scalar:
    return prepareScalar(e, target);
  case isa::Family::vector:
  case isa::Family::interpolation:
    return prepareValu(e, target);
  default:
    return prepareMemory(e, target);
  }
}

} // namespace

size_t CodeCache::decoded() const {
  std::lock_guard lock(mutex_);
  return byPc_.size();
}

const ExecInst *CodeCache::find(uint64_t pc) {
  std::lock_guard lock(mutex_);
  auto it = byPc_.find(pc);
  const ExecInst *i = it != byPc_.end() ? it->second : decodeRun(pc);
  recent_[slot(pc)].store(i, std::memory_order_release);
  return i;
}

const ExecInst *CodeCache::decodeRun(uint64_t start) {
  std::vector<CodeInst> insts;
  std::vector<uint8_t> window(kWindow);
  uint64_t base = start, pc = start;
  size_t have = safeRead(base, window.data(), kWindow);
  bool link = false;

  // A fault in code is raised where it is executed, so decoding stops at the first problem.
  while (true) {
    if (pc != start && (byPc_.count(pc) || insts.size() >= kMaxRun)) {
      link = true;
      break;
    }
    if (have - (pc - base) < 12 && have == kWindow) {
      base = pc;
      have = safeRead(base, window.data(), kWindow);
    }
    CodeInst &c = insts.emplace_back();
    c.pc = pc;
    if (memory_ && (pc == start || pc % kPage < 4) && !memory_->mapped(pc, 4)) {
      c.problem = "the code lies outside the device's memory";
      break;
    }
    switch (isa::decode(window.data() + (pc - base), have - (pc - base), target_, c.inst)) {
    case isa::DecodeStatus::ok:
      if (!fitsFiles(c.inst))
        c.problem = "an operand lies outside the register file";
      break;
    case isa::DecodeStatus::truncated:
      c.problem = "the code runs into unmapped memory";
      break;
    case isa::DecodeStatus::unknown:
      c.problem = "no such instruction on this target";
      break;
    case isa::DecodeStatus::unsupported:
      if (c.inst.enc == isa::Enc::DS)
        break; // global wave sync: the memory part knows
      c.problem = "the software GPU does not have this instruction";
      break;
    }
    if (c.problem || isa::endsLine(c.inst.op))
      break;
    pc += c.inst.size;
  }

  const size_t n = insts.size();
  Run run;
  run.insts = std::make_unique<CodeInst[]>(n + 1);
  run.entries = std::make_unique<ExecInst[]>(n + 1);
  std::move(insts.begin(), insts.end(), run.insts.get());
  for (size_t k = 0; k < n; ++k) {
    CodeInst &c = run.insts[k];
    ExecInst &e = run.entries[k];
    c.id = nextId_++;
    c.ranges = isa::OperandRanges(c.inst);
    e = ExecInst{};
    e.inst = &c.inst;
    e.pcOffset = uint32_t(c.pc);
    e.category = uint8_t(c.problem ? isa::Category::other : isa::category(c.inst));
    const uint8_t category = e.category;
    if (!c.problem && !prepare(e, target_))
      c.problem = "the software GPU does not have this instruction";
    if (c.problem) {
      e.run = runIllegal;
      e.category = category;
    }
    byPc_.emplace(c.pc, &e);
  }
  // The entry behind the last instruction: where the run meets known code, or, behind a transfer
  // that never falls through, something that keeps `i + 1` valid.
  CodeInst &last = run.insts[n];
  ExecInst &e = run.entries[n];
  e = ExecInst{};
  last.pc = pc;
  last.problem = "execution ran past the end of the code";
  e.inst = &last.inst;
  e.category = kCoreEntry;
  e.pcOffset = uint32_t(pc);
  e.run = link ? runLink : runIllegal;
  if (link)
    e.targetPc = pc;
  runs_.push_back(std::move(run));
  return runs_.back().entries.get();
}

} // namespace meld::softgpu
