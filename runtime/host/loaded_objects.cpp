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

bool isInObject(const void *address, const char *name) noexcept {
  struct Search {
    const void *address;
    const char *name;
    bool found;
  } search{address, name, false};
  ::dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) {
        auto &s = *static_cast<Search *>(data);
        if (!holds(*object, s.address))
          return 0;
        s.found = !std::strncmp(nameOf(*object), s.name, std::strlen(s.name));
        return 1;
      },
      &search);
  return search.found;
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
  struct Search {
    const void *address;
    std::string path;
  } search{address, {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) noexcept {
        auto &s = *static_cast<Search *>(data);
        if (!holds(*object, s.address))
          return 0;
        try {
          s.path = *nameOf(*object) ? object->dlpi_name : "/proc/self/exe";
        } catch (...) { // no memory; nothing may leave the loader's function
        }
        return 1;
      },
      &search);
  char path[PATH_MAX];
  if (search.path.empty() || !::realpath(search.path.c_str(), path))
    return {};
  return path;
}

std::string placeOfAddress(const void *address) {
  struct Search {
    const void *address;
    uintptr_t offset;
    char name[256];
  } search{address, reinterpret_cast<uintptr_t>(address), ""};
  ::dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) noexcept {
        auto &s = *static_cast<Search *>(data);
        if (!holds(*object, s.address))
          return 0;
        const char *name = nameOf(*object);
        std::snprintf(s.name, sizeof s.name, "%s+", *name ? name : "the program");
        s.offset -= object->dlpi_addr;
        return 1;
      },
      &search);
  char offset[24];
  std::snprintf(offset, sizeof offset, "0x%zx", size_t{search.offset});
  return search.name + std::string(offset);
}

} // namespace meld
