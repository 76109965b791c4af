#include "runtime/codeobject/codeobject.h"

namespace meld {
namespace {

/// A processor that our table does not have, as the compiler that knew it wrote it into the metadata.
Result<void> nameProcessor(CodeObject &object) {
  if (!object.isa.processor.empty())
    return {};
  auto named = parseTargetId(object.metadata.target);
  if (!named)
    return fail(ErrorCode::unsupported,
                "e_flags at offset 0x30 name an unknown processor, EF_AMDGPU_MACH " +
                    hexOffset(object.elf.header().e_flags & 0xff) +
                    ", and so do the metadata: " + named.error().message);
  object.isa.processor = named->processor;
  return {};
}

} // namespace

Result<CodeObject> CodeObject::parse(ByteView bytes) {
  CodeObject object;
  object.elf = MELD_TRY(Elf::parse(bytes));
  object.isa = MELD_TRY(readIsa(object.elf.header()));
  object.metadata = MELD_TRY(readMetadata(object.elf));
  MELD_TRY(nameProcessor(object));
  object.symbols = MELD_TRY(object.elf.dynamicSymbols());
  return object;
}

const ElfSymbol *CodeObject::symbol(std::string_view name) const {
  for (const ElfSymbol &symbol : symbols)
    if (symbol.name == name)
      return &symbol;
  return nullptr;
}

Result<KernelDescriptor> CodeObject::descriptor(const KernelMetadata &kernel) const {
  const ElfSymbol *at = symbol(kernel.symbol);
  if (!at || !at->defined())
    return fail(ErrorCode::notFound, "kernel " + kernel.name + ": no symbol " + kernel.symbol);
  auto bytes = elf.atAddress(at->value, 64);
  if (!bytes)
    return fail(ErrorCode::badInput, "kernel " + kernel.name + ": descriptor at address " +
                                         hexOffset(at->value) + " is not in the file");
  auto u32 = [&](unsigned offset) {
    uint32_t value;
    std::memcpy(&value, bytes->data() + offset, 4);
    return value;
  };
  KernelDescriptor d;
  d.groupSize = u32(0);
  d.privateSize = u32(4);
  d.kernargSize = u32(8);
  std::memcpy(&d.entryOffset, bytes->data() + 16, 8);
  d.rsrc1 = u32(48);
  std::memcpy(&d.properties, bytes->data() + 56, 2);
  return d;
}

ByteView CodeObject::bitcode() const {
  const ElfSection *section = elf.section(".llvmbc");
  return section ? section->bytes : ByteView{};
}

bool hasBitcode(uint64_t fileSize, bool (*read)(void *, uint64_t, void *, size_t), void *context) {
  constexpr std::string_view kName = ".llvmbc";
  constexpr uint64_t kMaxNames = 1 << 20;
  Elf64_Ehdr header;
  if (fileSize < sizeof(header) || !read(context, 0, &header, sizeof(header)))
    return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != 224 ||
      header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    return false;
  uint64_t tableSize = uint64_t(header.e_shnum) * sizeof(Elf64_Shdr);
  if (!inRange(header.e_shoff, tableSize, fileSize))
    return false;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read(context, header.e_shoff, sections.data(), tableSize))
    return false;
  const Elf64_Shdr &names = sections[header.e_shstrndx];
  if (names.sh_type == SHT_NOBITS || names.sh_size > kMaxNames ||
      !inRange(names.sh_offset, names.sh_size, fileSize))
    return false;
  std::string text(names.sh_size, '\0');
  if (!read(context, names.sh_offset, text.data(), text.size()))
    return false;
  for (const Elf64_Shdr &section : sections)
    if (section.sh_type == SHT_PROGBITS && section.sh_size &&
        inRange(section.sh_name, kName.size() + 1, text.size()) &&
        text.compare(section.sh_name, kName.size() + 1, kName.data(), kName.size() + 1) == 0)
      return true;
  return false;
}

bool isLoadedAlike(const CodeObject &one, ByteView other) {
  const auto second = CodeObject::parse(other);
  if (!second)
    return false;
  const auto loadedSections = [](const CodeObject &object) {
    std::vector<std::tuple<std::string_view, uint64_t, std::string_view>> sections;
    for (const ElfSection &section : object.elf.sections())
      if (section.flags & SHF_ALLOC)
        sections.emplace_back(section.name, section.address,
                              std::string_view(reinterpret_cast<const char *>(section.bytes.data()),
                                               section.bytes.size()));
    return sections;
  };
  return loadedSections(one) == loadedSections(*second);
}

bool hasBitcode(ByteView bytes) {
  auto read = [](void *context, uint64_t offset, void *to, size_t size) {
    const ByteView &from = *static_cast<ByteView *>(context);
    if (!inRange(offset, size, from.size()))
      return false;
    if (size)
      std::memcpy(to, from.data() + offset, size);
    return true;
  };
  return hasBitcode(bytes.size(), read, &bytes);
}

} // namespace meld
