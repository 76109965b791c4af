#include "runtime/engine/identity.h"

#include "runtime/cache/directory.h"
#include "runtime/codeobject/elf.h"
#include "runtime/host/loaded_objects.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meld {
namespace {

constexpr uint64_t kMaxTable = 1 << 20;
constexpr uint64_t kMaxString = 1 << 16;

/// Reads parts of an ELF file without mapping it.
class File {
public:
  explicit File(const std::string &path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
    if (!fd_ || fstat(fd_.get(), &info_) || !S_ISREG(info_.st_mode)) {
      error_ = errno ? errno : EINVAL;
      fd_ = Descriptor();
    }
  }
  bool ok() const { return static_cast<bool>(fd_); }
  int error() const { return error_; }
  const struct stat &info() const { return info_; }

  Bytes read(uint64_t offset, uint64_t size) const {
    Bytes bytes(std::min(size, kMaxTable));
    ssize_t got = ::pread(fd_.get(), bytes.data(), bytes.size(), offset);
    bytes.resize(got > 0 ? got : 0);
    return bytes;
  }

  std::vector<Elf64_Phdr> segments() const {
    std::vector<Elf64_Phdr> out;
    Bytes head = read(0, sizeof(Elf64_Ehdr));
    auto header = readAt<Elf64_Ehdr>(head, 0, "ELF header");
    if (!header || !Elf::looksLikeElf(head) || header->e_phentsize != sizeof(Elf64_Phdr))
      return out;
    Bytes table = read(header->e_phoff, uint64_t(header->e_phnum) * sizeof(Elf64_Phdr));
    for (unsigned i = 0; i < header->e_phnum; ++i)
      if (auto segment = readAt<Elf64_Phdr>(table, i * sizeof(Elf64_Phdr), "program header"))
        out.push_back(*segment);
    return out;
  }

private:
  Descriptor fd_;
  struct stat info_ {};
  int error_ = 0;
};

std::string hexText(ByteView bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string buildId(const File &file) {
  for (const Elf64_Phdr &segment : file.segments()) {
    if (segment.p_type != PT_NOTE)
      continue;
    Bytes notes = file.read(segment.p_offset, segment.p_filesz);
    uint64_t at = 0;
    while (auto head = readAt<Elf64_Nhdr>(notes, at, "note")) {
      uint64_t name = at + sizeof(Elf64_Nhdr);
      uint64_t description = name + ((uint64_t(head->n_namesz) + 3) & ~uint64_t(3));
      auto owner = slice(notes, name, head->n_namesz, "owner");
      auto id = slice(notes, description, head->n_descsz, "build id");
      if (!owner || !id)
        break;
      if (head->n_type == NT_GNU_BUILD_ID && owner->size() == 4 &&
          !std::memcmp(owner->data(), "GNU", 4))
        return hexText(*id);
      at = description + ((uint64_t(head->n_descsz) + 3) & ~uint64_t(3));
    }
  }
  return {};
}

struct LoadedSearch {
  const std::string *soname;
  std::string path;
};

int matchLoaded(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<LoadedSearch *>(data);
  if (*search.soname != nameOf(*info))
    return 0;
  search.path = info->dlpi_name;
  return 1;
}

/// ldconfig's table: a header, entries, strings; offsets count from the header (glibc,
/// sysdeps/generic/dl-cache.h). An older table may stand before it.
std::string inLinkerCache(const std::string &soname) {
  constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
  struct Entry {
    int32_t flags;
    uint32_t key, value, osVersion;
    uint64_t capabilities;
  };
  constexpr uint64_t kHeader = 48;
  File file("/etc/ld.so.cache");
  if (!file.ok())
    return {};
  const Bytes bytes = file.read(0, file.info().st_size);
  const auto begin = std::search(bytes.begin(), bytes.end(), kMagic.begin(), kMagic.end());
  const ByteView table(bytes.data() + (begin - bytes.begin()), bytes.end() - begin);
  auto count = readAt<uint32_t>(table, kMagic.size(), "number of libraries");
  for (uint32_t i = 0; count && i < *count; ++i) {
    auto entry = readAt<Entry>(table, kHeader + uint64_t(i) * sizeof(Entry), "library");
    if (!entry)
      break;
    auto name = stringAt(table, entry->key, "name");
    auto path = stringAt(table, entry->value, "path");
    const bool x86_64 = (entry->flags & 0xff00) == 0x0300;
    if (x86_64 && name && path && *name == soname &&
        ::access(std::string(*path).c_str(), R_OK) == 0)
      return std::string(*path);
  }
  return {};
}

} // namespace

Result<std::string> fileIdentity(const std::string &path) {
  File file(path);
  if (!file.ok())
    return fail(file.error() == ENOENT ? ErrorCode::notFound : ErrorCode::io,
                errnoText(path, file.error()));
  if (std::string id = buildId(file); !id.empty())
    return "build-id:" + id;
  const struct stat &info = file.info();
  return "file:" + std::to_string(info.st_size) + ":" + std::to_string(info.st_mtim.tv_sec) + "." +
         std::to_string(info.st_mtim.tv_nsec);
}

Result<DynamicSection> dynamicSection(const std::string &path) {
  File file(path);
  if (!file.ok())
    return fail(file.error() == ENOENT ? ErrorCode::notFound : ErrorCode::io,
                errnoText(path, file.error()));
  const Bytes head = file.read(0, sizeof(Elf64_Ehdr));
  auto header = readAt<Elf64_Ehdr>(head, 0, "ELF header");
  if (!header || !Elf::looksLikeElf(head) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_machine != EM_X86_64)
    return fail(ErrorCode::unsupported, path + " is not an ELF file of x86-64");
  DynamicSection out;
  auto segments = file.segments();
  auto toOffset = [&](uint64_t address) -> uint64_t {
    for (const Elf64_Phdr &segment : segments)
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz)
        return address - segment.p_vaddr + segment.p_offset;
    return UINT64_MAX;
  };
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_type == PT_INTERP) {
      const Bytes text = file.read(segment.p_offset, segment.p_filesz);
      if (auto name = stringAt(text, 0, "interpreter"))
        out.interpreter = *name;
    }
    if (segment.p_type != PT_DYNAMIC)
      continue;
    out.dynamic = true;
    Bytes table = file.read(segment.p_offset, segment.p_filesz);
    uint64_t strings = 0, size = 0;
    std::vector<std::pair<int64_t, uint64_t>> names; // tag, offset in the strings
    for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
      auto entry = readAt<Elf64_Dyn>(table, at, "dynamic entry");
      if (!entry || entry->d_tag == DT_NULL)
        break;
      switch (entry->d_tag) {
      case DT_STRTAB:
        strings = entry->d_un.d_ptr;
        break;
      case DT_STRSZ:
        size = entry->d_un.d_val;
        break;
      case DT_NEEDED:
      case DT_SONAME:
      case DT_RPATH:
      case DT_RUNPATH:
        names.emplace_back(entry->d_tag, entry->d_un.d_val);
      }
    }
    // Tables of strings of large libraries have megabytes.
    const uint64_t base = toOffset(strings);
    for (const auto &[tag, offset] : names) {
      if (base == UINT64_MAX || offset >= size)
        continue;
      const Bytes text = file.read(base + offset, std::min(size - offset, kMaxString));
      if (auto name = stringAt(text, 0, "dynamic string")) {
        if (tag == DT_NEEDED)
          out.needed.emplace_back(*name);
        else
          (tag == DT_SONAME ? out.soname : tag == DT_RPATH ? out.rpath : out.runpath) = *name;
      }
    }
  }
  return out;
}

bool hasSection(const std::string &path, std::string_view name) {
  File file(path);
  if (!file.ok())
    return false;
  const Bytes head = file.read(0, sizeof(Elf64_Ehdr));
  auto header = readAt<Elf64_Ehdr>(head, 0, "ELF header");
  if (!header || !Elf::looksLikeElf(head) || header->e_shentsize != sizeof(Elf64_Shdr))
    return false;
  const Bytes table = file.read(header->e_shoff, uint64_t(header->e_shnum) * sizeof(Elf64_Shdr));
  auto names =
      readAt<Elf64_Shdr>(table, uint64_t(header->e_shstrndx) * sizeof(Elf64_Shdr), "names");
  if (!names)
    return false;
  const Bytes text = file.read(names->sh_offset, names->sh_size);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    auto section = readAt<Elf64_Shdr>(table, uint64_t(i) * sizeof(Elf64_Shdr), "section");
    if (!section)
      return false;
    if (auto found = stringAt(text, section->sh_name, "name"); found && *found == name)
      return true;
  }
  return false;
}

std::vector<std::string> neededLibraries(const std::string &path) {
  auto section = dynamicSection(path);
  return section ? section->needed : std::vector<std::string>();
}

std::string findLibrary(const std::string &soname, const std::vector<std::string> &folders) {
  LoadedSearch search{&soname, {}};
  ::dl_iterate_phdr(matchLoaded, &search);
  if (!search.path.empty())
    return search.path;
  auto there = [&](const std::string &folder) {
    std::string path = folder + "/" + soname;
    return ::access(path.c_str(), R_OK) == 0 ? path : std::string();
  };
  for (const std::string &folder : folders)
    if (std::string path = there(folder); !path.empty())
      return path;
  if (const char *path = ::secure_getenv("LD_LIBRARY_PATH"))
    for (std::string_view rest = path; !rest.empty();) {
      const size_t end = std::min(rest.find_first_of(":;"), rest.size());
      if (std::string found = there(std::string(rest.substr(0, end))); end && !found.empty())
        return found;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  if (std::string path = inLinkerCache(soname); !path.empty())
    return path;
  for (const char *folder : {"/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/opt/rocm/lib",
                             "/usr/lib64", "/usr/local/lib", "/usr/lib"})
    if (std::string path = there(folder); !path.empty())
      return path;
  return {};
}

std::string fileNameOf(const std::string &path) { return path.substr(path.rfind('/') + 1); }

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash ? slash : 1);
}

} // namespace meld
