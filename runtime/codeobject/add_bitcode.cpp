#include "runtime/codeobject/add_bitcode.h"

namespace meld {
namespace {

constexpr std::string_view kName = ".llvmbc";

void alignTo8(Bytes &bytes) { bytes.resize((bytes.size() + 7) / 8 * 8); }

/// The file offset at which `contents` are now.
uint64_t append(Bytes &bytes, ByteView contents) {
  alignTo8(bytes);
  const uint64_t at = bytes.size();
  bytes.insert(bytes.end(), contents.begin(), contents.end());
  return at;
}

} // namespace

// Bitcode, the names with one more, the table of sections with one more: all behind the end, and the
// header says where the table is now.
Result<Bytes> withBitcode(ByteView codeObject, ByteView bitcode) {
  const Elf elf = MELD_TRY(Elf::parse(codeObject));
  Elf64_Ehdr header = elf.header();
  if (elf.section(kName))
    return fail(ErrorCode::unsupported, "the code object has a section .llvmbc");
  if (!header.e_shnum || header.e_shstrndx >= header.e_shnum || header.e_shnum + 1 >= SHN_LORESERVE)
    return fail(ErrorCode::unsupported, "the code object's " + std::to_string(header.e_shnum) +
                                            " sections cannot be added to");
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  const size_t tableSize = sections.size() * sizeof(Elf64_Shdr);
  const ByteView table = MELD_TRY(slice(codeObject, header.e_shoff, tableSize, "section table"));
  std::memcpy(sections.data(), table.data(), tableSize);

  Elf64_Shdr &names = sections[header.e_shstrndx];
  const ByteView old = MELD_TRY(slice(codeObject, names.sh_offset, names.sh_size, "section names"));
  Bytes text(old.begin(), old.end());
  Elf64_Shdr added{};
  added.sh_name = static_cast<Elf64_Word>(text.size());
  added.sh_type = SHT_PROGBITS;
  added.sh_addralign = 1;
  added.sh_size = bitcode.size();
  text.insert(text.end(), kName.begin(), kName.end());
  text.push_back(0);

  Bytes out(codeObject.begin(), codeObject.end());
  added.sh_offset = append(out, bitcode);
  names.sh_offset = append(out, text);
  names.sh_size = text.size();
  sections.push_back(added);
  header.e_shoff = append(out, ByteView(reinterpret_cast<const uint8_t *>(sections.data()),
                                        sections.size() * sizeof(Elf64_Shdr)));
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  std::memcpy(out.data(), &header, sizeof(header));
  return out;
}

} // namespace meld
