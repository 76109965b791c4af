#include "jit/marker.h"

#include "jit/error.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

#include <cstring>
#include <vector>

using namespace llvm;

namespace meld::jit {

Expected<std::string> appendMarker(MemoryBufferRef elf, StringRef contents) {
  using Elf = object::ELF64LE;
  auto file = object::ELFFile<Elf>::create(elf.getBuffer());
  if (!file)
    return compilerError("marker: " + toString(file.takeError()));
  auto sections = file->sections();
  if (!sections)
    return compilerError("marker: " + toString(sections.takeError()));
  Elf::Ehdr header = file->getHeader();
  size_t namesIndex = header.e_shstrndx;
  if (sections->empty() || namesIndex >= sections->size() ||
      sections->size() + 1 >= ELF::SHN_LORESERVE)
    return compilerError("marker: the code object has no section names");
  auto names = file->getSectionContents((*sections)[namesIndex]);
  if (!names)
    return compilerError("marker: " + toString(names.takeError()));

  std::string out = elf.getBuffer().str();
  auto append = [&](StringRef bytes, size_t alignment) {
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    size_t at = out.size();
    out += bytes;
    return at;
  };
  std::string newNames(reinterpret_cast<const char *>(names->data()), names->size());
  size_t nameAt = newNames.size();
  newNames += ".meld";
  newNames += '\0';

  std::vector<Elf::Shdr> table(sections->begin(), sections->end());
  Elf::Shdr marker;
  std::memset(&marker, 0, sizeof marker);
  marker.sh_name = uint32_t(nameAt);
  marker.sh_type = ELF::SHT_PROGBITS;
  marker.sh_offset = append(contents, 1);
  marker.sh_size = contents.size();
  marker.sh_addralign = 1;
  table[namesIndex].sh_offset = append(newNames, 1);
  table[namesIndex].sh_size = newNames.size();
  table.push_back(marker);

  header.e_shoff = append(
      StringRef(reinterpret_cast<const char *>(table.data()), table.size() * sizeof(Elf::Shdr)), 8);
  header.e_shnum = uint16_t(table.size());
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

} // namespace meld::jit
