// Takes over a function for chosen libraries of this process, by their entries in the global offset table.
//
//   library --> f(), by its entry (R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT)      before
//   library --> replacement(), which may call f() itself                       after
//
// That is how a symbol of a library that is loaded before would act, but for the chosen libraries only,
// and after they have been loaded, too. ELF gABI, chapter 5 (dynamic linking); x86-64 psABI, 4.4.
//
// Not seen: what a library finds with dlsym() or has linked into itself.
// Thread rule: any thread; takes the loader's lock. An entry is replaced in one store.
#pragma once

#include <link.h>

namespace meld {

using Wanted = bool (*)(const dl_phdr_info &object);

struct OffsetTableEntry {
  bool exists = false;
  void *leadsTo = nullptr; ///< null where it waits for its first call to be bound
};

/// The first of those entries: as the loader has bound that library, in its scope and by the symbol's
/// version, which dlsym() here may see otherwise.
OffsetTableEntry offsetTableEntry(Wanted wanted, const char *symbol) noexcept;

/// In each loaded object that `wanted` chooses, the entries of the function `symbol` that lead to `was`
/// (null: wherever they lead), or wait for their first call, lead to `replacement` from now on. Returns how
/// many entries do, those that did before included.
unsigned replaceInOffsetTables(Wanted wanted, const char *symbol, void *was,
                               void *replacement) noexcept;

} // namespace meld
