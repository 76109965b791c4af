#include "runtime/codeobject/isa.h"

namespace meld {
namespace {

constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint8_t kOsAbiAmdHsa = 64;

struct Machine {
  uint32_t number;
  const char *name;
};

constexpr Machine kMachines[] = {
    {0x020, "gfx600"},  {0x021, "gfx601"},  {0x022, "gfx700"},  {0x023, "gfx701"},
    {0x024, "gfx702"},  {0x025, "gfx703"},  {0x026, "gfx704"},  {0x028, "gfx801"},
    {0x029, "gfx802"},  {0x02a, "gfx803"},  {0x02b, "gfx810"},  {0x02c, "gfx900"},
    {0x02d, "gfx902"},  {0x02e, "gfx904"},  {0x02f, "gfx906"},  {0x030, "gfx908"},
    {0x031, "gfx909"},  {0x032, "gfx90c"},  {0x033, "gfx1010"}, {0x034, "gfx1011"},
    {0x035, "gfx1012"}, {0x036, "gfx1030"}, {0x037, "gfx1031"}, {0x038, "gfx1032"},
    {0x039, "gfx1033"}, {0x03a, "gfx602"},  {0x03b, "gfx705"},  {0x03c, "gfx805"},
    {0x03d, "gfx1035"}, {0x03e, "gfx1034"}, {0x03f, "gfx90a"},  {0x040, "gfx940"},
    {0x041, "gfx1100"}, {0x042, "gfx1013"}, {0x043, "gfx1150"}, {0x044, "gfx1103"},
    {0x045, "gfx1036"}, {0x046, "gfx1101"}, {0x047, "gfx1102"}, {0x048, "gfx1200"},
    {0x04a, "gfx1151"}, {0x04b, "gfx941"},  {0x04c, "gfx942"},  {0x04e, "gfx1201"},
    {0x04f, "gfx950"},
};

// Code-object version 4 and later: two bits per feature.
IsaFeature twoBits(uint32_t flags, unsigned shift) {
  return static_cast<IsaFeature>((flags >> shift) & 3);
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
  uint32_t number = header.e_flags & 0xff;
  for (const Machine &machine : kMachines)
    if (machine.number == number)
      isa.processor = machine.name;
  if (isa.processor.empty())
    return fail(ErrorCode::unsupported,
                "e_flags at offset 0x30 name an unknown processor, EF_AMDGPU_MACH " +
                    hexOffset(number));
  uint8_t abi = header.e_ident[EI_ABIVERSION];
  isa.codeObjectVersion = abi + 2;
  if (abi >= 2) {
    isa.xnack = twoBits(header.e_flags, 8);
    isa.sramecc = twoBits(header.e_flags, 10);
  } else if (abi == 1) {
    isa.xnack = header.e_flags & 0x100 ? IsaFeature::on : IsaFeature::any;
    isa.sramecc = header.e_flags & 0x200 ? IsaFeature::on : IsaFeature::any;
  }
  return isa;
}

} // namespace meld
