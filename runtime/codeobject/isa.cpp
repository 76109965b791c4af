#include "runtime/codeobject/isa.h"

#include "runtime/gpu/target.h"

#include <algorithm>

namespace meld {
namespace {

constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint8_t kOsAbiAmdHsa = 64;
constexpr uint32_t kMachineMask = 0xff;      ///< EF_AMDGPU_MACH
constexpr unsigned kFirstGenericVersion = 1; ///< every processor's of today's generic targets
constexpr std::string_view kOs = "-amdhsa-";

// Code-object version 4 and later: two bits per feature.
IsaFeature twoBits(uint32_t flags, unsigned shift) {
  return static_cast<IsaFeature>((flags >> shift) & 3);
}

// Version 3: clear means off where the processor has the feature; set means on or any, which ROCr
// reads as on.
IsaFeature oneBit(uint32_t flags, uint32_t bit, bool has) {
  if (flags & bit)
    return IsaFeature::on;
  return has ? IsaFeature::off : IsaFeature::unsupported;
}

void appendFeature(std::string &text, const char *name, IsaFeature feature) {
  if (feature == IsaFeature::on)
    text += std::string(":") + name + "+";
  else if (feature == IsaFeature::off)
    text += std::string(":") + name + "-";
}

} // namespace

std::string Isa::targetId() const {
  std::string text = "amdgcn-amd-amdhsa--" + processor;
  appendFeature(text, "sramecc", sramecc);
  appendFeature(text, "xnack", xnack);
  return text;
}

Result<Isa> readIsa(const Elf64_Ehdr &header) {
  if (header.e_machine != kMachineAmdgpu)
    return fail(ErrorCode::unsupported, "ELF machine " + std::to_string(header.e_machine) +
                                            " at offset 0x12 is not AMDGPU (224)");
  if (header.e_ident[EI_OSABI] != kOsAbiAmdHsa)
    return fail(ErrorCode::unsupported, "ELF OS ABI " + std::to_string(header.e_ident[EI_OSABI]) +
                                            " at offset 0x7 is not AMDHSA (64)");
  Isa isa;
  const Target *target = findTarget(header.e_flags & kMachineMask);
  if (target)
    isa.processor = target->name;
  uint8_t abi = header.e_ident[EI_ABIVERSION];
  isa.codeObjectVersion = abi + 2;
  if (abi >= 2) {
    isa.xnack = twoBits(header.e_flags, 8);
    isa.sramecc = twoBits(header.e_flags, 10);
  } else if (abi == 1) {
    isa.xnack = oneBit(header.e_flags, 0x100, target && target->xnack);
    isa.sramecc = oneBit(header.e_flags, 0x200, target && target->sramecc);
  }
  if (abi >= 4)
    isa.genericVersion = header.e_flags >> 24;
  return isa;
}

Result<Isa> parseTargetId(std::string_view text) {
  const std::string whole(text);
  auto bad = [&](const char *what) {
    return fail(ErrorCode::badInput, std::string(what) + " in target '" + whole + "'");
  };
  // kind-arch-vendor-os-environment-, of which the environment is nearly always empty.
  if (size_t os = text.find(kOs); os != std::string_view::npos) {
    text.remove_prefix(os + kOs.size());
    const size_t dash = text.find('-');
    text.remove_prefix(dash == std::string_view::npos ? text.size() : dash + 1);
  }
  const size_t colon = std::min(text.find(':'), text.size());
  Isa isa;
  isa.processor = text.substr(0, colon);
  if (isa.processor.empty())
    return bad("no processor");
  if (isa.processor.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
    return bad("no processor's name");
  const Target *target = findTarget(std::string_view(isa.processor));
  auto open = [&](bool has) { return !target || has ? IsaFeature::any : IsaFeature::unsupported; };
  isa.sramecc = open(target && target->sramecc);
  isa.xnack = open(target && target->xnack);
  text.remove_prefix(colon);
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view one = text.substr(0, text.find(':'));
    text.remove_prefix(one.size());
    const char sign = one.empty() ? 0 : one.back();
    const std::string_view name = one.substr(0, one.empty() ? 0 : one.size() - 1);
    if ((sign != '+' && sign != '-') || (name != "sramecc" && name != "xnack"))
      return bad("no feature of a target id");
    IsaFeature &feature = name == "xnack" ? isa.xnack : isa.sramecc;
    if (feature == IsaFeature::unsupported)
      return fail(ErrorCode::unsupported,
                  isa.processor + " has no " + std::string(name) + ", target '" + whole + "'");
    if (feature != IsaFeature::any)
      return bad("a feature twice");
    feature = sign == '+' ? IsaFeature::on : IsaFeature::off;
  }
  return isa;
}

bool runsOn(const Isa &code, const Isa &device) {
  auto fits = [](IsaFeature of, IsaFeature has) {
    const bool isFixed = of == IsaFeature::on || of == IsaFeature::off;
    return !isFixed || has == IsaFeature::any || of == has;
  };
  if (!fits(code.sramecc, device.sramecc) || !fits(code.xnack, device.xnack))
    return false;
  if (code.processor == device.processor)
    return true;
  const Target *target = findTarget(std::string_view(device.processor));
  return target && !target->generic.empty() && target->generic == code.processor &&
         code.genericVersion >= kFirstGenericVersion;
}

} // namespace meld
