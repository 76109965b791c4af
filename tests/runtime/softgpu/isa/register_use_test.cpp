// RegisterUse against LLVM's MC layer: explicit register operands and implicit uses and definitions
// of random instructions of every target.
//
// Left out of the comparison, because the two describe different things: EXEC as the lane mask of
// vector instructions, MODE and SCC; M0 of LDS instructions (LLVM's description is that of older
// devices) and of loads to LDS; whether a partly written destination counts as read (checked one
// way: what LLVM ties to the result, we read).
#include "tests/runtime/softgpu/isa/oracle.h"
#include "tests/runtime/softgpu/llvm_cpu.h"

#include "passes/compat.h"
#include "runtime/softgpu/isa/register_use.h"

#include <cctype>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>

namespace meld::softgpu::isa::test {
namespace {

/// 32-bit registers as numbers: SGPR slots from 0, VGPRs from 1000, AGPRs from 2000.
using Registers = std::set<unsigned>;

std::string show(const Registers &set) {
  std::string text;
  for (unsigned r : set)
    text += (text.empty() ? "" : " ") + (r >= 2000   ? "a" + std::to_string(r - 2000)
                                         : r >= 1000 ? "v" + std::to_string(r - 1000)
                                                     : "s" + std::to_string(r));
  return "{" + text + "}";
}

class Machine {
public:
  explicit Machine(Target target) : maskDwords_(traitsOf(target).maskDwords()) {
    std::string error;
    const auto *t = llvm::TargetRegistry::lookupTarget("amdgcn-amd-amdhsa", error);
    registers_.reset(t->createMCRegInfo("amdgcn-amd-amdhsa"));
    asm_.reset(t->createMCAsmInfo(*registers_, "amdgcn-amd-amdhsa", options_));
    subtarget_.reset(t->createMCSubtargetInfo("amdgcn-amd-amdhsa", softgpu::test::cpuName(target),
                                              softgpu::test::cpuFeatures(target)));
    context_ = std::make_unique<llvm::MCContext>(llvm::Triple("amdgcn-amd-amdhsa"), asm_.get(),
                                                 registers_.get(), subtarget_.get());
    instructions_.reset(t->createMCInstrInfo());
    disassembler_.reset(t->createMCDisassembler(*subtarget_, *context_));
  }

  struct Answer {
    bool valid = false;
    Registers reads, writes, tied;
    std::string name;
  };
  Answer ask(const uint8_t *code, size_t size) {
    Answer a;
    llvm::MCInst inst;
    uint64_t length = 0;
    if (disassembler_->getInstruction(inst, length, {code, size}, 0, llvm::nulls()) !=
        llvm::MCDisassembler::Success)
      return a;
    a.valid = true;
    const llvm::MCInstrDesc &d = instructions_->get(inst.getOpcode());
    a.name = instructions_->getName(inst.getOpcode()).str();
    for (unsigned k = 0; k < inst.getNumOperands(); ++k) {
      if (!inst.getOperand(k).isReg() || !inst.getOperand(k).getReg())
        continue;
      const unsigned r = inst.getOperand(k).getReg();
      if (k < d.getNumDefs())
        add(a.writes, r);
      else if (k < d.getNumOperands() && d.getOperandConstraint(k, llvm::MCOI::TIED_TO) >= 0)
        add(a.tied, r);
      else
        add(a.reads, r);
    }
    for (unsigned r : passes::compat::implicitUses(d))
      addImplicit(a.reads, r);
    for (unsigned r : passes::compat::implicitDefs(d))
      addImplicit(a.writes, r);
    return a;
  }

private:
  /// VGPR4_VGPR5, VCC_LO, FLAT_SCR_vi, TTMP4_TTMP5_gfx9plus, ...
  void add(Registers &set, unsigned reg) {
    std::string name = registers_->getName(reg);
    auto range = [&](std::string_view prefix, unsigned base) {
      if (name.rfind(prefix, 0) || !std::isdigit(static_cast<unsigned char>(name[prefix.size()])))
        return false;
      for (size_t at = 0; (at = name.find(prefix, at)) != name.npos; at += prefix.size())
        set.insert(base + unsigned(std::atoi(name.c_str() + at + prefix.size())));
      return true;
    };
    auto special = [&](std::string_view prefix, unsigned slot) {
      if (name.rfind(prefix, 0))
        return false;
      const bool lo = name.find("_LO") != name.npos, hi = name.find("_HI") != name.npos;
      if (!hi)
        set.insert(slot);
      if (!lo)
        set.insert(slot + 1);
      return true;
    };
    if (range("VGPR", 1000) || range("AGPR", 2000) || range("SGPR", 0) ||
        range("TTMP", Sgpr::ttmp0) || special("VCC", Sgpr::vcc) || special("EXEC", Sgpr::exec) ||
        special("FLAT_SCR", Sgpr::flatScratch) || special("XNACK_MASK", Sgpr::xnackMask))
      return;
    if (name.rfind("M0", 0) == 0)
      set.insert(Sgpr::m0);
    else if (name == "SRC_VCCZ")
      addMask(set, Sgpr::vcc);
    else if (name == "SRC_EXECZ")
      addMask(set, Sgpr::exec);
  }
  /// The descriptions name the pair whatever the wave size.
  void addImplicit(Registers &set, unsigned reg) {
    const std::string_view name = registers_->getName(reg);
    if (name == "VCC" || name == "EXEC")
      addMask(set, name == "VCC" ? Sgpr::vcc : Sgpr::exec);
    else
      add(set, reg);
  }
  void addMask(Registers &set, unsigned slot) {
    for (unsigned k = 0; k < maskDwords_; ++k)
      set.insert(slot + k);
  }

  unsigned maskDwords_;
  llvm::MCTargetOptions options_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> asm_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
};

Registers numbers(std::span<const RegisterRange> ranges) {
  Registers set;
  for (const RegisterRange &r : ranges)
    for (unsigned k = 0; k < r.dwords; ++k)
      set.insert(r.index + k +
                 (r.file == RegisterRange::File::sgpr   ? 0
                  : r.file == RegisterRange::File::vgpr ? 1000
                                                        : 2000));
  return set;
}

void forget(Registers &set, unsigned slot, unsigned count) {
  for (unsigned k = 0; k < count; ++k)
    set.erase(slot + k);
}

class RegisterUseTest : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Targets, RegisterUseTest, testing::ValuesIn(kTargets),
                         [](auto &i) { return softgpu::test::testName(i.param); });

TEST_P(RegisterUseTest, AgreesWithLlvm) {
  Oracle oracle(GetParam());
  Machine machine(GetParam());
  std::mt19937_64 rng(7);
  std::map<std::string, std::string> wrong;
  std::set<Op> seen;
  for (int n = 0; n < 400000; ++n) {
    const auto words = randomWords(rng, GetParam());
    const auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
    Inst in;
    if (decode(bytes, sizeof(words), GetParam(), in) != DecodeStatus::ok)
      continue;
    if (oracle.disassemble(bytes, in.size).crashed) // of operands that its tables lack
      continue;
    Machine::Answer want = machine.ask(bytes, in.size);
    if (!want.valid)
      continue;
    seen.insert(in.op);
    const RegisterUse use(in);
    Registers reads = numbers(use.reads()), writes = numbers(use.writes());
    if (use.underExec())
      forget(want.reads, Sgpr::exec, 2), forget(reads, Sgpr::exec, 2);
    // LLVM does not list the dword of tfe, nor that s_cmovk may keep the old value, nor the result
    // of s_subvector_loop; it calls the base of a relative destination a source.
    if (in.tfe || in.op == Op::s_cmovk_i32 || in.op == Op::s_movreld_b32 ||
        in.op == Op::s_movreld_b64 || in.op == Op::v_movreld_b32 || in.op == Op::v_movrelsd_b32 ||
        in.op == Op::v_movrelsd_2_b32 || in.op == Op::s_subvector_loop_begin ||
        in.op == Op::s_subvector_loop_end)
      continue;
    // Decoded with scalar sources, or without any, by later LLVMs.
    if (LLVM_VERSION_MAJOR >= 16 &&
        (in.op == Op::v_swap_b32 || in.op == Op::v_accvgpr_read_b32 ||
         in.op == Op::v_accvgpr_write_b32 || in.op == Op::v_accvgpr_mov_b32))
      continue;
    // The accumulator of an instruction that is the second half of a pair; a scalar source; EXEC of
    // a message.
    if (LLVM_VERSION_MAJOR >= 16 &&
        (want.name.find("_X_DOT2C_F32_") != want.name.npos ||
         want.name.find("_X_FMAC_F32_") != want.name.npos || in.op == Op::v_swaprel_b32))
      continue;
    if (LLVM_VERSION_MAJOR >= 20 && mnemonic(in.op).starts_with("s_sendmsg"))
      forget(want.reads, Sgpr::exec, 2);
    // LLVM 15 takes the half of a 16-bit operand for part of its number.
    if (traitsOf(GetParam()).generation >= 11 && in.opSel != 0 && in.enc != Enc::VOP3 &&
        in.enc != Enc::VOP3P)
      continue;
    // Read as gfx908's, with accumulators that are always AGPRs: see llvm_cpu.h.
    if (LLVM_VERSION_MAJOR < 17 && traitsOf(GetParam()).scopes && valuRate(in.op) == ValuRate::mfma)
      continue;
    if (!knownByStandIn(GetParam(), {bytes, in.size}))
      continue;
    for (unsigned r : want.tied)
      if (!reads.count(r))
        wrong.try_emplace(want.name + " ties " + show(want.tied),
                          disassemble(in, GetParam()) + " reads " + show(reads));
    want.reads.insert(want.tied.begin(), want.tied.end());
    if (want.name.find("CMPSWAP") != want.name.npos) // LLVM's result covers the comparand, too
      for (unsigned r : want.tied)
        if (!writes.count(r))
          want.writes.erase(r);
    // A destination we read in part is in neither of LLVM's lists.
    for (const RegisterRange &r : use.reads())
      if (r.role == RegisterRange::Role::destination || r.role == RegisterRange::Role::source2)
        for (unsigned x : numbers({&r, 1}))
          if (want.tied.count(x) || want.writes.count(x))
            want.reads.insert(x);
    // LLVM's descriptions of real scalar instructions have lost what the opcode implies.
    const bool scalar = in.enc <= Enc::SMEM;
    for (const RegisterRange &r : use.reads())
      if ((scalar || in.enc == Enc::SCRATCH) && r.role == RegisterRange::Role::implicit)
        want.reads.merge(numbers({&r, 1}));
    for (const RegisterRange &r : use.writes())
      if (scalar && r.role == RegisterRange::Role::implicit)
        want.writes.merge(numbers({&r, 1}));
    // LLVM 20 and later list where private memory lies, which flat addresses may be in.
    if (LLVM_VERSION_MAJOR >= 20 && (in.enc == Enc::FLAT || in.enc == Enc::SCRATCH ||
                                     mnemonic(in.op).starts_with("s_scratch_")))
      forget(want.reads, Sgpr::flatScratch, 2), forget(reads, Sgpr::flatScratch, 2);
    if (in.enc == Enc::DS || in.lds)
      forget(want.reads, Sgpr::m0, 1), forget(reads, Sgpr::m0, 1);
    if (in.sdwa && in.dst.kind == Operand::Kind::sgpr && in.dst.index != Sgpr::vcc)
      forget(want.writes, Sgpr::vcc, 2); // the mask goes to the SGPR instead
    // EXEC's lower half alone in 32-bit instructions of waves of 64, which LLVM 20 and later
    // describe as both.
    if (LLVM_VERSION_MAJOR >= 20 && in.enc <= Enc::SMEM && !use.writes().empty() &&
        mnemonic(in.op).find("exec_b32") != std::string_view::npos)
      for (Registers *set : {&want.reads, &want.writes, &reads, &writes})
        forget(*set, Sgpr::exec + 1, 1);
    if (reads != want.reads)
      wrong.try_emplace(want.name + " reads", disassemble(in, GetParam()) + ": ours " +
                                                  show(reads) + " LLVM's " + show(want.reads));
    if (writes != want.writes)
      wrong.try_emplace(want.name + " writes", disassemble(in, GetParam()) + ": ours " +
                                                   show(writes) + " LLVM's " + show(want.writes));
  }
  for (const auto &[what, text] : wrong)
    ADD_FAILURE() << what << ": " << text;
  EXPECT_GT(seen.size(), 700u);
}

} // namespace
} // namespace meld::softgpu::isa::test
