#include "runtime/codeobject/elf.h"

namespace meld {
namespace {

std::string sectionTitle(size_t index) { return "section header " + std::to_string(index); }

Result<std::vector<ElfSymbol>> readSymbols(const ElfSection &table, const ElfSection &strings) {
  if (table.entrySize != sizeof(Elf64_Sym))
    return fail(ErrorCode::badInput, "symbol table at offset " + hexOffset(table.offset) +
                                         " has entries of " + std::to_string(table.entrySize) +
                                         " bytes, expected 24");
  if (table.bytes.size() % sizeof(Elf64_Sym))
    return fail(ErrorCode::badInput,
                "symbol table at offset " + hexOffset(table.offset) + " ends inside an entry");
  std::vector<ElfSymbol> symbols;
  for (uint64_t at = sizeof(Elf64_Sym); at < table.bytes.size(); at += sizeof(Elf64_Sym)) {
    auto raw = MELD_TRY(readAt<Elf64_Sym>(table.bytes, at, "symbol"));
    auto name = MELD_TRY(stringAt(strings.bytes, raw.st_name, [&] {
      return "symbol at offset " + hexOffset(table.offset + at);
    }));
    ElfSymbol symbol;
    symbol.name = name;
    symbol.value = raw.st_value;
    symbol.size = raw.st_size;
    symbol.type = ELF64_ST_TYPE(raw.st_info);
    symbol.binding = ELF64_ST_BIND(raw.st_info);
    symbol.visibility = ELF64_ST_VISIBILITY(raw.st_other);
    symbol.sectionIndex = raw.st_shndx;
    symbols.push_back(symbol);
  }
  return symbols;
}

uint64_t align4(uint64_t value) { return (value + 3) & ~uint64_t(3); }

// Notes are 4-byte aligned in AMDGPU files whatever the section's alignment says (AMDGPUUsage,
// "Note Records").
Result<void> readNotes(ByteView part, uint64_t base, std::vector<ElfNote> &out) {
  uint64_t at = 0;
  while (at < part.size()) {
    auto what = [&] { return "note at offset " + hexOffset(base + at); };
    auto head = MELD_TRY(readAt<Elf64_Nhdr>(part, at, what));
    uint64_t nameAt = at + sizeof(Elf64_Nhdr);
    auto name = MELD_TRY(slice(part, nameAt, head.n_namesz, [&] { return what() + " (owner)"; }));
    uint64_t descriptionAt = nameAt + align4(head.n_namesz);
    auto description = MELD_TRY(
        slice(part, descriptionAt, head.n_descsz, [&] { return what() + " (description)"; }));
    ElfNote note;
    const auto *text = reinterpret_cast<const char *>(name.data());
    note.owner = std::string_view(text, strnlen(text, name.size()));
    note.type = head.n_type;
    note.offset = base + descriptionAt;
    note.description = description;
    out.push_back(note);
    at = descriptionAt + align4(head.n_descsz);
  }
  return {};
}

} // namespace

bool Elf::looksLikeElf(ByteView bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

Result<Elf> Elf::parse(ByteView bytes) {
  if (!looksLikeElf(bytes))
    return fail(ErrorCode::badInput, "no ELF magic at offset 0x0");
  auto header = MELD_TRY(readAt<Elf64_Ehdr>(bytes, 0, "ELF header"));
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return fail(ErrorCode::unsupported, "ELF class " + std::to_string(header.e_ident[EI_CLASS]) +
                                            " data " + std::to_string(header.e_ident[EI_DATA]) +
                                            " at offset 0x4: only 64-bit little-endian");
  Elf elf;
  elf.bytes_ = bytes;
  elf.header_ = header;

  if (header.e_phnum) {
    if (header.e_phentsize != sizeof(Elf64_Phdr))
      return fail(ErrorCode::badInput,
                  "program headers at offset " + hexOffset(header.e_phoff) + " have entries of " +
                      std::to_string(header.e_phentsize) + " bytes, expected 56");
    auto table =
        MELD_TRY(slice(bytes, header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr),
                       "program header table"));
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      auto segment = readAt<Elf64_Phdr>(table, i * sizeof(Elf64_Phdr), "program header");
      MELD_TRY(slice(bytes, segment->p_offset, segment->p_filesz,
                     [&] { return "content of program header " + std::to_string(i); }));
      if (segment->p_type == PT_LOAD && (segment->p_memsz < segment->p_filesz ||
                                         segment->p_vaddr + segment->p_memsz < segment->p_vaddr))
        return fail(ErrorCode::badInput, "program header " + std::to_string(i) + ": memory size " +
                                             hexOffset(segment->p_memsz) + " at address " +
                                             hexOffset(segment->p_vaddr) +
                                             " does not hold its file part");
      elf.segments_.push_back(*segment);
    }
  }

  if (!header.e_shnum)
    return elf;
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return fail(ErrorCode::badInput, "section headers at offset " + hexOffset(header.e_shoff) +
                                         " have entries of " + std::to_string(header.e_shentsize) +
                                         " bytes, expected 64");
  auto table = MELD_TRY(slice(bytes, header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr),
                              "section header table"));
  std::vector<Elf64_Shdr> raw(header.e_shnum);
  std::memcpy(raw.data(), table.data(), table.size());

  for (size_t i = 0; i < raw.size(); ++i) {
    ElfSection section;
    section.type = raw[i].sh_type;
    section.flags = raw[i].sh_flags;
    section.address = raw[i].sh_addr;
    section.offset = raw[i].sh_offset;
    section.size = raw[i].sh_size;
    section.entrySize = raw[i].sh_entsize;
    section.alignment = raw[i].sh_addralign;
    section.link = raw[i].sh_link;
    section.info = raw[i].sh_info;
    if (section.type != SHT_NOBITS && section.type != SHT_NULL) {
      section.bytes = MELD_TRY(slice(bytes, section.offset, section.size,
                                     [&] { return "content of " + sectionTitle(i); }));
    }
    elf.sections_.push_back(section);
  }
  if (header.e_shstrndx != SHN_UNDEF) {
    if (header.e_shstrndx >= elf.sections_.size())
      return fail(ErrorCode::badInput, "section name table has index " +
                                           std::to_string(header.e_shstrndx) + " of " +
                                           std::to_string(elf.sections_.size()) + " sections");
    ByteView names = elf.sections_[header.e_shstrndx].bytes;
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i].sh_type == SHT_NULL)
        continue;
      auto name =
          MELD_TRY(stringAt(names, raw[i].sh_name, [&] { return "name of " + sectionTitle(i); }));
      elf.sections_[i].name = name;
    }
  }
  return elf;
}

const ElfSection *Elf::section(std::string_view name) const {
  for (const ElfSection &section : sections_)
    if (section.name == name)
      return &section;
  return nullptr;
}

Result<std::vector<ElfSymbol>> Elf::symbolsOf(uint32_t sectionType) const {
  for (const ElfSection &section : sections_) {
    if (section.type != sectionType)
      continue;
    if (section.link >= sections_.size())
      return fail(ErrorCode::badInput, "symbol table at offset " + hexOffset(section.offset) +
                                           " names string table " + std::to_string(section.link) +
                                           " of " + std::to_string(sections_.size()) + " sections");
    return readSymbols(section, sections_[section.link]);
  }
  return std::vector<ElfSymbol>{};
}

Result<std::vector<ElfNote>> Elf::notes() const {
  std::vector<ElfNote> out;
  bool fromSections = false;
  for (const ElfSection &section : sections_) {
    if (section.type != SHT_NOTE)
      continue;
    fromSections = true;
    MELD_TRY(readNotes(section.bytes, section.offset, out));
  }
  if (fromSections)
    return out;
  for (const Elf64_Phdr &segment : segments_) {
    if (segment.p_type != PT_NOTE)
      continue;
    ByteView part = bytes_.subspan(segment.p_offset, segment.p_filesz);
    MELD_TRY(readNotes(part, segment.p_offset, out));
  }
  return out;
}

std::optional<ByteView> Elf::atAddress(uint64_t address, uint64_t size) const {
  for (const Elf64_Phdr &segment : segments_)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        inRange(address - segment.p_vaddr, size, segment.p_filesz))
      return bytes_.subspan(segment.p_offset + (address - segment.p_vaddr), size);
  return std::nullopt;
}

bool Elf::isZeroFilled(uint64_t address, uint64_t size) const {
  for (const Elf64_Phdr &segment : segments_)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr + segment.p_filesz &&
        inRange(address - segment.p_vaddr, size, segment.p_memsz))
      return true;
  return false;
}

} // namespace meld
