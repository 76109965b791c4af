#include "jit/variant/version_object.h"

#include "jit/code_object.h"
#include "jit/error.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace meld::jit {

namespace {

using Elf = object::ELFFile<object::ELF64LE>;

Error malformed(Error e) { return compilerError("the version: " + toString(std::move(e))); }

/// What the loader fills in: addresses of its own, or 64 bits of a variable's.
Error checkRelocations(const Elf &file) {
  auto sections = file.sections();
  if (!sections)
    return malformed(sections.takeError());
  for (const auto &section : *sections) {
    if (section.sh_type == ELF::SHT_REL)
      return compilerError("the version has relocations without addends");
    if (section.sh_type != ELF::SHT_RELA)
      continue;
    auto relocations = file.relas(section);
    if (!relocations)
      return malformed(relocations.takeError());
    for (const auto &relocation : *relocations) {
      const uint32_t type = relocation.getType(/*isMips64EL=*/false);
      if (type != ELF::R_AMDGPU_ABS64 && type != ELF::R_AMDGPU_RELATIVE64)
        return compilerError(formatv("the version has a relocation of type {0}", type));
    }
  }
  return Error::success();
}

} // namespace

Error checkVersionObject(MemoryBufferRef original, MemoryBufferRef version, StringRef kernel) {
  auto before = Elf::create(original.getBuffer());
  if (!before)
    return malformed(before.takeError());
  auto after = Elf::create(version.getBuffer());
  if (!after)
    return malformed(after.takeError());
  const auto &a = before->getHeader(), &b = after->getHeader();
  if (a.e_flags != b.e_flags || a.e_ident[ELF::EI_ABIVERSION] != b.e_ident[ELF::EI_ABIVERSION])
    return compilerError("the version is for another target");
  auto originals = readDynamicSymbols(original);
  if (!originals)
    return originals.takeError();
  auto symbols = readDynamicSymbols(version);
  if (!symbols)
    return symbols.takeError();
  for (const auto &[name, symbol] : *symbols) {
    if (symbol.defined) {
      if (name != kernel && name != kernel.str() + ".kd")
        return compilerError("the version defines " + name);
      continue;
    }
    const auto it = originals->find(name);
    if (it != originals->end() && !it->second.defined)
      continue; // dynamic LDS: a name in the symbol table, for which nothing is looked up
    if (it == originals->end() || it->second.code)
      return compilerError("the version needs " + name + ", which the original does not export");
  }
  if (!symbols->count(kernel.str()) || !symbols->count(kernel.str() + ".kd"))
    return compilerError("the version lacks " + kernel);
  return checkRelocations(*after);
}

} // namespace meld::jit
