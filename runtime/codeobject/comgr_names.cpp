#include "runtime/codeobject/comgr_names.h"

#include "runtime/codeobject/elf.h"

#include <algorithm>
#include <set>

namespace meld {
namespace {

constexpr std::string_view kFolder = "comgr-", kUnit = "-cuid=";
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
    std::fill_n(bytes.begin() + at, name.size(), '?');
}

} // namespace

Bytes withoutComgrNames(ByteView codeObject) {
  auto elf = Elf::parse(codeObject);
  if (!elf)
    return {};
  const ElfSection *commands = elf->section(".llvmcmd");
  if (!commands)
    return {};
  const std::set<std::string> names = namesIn(textOf(commands->bytes));
  if (names.empty())
    return {};
  Bytes bytes(codeObject.begin(), codeObject.end());
  for (const std::string &name : names) {
    if (const ElfSection *bitcode = elf->section(".llvmbc"))
      for (unsigned width : {7, 8})
        Pattern(name, width).mask(bytes, bitcode->offset, bitcode->offset + bitcode->bytes.size());
    maskBytes(bytes, name);
  }
  return bytes;
}

} // namespace meld
