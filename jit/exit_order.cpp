#include "jit/exit_order.h"

#include "jit/comgr.h"
#include "jit/llvm_handlers.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace meld::jit {

namespace {

using Register = int (*)(void (*)(void *), void *, void *);

std::atomic<Register> registerHandler{nullptr}; // the C library's, or a sanitizer's
std::atomic<void (*)()> stopFirst{nullptr};

struct Handler {
  void (*f)(void *);
  void *argument;
};

// The compiler's libraries are never unloaded, so this is the end of the process.
void stopAndRun(void *handler) {
  const Handler h = *static_cast<Handler *>(handler);
  if (auto *stop = stopFirst.load())
    stop();
  h.f(h.argument);
}

int registerBehindUs(void (*f)(void *), void *argument, void *library) {
  auto *handler = new (std::nothrow) Handler{f, argument};
  if (!handler)
    return -1;
  return registerHandler.load()(stopAndRun, handler, library);
}

template <class T> const T *at(const dl_phdr_info &object, ElfW(Addr) address) {
  // The loader has relocated these addresses in most objects but not in all.
  return reinterpret_cast<const T *>(address < object.dlpi_addr ? address + object.dlpi_addr
                                                                : address);
}

void enter(uintptr_t slot, bool readOnly) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto *begin = reinterpret_cast<void *>(slot & ~(page - 1)); // a slot does not cross pages
  if (readOnly && mprotect(begin, page, PROT_READ | PROT_WRITE))
    return;
  __atomic_store_n(reinterpret_cast<uintptr_t *>(slot),
                   reinterpret_cast<uintptr_t>(&registerBehindUs), __ATOMIC_RELEASE);
  if (readOnly)
    mprotect(begin, page, PROT_READ);
}

int enterInto(dl_phdr_info *object, size_t, void *) {
  const auto self = reinterpret_cast<uintptr_t>(&enterInto);
  bool ours = isCompilerLibrary(object->dlpi_name ? object->dlpi_name : "");
  const ElfW(Dyn) *dynamic = nullptr;
  uintptr_t relro = 0, relroEnd = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto &segment = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type == PT_LOAD)
      ours |= self >= begin && self < end;
    else if (segment.p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn) *>(begin);
    else if (segment.p_type == PT_GNU_RELRO)
      relro = begin, relroEnd = end;
  }
  if (!ours)
    return 0;
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
          std::strcmp(names + symbols[ELF64_R_SYM(r.r_info)].st_name, "__cxa_atexit") != 0)
        continue;
      const uintptr_t slot = object->dlpi_addr + r.r_offset;
      enter(slot, slot >= relro && slot < relroEnd);
    }
  return 0;
}

} // namespace

void runBeforeExitHandlers(void (*stop)()) {
  // What comgr's own global objects need is registered when it is loaded: before `stop` is.
  if (auto comgr = Comgr::get(); !comgr)
    llvm::consumeError(comgr.takeError()); // a compile will say so
  stopFirst.store(stop);
  registerHandler.store(reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, "__cxa_atexit")));
  if (registerHandler.load())
    dl_iterate_phdr(enterInto, nullptr);
  // Last: what others registered before the line above runs after this.
  std::atexit(stop);
}

} // namespace meld::jit
