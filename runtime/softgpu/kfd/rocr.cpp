#include "runtime/softgpu/kfd/rocr.h"

#include "runtime/host/loaded_objects.h"

#include <cctype>

namespace meld::softgpu {

bool namesProcessor(std::string_view bytes, std::string_view processor) noexcept {
  for (size_t at = bytes.find(processor); at != std::string_view::npos;
       at = bytes.find(processor, at + 1)) {
    const size_t end = at + processor.size();
    if (end == bytes.size() || !std::isalnum(static_cast<unsigned char>(bytes[end])))
      return true;
  }
  return false;
}

std::string rocrWithout(std::string_view processor) {
  struct Search {
    std::string_view processor;
    std::string file;
  } search{processor, {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) noexcept {
        constexpr std::string_view library = "libhsa-runtime64.so";
        auto &s = *static_cast<Search *>(data);
        const std::string_view name = nameOf(*object);
        if (!name.starts_with(library))
          return 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto &segment = object->dlpi_phdr[i];
          // What the file says: what is only zeroed memory (p_memsz) names nothing.
          if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R) && !(segment.p_flags & PF_W) &&
              namesProcessor({reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr),
                              segment.p_filesz},
                             s.processor))
            return 1;
        }
        try {
          s.file = name;
        } catch (...) { // no memory; nothing may leave the loader's function
        }
        return 1;
      },
      &search);
  return search.file;
}

} // namespace meld::softgpu
