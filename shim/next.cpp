#include "shim/next.h"

#include <cstring>
#include <dlfcn.h>

namespace meld {

void *nextSymbol(const char *name, const char *fallback) noexcept {
  if (void *found = ::dlsym(RTLD_NEXT, name))
    return found;
  for (const char *at = fallback; *at;) {
    size_t length = std::strcspn(at, " ");
    char library[128];
    if (length < sizeof(library)) {
      std::memcpy(library, at, length);
      library[length] = '\0';
      if (void *handle = ::dlopen(library, RTLD_NOLOAD | RTLD_LAZY)) {
        // The handle stays open: the function must not go away while we hold its address.
        if (void *found = ::dlsym(handle, name))
          return found;
        ::dlclose(handle);
      }
    }
    at += length;
    at += *at == ' ';
  }
  return nullptr;
}

} // namespace meld
