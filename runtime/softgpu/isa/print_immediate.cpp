// Text of the immediates of SOPP and SOPK that have fields: counters, hardware registers, messages.
#include "runtime/softgpu/isa/print_common.h"

#include <span>
#include <utility>

namespace meld::softgpu::isa {

// s_waitcnt: vmcnt in bits 0..3 and 14..15, expcnt 4..6, lgkmcnt 8..11 (GFX10: 8..13); on GFX11 expcnt
// 0..2, lgkmcnt 4..9, vmcnt 10..15. Counters at their maximum do not wait.
void printWaitcnt(Text &t, unsigned imm) {
  const unsigned lgkmMax = t.gfx10() ? 63 : 15;
  unsigned vm = (imm & 15) | (imm >> 10 & 0x30), exp = imm >> 4 & 7, lgkm = imm >> 8 & lgkmMax;
  if (t.gfx11())
    vm = imm >> 10, exp = imm & 7, lgkm = imm >> 4 & 63;
  bool all = vm == 63 && exp == 7 && lgkm == lgkmMax;
  const char *space = "";
  auto item = [&](const char *name, unsigned value, unsigned max) {
    if (value == max && !all)
      return;
    t << space << name << "(" << int64_t(value) << ")";
    space = " ";
  };
  item("vmcnt", vm, 63);
  item("expcnt", exp, 7);
  item("lgkmcnt", lgkm, lgkmMax);
}

// s_waitcnt_depctr: seven counters, shown where they wait; all of them when none does.
void printDepctr(Text &t, unsigned imm) {
  struct Field {
    std::string_view name;
    unsigned shift, max;
  };
  static constexpr Field kFields[] = {{"hold_cnt", 7, 1}, {"sa_sdst", 0, 1}, {"va_vdst", 12, 15},
                                      {"va_sdst", 9, 7},  {"va_ssrc", 8, 1}, {"va_vcc", 1, 1},
                                      {"vm_vsrc", 2, 7}};
  constexpr unsigned kUnused = 0x60;
  if (imm & kUnused) {
    t.hex(imm);
    return;
  }
  const bool all = imm == (0xffff & ~kUnused);
  const char *space = "";
  for (const Field &f : kFields) {
    const unsigned value = imm >> f.shift & f.max;
    if (value == f.max && !all)
      continue;
    t << space << "depctr_" << f.name << "(" << int64_t(value) << ")";
    space = " ";
  }
}

namespace {

std::string_view hwregName(unsigned id, Target target) {
  static constexpr std::string_view kNames[] = {
      "",       "MODE",   "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS",
      "",       "",       "",       "",        "",      "",          "",          "SH_MEM_BASES",
      "TBA_LO", "TBA_HI", "TMA_LO", "TMA_HI"};
  constexpr unsigned kHwId = 4;
  // gfx942: which of its dies a wave runs on, and samples of a profiler.
  static constexpr std::string_view kMore942[] = {
      "XCC_ID", "SQ_PERF_SNAPSHOT_DATA", "SQ_PERF_SNAPSHOT_DATA1", "SQ_PERF_SNAPSHOT_PC_LO",
      "SQ_PERF_SNAPSHOT_PC_HI"};
  static constexpr std::string_view kMore10[] = {
      "FLAT_SCR_LO",  "FLAT_SCR_HI", "", "HW_ID1", "HW_ID2", "POPS_PACKER", "", "", "",
      "SHADER_CYCLES"};
  static constexpr std::string_view kNames12[] = {"",
                                                  "MODE",
                                                  "STATUS",
                                                  "",
                                                  "STATE_PRIV",
                                                  "GPR_ALLOC",
                                                  "LDS_ALLOC",
                                                  "IB_STS",
                                                  "",
                                                  "",
                                                  "PERF_SNAPSHOT_DATA",
                                                  "PERF_SNAPSHOT_PC_LO",
                                                  "PERF_SNAPSHOT_PC_HI",
                                                  "",
                                                  "",
                                                  "PERF_SNAPSHOT_DATA1",
                                                  "PERF_SNAPSHOT_DATA2",
                                                  "EXCP_FLAG_PRIV",
                                                  "EXCP_FLAG_USER",
                                                  "TRAP_CTRL",
                                                  "SCRATCH_BASE_LO",
                                                  "SCRATCH_BASE_HI",
                                                  "",
                                                  "HW_ID1",
                                                  "HW_ID2",
                                                  "",
                                                  "",
                                                  "",
                                                  "",
                                                  "SHADER_CYCLES_LO",
                                                  "SHADER_CYCLES_HI",
                                                  "DVGPR_ALLOC_LO",
                                                  "DVGPR_ALLOC_HI"};
  const TargetTraits traits = traitsOf(target);
  if (traits.generation >= 12)
    return id < std::size(kNames12) ? kNames12[id] : "";
  constexpr unsigned kFirstGone = 16, kEndGone = 20, kPopsPacker = 25; // not on GFX11
  if (traits.generation >= 11 && ((id >= kFirstGone && id < kEndGone) || id == kPopsPacker))
    return "";
  if (id < std::size(kNames))
    return traits.generation >= 10 && id == kHwId ? "" : kNames[id];
  id -= unsigned(std::size(kNames));
  if (traits.scopes)
    return id < std::size(kMore942) ? kMore942[id] : "";
  if (traits.generation >= 10)
    return id < std::size(kMore10) ? kMore10[id] : "";
  return "";
}

} // namespace

void printHwreg(Text &t, unsigned imm) {
  const unsigned id = imm & 63, offset = imm >> 6 & 31, width = (imm >> 11 & 31) + 1;
  const std::string_view name = hwregName(id, t.target());
  t << "hwreg(";
  if (!name.empty())
    t << "HW_REG_" << name;
  else
    t << int64_t(id);
  if (offset != 0 || width != 32)
    t << ", " << int64_t(offset) << ", " << int64_t(width);
  t << ")";
}

namespace {

/// GFX11: the whole field is the message, none has an operation. Those from 128 on want an answer
/// (s_sendmsg_rtn).
void printSendmsg11(Text &t, unsigned imm) {
  static constexpr std::string_view kNames[] = {
      "", "INTERRUPT",      "HS_TESSFACTOR", "DEALLOC_VGPRS",
      "", "STALL_WAVE_GEN", "HALT_WAVES",    "ORDERED_PS_DONE",
      "", "GS_ALLOC_REQ"};
  static constexpr std::string_view kReturning[] = {"GET_DOORBELL",  "GET_DDID",     "GET_TMA",
                                                    "GET_REALTIME",  "SAVE_WAVE",    "GET_TBA",
                                                    "GET_TBA_TO_PC", "GET_SE_AID_ID"};
  constexpr unsigned kFirstReturning = 128, kReturning11 = 6;
  constexpr unsigned kFirstGone = 4, kEndGone = 8; // not on GFX12
  const unsigned id = imm & 0xff, back = id - kFirstReturning;
  const bool gone = t.gfx12() && id >= kFirstGone && id < kEndGone;
  if (id < std::size(kNames) && !kNames[id].empty() && !gone)
    t << "sendmsg(MSG_" << kNames[id] << ")";
  else if (back < (t.gfx12() ? std::size(kReturning) : kReturning11))
    t << "sendmsg(MSG_RTN_" << kReturning[back] << ")";
  else if (id == imm)
    t << "sendmsg(" << int64_t(imm) << ", 0, 0)";
  else
    t << int64_t(imm);
}

} // namespace

// s_sendmsg: id in bits 0..3, operation 4..6, stream 8..9.
void printSendmsg(Text &t, unsigned imm) {
  if (t.gfx11())
    return printSendmsg11(t, imm);
  static constexpr std::string_view kNames[16] = {"",
                                                  "INTERRUPT",
                                                  "GS",
                                                  "GS_DONE",
                                                  "SAVEWAVE",
                                                  "STALL_WAVE_GEN",
                                                  "HALT_WAVES",
                                                  "ORDERED_PS_DONE",
                                                  "EARLY_PRIM_DEALLOC",
                                                  "GS_ALLOC_REQ",
                                                  "GET_DOORBELL",
                                                  "GET_DDID", // GFX10
                                                  "",
                                                  "",
                                                  "",
                                                  "SYSMSG"};
  static constexpr std::string_view kGs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                             "GS_OP_EMIT_CUT"};
  static constexpr std::string_view kSys[] = {"", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
                                              "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"};
  unsigned id = imm & 15, op = imm >> 4 & 7, stream = imm >> 8 & 3;
  bool gs = id == 2 || id == 3, sys = id == 15;
  bool opOk = gs ? op < 4 && !(id == 2 && op == 0) : sys ? op >= 1 && op <= 4 : op == 0;
  bool hasStream = gs && op != 0;
  const bool named = !kNames[id].empty() && (id != 11 || t.gfx10());
  if (named && opOk && (hasStream || stream == 0)) {
    t << "sendmsg(MSG_" << kNames[id];
    if (gs || sys)
      t << ", " << (gs ? kGs[op] : kSys[op]);
    if (hasStream)
      t << ", " << int64_t(stream);
    t << ")";
  } else if ((imm & ~0x37fu) == 0) {
    t << "sendmsg(" << int64_t(id) << ", " << int64_t(op) << ", " << int64_t(stream) << ")";
  } else {
    t << int64_t(imm);
  }
}

// s_delay_alu: what the next instruction waits for in bits 0..3, how many instructions lie between it
// and the second one 4..6, what that waits for 7..10.
void printDelay(Text &t, unsigned imm) {
  static constexpr std::string_view kWaits[] = {
      "",
      "VALU_DEP_1",
      "VALU_DEP_2",
      "VALU_DEP_3",
      "VALU_DEP_4",
      "TRANS32_DEP_1",
      "TRANS32_DEP_2",
      "TRANS32_DEP_3",
      "FMA_ACCUM_CYCLE_1",
      "SALU_CYCLE_1",
      "SALU_CYCLE_2",
      "SALU_CYCLE_3",
  };
  static constexpr std::string_view kSkips[] = {"SAME",   "NEXT",   "SKIP_1",
                                                "SKIP_2", "SKIP_3", "SKIP_4"};
  const char *bar = "";
  const auto item = [&](std::string_view field, unsigned value,
                        std::span<const std::string_view> names) {
    if (value == 0)
      return;
    t << bar << field << "(";
    if (value < names.size())
      t << names[value];
    else
      t << "/* invalid " << field.substr(0, field.find_first_of("01")) << " value */";
    t << ")";
    bar = " | ";
  };
  item("instid0", imm & 15, kWaits);
  item("instskip", imm >> 4 & 7, kSkips);
  item("instid1", imm >> 7 & 15, kWaits);
  if (!*bar)
    t << "0";
}

// s_version: what the program was compiled for, and bits that say for which waves.
void printVersion(Text &t, unsigned imm) {
  constexpr unsigned kW64 = 0x2000, kW32 = 0x4000, kMdp = 0x8000, kNumber = 0xff;
  static constexpr std::string_view kGenerations[] = {"7", "9", "10", "11", "12"};
  if (imm & ~(kW64 | kW32 | kMdp | kNumber)) {
    t.hex(imm);
    return;
  }
  const unsigned number = imm & kNumber;
  for (unsigned flags = imm & (kW64 | kW32 | kMdp); flags & (flags - 1); flags &= flags - 1)
    t << "("; // each is joined to all before it
  if (number == 0 || number == 4 || number == 6 || number == 7 || number == 9)
    t << "UC_VERSION_GFX" << kGenerations[number == 0 ? 0 : number == 4 ? 2 : number == 6 ? 3 : 4];
  else
    t << int64_t(number);
  static constexpr std::pair<unsigned, std::string_view> kFlags[] = {
      {kW64, "|UC_VERSION_W64_BIT"}, {kW32, "|UC_VERSION_W32_BIT"}, {kMdp, "|UC_VERSION_MDP_BIT"}};
  for (const auto &[bit, name] : kFlags)
    t.flag(imm & bit, name).flag((imm & bit) && imm >= 2 * bit, ")");
}

void printGprIdx(Text &t, unsigned imm) {
  static constexpr std::string_view kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (imm > 15) {
    t.hex(imm);
    return;
  }
  t << "gpr_idx(";
  const char *comma = "";
  for (unsigned k = 0; k < 4; ++k)
    if (imm >> k & 1) {
      t << comma << kNames[k];
      comma = ",";
    }
  t << ")";
}

} // namespace meld::softgpu::isa
