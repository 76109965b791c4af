#include "jit/trust.h"

#include "jit/compilation.h"
#include "jit/error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace meld::jit {

namespace {

using Elf = object::ELF64LE;

struct Section {
  StringRef bytes; ///< empty where it has none in the file
  uint64_t address, size;
};

/// For the loader alone.
bool servesTheLoader(const Elf::Shdr &section) {
  switch (section.sh_type) {
  case ELF::SHT_DYNSYM:
  case ELF::SHT_STRTAB:
  case ELF::SHT_HASH:
  case ELF::SHT_GNU_HASH:
  case ELF::SHT_DYNAMIC:
  case ELF::SHT_RELA:
  case ELF::SHT_REL:
    return true;
  default:
    return false;
  }
}

Expected<std::map<std::string, Section>> loadedSections(MemoryBufferRef elf) {
  auto file = object::ELFFile<Elf>::create(elf.getBuffer());
  if (!file)
    return inputError("code object: " + toString(file.takeError()));
  auto sections = file->sections();
  if (!sections)
    return inputError("code object: " + toString(sections.takeError()));
  std::map<std::string, Section> found;
  for (const auto &section : *sections) {
    if (!(section.sh_flags & ELF::SHF_ALLOC) || servesTheLoader(section))
      continue;
    auto name = file->getSectionName(section);
    if (!name)
      return inputError("code object: " + toString(name.takeError()));
    StringRef bytes;
    if (section.sh_type != ELF::SHT_NOBITS) {
      auto contents = file->getSectionContents(section);
      if (!contents)
        return inputError(*name + ": " + toString(contents.takeError()));
      bytes = StringRef(reinterpret_cast<const char *>(contents->data()), contents->size());
    }
    if (!found.emplace(name->str(), Section{bytes, section.sh_addr, section.sh_size}).second)
      return inputError("code object: two sections " + *name);
  }
  return found;
}

/// "kernel K offset 0x10" where that address is a kernel's code or descriptor.
std::string placeOf(MemoryBufferRef elf, StringRef name, const Section &section, uint64_t at) {
  std::string place = formatv("offset {0:x} of section {1}", at, name);
  auto kernels = readKernels(elf);
  if (!kernels) {
    consumeError(kernels.takeError());
    return place;
  }
  for (const auto &kernel : *kernels) {
    constexpr uint64_t descriptorBytes = 64;
    const uint64_t address = section.address + at;
    if (address - kernel.descriptor < descriptorBytes)
      return formatv("the descriptor of kernel {0} offset {1:x}", kernel.name,
                     address - kernel.descriptor);
    if (address - kernel.address < kernel.code.size())
      return formatv("kernel {0} offset {1:x}", kernel.name, address - kernel.address);
  }
  return place;
}

} // namespace

Expected<std::string> firstDifference(MemoryBufferRef original, MemoryBufferRef recompiled) {
  auto before = loadedSections(original);
  if (!before)
    return before.takeError();
  auto after = loadedSections(recompiled);
  if (!after)
    return after.takeError();
  for (const auto &[name, section] : *before) {
    auto it = after->find(name);
    if (it == after->end())
      return "recompiled code has no section " + name;
    const Section &other = it->second;
    const StringRef a = section.bytes, b = other.bytes;
    const size_t common = std::min(a.size(), b.size());
    const size_t at =
        size_t(std::mismatch(a.begin(), a.begin() + common, b.begin()).first - a.begin());
    if (at < common)
      return "recompiled code differs at " + placeOf(original, name, section, at);
    if (section.size != other.size)
      return formatv("recompiled section {0} has {1} bytes, not {2}", name, other.size,
                     section.size)
          .str();
  }
  for (const auto &[name, section] : *after)
    if (!before->count(name))
      return "recompiled code has a section " + name;
  return std::string();
}

Expected<std::string> Compilation::untrusted() {
  if (object_.commands.empty())
    return std::string("the options that the code was compiled with are not known (no .llvmcmd)");
  changesNothing_ = true;
  auto made = compileOnce();
  changesNothing_ = false;
  rounds_ = 0;
  decisions_.clear();
  if (!made)
    return made.takeError();
  auto found = firstDifference(original(), *made_->bytes);
  if (found && !found->empty() && object_.modules.size() > 1)
    *found += "; its units were linked (-fgpu-rdc) in a way that is not recorded";
  return found;
}

} // namespace meld::jit
