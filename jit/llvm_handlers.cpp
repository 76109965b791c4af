#include "jit/llvm_handlers.h"

#include "runtime/host/loaded_objects.h"

#include <cstdint>
#include <cstring>
#include <link.h>
#include <string_view>

namespace meld::jit {

namespace {

constexpr std::string_view setters[] = {
    "_ZN4llvm27install_fatal_error_handler", // their parameters differ from version to version
    "_ZN4llvm31install_bad_alloc_error_handler", "LLVMInstallFatalErrorHandler",
    // LLVM's handlers of signals, which it sets once in a process.
    "_ZN4llvm3sys28PrintStackTraceOnErrorSignal", "LLVMEnablePrettyStackTrace",
    "_ZN4llvm3sys16AddSignalHandler", "_ZN4llvm3sys20SetInterruptFunction",
    "_ZN4llvm3sys21SetInfoSignalFunction", "_ZN4llvm8InitLLVM"};

/// The dynamic section's addresses, which the loader has relocated in most objects but not in all.
template <class T> const T *at(const dl_phdr_info &object, ElfW(Addr) address) {
  if (!address)
    return nullptr;
  return reinterpret_cast<const T *>(address < object.dlpi_addr ? address + object.dlpi_addr
                                                                : address);
}

/// The part of the symbol table that holds all undefined symbols. The GNU hash table leaves them
/// out, so the first symbol that it knows comes behind them.
size_t undefinedEnd(const uint32_t *hash, const uint32_t *gnuHash) {
  return gnuHash ? gnuHash[1] : hash ? hash[1] : 0;
}

bool setsHandlers(const dl_phdr_info &object) {
  const ElfW(Dyn) *dynamic = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn) *>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const uint32_t *hash = nullptr, *gnuHash = nullptr;
  for (; dynamic && dynamic->d_tag != DT_NULL; ++dynamic) {
    const auto address = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_SYMTAB)
      symbols = at<ElfW(Sym)>(object, address);
    else if (dynamic->d_tag == DT_STRTAB)
      names = at<char>(object, address);
    else if (dynamic->d_tag == DT_HASH)
      hash = at<uint32_t>(object, address);
    else if (dynamic->d_tag == DT_GNU_HASH)
      gnuHash = at<uint32_t>(object, address);
  }
  if (!symbols || !names)
    return false;
  for (size_t i = 1, end = undefinedEnd(hash, gnuHash); i < end; ++i) {
    if (symbols[i].st_shndx != SHN_UNDEF)
      continue;
    const char *name = names + symbols[i].st_name;
    for (std::string_view setter : setters)
      if (std::strncmp(name, setter.data(), setter.size()) == 0)
        return true;
  }
  return false;
}

int look(dl_phdr_info *object, size_t, void *found) {
  const char *path = object->dlpi_name ? object->dlpi_name : "";
  if (isCompilerLibrary(path) || holds(*object, reinterpret_cast<const void *>(&look)) ||
      !setsHandlers(*object))
    return 0;
  *static_cast<std::string *>(found) = *path ? path : "the program";
  return 1;
}

} // namespace

std::string otherUserOfErrorHandlers() {
  std::string found;
  dl_iterate_phdr(look, &found);
  return found;
}

} // namespace meld::jit
