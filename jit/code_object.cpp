#include "jit/code_object.h"

#include "jit/compat.h"
#include "jit/error.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace llvm;

namespace meld::jit {

namespace {

using File = object::ELFFile<object::ELF64LE>;

Expected<File> open(MemoryBufferRef elf) {
  auto file = File::create(elf.getBuffer());
  if (!file)
    return inputError("code object: " + toString(file.takeError()));
  return *file;
}

uint32_t number(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  if (it == map.end())
    return 0;
  if (it->second.getKind() == msgpack::Type::UInt)
    return uint32_t(it->second.getUInt());
  if (it->second.getKind() == msgpack::Type::Int)
    return uint32_t(it->second.getInt());
  return 0;
}

StringRef text(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  return it != map.end() && it->second.isString() ? it->second.getString() : StringRef();
}

Error readMetadata(StringRef blob, std::vector<Kernel> &kernels,
                   std::vector<std::string> &symbols) {
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) || !document.getRoot().isMap())
    return inputError("code object: the metadata note is no MessagePack map");
  auto &root = document.getRoot().getMap();
  auto list = root.find("amdhsa.kernels");
  if (list == root.end())
    return Error::success(); // only device functions or data
  if (!list->second.isArray())
    return inputError("code object: metadata key amdhsa.kernels is no array");
  for (auto &node : list->second.getArray()) {
    if (!node.isMap())
      return inputError(formatv("code object: amdhsa.kernels[{0}] is no map", kernels.size()));
    auto &map = node.getMap();
    Kernel k;
    k.name = text(map, ".name").str();
    if (k.name.empty())
      return inputError(formatv("code object: amdhsa.kernels[{0}] has no .name", kernels.size()));
    auto &r = k.resources;
    r.vgprs = number(map, ".vgpr_count");
    r.agprs = number(map, ".agpr_count");
    r.sgprs = number(map, ".sgpr_count");
    r.vgprSpills = number(map, ".vgpr_spill_count");
    r.sgprSpills = number(map, ".sgpr_spill_count");
    r.ldsBytes = number(map, ".group_segment_fixed_size");
    r.scratchBytes = number(map, ".private_segment_fixed_size");
    r.maxWorkgroup = number(map, ".max_flat_workgroup_size");
    if (uint32_t w = number(map, ".wavefront_size"))
      r.waveSize = w;
    symbols.push_back(text(map, ".symbol").str());
    kernels.push_back(std::move(k));
  }
  return Error::success();
}

Expected<DynamicSymbols> dynamicSymbols(const File &file) {
  DynamicSymbols places;
  auto sections = file.sections();
  if (!sections)
    return inputError("code object: " + toString(sections.takeError()));
  for (const auto &s : *sections) {
    if (s.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto symbols = file.symbols(&s);
    if (!symbols)
      return inputError("code object: .dynsym: " + toString(symbols.takeError()));
    auto names = file.getStringTableForSymtab(s);
    if (!names)
      return inputError("code object: .dynsym: " + toString(names.takeError()));
    for (const auto &symbol : *symbols) {
      auto name = symbol.getName(*names);
      if (!name)
        return inputError("code object: .dynsym: " + toString(name.takeError()));
      if (!name->empty())
        places[name->str()] = {symbol.st_value, symbol.st_size, symbol.getType() == ELF::STT_FUNC,
                               symbol.st_shndx != ELF::SHN_UNDEF};
    }
  }
  return places;
}

} // namespace

Error checkInterface(MemoryBufferRef original, MemoryBufferRef replacement) {
  auto a = open(original);
  if (!a)
    return a.takeError();
  auto b = open(replacement);
  if (!b)
    return b.takeError();
  uint32_t flagsA = a->getHeader().e_flags, flagsB = b->getHeader().e_flags;
  if (flagsA != flagsB ||
      a->getHeader().e_ident[ELF::EI_ABIVERSION] != b->getHeader().e_ident[ELF::EI_ABIVERSION])
    return compilerError(formatv(
        "the new code object is for another target: e_flags {0:x}, was {1:x}", flagsB, flagsA));
  auto symbolsA = dynamicSymbols(*a);
  if (!symbolsA)
    return symbolsA.takeError();
  auto symbolsB = dynamicSymbols(*b);
  if (!symbolsB)
    return symbolsB.takeError();
  for (const auto &[name, place] : *symbolsA) {
    if (!place.defined)
      continue;
    auto it = symbolsB->find(name);
    if (it == symbolsB->end() || !it->second.defined)
      return compilerError("the new code object lacks symbol " + name);
    if (it->second.code != place.code || (!place.code && it->second.size != place.size))
      return compilerError("the new code object has another kind or size of symbol " + name);
  }
  for (const auto &[name, place] : *symbolsB)
    if (!place.defined && !symbolsA->count(name))
      return compilerError("the new code object has an undefined symbol " + name);
  return Error::success();
}

Expected<DynamicSymbols> readDynamicSymbols(MemoryBufferRef elf) {
  auto file = open(elf);
  if (!file)
    return file.takeError();
  return dynamicSymbols(*file);
}

Expected<std::set<std::string>> exportedNames(MemoryBufferRef elf) {
  auto symbols = readDynamicSymbols(elf);
  if (!symbols)
    return symbols.takeError();
  std::set<std::string> names;
  for (const auto &[name, place] : *symbols)
    if (place.defined)
      names.insert(name);
  return names;
}

Expected<StringRef> sectionBytes(MemoryBufferRef elf, StringRef name) {
  auto file = open(elf);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return inputError("code object: " + toString(sections.takeError()));
  for (const auto &s : *sections) {
    auto n = file->getSectionName(s);
    if (!n)
      return inputError("code object: " + toString(n.takeError()));
    if (*n != name)
      continue;
    auto bytes = file->getSectionContents(s);
    if (!bytes)
      return inputError(name + ": " + toString(bytes.takeError()));
    return StringRef(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  }
  return StringRef();
}

Expected<std::vector<Kernel>> readKernels(MemoryBufferRef elf) {
  auto file = open(elf);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return inputError("code object: " + toString(sections.takeError()));

  std::vector<Kernel> kernels;
  std::vector<std::string> descriptors;
  size_t notes = 0;
  for (const auto &s : *sections) {
    if (s.sh_type != ELF::SHT_NOTE)
      continue;
    Error noteError = Error::success();
    for (const auto &note : file->notes(s, noteError)) {
      if (note.getName() != "AMDGPU" || note.getType() != ELF::NT_AMDGPU_METADATA)
        continue;
      if (++notes > 1) {
        consumeError(std::move(noteError));
        return inputError(
            "code object: more than one metadata note; the runtime reads only the first");
      }
      auto d = compat::noteBytes(note, s.sh_addralign);
      if (auto e = readMetadata(StringRef(reinterpret_cast<const char *>(d.data()), d.size()),
                                kernels, descriptors)) {
        consumeError(std::move(noteError));
        return e;
      }
    }
    if (noteError)
      return inputError("code object: notes: " + toString(std::move(noteError)));
  }

  auto found = dynamicSymbols(*file);
  if (!found)
    return found.takeError();
  const auto &places = *found;

  auto contents = [&](const DynamicSymbol &p) -> Expected<ArrayRef<uint8_t>> {
    for (const auto &s : *sections) {
      if (!(s.sh_flags & ELF::SHF_EXECINSTR) || p.address < s.sh_addr || p.size > s.sh_size ||
          p.address - s.sh_addr > s.sh_size - p.size)
        continue;
      auto bytes = file->getSectionContents(s);
      if (!bytes)
        return inputError("code object: " + toString(bytes.takeError()));
      return bytes->slice(p.address - s.sh_addr, p.size);
    }
    return inputError(
        formatv("code at {0:x}, {1} bytes, is in no executable section", p.address, p.size));
  };
  for (size_t i = 0; i < kernels.size(); ++i) {
    auto &k = kernels[i];
    auto kd = places.find(descriptors[i]);
    auto code = places.find(k.name);
    if (kd == places.end() || code == places.end() || !code->second.code)
      return inputError("code object: kernel " + k.name + " has no descriptor or code symbol");
    k.descriptor = kd->second.address;
    k.address = code->second.address;
    auto bytes = contents(code->second);
    if (!bytes)
      return inputError("code object: kernel " + k.name + ": " + toString(bytes.takeError()));
    k.code = *bytes;
  }
  return kernels;
}

} // namespace meld::jit
