// Use of registers that nothing wrote.
//
// What: every bit of every scalar register and every lane of every vector register is defined or
// not. Instructions pass this on, so that copying an undefined value or computing with it is no
// finding by itself: compilers do both where the result is not used. A finding is a use that can be
// seen:
//
//   address   of a memory access
//   data      stored to global memory; of several dwords all must be undefined
//   branch    a conditional branch or a jump
//   exec      EXEC gets an undefined bit
//
//   v_add_u32 v3, v1, v7            v7 was never written: v3 is undefined in all active lanes
//   v_cmp_gt_u32 vcc, v3, v0        so is vcc
//   s_and_saveexec_b64 s[2:3], vcc  finding
//
// Precise where compilers rely on it: bitwise operations on lane masks (and with a defined 0, or
// with a defined 1; in vector registers with a defined 0 or -1), v_cndmask (only the chosen operand
// counts), DPP, readlane, writelane, and LDS,
// every byte of which is undefined at first and remembers what was stored. Generous elsewhere:
// other memory is always defined (a spilled undefined register comes back defined), so are results
// of lane permutes and matrix products, and the whole register when a part was written. After a
// finding the registers involved count as defined. Cost: 0.1 to 1 us per instruction.
#include "runtime/softgpu/execute/special_source.h"
#include "runtime/softgpu/watch/check/check.h"
#include "runtime/softgpu/watch/check/lds_access.h"
#include "runtime/softgpu/watch/check/undefined_scalar.h"
#include "runtime/softgpu/watch/check/undefined_vector.h"

#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/valu/slow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

namespace meld::softgpu::check {

namespace {

using isa::Category;
using isa::Enc;
using isa::Inst;
using isa::Op;
using isa::Operand;
using isa::RegisterRange;
using isa::Sgpr::exec;
using isa::Sgpr::flatScratch;
using Defined = DefinedRegisters;

class UndefinedChecker final : public Watcher {
public:
  explicit UndefinedChecker(const Launch &launch)
      : reporter_("undefined", launch), launch_(launch) {}

  void groupStarted(Workgroup &g) override {
    lds_[&g].assign(g.waves[0].ldsSize, 0);
    for (uint32_t k = 0; k < g.numWaves; ++k) {
      Defined &d = waves_[&g.waves[k]] = Defined{};
      const uint32_t r = launch_.rsrc2;
      unsigned n = r >> 1 & 31; // user SGPRs, then what rsrc2 asks for
      n += unsigned(std::popcount(r >> 7 & 15)) + (r & 1 && !launch_.hardwareScratch);
      if (launch_.hardwareScratch)
        d.sgpr[flatScratch] = d.sgpr[flatScratch + 1] = ~0u;
      for (unsigned s = 0; s < n; ++s)
        d.sgpr[s] = ~0u;
      d.sgpr[exec] = d.sgpr[exec + 1] = ~0u;
      for (unsigned s = isa::Sgpr::ttmp0; s < isa::Sgpr::m0; ++s)
        d.sgpr[s] = ~0u;
      d.vgpr[0] = ~0ull;
      for (unsigned v = 1; v < launch_.idDimensions() && !launch_.packedIds; ++v)
        d.vgpr[v] = ~0ull;
    }
  }

  void before(const ExecInst *i, Wave &w) override {
    Defined &d = waves_[&w];
    const isa::RegisterUse &use = uses_.of(i);
    exec_ = w.exec();
    result_ = lowResult_ = 0;
    resultBits_ = ~0ull;
    sccAfter_ = true;
    accesses_.clear();
    const Category c = Category(i->category);
    if (i->inst->enc == Enc::VOPD && i->aux) // not one that is refused
      bothHalves(i, w, d);
    else if (c == Category::valu)
      valu(i, w, d, use);
    else if (i->inst->enc == Enc::SMEM || c == Category::vmemRead || c == Category::vmemWrite ||
             c == Category::flat || c == Category::lds)
      memory(i, w, d, use);
    else
      scalar(i, w, d);
  }

  void after(const ExecInst *i, Wave &w) override {
    if (w.status == WaveStatus::faulted)
      return;
    Defined &d = waves_[&w];
    if (!accesses_.empty())
      return ldsDone(i, w, d);
    if (i->inst->enc == Enc::VOPD) {
      for (const HalfResult &half : halves_) {
        uint64_t &lanes = d.vgpr[half.row];
        lanes = (lanes & ~written_) | (written_ & ~half.undefined);
      }
      return;
    }
    const Traits &t = traitsOf(i->inst->op);
    const bool salu = i->inst->enc <= Enc::SOPP;
    for (const RegisterRange &r : uses_.of(i).writes()) {
      const unsigned first = r.index + relativeIndex(i, w, r);
      for (unsigned k = 0; k < r.dwords; ++k) {
        if (r.isVector()) {
          uint64_t &lanes = d.row(r, first + k);
          lanes = (lanes & ~written_) | (written_ & ~(k == 0 ? lowResult_ : result_));
        } else if (r.index == exec && salu) {
          continue; // below
        } else {
          const uint64_t bits = t.saveexec && r.role == RegisterRange::Role::destination
                                    ? ~0ull // the old EXEC, always defined
                                    : resultBits_;
          d.scalar(first + k) = uint32_t(bits >> (32 * (k & 1)));
        }
      }
      const bool toExec =
          r.file == RegisterRange::File::sgpr && r.index <= exec + 1 && r.index + r.dwords > exec;
      if (toExec && resultBits_ != ~0ull)
        reporter_.report(i, w, std::countr_one(resultBits_) & 63, [] {
          return std::string("EXEC depends on a register that was never written");
        });
      if (toExec)
        d.sgpr[exec] = d.sgpr[exec + 1] = ~0u;
    }
    if (salu && i->inst->enc != Enc::SOPP && t.writesScc)
      d.scc = sccAfter_;
  }

private:
  // --- scalar ---

  ScalarValue source(const Wave &w, const Defined &d, const Operand &o) const {
    ScalarValue v;
    const bool wide = o.dwords >= 2;
    switch (o.kind) {
    case Operand::Kind::sgpr:
      v.value = wide ? w.s64(std::min<unsigned>(o.index, 126)) : w.s[o.index];
      v.defined = wide ? d.pair(o.index) : d.scalar(o.index) | ~0ull << 32;
      break;
    case Operand::Kind::imm:
      v.value = o.value;
      break;
    case Operand::Kind::special:
      v.value = specialSource(w, o.index);
      if (o.index == 251 &&
          !knownNonZero(w.mask(isa::Sgpr::vcc), d.mask(isa::Sgpr::vcc, w.waveSize)))
        v.defined = 0;
      if (o.index == 253 && !d.scc)
        v.defined = 0;
      break;
    default:
      break;
    }
    return v;
  }

  /// Whether "is it zero" has a defined answer.
  static bool knownNonZero(uint64_t value, uint64_t defined) {
    return defined == ~0ull || (value & defined) != 0;
  }

  void scalar(const ExecInst *i, const Wave &w, Defined &d) {
    const Inst &in = *i->inst;
    switch (in.op) {
    case Op::s_cbranch_scc0:
    case Op::s_cbranch_scc1:
      if (!d.scc)
        branch(i, w, "scc");
      d.scc = true;
      return;
    case Op::s_cbranch_vccz:
    case Op::s_cbranch_vccnz:
      if (!knownNonZero(w.mask(isa::Sgpr::vcc), d.mask(isa::Sgpr::vcc, w.waveSize)))
        branch(i, w, "vcc");
      d.sgpr[isa::Sgpr::vcc] = ~0u;
      if (w.waveSize == kWaveSize)
        d.sgpr[isa::Sgpr::vcc + 1] = ~0u;
      return;
    case Op::s_setpc_b64:
    case Op::s_swappc_b64:
      if (~source(w, d, in.src[0]).defined)
        branch(i, w, "the address");
      return;
    default:
      break;
    }
    if (in.enc == Enc::SOPP)
      return;
    const Traits &t = traitsOf(in.op);
    const bool wide = in.dst.dwords >= 2 || in.src[0].dwords >= 2;
    const uint64_t width = wide ? ~0ull : 0xffffffff;
    const ScalarValue a = source(w, d, in.src[0]);
    ScalarValue b = source(w, d, in.src[1]);
    if (t.saveexec || t.wrexec)
      b = {w.exec(), ~0ull};
    ScalarValue r = combine(t.logic, a, b, width);
    if (t.addsToOld && uint32_t(source(w, d, in.dst).defined) != ~0u)
      r.defined = 0;
    resultBits_ = r.defined;
    const bool sccUnknown = t.readsScc && !d.scc;
    if (sccUnknown)
      resultBits_ = 0;
    else if (in.op == Op::s_cselect_b32 || in.op == Op::s_cselect_b64)
      resultBits_ = (w.scc ? a.defined : b.defined) | ~width;
    if (t.alwaysDefined)
      resultBits_ = ~0ull;
    // SCC: the result is not 0; comparisons and carries need all bits.
    sccAfter_ = !sccUnknown && (r.defined == ~0ull || (t.logic != Traits::arithmetic &&
                                                       (r.value & r.defined & width) != 0));
  }

  void branch(const ExecInst *i, const Wave &w, const char *what) {
    reporter_.report(i, w, -1, [&] {
      return std::string("the branch depends on ") + what + ", which was never written";
    });
  }

  // --- vector ALU ---

  /// Lanes in which a source is undefined.
  static uint64_t undefinedLanes(const ExecInst *i, const Wave &w, const Defined &d,
                                 const RegisterRange &r, unsigned dwords = 99) {
    return d.undefinedLanes(r, relativeIndex(i, w, r), 0, dwords);
  }

  /// Of GFX11's two instructions in one each reads what was there before.
  void bothHalves(const ExecInst *i, const Wave &w, Defined &d) {
    const ExecHalves &halves = halvesOf(i);
    for (unsigned k = 0; k < 2; ++k) {
      const Inst &in = halves.inst[k];
      result_ = lowResult_ = 0;
      valu(&halves.exec[k], w, d, isa::RegisterUse(in));
      halves_[k] = {in.dst.index, lowResult_};
    }
  }

  void valu(const ExecInst *i, const Wave &w, Defined &d, const isa::RegisterUse &use) {
    const Inst &in = *i->inst;
    written_ = exec_;
    if (traitsOf(in.op).alwaysDefined) {
      written_ = ~0ull; // matrix products write all lanes
      return;
    }
    if (sameRegisters(in)) { // x ^ x, x - x: a way to write 0
      resultBits_ = ~0ull;
      return;
    }
    if (isPackedPair(in.op) && !valu::usesDpp(in)) {
      const UndefinedPair halves = packedPair(in, use, [&](const RegisterRange &r, unsigned k) {
        return d.undefinedLanes(r, relativeIndex(i, w, r), k, 1);
      });
      result_ = halves.high & exec_;
      lowResult_ = halves.low & exec_;
      return;
    }
    uint64_t u = 0, low = 0, perSource[3] = {};
    for (const RegisterRange &r : use.reads()) {
      if (r.role == RegisterRange::Role::destination)
        continue; // the part that stays
      uint64_t x = undefinedLanes(i, w, d, r);
      if (valu::usesDpp(in) && r.role == RegisterRange::Role::source0)
        x = throughDpp(in, x);
      if (unsigned(r.role) < 3)
        perSource[unsigned(r.role)] = x;
      u |= x;
      low |= r.isVector() && !valu::usesDpp(in) ? undefinedLanes(i, w, d, r, 1) : x;
    }
    switch (in.op) {
    case Op::v_cndmask_b32: {
      const uint64_t mask =
          in.src[2].kind == Operand::Kind::sgpr ? w.s64(in.src[2].index) : w.s64(isa::Sgpr::vcc);
      u = perSource[2] | (mask & perSource[1]) | (~mask & perSource[0]);
      break;
    }
    case Op::v_and_b32: // select(c, x, 0) is written as an AND with 0 or -1
      u = withoutDeciding(i, w, u, perSource, 0);
      low = u;
      break;
    case Op::v_or_b32:
      u = withoutDeciding(i, w, u, perSource, ~0u);
      low = u;
      break;
    case Op::v_readfirstlane_b32:
      resultBits_ = perSource[0] >> (exec_ ? std::countr_zero(exec_) : 0) & 1 ? 0 : ~0ull;
      return;
    case Op::v_readlane_b32:
      resultBits_ =
          perSource[0] >> (valu::scalarOperand(w, in.src[1], false) & (w.waveSize - 1)) & 1 ? 0
                                                                                            : ~0ull;
      return;
    case Op::v_writelane_b32:
      written_ = 1ull << (valu::scalarOperand(w, in.src[1], false) & (w.waveSize - 1));
      result_ = lowResult_ = perSource[0];
      return;
    case Op::v_lshlrev_b64: // by 32 or more: the high dword comes from the low one, which gets 0
      for (uint64_t m = u & exec_ & ~perSource[0]; m; m &= m - 1) {
        const uint64_t lane = m & -m;
        if (laneValue(w, in.src[0], unsigned(std::countr_zero(m))) & 32)
          u = (u & ~lane) | (low & lane), low &= ~lane;
      }
      break;
    default:
      break;
    }
    if (valu::usesDpp(in))
      written_ &= valu::dppEnabled(in, exec_);
    result_ = u & exec_;
    lowResult_ = (lowFromLow(in) ? low : u) & exec_;
    resultBits_ = ~result_;
  }

  static uint32_t laneValue(const Wave &w, const Operand &o, unsigned lane) {
    const VRow *row = valu::vectorOperand(w, o);
    return row ? row->u[lane] : uint32_t(valu::scalarOperand(w, o, false));
  }

  /// Undefined lanes of an operation that a defined `decider` in one source decides alone.
  uint64_t withoutDeciding(const ExecInst *i, const Wave &w, uint64_t undefined,
                           const uint64_t *perSource, uint32_t decider) const {
    const Inst &in = *i->inst;
    if (in.sdwa || valu::usesDpp(in) || (w.mode & Mode::gprIdxEn))
      return undefined;
    for (uint64_t m = undefined & exec_; m; m &= m - 1) {
      const unsigned lane = unsigned(std::countr_zero(m));
      for (unsigned k = 0; k < 2; ++k) {
        if (perSource[k] >> lane & 1)
          continue;
        if (laneValue(w, in.src[k], lane) == decider)
          undefined &= ~(1ull << lane);
      }
    }
    return undefined;
  }

  /// The low dword of the result needs only the low dwords of the sources.
  static bool lowFromLow(const Inst &in) {
    switch (in.op) {
    case Op::v_mad_u64_u32:
    case Op::v_mad_i64_i32:
    case Op::v_lshlrev_b64:
    case Op::v_lshl_add_u64:
      return true;
    default:
      return false;
    }
  }

  static bool sameRegisters(const Inst &in) {
    switch (in.op) {
    case Op::v_xor_b32:
    case Op::v_sub_u32:
      return in.src[0].kind == Operand::Kind::vgpr && in.src[1].kind == Operand::Kind::vgpr &&
             in.src[0].index == in.src[1].index;
    default:
      return false;
    }
  }

  /// Lanes that are switched off give 0, or with fi their value.
  uint64_t throughDpp(const Inst &in, uint64_t undefined) const {
    uint64_t out = 0;
    const uint64_t read = undefined & (in.dppFi ? ~0ull : exec_);
    for (int n = 0; n < int(kWaveSize); ++n)
      if (const int s = valu::dppSource(in, n); s >= 0)
        out |= read >> s << 63 >> (63 - n);
    return out;
  }

  // --- memory ---

  void memory(const ExecInst *i, const Wave &w, Defined &d, const isa::RegisterUse &use) {
    const Inst &in = *i->inst;
    const bool vector = in.enc != Enc::SMEM;
    written_ = exec_;
    if (vector && !exec_)
      return;
    uint64_t dataUndefined = ~0ull;
    bool hasData = false;
    for (const RegisterRange &r : use.reads()) {
      if (r.role == RegisterRange::Role::address) {
        uint64_t u = undefinedLanes(i, w, d, r);
        if (vector)
          u &= exec_;
        if (!u)
          continue;
        reporter_.report(i, w, r.isVector() ? std::countr_zero(u) : -1, [&] {
          return "the address depends on " + registerName(r.file, r.index) +
                 ", which was never written";
        });
        define(i, w, d, r);
      } else if (r.role == RegisterRange::Role::data) {
        hasData = true;
        for (unsigned k = 0; k < r.dwords; ++k)
          dataUndefined &= r.isVector()                   ? ~d.row(r, r.index + k)
                           : d.scalar(r.index + k) == ~0u ? 0
                                                          : ~0ull;
      }
    }
    if ((in.enc == Enc::DS || in.enc == Enc::FLAT) && w.group) {
      shape_ = LdsShape::of(in);
      listLdsAccesses(shape_, i, w, accesses_);
      if (!accesses_.empty())
        return ldsData(use, d);
    }
    if (!hasData || in.enc == Enc::SCRATCH || in.enc == Enc::MUBUF || traitsOf(in.op).alwaysDefined)
      return; // MUBUF is scratch, or cache control
    if (vector)
      dataUndefined &= exec_;
    if (dataUndefined && !privateLane(w, in, unsigned(std::countr_zero(dataUndefined)))) {
      reporter_.report(i, w, std::countr_zero(dataUndefined),
                       [&] { return std::string("the stored value was never written"); });
      for (const RegisterRange &r : use.reads())
        if (r.role == RegisterRange::Role::data)
          define(i, w, d, r);
    }
  }

  /// Definedness of the operands, before a result may land on them.
  void ldsData(const isa::RegisterUse &use, Defined &d) {
    unsigned n = 0;
    for (const RegisterRange &r : use.reads())
      if (r.role == RegisterRange::Role::data)
        for (unsigned k = 0; k < r.dwords && n < 8; ++k)
          stored_[n++] = d.row(r, r.index + k);
  }

  /// After an LDS access: stores leave their definedness, loads and atomics take it.
  void ldsDone(const ExecInst *i, const Wave &w, Defined &d) {
    using Action = LdsShape::Action;
    std::vector<uint8_t> &shadow = lds_[w.group];
    const unsigned dwords = (shape_.bytes + 3u) / 4;
    uint64_t known[8] = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};
    for (const LdsAccess &x : accesses_)
      for (unsigned k = 0; k < shape_.bytes; ++k) {
        uint8_t &byte = shadow[x.at + k];
        const unsigned row = x.part * dwords + k / 4;
        if (shape_.action != Action::store && !byte)
          known[row & 7] &= ~(1ull << x.lane);
        const bool data = stored_[(shape_.action == Action::store ? row : k / 4) & 7] >> x.lane & 1;
        if (shape_.action == Action::store)
          byte = data;
        else if (shape_.action == Action::atomic)
          byte = byte && data;
      }
    for (const RegisterRange &r : uses_.of(i).writes())
      for (unsigned k = 0; k < r.dwords; ++k) {
        uint64_t &lanes = d.row(r, r.index + k);
        lanes = (lanes & ~exec_) | (exec_ & known[k & 7]);
      }
  }

  static bool privateLane(const Wave &w, const Inst &in, unsigned lane) {
    return in.enc == Enc::FLAT && w.v[in.vaddr.index + 1].u[lane] == uint32_t(w.apertures[2] >> 32);
  }

  void define(const ExecInst *i, const Wave &w, Defined &d, const RegisterRange &r) {
    for (unsigned k = 0; k < r.dwords; ++k)
      if (r.isVector())
        d.row(r, r.index + relativeIndex(i, w, r) + k) = ~0ull;
      else
        d.scalar(r.index + k) = ~0u;
  }

  Reporter reporter_;
  const Launch &launch_;
  UseTable uses_;
  std::unordered_map<const Wave *, Defined> waves_;
  std::unordered_map<const Workgroup *, std::vector<uint8_t>> lds_; ///< 1: the byte is defined
  // Of the current instruction
  LdsShape shape_;
  std::vector<LdsAccess> accesses_;
  uint64_t stored_[8] = {}; ///< defined lanes of each dword of the data operands
  uint64_t exec_ = 0;
  uint64_t written_ = 0;        ///< lanes of vector results that are written
  uint64_t result_ = 0;         ///< ... that are undefined then
  uint64_t lowResult_ = 0;      ///< the same for the first dword
  uint64_t resultBits_ = ~0ull; ///< defined bits of a scalar result
  bool sccAfter_ = true;
  struct HalfResult {
    uint16_t row = 0;
    uint64_t undefined = 0; ///< lanes
  };
  HalfResult halves_[2]; ///< of two instructions in one
};

} // namespace

std::unique_ptr<Watcher> makeUndefinedChecker(const Launch &launch) {
  return std::make_unique<UndefinedChecker>(launch);
}

} // namespace meld::softgpu::check
