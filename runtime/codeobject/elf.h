// A bounds-checked reader of little-endian ELF64 files: sections, symbols, segments, notes.
//
// It is a view: the bytes must outlive it. Every table is checked once, in parse(); what parse()
// accepted can be walked without further checks. Section headers are optional in ELF, a file
// without them parses and has no sections. Source: System V gABI chapters 4 and 5; LLVM's
// AMDGPUUsage, "ELF Code Object".
#pragma once

#include "runtime/codeobject/bytes.h"

#include <elf.h>
#include <optional>

namespace meld {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0, address = 0, offset = 0, size = 0, entrySize = 0;
  uint64_t alignment = 0; ///< sh_addralign: what the strictest thing in it has asked for
  uint32_t link = 0, info = 0;
  ByteView bytes; ///< empty for SHT_NOBITS
};

struct ElfSymbol {
  std::string_view name;
  uint64_t value = 0, size = 0;
  uint8_t type = 0, binding = 0, visibility = 0;
  uint16_t sectionIndex = 0;
  bool defined() const { return sectionIndex != SHN_UNDEF; }
};

struct ElfNote {
  std::string_view owner; ///< without the terminating zero
  uint32_t type = 0;
  uint64_t offset = 0; ///< of the description, in the file
  ByteView description;
};

class Elf {
public:
  /// Errors: badInput (offsets, sizes, magic), unsupported (not ELF64 little-endian).
  static Result<Elf> parse(ByteView bytes);

  /// Only the four magic bytes: "may this be an ELF file?"
  static bool looksLikeElf(ByteView bytes);

  const Elf64_Ehdr &header() const { return header_; }
  ByteView bytes() const { return bytes_; }
  const std::vector<ElfSection> &sections() const { return sections_; }
  const std::vector<Elf64_Phdr> &segments() const { return segments_; }
  const ElfSection *section(std::string_view name) const;

  /// The dynamic symbol table (SHT_DYNSYM), without the null symbol; what a loader sees.
  Result<std::vector<ElfSymbol>> dynamicSymbols() const { return symbolsOf(SHT_DYNSYM); }
  /// The whole symbol table (SHT_SYMTAB), without the null symbol: local names, too. Empty when it
  /// was stripped.
  Result<std::vector<ElfSymbol>> allSymbols() const { return symbolsOf(SHT_SYMTAB); }
  /// Notes of SHT_NOTE sections, or of PT_NOTE segments where there are no sections.
  Result<std::vector<ElfNote>> notes() const;

  /// File bytes behind [address, address+size) of a PT_LOAD segment. Bytes past the segment's file
  /// size are zero-initialised memory: none are returned for a range that is not wholly in the
  /// file.
  std::optional<ByteView> atAddress(uint64_t address, uint64_t size) const;
  /// The range is mapped by a PT_LOAD segment but lies in its zero-filled tail.
  bool isZeroFilled(uint64_t address, uint64_t size) const;

private:
  Result<std::vector<ElfSymbol>> symbolsOf(uint32_t sectionType) const;

  Elf64_Ehdr header_{};
  ByteView bytes_;
  std::vector<ElfSection> sections_;
  std::vector<Elf64_Phdr> segments_;
};

} // namespace meld
