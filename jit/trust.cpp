#include "jit/trust.h"

#include "jit/compilation.h"
#include "jit/elf_bytes.h"
#include "jit/error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include "runtime/codeobject/elf.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace meld::jit {

namespace {

/// For the loader alone.
bool servesTheLoader(const ElfSection &section) {
  switch (section.type) {
  case SHT_DYNSYM:
  case SHT_STRTAB:
  case SHT_HASH:
  case SHT_GNU_HASH:
  case SHT_DYNAMIC:
  case SHT_RELA:
  case SHT_REL:
    return true;
  default:
    return false;
  }
}

Expected<std::map<std::string, ElfSection>> loadedSections(MemoryBufferRef elf) {
  const auto file = Elf::parse(bytesOf(elf));
  if (!file)
    return inputError("code object: " + file.error().message);
  std::map<std::string, ElfSection> found;
  for (const ElfSection &section : file->sections())
    if ((section.flags & SHF_ALLOC) && !servesTheLoader(section) &&
        !found.emplace(section.name, section).second)
      return inputError("code object: two sections " + Twine(std::string(section.name)));
  return found;
}

/// "kernel K offset 0x10" where that address is a kernel's code or descriptor.
std::string placeOf(MemoryBufferRef elf, StringRef name, const ElfSection &section, uint64_t at) {
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
    const ElfSection &other = it->second;
    const ByteView a = section.bytes, b = other.bytes;
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
