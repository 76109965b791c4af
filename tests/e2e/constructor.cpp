// Calls the program when it is loaded.
#include <dlfcn.h>

static const bool called = [] {
  if (auto *call = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "inConstructor")))
    call();
  return true;
}();
