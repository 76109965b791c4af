#include "runtime/host/offset_table.h"

#include "runtime/host/loaded_objects.h"

#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace meld {
namespace {

struct Entry {
  uintptr_t slot;
  bool readOnly; ///< by now
  bool bound;    ///< not to wait for its first call
};

/// Called for each entry of the symbol.
using Visit = void (*)(void *data, const Entry &entry);

struct Walk {
  Wanted wanted;
  const char *symbol;
  Visit visit;
  void *data;
};

template <class T> const T *at(const dl_phdr_info &object, ElfW(Addr) address) {
  // The loader has relocated these addresses in most objects but not in all.
  return reinterpret_cast<const T *>(address < object.dlpi_addr ? address + object.dlpi_addr
                                                                : address);
}

void *load(uintptr_t slot) {
  return __atomic_load_n(reinterpret_cast<void **>(slot), __ATOMIC_ACQUIRE);
}

bool store(const Entry &entry, void *replacement) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto *begin = reinterpret_cast<void *>(entry.slot & ~(page - 1)); // a slot does not cross pages
  if (entry.readOnly && mprotect(begin, page, PROT_READ | PROT_WRITE))
    return false;
  __atomic_store_n(reinterpret_cast<void **>(entry.slot), replacement, __ATOMIC_RELEASE);
  if (entry.readOnly)
    mprotect(begin, page, PROT_READ);
  return true;
}

/// An entry that waits leads back into the object's own procedure linkage table.
bool isBound(const dl_phdr_info &object, const ElfW(Sym) & symbol, uintptr_t slot) {
  const auto value = reinterpret_cast<uintptr_t>(load(slot));
  if (symbol.st_shndx != SHN_UNDEF && value == object.dlpi_addr + symbol.st_value)
    return true;
  return value != 0 && !holds(object, reinterpret_cast<const void *>(value));
}

int walk(dl_phdr_info *object, size_t, void *data) {
  auto &walk = *static_cast<Walk *>(data);
  if (!walk.wanted(*object))
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
      const auto &symbol = symbols[ELF64_R_SYM(r.r_info)];
      if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
          std::strcmp(names + symbol.st_name, walk.symbol) != 0)
        continue;
      const uintptr_t slot = object->dlpi_addr + r.r_offset;
      walk.visit(walk.data,
                 {slot, slot >= relro && slot < relroEnd, isBound(*object, symbol, slot)});
    }
  return 0;
}

} // namespace

OffsetTableEntry offsetTableEntry(Wanted wanted, const char *symbol) noexcept {
  OffsetTableEntry found;
  Walk walking{wanted, symbol,
               [](void *data, const Entry &entry) {
                 auto &first = *static_cast<OffsetTableEntry *>(data);
                 first.exists = true;
                 if (!first.leadsTo && entry.bound)
                   first.leadsTo = load(entry.slot);
               },
               &found};
  dl_iterate_phdr(walk, &walking);
  return found;
}

unsigned replaceInOffsetTables(Wanted wanted, const char *symbol, void *was,
                               void *replacement) noexcept {
  struct Replacing {
    void *was, *replacement;
    unsigned replaced;
  } replacing{was, replacement, 0};
  Walk walking{wanted, symbol,
               [](void *data, const Entry &entry) {
                 auto &r = *static_cast<Replacing *>(data);
                 void *now = load(entry.slot);
                 if (now == r.replacement)
                   ++r.replaced;
                 else if (!r.was || now == r.was || !entry.bound)
                   r.replaced += store(entry, r.replacement);
               },
               &replacing};
  dl_iterate_phdr(walk, &walking);
  return replacing.replaced;
}

} // namespace meld
