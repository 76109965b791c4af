#include "runtime/host/loaded_objects.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace meld {

bool holds(const dl_phdr_info &object, const void *address) noexcept {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto &segment = object.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && at - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
      return true;
  }
  return false;
}

const char *nameOf(const dl_phdr_info &object) noexcept {
  const char *path = object.dlpi_name ? object.dlpi_name : "";
  const char *slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/// Has `found` see the object that holds the address, if one does.
template <class Found> static void seeObjectOf(const void *address, Found &&found) noexcept {
  struct Search {
    const void *address;
    Found &found;
  } search{address, found};
  ::dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) noexcept {
        auto &s = *static_cast<Search *>(data);
        if (!holds(*object, s.address))
          return 0;
        s.found(*object);
        return 1;
      },
      &search);
}

bool isInObject(const void *address, const char *name) noexcept {
  bool is = false;
  seeObjectOf(address, [&](const dl_phdr_info &object) {
    is = !std::strncmp(nameOf(object), name, std::strlen(name));
  });
  return is;
}

bool isCompilerLibrary(const char *path) noexcept {
  const char *slash = std::strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  for (std::string_view begin : {"libLLVM", "libclang", "liblld", "libamd_comgr"})
    if (std::strncmp(name, begin.data(), begin.size()) == 0)
      return true;
  return false;
}

std::string fileOfAddress(const void *address) {
  std::string file;
  seeObjectOf(address, [&](const dl_phdr_info &object) {
    try {
      file = *nameOf(object) ? object.dlpi_name : "/proc/self/exe";
    } catch (...) { // no memory; nothing may leave the loader's function
    }
  });
  char path[PATH_MAX];
  if (file.empty() || !::realpath(file.c_str(), path))
    return {};
  return path;
}

std::string placeOfAddress(const void *address) {
  auto offset = reinterpret_cast<uintptr_t>(address);
  char name[256] = "";
  seeObjectOf(address, [&](const dl_phdr_info &object) {
    std::snprintf(name, sizeof name, "%s+", *nameOf(object) ? nameOf(object) : "the program");
    offset -= object.dlpi_addr;
  });
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%zx", size_t{offset});
  return name + std::string(digits);
}

} // namespace meld
