#include "jit/marker.h"

#include "jit/elf_bytes.h"
#include "jit/error.h"
#include "runtime/codeobject/elf.h"

#include <cstring>
#include <vector>

using namespace llvm;

namespace meld::jit {

Expected<std::string> appendMarker(MemoryBufferRef elf, StringRef contents) {
  const auto file = Elf::parse(bytesOf(elf));
  if (!file)
    return compilerError("marker: " + file.error().message);
  const size_t sections = file->sections().size();
  Elf64_Ehdr header = file->header();
  const size_t namesIndex = header.e_shstrndx;
  if (namesIndex >= sections || sections + 1 >= SHN_LORESERVE)
    return compilerError("marker: the code object has no section names");

  std::string out = elf.getBuffer().str();
  auto append = [&](StringRef bytes, size_t alignment) {
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    size_t at = out.size();
    out += bytes;
    return at;
  };
  std::string newNames = textOf(file->sections()[namesIndex].bytes).str();
  size_t nameAt = newNames.size();
  newNames += ".meld";
  newNames += '\0';

  std::vector<Elf64_Shdr> table(sections);
  std::memcpy(table.data(), elf.getBufferStart() + header.e_shoff, sections * sizeof(Elf64_Shdr));
  Elf64_Shdr marker{};
  marker.sh_name = uint32_t(nameAt);
  marker.sh_type = SHT_PROGBITS;
  marker.sh_offset = append(contents, 1);
  marker.sh_size = contents.size();
  marker.sh_addralign = 1;
  table[namesIndex].sh_offset = append(newNames, 1);
  table[namesIndex].sh_size = newNames.size();
  table.push_back(marker);

  header.e_shoff = append(
      StringRef(reinterpret_cast<const char *>(table.data()), table.size() * sizeof(Elf64_Shdr)),
      8);
  header.e_shnum = uint16_t(table.size());
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

} // namespace meld::jit
