#include "runtime/host/offset_table.h"

#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace meld {
namespace {

struct Replacing {
  bool (*wanted)(const dl_phdr_info &);
  const char *symbol;
  void *replacement;
  unsigned replaced;
};

template <class T> const T *at(const dl_phdr_info &object, ElfW(Addr) address) {
  // The loader has relocated these addresses in most objects but not in all.
  return reinterpret_cast<const T *>(address < object.dlpi_addr ? address + object.dlpi_addr
                                                                : address);
}

bool enter(uintptr_t slot, bool readOnly, void *replacement) {
  auto *entry = reinterpret_cast<void **>(slot);
  if (__atomic_load_n(entry, __ATOMIC_ACQUIRE) == replacement)
    return true;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto *begin = reinterpret_cast<void *>(slot & ~(page - 1)); // a slot does not cross pages
  if (readOnly && mprotect(begin, page, PROT_READ | PROT_WRITE))
    return false;
  __atomic_store_n(entry, replacement, __ATOMIC_RELEASE);
  if (readOnly)
    mprotect(begin, page, PROT_READ);
  return true;
}

int enterInto(dl_phdr_info *object, size_t, void *data) {
  auto &replacing = *static_cast<Replacing *>(data);
  if (!replacing.wanted(*object))
    return 0;
  const ElfW(Dyn) *dynamic = nullptr;
  uintptr_t relro = 0, relroEnd = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto &segment = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn) *>(begin);
    else if (segment.p_type == PT_GNU_RELRO)
      relro = begin, relroEnd = end;
  }
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const ElfW(Rela) * tables[2] = {};
  size_t sizes[2] = {};
  for (; dynamic && dynamic->d_tag != DT_NULL; ++dynamic) {
    const auto value = dynamic->d_un;
    if (dynamic->d_tag == DT_SYMTAB)
      symbols = at<ElfW(Sym)>(*object, value.d_ptr);
    else if (dynamic->d_tag == DT_STRTAB)
      names = at<char>(*object, value.d_ptr);
    else if (dynamic->d_tag == DT_RELA)
      tables[0] = at<ElfW(Rela)>(*object, value.d_ptr);
    else if (dynamic->d_tag == DT_RELASZ)
      sizes[0] = value.d_val / sizeof(ElfW(Rela));
    else if (dynamic->d_tag == DT_JMPREL)
      tables[1] = at<ElfW(Rela)>(*object, value.d_ptr);
    else if (dynamic->d_tag == DT_PLTRELSZ)
      sizes[1] = value.d_val / sizeof(ElfW(Rela));
  }
  if (!symbols || !names)
    return 0;
  for (int t = 0; t < 2; ++t)
    for (size_t i = 0; tables[t] && i < sizes[t]; ++i) {
      const auto &r = tables[t][i];
      const auto type = ELF64_R_TYPE(r.r_info);
      if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
          std::strcmp(names + symbols[ELF64_R_SYM(r.r_info)].st_name, replacing.symbol) != 0)
        continue;
      const uintptr_t slot = object->dlpi_addr + r.r_offset;
      replacing.replaced += enter(slot, slot >= relro && slot < relroEnd, replacing.replacement);
    }
  return 0;
}

} // namespace

unsigned replaceInOffsetTables(bool (*wanted)(const dl_phdr_info &object), const char *symbol,
                               void *replacement) noexcept {
  Replacing replacing{wanted, symbol, replacement, 0};
  dl_iterate_phdr(enterInto, &replacing);
  return replacing.replaced;
}

} // namespace meld
