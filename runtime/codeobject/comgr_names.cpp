#include "runtime/codeobject/comgr_names.h"

#include "runtime/codeobject/elf.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace meld {
namespace {

constexpr std::string_view kFolder = "comgr-", kUnit = "-cuid=";
constexpr char kHidden = '?';
constexpr size_t kRandom = 6; ///< LLVM's createUniqueDirectory puts six hex digits there

bool isHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::string_view textOf(ByteView bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// The names as they stand in `.llvmcmd`: "comgr-1a2b3c", and the hash behind "-cuid=".
std::set<std::string> namesIn(std::string_view commands) {
  std::set<std::string> names;
  for (size_t at = 0; (at = commands.find(kFolder, at)) != std::string_view::npos; ++at) {
    std::string_view name = commands.substr(at, kFolder.size() + kRandom);
    if (name.size() == kFolder.size() + kRandom &&
        std::all_of(name.begin() + kFolder.size(), name.end(), isHex))
      names.emplace(name);
  }
  if (names.empty()) // hipcc's own hash of the unit is the same for the same command
    return names;
  for (size_t at = 0; (at = commands.find(kUnit, at)) != std::string_view::npos; ++at) {
    size_t start = at + kUnit.size(), end = start;
    while (end < commands.size() && isHex(commands[end]))
      ++end;
    if (end - start >= 8)
      names.emplace(commands.substr(start, end - start));
  }
  return names;
}

/// Characters of `width` bits, packed from the lowest bit up as a bitstream packs them.
class Pattern {
public:
  Pattern(std::string_view text, unsigned width) : text_(text), width_(width) {
    for (size_t i = 0; i < std::min<size_t>(text.size(), 56 / width); ++i)
      head_ |= uint64_t(uint8_t(text[i])) << (i * width);
    headBits_ = std::min<size_t>(text.size(), 56 / width) * width;
  }

  /// Overwrites every occurrence, at any bit. Occurrences do not overlap: no name is a part of
  /// itself.
  void mask(Bytes &bytes, size_t begin, size_t end) const {
    const uint64_t bits = text_.size() * width_;
    if ((end - begin) * 8 < bits)
      return;
    const uint64_t headMask = (uint64_t(1) << headBits_) - 1;
    for (size_t at = begin; at + 8 <= end; ++at) {
      uint64_t window;
      std::memcpy(&window, &bytes[at], 8);
      for (unsigned shift = 0; shift < 8; ++shift)
        if (((window >> shift) & headMask) == head_ && (end - at) * 8 - shift >= bits &&
            matches(bytes, at * 8 + shift))
          overwrite(bytes, at * 8 + shift);
    }
  }

private:
  static bool bit(const Bytes &bytes, size_t at) { return bytes[at / 8] >> (at % 8) & 1; }

  bool matches(const Bytes &bytes, size_t at) const {
    for (size_t i = 0; i < text_.size(); ++i)
      for (unsigned b = 0; b < width_; ++b)
        if (bit(bytes, at + i * width_ + b) != (uint8_t(text_[i]) >> b & 1))
          return false;
    return true;
  }

  void overwrite(Bytes &bytes, size_t at) const {
    for (size_t i = at; i < at + text_.size() * width_; ++i)
      bytes[i / 8] &= ~(1u << (i % 8));
  }

  std::string_view text_;
  unsigned width_;
  uint64_t head_ = 0;
  unsigned headBits_ = 0;
};

void maskBytes(Bytes &bytes, std::string_view name) {
  for (size_t at = 0; (at = textOf(bytes).find(name, at)) != std::string_view::npos; ++at)
    std::fill_n(bytes.begin() + at, name.size(), kHidden);
}

/// `.llvmcmd` with each hidden hash as one character: it is printed without leading zeros, so that
/// its length is made up, too.
std::string sameLength(std::string_view commands) {
  std::string out;
  for (size_t at = 0; at < commands.size();) {
    const size_t unit = std::min(commands.find(kUnit, at), commands.size());
    size_t end = std::min(unit + kUnit.size(), commands.size());
    out += commands.substr(at, end - at);
    if (end < commands.size() && commands[end] == kHidden) {
      out += kHidden;
      end = std::min(commands.find_first_not_of(kHidden, end), commands.size());
    }
    at = end;
  }
  return out;
}

/// The file so that nothing moves with the length of `.llvmcmd`: what lies before it as it is, then
/// every section's header, with the contents of those that end behind its start. What lies behind
/// it in no section is nothing's contents.
Bytes withoutPositions(const Elf &elf, Bytes bytes, const ElfSection &commands) {
  const Elf64_Ehdr &header = elf.header();
  uint64_t loaded = header.e_phoff + uint64_t(header.e_phnum) * header.e_phentsize;
  for (const Elf64_Phdr &segment : elf.segments())
    loaded = std::max(loaded, segment.p_offset + segment.p_filesz);
  if (loaded > commands.offset || commands.offset < sizeof(header))
    return bytes; // not as a linker lays it out
  Bytes out(bytes.begin(), bytes.begin() + commands.offset);
  std::fill_n(out.begin() + offsetof(Elf64_Ehdr, e_shoff), sizeof(header.e_shoff), 0);
  auto number = [&](uint64_t value) {
    for (unsigned i = 0; i < 8; ++i)
      out.push_back(uint8_t(value >> (8 * i)));
  };
  auto field = [&](std::string_view text) {
    number(text.size());
    out.insert(out.end(), text.begin(), text.end());
  };
  for (const ElfSection &section : elf.sections()) {
    field(section.name);
    for (uint64_t value : {uint64_t(section.type), section.flags, section.address,
                           section.entrySize, uint64_t(section.link), uint64_t(section.info)})
      number(value);
    const uint64_t size = section.bytes.size();
    if (section.offset + size <= commands.offset) {
      number(section.offset);
      number(section.size);
      continue;
    }
    // Where there are no contents (SHT_NOBITS) the offset is anything.
    const std::string_view contents =
        size ? textOf(ByteView(bytes).subspan(section.offset, size)) : std::string_view();
    if (section.offset == commands.offset && size == commands.size)
      field(sameLength(contents));
    else
      field(contents);
  }
  return out;
}

} // namespace

Bytes withoutComgrNames(ByteView codeObject) {
  auto elf = Elf::parse(codeObject);
  if (!elf)
    return {};
  const ElfSection *commands = elf->section(".llvmcmd");
  if (!commands)
    return {};
  const std::set<std::string> found = namesIn(textOf(commands->bytes));
  if (found.empty())
    return {};
  // One hash may begin like another with a digit less: the longer first.
  std::vector<std::string> names(found.begin(), found.end());
  std::stable_sort(names.begin(), names.end(),
                   [](const auto &a, const auto &b) { return a.size() > b.size(); });
  Bytes bytes(codeObject.begin(), codeObject.end());
  for (const std::string &name : names) {
    if (const ElfSection *bitcode = elf->section(".llvmbc"))
      for (unsigned width : {7, 8})
        Pattern(name, width).mask(bytes, bitcode->offset, bitcode->offset + bitcode->bytes.size());
    maskBytes(bytes, name);
  }
  return withoutPositions(*elf, std::move(bytes), *commands);
}

} // namespace meld
