// Builds small AMDGPU code objects for tests, from a description that tests can vary: the layout of
// lld's output
// (.note .dynsym .dynstr .rodata .text .data .bss, one PT_LOAD each), metadata written by
// nlohmann's MessagePack writer.
#pragma once

#include "runtime/codeobject/codeobject.h"

#include <nlohmann/json.hpp>

namespace meld::test {

struct BuildVariable {
  std::string name;
  Bytes initial; ///< all zero bytes and `zero`: .bss
  bool zero = false;
  uint64_t align = 4;
};

struct BuildKernel {
  std::string name = "kernel";
  uint64_t kernargSize = 16, kernargAlign = 8, group = 0, priv = 0, vgprs = 8, sgprs = 16,
           agprs = 0;
  uint64_t wave = 64, maxWorkgroup = 256;
  bool dynamicStack = false;
  std::vector<uint64_t> reqd;
  std::vector<KernelArg> args = {{0, 8, "global_buffer", "global"}, {8, 4, "by_value", ""}};
  std::string symbol;             ///< "<name>.kd" when empty
  uint32_t rsrc1 = 0x00af0000;    ///< IEEE, DX10 clamp, denormals
  int64_t descriptorPrivate = -1; ///< differs from `priv` when >= 0
};

struct BuildObject {
  uint32_t flags = 0x53f; ///< gfx90a, xnack any, sramecc any
  uint8_t abi = 2;        ///< code object version 4
  std::string target = "amdgcn-amd-amdhsa--gfx90a";
  unsigned versionMinor = 1;
  std::vector<BuildKernel> kernels = {BuildKernel{}};
  std::vector<BuildVariable> variables;
  std::vector<std::string> undefined;
  Bytes text = Bytes(256, 0);
  Bytes bitcode = {'B', 'C', 0xC0, 0xDE, 1, 2, 3, 4};
  std::string bitcodeSection = ".llvmbc";
  std::vector<std::pair<std::string, Bytes>> extraSections; ///< not loaded
  std::vector<nlohmann::json> furtherNotes; ///< metadata of more than one relocatable
};

inline nlohmann::json metadataOf(const BuildObject &object) {
  using Json = nlohmann::json;
  Json kernels = Json::array();
  for (const BuildKernel &k : object.kernels) {
    Json args = Json::array();
    for (const KernelArg &a : k.args) {
      Json arg = {{".offset", a.offset}, {".size", a.size}, {".value_kind", a.valueKind}};
      if (!a.addressSpace.empty())
        arg[".address_space"] = a.addressSpace;
      args.push_back(arg);
    }
    Json kernel = {{".name", k.name},
                   {".symbol", k.symbol.empty() ? k.name + ".kd" : k.symbol},
                   {".kernarg_segment_size", k.kernargSize},
                   {".kernarg_segment_align", k.kernargAlign},
                   {".group_segment_fixed_size", k.group},
                   {".private_segment_fixed_size", k.priv},
                   {".wavefront_size", k.wave},
                   {".sgpr_count", k.sgprs},
                   {".vgpr_count", k.vgprs},
                   {".agpr_count", k.agprs},
                   {".max_flat_workgroup_size", k.maxWorkgroup},
                   {".uses_dynamic_stack", k.dynamicStack},
                   {".args", args}};
    if (!k.reqd.empty())
      kernel[".reqd_workgroup_size"] = k.reqd;
    kernels.push_back(kernel);
  }
  Json root = {{"amdhsa.version", {1, object.versionMinor}}, {"amdhsa.kernels", kernels}};
  if (!object.target.empty())
    root["amdhsa.target"] = object.target;
  return root;
}

class ObjectBuilder {
public:
  explicit ObjectBuilder(const BuildObject &object) : object_(object) {}

  Bytes build() {
    out_.resize(sizeof(Elf64_Ehdr) + kSegments * sizeof(Elf64_Phdr));
    section("", SHT_NULL, 0, {}, 0);
    note();
    uint64_t rodata = place(64, rodataBytes());
    section(".rodata", SHT_PROGBITS, SHF_ALLOC, {}, 64, rodata, object_.kernels.size() * 64);
    uint64_t text = place(256, object_.text);
    section(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, {}, 256, text, object_.text.size());
    const uint16_t rodataIndex = sections_.size() - 2, textIndex = sections_.size() - 1;

    std::vector<Elf64_Sym> symbols(1);
    Bytes strings(1, 0);
    auto addSymbol = [&](const std::string &name, uint8_t type, uint16_t index, uint64_t value,
                         uint64_t size) {
      Elf64_Sym s{};
      s.st_name = strings.size();
      strings.insert(strings.end(), name.begin(), name.end());
      strings.push_back(0);
      s.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
      s.st_shndx = index;
      s.st_value = value;
      s.st_size = size;
      symbols.push_back(s);
    };
    for (size_t i = 0; i < object_.kernels.size(); ++i) {
      const BuildKernel &k = object_.kernels[i];
      addSymbol(k.name, STT_FUNC, textIndex, text, object_.text.size());
      addSymbol(k.symbol.empty() ? k.name + ".kd" : k.symbol, STT_OBJECT, rodataIndex,
                rodata + i * 64, 64);
    }
    // Initialised variables, then zero ones behind the file's end of the segment.
    uint64_t dataStart = align(out_.size(), 4096);
    out_.resize(dataStart);
    std::vector<std::pair<const BuildVariable *, uint64_t>> zeros;
    for (const BuildVariable &v : object_.variables)
      if (!v.zero)
        addSymbol(v.name, STT_OBJECT, sections_.size(), place(v.align, v.initial),
                  v.initial.size());
    uint64_t dataEnd = out_.size();
    section(".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, {}, 16, dataStart, dataEnd - dataStart);
    uint64_t bss = align(dataEnd, 16), bssEnd = bss;
    for (const BuildVariable &v : object_.variables)
      if (v.zero) {
        bssEnd = align(bssEnd, v.align);
        addSymbol(v.name, STT_OBJECT, sections_.size(), bssEnd, v.initial.size());
        bssEnd += v.initial.size();
      }
    section(".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, {}, 16, bss, bssEnd - bss);
    for (const std::string &name : object_.undefined)
      addSymbol(name, STT_NOTYPE, SHN_UNDEF, 0, 0);

    Bytes table(symbols.size() * sizeof(Elf64_Sym));
    std::memcpy(table.data(), symbols.data(), table.size());
    section(".dynsym", SHT_DYNSYM, SHF_ALLOC, table, 8);
    sections_.back().sh_entsize = sizeof(Elf64_Sym);
    sections_.back().sh_link = sections_.size();
    section(".dynstr", SHT_STRTAB, SHF_ALLOC, strings, 1);
    if (!object_.bitcode.empty())
      section(object_.bitcodeSection, SHT_PROGBITS, 0, object_.bitcode, 1);
    for (const auto &[name, bytes] : object_.extraSections)
      section(name, SHT_PROGBITS, 0, bytes, 1);
    section(".shstrtab", SHT_STRTAB, 0, {}, 1);
    sections_.back().sh_offset = out_.size();
    sections_.back().sh_size = names_.size();
    out_.insert(out_.end(), names_.begin(), names_.end());

    uint64_t shoff = place(8, {});
    for (const Elf64_Shdr &s : sections_)
      append(&s, sizeof(s));

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = 1;
    header.e_ident[EI_OSABI] = 64;
    header.e_ident[EI_ABIVERSION] = object_.abi;
    header.e_type = ET_DYN;
    header.e_machine = 224;
    header.e_version = 1;
    header.e_phoff = sizeof(header);
    header.e_shoff = shoff;
    header.e_flags = object_.flags;
    header.e_ehsize = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = kSegments;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = sections_.size();
    header.e_shstrndx = sections_.size() - 1;
    std::memcpy(out_.data(), &header, sizeof(header));
    Elf64_Phdr segments[kSegments] = {};
    segments[0] = {
        PT_LOAD, PF_R | PF_X, 0, 0, 0, text + object_.text.size(), text + object_.text.size(),
        4096};
    segments[1] = {PT_LOAD,   PF_R | PF_W,         dataStart,          dataStart,
                   dataStart, dataEnd - dataStart, bssEnd - dataStart, 4096};
    std::memcpy(out_.data() + sizeof(header), segments, sizeof(segments));
    return out_;
  }

private:
  static constexpr unsigned kSegments = 2;

  static uint64_t align(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

  void append(const void *from, size_t size) {
    const auto *bytes = static_cast<const uint8_t *>(from);
    out_.insert(out_.end(), bytes, bytes + size);
  }

  uint64_t place(uint64_t alignment, const Bytes &bytes) {
    out_.resize(align(out_.size(), alignment));
    uint64_t at = out_.size();
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return at;
  }

  void section(const std::string &name, uint32_t type, uint64_t flags, const Bytes &bytes,
               uint64_t alignment, uint64_t at = 0, uint64_t size = 0) {
    Elf64_Shdr s{};
    s.sh_name = names_.size();
    names_.insert(names_.end(), name.begin(), name.end());
    names_.push_back(0);
    s.sh_type = type;
    s.sh_flags = flags;
    s.sh_addralign = alignment;
    if (!at && type != SHT_NULL) {
      at = place(alignment, bytes);
      size = bytes.size();
    }
    s.sh_offset = at;
    s.sh_size = size;
    s.sh_addr = flags & SHF_ALLOC ? at : 0;
    sections_.push_back(s);
  }

  void note() {
    Bytes bytes;
    auto add = [&](const nlohmann::json &metadata) {
      const Bytes body = nlohmann::json::to_msgpack(metadata);
      const Elf64_Nhdr head{7, static_cast<Elf64_Word>(body.size()), 32};
      const auto *start = reinterpret_cast<const uint8_t *>(&head);
      bytes.insert(bytes.end(), start, start + sizeof(head));
      for (char c : std::string("AMDGPU\0\0", 8))
        bytes.push_back(c);
      bytes.insert(bytes.end(), body.begin(), body.end());
      bytes.resize(align(bytes.size(), 4));
    };
    add(metadataOf(object_));
    for (const nlohmann::json &metadata : object_.furtherNotes)
      add(metadata);
    section(".note", SHT_NOTE, SHF_ALLOC, bytes, 4);
  }

  Bytes rodataBytes() const {
    Bytes out(object_.kernels.size() * 64);
    for (size_t i = 0; i < object_.kernels.size(); ++i) {
      const BuildKernel &k = object_.kernels[i];
      auto put = [&](unsigned at, uint32_t value) {
        std::memcpy(out.data() + i * 64 + at, &value, 4);
      };
      put(0, k.group);
      put(4, k.descriptorPrivate >= 0 ? k.descriptorPrivate : k.priv);
      put(8, k.kernargSize);
      put(48, k.rsrc1);
      put(56, k.wave == 32 ? 0x400 : 0);
    }
    return out;
  }

  const BuildObject &object_;
  Bytes out_, names_;
  std::vector<Elf64_Shdr> sections_;
};

inline Bytes build(const BuildObject &object) { return ObjectBuilder(object).build(); }

/// An offload bundle of (id, bytes) pairs; objects aligned to 4096 as clang does for HIP.
inline Bytes buildBundle(const std::vector<std::pair<std::string, Bytes>> &parts) {
  Bytes out;
  auto append = [&](const void *from, size_t size) {
    const auto *bytes = static_cast<const uint8_t *>(from);
    out.insert(out.end(), bytes, bytes + size);
  };
  append("__CLANG_OFFLOAD_BUNDLE__", 24);
  uint64_t count = parts.size();
  append(&count, 8);
  uint64_t size = 32;
  for (const auto &[id, bytes] : parts)
    size += 24 + id.size();
  uint64_t at = size;
  for (const auto &[id, bytes] : parts) {
    at = (at + 4095) / 4096 * 4096;
    uint64_t entry[3] = {at, bytes.size(), id.size()};
    append(entry, sizeof(entry));
    append(id.data(), id.size());
    at += bytes.size();
  }
  for (const auto &[id, bytes] : parts) {
    out.resize((out.size() + 4095) / 4096 * 4096);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

/// A program for the host with these bundles in its section, as the linker lays those of several
/// translation units one behind the other: each at a multiple of 4096.
inline Bytes buildHostFile(const std::vector<Bytes> &bundles) {
  BuildObject carrier;
  carrier.bitcode.clear();
  for (const Bytes &bundle : bundles) {
    carrier.bitcode.resize((carrier.bitcode.size() + 4095) / 4096 * 4096);
    carrier.bitcode.insert(carrier.bitcode.end(), bundle.begin(), bundle.end());
  }
  carrier.bitcodeSection = ".hip_fatbin";
  Bytes file = build(carrier);
  file[18] = 62; // EM_X86_64
  return file;
}

} // namespace meld::test
