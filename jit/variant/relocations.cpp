#include "jit/variant/relocations.h"

#include "jit/elf_bytes.h"
#include "jit/error.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FormatVariadic.h"

#include "runtime/codeobject/elf.h"

using namespace llvm;

namespace meld::jit {

Error checkRelocations(MemoryBufferRef version) {
  const auto file = Elf::parse(bytesOf(version));
  if (!file)
    return compilerError("the version: " + file.error().message);
  for (const ElfSection &section : file->sections()) {
    if (section.type == SHT_REL)
      return compilerError("the version has relocations without addends");
    if (section.type != SHT_RELA)
      continue;
    for (uint64_t at = 0; at < section.bytes.size(); at += sizeof(Elf64_Rela)) {
      const auto relocation = readAt<Elf64_Rela>(section.bytes, at, "relocation");
      if (!relocation)
        return compilerError("the version: " + relocation.error().message);
      const uint64_t type = ELF64_R_TYPE(relocation->r_info);
      if (type != ELF::R_AMDGPU_ABS64 && type != ELF::R_AMDGPU_RELATIVE64)
        return compilerError(formatv("the version has a relocation of type {0}", type));
    }
  }
  return Error::success();
}

} // namespace meld::jit
