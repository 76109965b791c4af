#include "runtime/engine/thread.h"

#include "runtime/host/default_float.h"

#include <memory>
#include <new>
#include <pthread.h>
#include <signal.h>

namespace meld {
namespace {

void *run(void *argument) {
  std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()> *>(argument));
  const DefaultFloat state; // not that of the application's thread that made this one
  (*body)();
  return nullptr;
}

} // namespace

bool runDetached(std::function<void()> body, size_t stackBytes) noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return false;
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  auto *argument = new (std::nothrow) std::function<void()>(std::move(body));
  bool ok = false;
  if (argument) {
    // The new thread inherits the mask: the application's handlers never run on it.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    ok = pthread_create(&thread, &attributes, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!ok)
      delete argument;
  }
  pthread_attr_destroy(&attributes);
  return ok;
}

} // namespace meld
