#include "passes/analysis/wave_state.h"
#include "passes/compat.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr unsigned mostLookedAt = 4000; // instructions of callees

struct Entry {
  const char *name; ///< without "llvm."; stands for all names that go on with a dot, too
  WaveUse use;
  const char *why;
};

constexpr char voteWhy[] = "asks which lanes run";
constexpr char exchangeWhy[] = "reads other lanes";
constexpr char orderWhy[] = "is an event of the wave for the scheduler or the memory counters";
constexpr char clockWhy[] = "reads a clock or counter of the wave";
constexpr char modeWhy[] = "changes the MODE register: rounding, denormals, exceptions";
constexpr char registerWhy[] = "changes a register that the wave may have once";
constexpr char readsWhy[] = "reads a register that the wave has once";
constexpr char messageWhy[] = "sends one message for the wave, by M0";
constexpr char endWhy[] = "stops the wave, not the lane";
constexpr char execWhy[] = "changes EXEC";
constexpr char gdsWhy[] = "is one request of the wave, by M0";
constexpr char cacheWhy[] = "works on a cache, once for the wave";
constexpr char ownWhy[] = "";

constexpr const char *modeTexts[] = {"setreg", "_mode", "setpc",   "swappc", "call",
                                     ".long",  ".word", ".byte",   ".int",   ".quad",
                                     ".macro", "\\",    ".include"};

constexpr Entry entries[] = {
    // Votes and exchanges. LLVM marks them convergent; here for versions that forget one.
    {"amdgcn.ballot", WaveUse::lanes, voteWhy},
    {"amdgcn.inverse.ballot", WaveUse::lanes, voteWhy},
    {"amdgcn.icmp", WaveUse::lanes, voteWhy},
    {"amdgcn.fcmp", WaveUse::lanes, voteWhy},
    {"amdgcn.wqm.vote", WaveUse::lanes, voteWhy},
    {"amdgcn.live.mask", WaveUse::lanes, voteWhy},
    {"amdgcn.readfirstlane", WaveUse::lanes, exchangeWhy},
    {"amdgcn.readlane", WaveUse::lanes, exchangeWhy},
    {"amdgcn.writelane", WaveUse::lanes, exchangeWhy},
    {"amdgcn.mov.dpp", WaveUse::lanes, exchangeWhy},
    {"amdgcn.mov.dpp8", WaveUse::lanes, exchangeWhy},
    {"amdgcn.update.dpp", WaveUse::lanes, exchangeWhy},
    {"amdgcn.permlane16", WaveUse::lanes, exchangeWhy},
    {"amdgcn.permlanex16", WaveUse::lanes, exchangeWhy},
    {"amdgcn.permlane64", WaveUse::lanes, exchangeWhy},
    {"amdgcn.permlane16.var", WaveUse::lanes, exchangeWhy},
    {"amdgcn.permlanex16.var", WaveUse::lanes, exchangeWhy},
    {"amdgcn.permlane16.swap", WaveUse::lanes, exchangeWhy},
    {"amdgcn.permlane32.swap", WaveUse::lanes, exchangeWhy},
    {"amdgcn.ds.bpermute", WaveUse::lanes, exchangeWhy},
    {"amdgcn.ds.permute", WaveUse::lanes, exchangeWhy},
    {"amdgcn.ds.swizzle", WaveUse::lanes, exchangeWhy},
    {"amdgcn.wave.reduce", WaveUse::lanes, exchangeWhy},
    {"amdgcn.set.inactive", WaveUse::lanes, exchangeWhy},
    {"amdgcn.wwm", WaveUse::lanes, exchangeWhy},
    {"amdgcn.wqm", WaveUse::lanes, exchangeWhy},
    {"amdgcn.softwqm", WaveUse::lanes, exchangeWhy},
    {"amdgcn.strict.wwm", WaveUse::lanes, exchangeWhy},
    {"amdgcn.strict.wqm", WaveUse::lanes, exchangeWhy},
    {"amdgcn.image.sample", WaveUse::lanes, exchangeWhy}, // derivatives of the four lanes of a quad
    {"amdgcn.image.gather4", WaveUse::lanes, exchangeWhy},
    {"amdgcn.image.getlod", WaveUse::lanes, exchangeWhy},
    {"amdgcn.interp", WaveUse::lanes, exchangeWhy}, // parameters of the quad, by M0
    {"amdgcn.lds.direct.load", WaveUse::lanes, exchangeWhy},
    {"amdgcn.lds.param.load", WaveUse::lanes, exchangeWhy},
    {"amdgcn.mfma", WaveUse::lanes, exchangeWhy},
    {"amdgcn.smfmac", WaveUse::lanes, exchangeWhy},
    {"amdgcn.wmma", WaveUse::lanes, exchangeWhy},
    {"amdgcn.swmmac", WaveUse::lanes, exchangeWhy},
    {"amdgcn.ds.append", WaveUse::lanes, "adds the number of lanes that run"},
    {"amdgcn.ds.consume", WaveUse::lanes, "subtracts the number of lanes that run"},
    // Barriers are passed by the wave. Named ones have a state that later ones hang on.
    {"amdgcn.s.barrier", WaveUse::lanes, "is passed by the wave"},
    {"amdgcn.wave.barrier", WaveUse::lanes, "is passed by the wave"},
    {"amdgcn.s.barrier.signal", WaveUse::changes, "changes a barrier's state for the wave"},
    {"amdgcn.s.barrier.init", WaveUse::changes, "changes a barrier's state for the wave"},
    {"amdgcn.s.barrier.join", WaveUse::changes, "changes a barrier's state for the wave"},
    {"amdgcn.s.barrier.leave", WaveUse::changes, "changes a barrier's state for the wave"},
    {"amdgcn.s.wakeup.barrier", WaveUse::changes, "changes a barrier's state for the wave"},
    {"nvvm", WaveUse::lanes, "may be a barrier or a vote"}, // what has no entry of its own
    {"nvvm.atomic", WaveUse::none, ownWhy},
    {"nvvm.ldg", WaveUse::none, ownWhy},
    {"nvvm.ldu", WaveUse::none, ownWhy},
    {"nvvm.membar", WaveUse::none, ownWhy},
    // Events: twice is not once.
    {"amdgcn.s.sleep", WaveUse::once, "puts the wave to sleep"},
    {"amdgcn.s.monitor.sleep", WaveUse::once, "puts the wave to sleep"},
    {"amdgcn.s.nop", WaveUse::once, orderWhy},
    {"amdgcn.s.waitcnt", WaveUse::once, orderWhy},
    {"amdgcn.s.wait", WaveUse::once, orderWhy},
    {"amdgcn.sched.barrier", WaveUse::once, orderWhy},
    {"amdgcn.sched.group.barrier", WaveUse::once, orderWhy},
    {"amdgcn.iglp.opt", WaveUse::once, orderWhy},
    {"amdgcn.s.incperflevel", WaveUse::once, "counts once for the wave"},
    {"amdgcn.s.decperflevel", WaveUse::once, "counts once for the wave"},
    {"amdgcn.s.ttracedata", WaveUse::once, "writes one trace entry for the wave"},
    {"amdgcn.s.icache.inv", WaveUse::once, cacheWhy},
    {"amdgcn.s.dcache", WaveUse::once, cacheWhy},
    {"amdgcn.s.prefetch", WaveUse::once, cacheWhy},
    {"amdgcn.buffer.wbinvl1", WaveUse::once, cacheWhy},
    {"amdgcn.s.memtime", WaveUse::once, clockWhy},
    {"amdgcn.s.memrealtime", WaveUse::once, clockWhy},
    {"readcyclecounter", WaveUse::once, clockWhy},
    {"readsteadycounter", WaveUse::once, clockWhy},
    {"amdgcn.s.getreg", WaveUse::once, readsWhy},
    {"amdgcn.s.getpc", WaveUse::once, readsWhy},
    {"amdgcn.s.get", WaveUse::once, readsWhy},
    {"get.rounding", WaveUse::once, readsWhy},
    {"flt.rounds", WaveUse::once, readsWhy},
    {"get.fpenv", WaveUse::once, readsWhy},
    {"get.fpmode", WaveUse::once, readsWhy},
    {"read_register", WaveUse::once, readsWhy},
    {"read_volatile_register", WaveUse::once, readsWhy},
    {"trap", WaveUse::once, endWhy}, // nothing follows that could hang on it
    {"ubsantrap", WaveUse::once, endWhy},
    // State.
    {"debugtrap", WaveUse::changes, endWhy},
    {"amdgcn.s.trap", WaveUse::changes, endWhy},
    {"amdgcn.endpgm", WaveUse::changes, endWhy},
    {"amdgcn.s.sethalt", WaveUse::changes, endWhy},
    {"amdgcn.s.setreg", WaveUse::changes, modeWhy},
    {"set.rounding", WaveUse::changes, modeWhy},
    {"set.fpenv", WaveUse::changes, modeWhy},
    {"reset.fpenv", WaveUse::changes, modeWhy},
    {"set.fpmode", WaveUse::changes, modeWhy},
    {"reset.fpmode", WaveUse::changes, modeWhy},
    {"write_register", WaveUse::changes, registerWhy},
    {"amdgcn.s.setprio", WaveUse::changes, "changes the wave's priority"},
    {"amdgcn.s.setprio.inc.wg", WaveUse::changes, "changes the wave's priority"},
    {"amdgcn.s.sendmsg", WaveUse::changes, messageWhy},
    {"amdgcn.s.sendmsghalt", WaveUse::changes, messageWhy},
    {"amdgcn.s.sendmsg.rtn", WaveUse::changes, messageWhy},
    {"amdgcn.s.alloc.vgpr", WaveUse::changes, "changes how many registers the wave has"},
    {"amdgcn.s.set.gpr.idx", WaveUse::changes, "changes how registers are addressed, and M0"},
    {"amdgcn.init.exec", WaveUse::changes, execWhy},
    {"amdgcn.kill", WaveUse::changes, execWhy},
    {"amdgcn.wqm.demote", WaveUse::changes, execWhy},
    {"amdgcn.exp", WaveUse::changes, "exports, the last one for all of the wave"},
    {"amdgcn.ds.gws", WaveUse::changes, gdsWhy},
    {"amdgcn.ds.ordered", WaveUse::changes, gdsWhy},
    {"amdgcn.global.load.lds", WaveUse::changes, gdsWhy},
    {"amdgcn.load.to.lds", WaveUse::changes, gdsWhy},
    {"amdgcn.raw.buffer.load.lds", WaveUse::changes, gdsWhy},
    {"amdgcn.raw.ptr.buffer.load.lds", WaveUse::changes, gdsWhy},
    {"amdgcn.struct.buffer.load.lds", WaveUse::changes, gdsWhy},
    {"amdgcn.struct.ptr.buffer.load.lds", WaveUse::changes, gdsWhy},
    // A lane's own memory, whatever else of the target has effects.
    {"amdgcn.global.atomic", WaveUse::none, ownWhy},
    {"amdgcn.flat.atomic", WaveUse::none, ownWhy},
    {"amdgcn.atomic", WaveUse::none, ownWhy},
    {"amdgcn.ds.fadd", WaveUse::none, ownWhy},
    {"amdgcn.ds.fmin", WaveUse::none, ownWhy},
    {"amdgcn.ds.fmax", WaveUse::none, ownWhy},
    {"amdgcn.buffer", WaveUse::none, ownWhy},
    {"amdgcn.tbuffer", WaveUse::none, ownWhy},
    {"amdgcn.raw.buffer", WaveUse::none, ownWhy},
    {"amdgcn.raw.tbuffer", WaveUse::none, ownWhy},
    {"amdgcn.raw.ptr.buffer", WaveUse::none, ownWhy},
    {"amdgcn.raw.ptr.tbuffer", WaveUse::none, ownWhy},
    {"amdgcn.struct.buffer", WaveUse::none, ownWhy},
    {"amdgcn.struct.tbuffer", WaveUse::none, ownWhy},
    {"amdgcn.struct.ptr.buffer", WaveUse::none, ownWhy},
    {"amdgcn.struct.ptr.tbuffer", WaveUse::none, ownWhy},
    {"amdgcn.image", WaveUse::none, ownWhy},
    // The same of LLVM's own.
    {"memcpy", WaveUse::none, ownWhy},
    {"memmove", WaveUse::none, ownWhy},
    {"memset", WaveUse::none, ownWhy},
    {"masked", WaveUse::none, ownWhy},
    {"vp", WaveUse::none, ownWhy},
    {"matrix", WaveUse::none, ownWhy},
    {"prefetch", WaveUse::none, ownWhy},
    {"stacksave", WaveUse::none, ownWhy},
    {"stackrestore", WaveUse::none, ownWhy},
    {"experimental.constrained", WaveUse::none, ownWhy}, // the state it runs in is asked for apart
    {"experimental.vp", WaveUse::none, ownWhy},
    {"objectsize", WaveUse::none, ownWhy},
    {"sideeffect", WaveUse::none, ownWhy},
    {"va_start", WaveUse::none, ownWhy},
    {"va_end", WaveUse::none, ownWhy},
    {"va_copy", WaveUse::none, ownWhy},
};

const StringMap<WaveOperation> &table() {
  static const StringMap<WaveOperation> known = [] {
    StringMap<WaveOperation> map;
    for (const Entry &entry : entries)
      map[entry.name] = {entry.use, entry.why, entry.why == modeWhy || entry.why == registerWhy};
    return map;
  }();
  return known;
}

/// The entry of the longest name that `name` begins with, in whole parts between dots.
const WaveOperation *entryOf(StringRef name) {
  for (name.consume_front("llvm."); !name.empty(); name = name.rsplit('.').first) {
    auto found = table().find(name);
    if (found != table().end())
      return &found->second;
    if (!name.contains('.'))
      break;
  }
  return nullptr;
}

WaveOperation strongest(WaveOperation left, WaveOperation right) {
  return left.use < right.use || (left.use == right.use && right.changesMode) ? right : left;
}

class Looker {
public:
  WaveOperation at(const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      return {};
    WaveOperation result;
    if (call->isConvergent())
      result = {WaveUse::lanes, "is convergent"};
    if (call->isInlineAsm())
      return strongest(result, ofAssembly(*call));
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(call))
      return strongest(result, ofIntrinsic(*intrinsic));
    if (const Function *callee = call->getCalledFunction())
      return strongest(result, ofFunction(*callee));
    return result;
  }

private:
  static WaveOperation ofAssembly(const CallBase &call) {
    auto &assembly = *cast<InlineAsm>(call.getCalledOperand());
    const StringRef text = StringRef(assembly.getAsmString()).trim();
    if (!assembly.hasSideEffects() || text.empty())
      return {};
    // Its instructions are spelled out: those that write MODE, jump, or are spelled in numbers.
    const bool mode =
        any_of(modeTexts, [&](const char *part) { return text.contains_insensitive(part); });
    return {WaveUse::changes, "is assembly, which may change anything", mode};
  }

  static WaveOperation ofIntrinsic(const IntrinsicInst &call) {
    if (isa<DbgInfoIntrinsic>(call) || call.isAssumeLikeIntrinsic())
      return {};
    const StringRef name = call.getCalledFunction()->getName();
    if (const WaveOperation *known = entryOf(name)) {
      const bool wholeTarget = compat::startsWith(name, "llvm.nvvm.") && !call.mayHaveSideEffects();
      return wholeTarget ? WaveOperation() : *known;
    }
    if (!call.mayHaveSideEffects())
      return {};
    return {WaveUse::changes, "has effects that are not known", true};
  }

  WaveOperation ofFunction(const Function &callee) {
    WaveOperation result;
    if (callee.isDeclaration() || !seen_.insert(&callee).second)
      return result;
    for (const BasicBlock &block : callee)
      for (const Instruction &instruction : block) {
        if (left_ == 0)
          return {WaveUse::changes, "calls more than was looked at", true};
        --left_;
        result = strongest(result, at(instruction));
        if (result.changesMode)
          return result;
      }
    return result;
  }

  SmallPtrSet<const Function *, 8> seen_; ///< each is looked at once: recursion adds nothing
  unsigned left_ = mostLookedAt;
};

} // namespace

WaveOperation waveOperation(const Instruction &instruction) { return Looker().at(instruction); }

bool changesMode(const Function &function) {
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      if (isa<CallBase>(instruction) && waveOperation(instruction).changesMode)
        return true;
  return false;
}

bool hangsOnMode(const Instruction &instruction) {
  auto isFloat = [](const Value *value) { return value->getType()->isFPOrFPVectorTy(); };
  if (isa<PHINode>(instruction) || isa<LoadInst>(instruction) || isa<StoreInst>(instruction) ||
      isa<SelectInst>(instruction) || isa<BitCastInst>(instruction))
    return false;
  return isFloat(&instruction) ||
         any_of(instruction.operands(), [&](const Use &use) { return isFloat(use.get()); });
}

const char *stateForbids(const BasicBlock &from, const BasicBlock *join, bool modeChanges) {
  SmallPtrSet<const BasicBlock *, 32> seen;
  SmallVector<const BasicBlock *, 32> work(successors(&from));
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (block == join || !seen.insert(block).second)
      continue;
    for (const Instruction &instruction : *block) {
      if (modeChanges && hangsOnMode(instruction))
        return "computes in floating point, and the function changes the MODE register";
      if (!isa<CallBase>(instruction))
        continue;
      const WaveOperation operation = waveOperation(instruction);
      if (operation.use == WaveUse::changes)
        return operation.why;
    }
    append_range(work, successors(block));
  }
  return nullptr;
}

} // namespace meld::passes
