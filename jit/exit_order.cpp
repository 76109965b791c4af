#include "jit/exit_order.h"

#include "jit/comgr.h"
#include "jit/llvm_handlers.h"
#include "runtime/host/offset_table.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <new>

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
  const std::unique_ptr<Handler> h(static_cast<Handler *>(handler));
  if (auto *stop = stopFirst.load())
    stop();
  h->f(h->argument);
}

int registerBehindUs(void (*f)(void *), void *argument, void *library) {
  auto *handler = new (std::nothrow) Handler{f, argument};
  if (!handler)
    return -1;
  return registerHandler.load()(stopAndRun, handler, library);
}

/// The compiler's libraries, and this one.
bool compilesHere(const dl_phdr_info &object) {
  if (isCompilerLibrary(object.dlpi_name ? object.dlpi_name : ""))
    return true;
  const auto self = reinterpret_cast<uintptr_t>(&compilesHere);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto &segment = object.dlpi_phdr[i];
    const uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && self >= begin && self < begin + segment.p_memsz)
      return true;
  }
  return false;
}

} // namespace

void runBeforeExitHandlers(void (*stop)()) {
  // What comgr's own global objects need is registered when it is loaded: before `stop` is.
  if (auto comgr = Comgr::get(); !comgr)
    llvm::consumeError(comgr.takeError()); // a compile will say so
  stopFirst.store(stop);
  registerHandler.store(reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, "__cxa_atexit")));
  if (registerHandler.load())
    replaceInOffsetTables(compilesHere, "__cxa_atexit", nullptr,
                          reinterpret_cast<void *>(&registerBehindUs));
  // Last: what others registered before the line above runs after this.
  std::atexit(stop);
}

} // namespace meld::jit
