#include "tests/runtime/softgpu/isa/oracle.h"
#include "tests/runtime/softgpu/isa/later_text.h"
#include "tests/runtime/softgpu/llvm_cpu.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <iterator>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace meld::softgpu::isa::test {

namespace {

// LLVM's printer marks encodings that no assembler writes (SDWA selector 7, ...) as unreachable,
// which is a trap instruction in a release build. We step out of it: the context leaks, the test
// goes on.
sigjmp_buf trapJump;
volatile sig_atomic_t trapArmed = 0;
void onTrap(int signal) {
  if (trapArmed)
    siglongjmp(trapJump, 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// What LLVM allocates meanwhile may leak: it is stepped out of.
struct MayLeak {
#ifdef __SANITIZE_ADDRESS__
  MayLeak() { __lsan_disable(); }
  ~MayLeak() { __lsan_enable(); }
#endif
};

void *makeContext(Target target) {
  [[maybe_unused]] const MayLeak all;
  const std::string cpu = softgpu::test::cpuName(target);
  return LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", cpu.c_str(),
                                     softgpu::test::cpuFeatures(target).c_str(), nullptr, 0,
                                     nullptr, nullptr);
}

std::string clean(std::string text) {
  if (size_t comment = text.find(';'); comment != std::string::npos)
    text.resize(comment);
  size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

} // namespace

Oracle::Oracle(Target target) : target_(target) {
  static const bool once = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    for (int signal : {SIGILL, SIGTRAP, SIGSEGV, SIGABRT})
      std::signal(signal, onTrap);
    return true;
  }();
  (void)once;
  context_ = makeContext(target);
}

Oracle::~Oracle() { LLVMDisasmDispose(context_); }

Oracle::Answer Oracle::disassemble(const void *code, size_t size) {
  char buffer[512];
  [[maybe_unused]] const MayLeak all;
  if (sigsetjmp(trapJump, 1)) {
    trapArmed = 0;
    context_ = makeContext(target_);
    Answer answer;
    answer.crashed = true;
    return answer;
  }
  trapArmed = 1;
  auto *bytes = static_cast<uint8_t *>(const_cast<void *>(code));
  size_t n = LLVMDisasmInstruction(context_, bytes, size, 0, buffer, sizeof buffer);
  trapArmed = 0;
  Answer answer;
  answer.size = n;
  if (n) {
    answer.text = clean(buffer);
    for (char &c : answer.text)
      if (c == '\t')
        c = ' ';
  }
  return answer;
}

std::array<uint32_t, 3> randomWords(std::mt19937_64 &rng, Target target) {
  struct Shape {
    uint32_t base, random; ///< fixed bits, bits that vary
  };
  static constexpr Shape kShapes9[] = {
      {0x80000000, 0x3fffffff}, {0xb0000000, 0x0fffffff}, {0xbe800000, 0x007fffff},
      {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff}, {0xc0000000, 0x03ffffff},
      {0x00000000, 0x7fffffff}, {0x7e000000, 0x01ffffff}, {0x7c000000, 0x01ffffff},
      {0xd0000000, 0x03ffffff}, {0xd0000000, 0x03ffffff}, {0xd3800000, 0x007fffff},
      {0xd4000000, 0x03ffffff}, {0xd8000000, 0x03ffffff}, {0xdc000000, 0x03ffffff},
      {0xdc008000, 0x03ff3fff}, {0xe0000000, 0x03ffffff}, {0xe8000000, 0x03ffffff},
      {0xf0000000, 0x03ffffff}, {0x00000000, 0xffffffff},
  };
  static constexpr Shape kShapes10[] = {
      {0x80000000, 0x3fffffff}, {0xb0000000, 0x0fffffff}, {0xbe800000, 0x007fffff},
      {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff}, {0xf4000000, 0x03ffffff},
      {0x00000000, 0x7fffffff}, {0x7e000000, 0x01ffffff}, {0x7c000000, 0x01ffffff},
      {0xd4000000, 0x03ffffff}, {0xd4000000, 0x03ffffff}, {0xcc000000, 0x007fffff},
      {0xc8000000, 0x03ffffff}, {0xd8000000, 0x03ffffff}, {0xdc000000, 0x03ffffff},
      {0xdc008000, 0x03ff3fff}, {0xe0000000, 0x03ffffff}, {0xe8000000, 0x03ffffff},
      {0xf0000000, 0x03ffffff}, {0x00000000, 0xffffffff},
  };
  static constexpr Shape kShapes11[] = {
      {0x80000000, 0x3fffffff}, {0xb0000000, 0x0fffffff}, {0xbe800000, 0x007fffff},
      {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff}, {0xf4000000, 0x03ffffff},
      {0x00000000, 0x7fffffff}, {0x7e000000, 0x01ffffff}, {0x7c000000, 0x01ffffff},
      {0xd4000000, 0x03ffffff}, {0xd4000000, 0x03ffffff}, {0xcc000000, 0x007fffff},
      {0xcc000000, 0x03ffffff}, {0xd8000000, 0x03ffffff}, {0xdc000000, 0x03ffffff},
      {0xdc020000, 0x03fcffff}, {0xe0000000, 0x03ffffff}, {0xe8000000, 0x03ffffff},
      {0xc8000000, 0x03ffffff}, {0x00000000, 0xffffffff},
  };
  static constexpr Shape kShapes12[] = {
      {0x80000000, 0x3fffffff}, {0xb0000000, 0x0fffffff}, {0xbe800000, 0x007fffff},
      {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff}, {0xf4000000, 0x03ffffff},
      {0x00000000, 0x7fffffff}, {0x7e000000, 0x01ffffff}, {0x7c000000, 0x01ffffff},
      {0xd4000000, 0x03ffffff}, {0xd4000000, 0x03ffffff}, {0xcc000000, 0x007fffff},
      {0xcc000000, 0x03ffffff}, {0xd8000000, 0x03ffffff}, {0xec00007c, 0x03ffff80},
      {0xee000000, 0x00ffffff}, {0xc4000000, 0x007fff7f}, {0xc4200000, 0x007fff7f},
      {0xc8000000, 0x03ffffff}, {0x00000000, 0xffffffff},
  };
  const bool gfx10 = traitsOf(target).generation >= 10, gfx11 = traitsOf(target).generation >= 11;
  const uint32_t null = gfx11 ? 124 : 125;
  static_assert(std::size(kShapes9) == std::size(kShapes11));
  static_assert(std::size(kShapes9) == std::size(kShapes10));
  static_assert(std::size(kShapes9) == std::size(kShapes12));
  const bool gfx12 = traitsOf(target).generation >= 12;
  const Shape &shape = (gfx12   ? kShapes12
                        : gfx11 ? kShapes11
                        : gfx10 ? kShapes10
                                : kShapes9)[rng() % std::size(kShapes9)];
  uint32_t w0 = shape.base | (uint32_t(rng()) & shape.random), w1 = uint32_t(rng()),
           w2 = uint32_t(rng());
  uint64_t how = rng();
  if (how & 1) { // 64-bit words: keep a random subset of bytes
    for (unsigned byte = 0; byte < 4; ++byte)
      if (how >> (8 + byte) & 1)
        w1 &= ~(0xffu << (8 * byte));
  }
  if (how & 2)
    w1 &= 0x07ffffff; // no VOP3 modifiers
  if (how & 4)
    w0 &= ~0xe000u | shape.base;
  if (how & 0x10)
    w0 &= ~0x1f00u | shape.base;
  if (how & 0x20)
    w0 &= ~0x02010000u | shape.base;
  if ((how & 0xc0) == 0x40 && w0 >> 31 == 0) // SDWA, DPP
    w0 = (w0 & ~0x1ffu) | (gfx10 && how & 0x40000000 ? 233 + (how >> 29 & 1)
                           : how & 0x1000            ? 249
                                                     : 250);
  if (gfx10 && (how & 0x180000000) == 0) // null where scalar offsets and addresses are
    w1 = w0 >> 26 == 0x3d ? (w1 & 0x1ffffff) | null << 25 : (w1 & ~0x7f0000u) | null << 16;
  if (gfx11 && (how & 0x600000000) == 0 && w0 >> 28 == 0xd) // DPP in 64-bit encodings
    w1 = (w1 & ~0x1ffu) | (how & 0x800000000 ? 250 : 233 + (how >> 36 & 1));
  if (how & 0x2000)
    w1 &= ~0x8888f800u | 0x10000000u; // plausible SDWA
  if ((how & 0x1c000) == 0)
    w2 &= 0xff;
  if ((how & 0xe0000) == 0) { // small or famous literals for the 32-bit encodings
    static constexpr uint32_t kValues[] = {
        0,      1,      64,     65,         0xfffffff0, 0xffffffef, 0x3f800000, 0x3e22f983,
        0x3118, 0x3c00, 0xffff, 0xc4000000, 0xc0800000, 0xbf000000, 0xfff0,     0x3800};
    w1 = kValues[(how >> 20) % std::size(kValues)];
  }
  return {w0, w1, w2};
}

namespace {
/// SDWA selector 7 and dst_unused 3 do not exist; LLVM's printer is undefined for them.
bool undefinedSdwa(std::span<const uint8_t> bytes) {
  uint32_t w0, w1;
  if (bytes.size() < 8)
    return false;
  std::memcpy(&w0, bytes.data(), 4);
  std::memcpy(&w1, bytes.data() + 4, 4);
  if (w0 >> 31 || (w0 & 0x1ff) != 249)
    return false;
  bool vopc = w0 >> 25 == 62;
  return (!vopc && ((w1 >> 8 & 7) == 7 || (w1 >> 11 & 3) == 3)) || (w1 >> 16 & 7) == 7 ||
         (w1 >> 24 & 7) == 7;
}

} // namespace

bool knownByStandIn(Target target, std::span<const uint8_t> bytes) {
  if (traitsOf(target).generation >= 12) // llvm-mc has it (gfx12_text_test.cpp)
    return false;
  if (target != Target::gfx950 || LLVM_VERSION_MAJOR >= 20)
    return true;
  Inst here, there;
  const DecodeStatus status = decode(bytes.data(), bytes.size(), target, here);
  return decode(bytes.data(), bytes.size(), Target::gfx942, there) == status &&
         here.op == there.op && here.enc == there.enc;
}

namespace {
/// What stands in for gfx942 before LLVM 17 (llvm_cpu.h) reads matrix instructions as gfx908's.
bool earlierLlvmDiffers(Target target, const Oracle::Answer &want, const std::string &ours,
                        unsigned size) {
  if (LLVM_VERSION_MAJOR >= 17 || !traitsOf(target).scopes || want.size != size)
    return false;
  return (want.text.starts_with("v_mfma_") && ours.starts_with("v_mfma_")) ||
         (want.text.starts_with("v_smfmac_") && ours.starts_with("v_smfmac_"));
}

/// What LLVM 15 takes on GFX10 and is not there: an instruction of GFX6, GFX9's encoding of VOP3P, and
/// a literal as the offset of a buffer or in an interpolation.
bool notOfGfx10(Target target, const Oracle::Answer &want, std::span<const uint8_t> bytes) {
  if (traitsOf(target).generation < 10)
    return false;
  uint32_t w0;
  std::memcpy(&w0, bytes.data(), sizeof w0);
  constexpr uint32_t kVop3p9 = 0x34; // the top bits of VOP3 and VOP3P on GFX9
  return want.text == "buffer_wbinvl1" || w0 >> 26 == kVop3p9 ||
         (want.size == 12 && (want.text.find("buffer_") < 2 || want.text.starts_with("v_interp")));
}

/// Our text as LLVM 15 would have it, which knows nothing of halves of registers: it takes bit 7 of a
/// 16-bit operand for part of the number, and shows op_sel only of instructions that had it before.
std::string withoutHalves(const std::string &text, bool showsSelection) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t digits = std::min(text.size(), text.find_first_not_of("0123456789", at + 1));
    if (text[at] == 'v' && digits > at + 1 && text.compare(digits, 2, ".h") == 0) {
      result += "v" + std::to_string(128 + std::stoi(text.substr(at + 1, digits - at - 1)));
      at = digits + 2;
    } else if (!showsSelection && text.compare(at, 8, " op_sel:") == 0) {
      at = text.find(']', at) + 1;
    } else {
      result += text[at++];
    }
  }
  return result;
}

/// Where LLVM 15 has GFX11 wrong or lacks something. Samples of each were looked at with LLVM 19,
/// not every case.
bool earlierLlvmOnGfx11(Target target, const Oracle::Answer &want, const std::string &ours,
                        unsigned size) {
  if (traitsOf(target).generation < 11)
    return false;
  const auto names = [&](std::string_view prefix) { return ours.starts_with(prefix); };
  // Came later; LLVM 19 has v_swap_b16 and v_dual_dot2acc_f32_bf16 neither.
  if (!want.size)
    return (names("v_movrel") && ours.find("_e64_dpp") != ours.npos) || names("v_mov_b16") ||
           names("v_swap_b16") || names("ds_bvh_stack_rtn_b32") ||
           ours.find("v_dual_dot2acc_f32_bf16") != ours.npos;
  if (!size) // GFX10's numbers of these
    return want.text == "buffer_gl0_inv" || want.text == "buffer_gl1_inv";
  if (size != want.size)
    return false;
  if (withoutHalves(ours, want.text.find("op_sel:") != std::string::npos) == want.text)
    return true;
  // Modifiers of DPP in 64-bit encodings: shown though they are the default, or not at all; the bits
  // of negation called sext where there is none (LLVM 19, too); operands out of place.
  const auto selection = [](std::string text) {
    if (const size_t at = text.find(" op_sel_hi:["); at != text.npos)
      text.erase(at, text.find(']', at) + 1 - at);
    return text;
  };
  const auto plain = [](std::string text) {
    for (std::string_view part : {"sext(", ")", "|", "-"})
      for (size_t at; (at = text.find(part)) != text.npos;)
        text.erase(at, part.size());
    return text;
  };
  if (names("v_dot2_f32_f16_e64_dpp"))
    return selection(ours) == selection(want.text);
  // Without a destination where the 64-bit form has DPP.
  if (names("v_movrel") && ours.find("_e64_dpp") != ours.npos)
    return want.text.starts_with(ours.substr(0, ours.find("_e64_dpp")));
  // A constant accumulator as if it were of 64 bits or not a number.
  if (names("v_wmma")) {
    const auto start = [](const std::string &text) { return text.substr(0, text.rfind("], ")); };
    return start(ours) == start(want.text);
  }
  if (names("v_fmac_f32_e64_dpp") || names("v_fmac_f16_e64_dpp"))
    return want.text.starts_with(ours.substr(0, ours.find(' ')));
  return ours.find("_e64_dpp") != ours.npos &&
         plain(withoutHalves(ours, false)) == plain(withoutHalves(want.text, false)) &&
         (names("v_cndmask_b") || want.text.find("sext(") != want.text.npos);
}

/// LLVM 15 is the oracle whose text is ours, word for word. Later ones have changed their minds;
/// from 20 on, and of GFX10 and later from 16 on, so much that mnemonics and registers have to do.
bool laterLlvmDiffers(Target target, std::span<const uint8_t> bytes, const Oracle::Answer &want,
                      const std::string &ours, unsigned size) {
  if constexpr (LLVM_VERSION_MAJOR < 16)
    return false;
  if (LLVM_VERSION_MAJOR >= 20 || traitsOf(target).generation >= 10) {
    // It takes what LLVM 15 refuses: modifiers that an instruction has not.
    if (ours == "<unknown>" || ours == "<truncated>")
      return true;
    // Operands of a class that the instruction does not take, with a remark or as what they are
    // elsewhere. A literal is read where DPP's dword is, if register 255 or 240 is its source.
    if (want.text.find("/*Invalid") != want.text.npos || ours.find("_e64_dpp") != ours.npos ||
        ours.starts_with("v_swaprel_b32") || ours.starts_with("v_permlane16_swap_b32") ||
        ours.starts_with("v_permlane32_swap_b32") ||
        (want.size != size && ours.find("_dpp") != ours.npos))
      return true;
    if (want.size && want.size != size)
      return false;
    uint32_t second = 0;
    if (bytes.size() >= 8)
      std::memcpy(&second, bytes.data() + 4, 4);
    if (sameAsLater(target, second, ours, want.text))
      return true;
  }
  const auto names = [&](std::string_view prefix) {
    return want.text.starts_with(prefix) || ours.starts_with(prefix);
  };
  const auto holds = [&](std::string_view part) {
    return want.text.find(part) != std::string::npos || ours.find(part) != std::string::npos;
  };
  // A scalar source; modifiers that were not shown; what GFX10 calls null.
  for (const char *prefix :
       {"v_swap_b32", "v_cndmask_b32_sdwa", "v_cndmask_b32_dpp", "v_madmk_f16", "v_madak_f16",
        "image_gather4h", "buffer_store_lds_dword", "v_accvgpr_"})
    if (names(prefix))
      return true;
  if (holds(" null"))
    return true;
  // Long forms of v_dot*c and output modifiers of three-operand f16 instructions have come.
  if (ours == "<unknown>" &&
      (names("v_dot") || (holds("_f16 ") && (holds(" mul:") || holds(" div:")))))
    return true;
  // tfe is a dword more of data, and gone from MTBUF.
  if ((names("buffer_") || names("tbuffer_")) && holds(" tfe"))
    return true;
  if (!want.size) // 8 and 16 bits to LDS
    return ours.starts_with("buffer_load_") && ours.ends_with(" lds");
  // A remark instead of an operand outside its register class.
  return want.size == size && holds("/*Invalid");
}
} // namespace

std::string compare(Oracle &oracle, Target target, std::span<const uint8_t> bytes) {
  if (!knownByStandIn(target, bytes))
    return "";
  Oracle::Answer want = oracle.disassemble(bytes.data(), bytes.size());
  Inst inst;
  DecodeStatus status = decode(bytes.data(), bytes.size(), target, inst);
  if (want.crashed || undefinedSdwa(bytes))
    return "";
  bool decoded = status == DecodeStatus::ok || status == DecodeStatus::unsupported;
  bool graphics = decoded && (inst.enc == Enc::MIMG || inst.enc == Enc::EXP ||
                              inst.enc == Enc::VINTRP || inst.enc == Enc::VINTERP ||
                              inst.enc == Enc::LDSDIR || mnemonic(inst.op).starts_with("v_interp"));
  std::string text = decoded                             ? disassemble(inst, target)
                     : status == DecodeStatus::truncated ? "<truncated>"
                                                         : "<unknown>";
  std::string ours = decoded ? std::to_string(inst.size) + " " + text : text;
  std::string theirs = want.size ? std::to_string(want.size) + " " + want.text : "<invalid>";
  bool agree = want.size == 0 ? !decoded || graphics
               : graphics     ? inst.size == want.size && want.text.starts_with(text)
                              : decoded && inst.size == want.size && text == want.text;
  if (agree || laterLlvmDiffers(target, bytes, want, text, inst.size) ||
      earlierLlvmDiffers(target, want, text, inst.size) ||
      earlierLlvmOnGfx11(target, want, decoded ? text : "", decoded ? inst.size : 0) ||
      ((!decoded || graphics) && notOfGfx10(target, want, bytes)))
    return "";
  char hex[64];
  uint32_t w[3] = {};
  std::memcpy(w, bytes.data(), std::min<size_t>(bytes.size(), 12));
  std::snprintf(hex, sizeof hex, "%08x %08x %08x (%zu bytes)", w[0], w[1], w[2], bytes.size());
  return std::string(targetName(target)) + " " + hex + "\n  LLVM: " + theirs + "\n  ours: " + ours;
}

} // namespace meld::softgpu::isa::test
