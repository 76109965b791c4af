#include "runtime/host/exit_handlers.h"

#include <atomic>
#include <dlfcn.h>
#include <memory>
#include <new>

namespace meld {
namespace {

using Register = int (*)(void (*)(void *), void *, void *);

std::atomic<Register> registerHandler{nullptr}; // the C library's, or a sanitizer's
std::atomic<void (*)()> stopFirst{nullptr};

struct Handler {
  void (*f)(void *);
  void *argument;
};

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

} // namespace

void runBeforeExitHandlersOf(Wanted libraries, void (*stop)()) noexcept {
  stopFirst.store(stop);
  registerHandler.store(reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, "__cxa_atexit")));
  if (registerHandler.load())
    replaceInOffsetTables(libraries, "__cxa_atexit", nullptr,
                          reinterpret_cast<void *>(&registerBehindUs));
}

} // namespace meld
