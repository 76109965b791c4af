// What a specialised version of a kernel takes for granted about a launch of it.
//
//   argument 16 4 0x3      the 4 bytes at offset 16 of the kernel's arguments are 3 (little-endian)
//   workgroup 256 1 1      work-groups of 256 x 1 x 1 work-items
//   full-groups            every work-group is a full one: the grid is a multiple of it
//   grid 1 4096            the grid has 4,096 work-items in the second dimension
//   nonnull 24             the pointer at offset 24 of the arguments is not null
//
// Facts are written one behind the other, "; " between them, in the order of Fact's comparison: the
// same facts are the same text, so that the text may stand in keys and names of versions.
//
// A fact holds for a launch, not for a kernel: whoever runs a specialised version has compared each
// of its facts with the launch's own packet and argument block before.
//
// Without LLVM: the shim compares facts, the passes use them. Thread rule: pure.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meld {

struct Fact {
  enum class Kind : uint8_t {
    argument,
    workgroup,
    fullGroups,
    grid,
    nonNull
  } kind = Kind::argument;
  /// Of an argument's bytes: where in the kernarg segment, and how many (1, 2, 4 or 8, and never
  /// across a multiple of that; a pointer has 8). Of the grid: the dimension, and 0.
  uint16_t offset = 0;
  uint8_t width = 0;
  /// The bytes, zero-extended; of a work-group its sizes, x in the lowest 16 bits, then y, then z;
  /// of the grid its work-items.
  uint64_t value = 0;

  static Fact argument(uint16_t offset, uint8_t width, uint64_t value) {
    return {Kind::argument, offset, width, value};
  }
  static Fact workgroup(uint16_t x, uint16_t y, uint16_t z) {
    return {Kind::workgroup, 0, 0, x | uint64_t{y} << 16 | uint64_t{z} << 32};
  }
  static Fact fullGroups() { return {Kind::fullGroups, 0, 0, 0}; }
  static Fact grid(uint16_t dimension, uint32_t items) { return {Kind::grid, dimension, 0, items}; }
  static Fact nonNull(uint16_t offset) { return {Kind::nonNull, offset, 8, 0}; }

  auto operator<=>(const Fact &) const = default;
};

using Facts = std::vector<Fact>;

/// Both, sorted, each once.
Facts unite(Facts facts, const Facts &more);

/// Sorted, each once.
std::string toText(Facts facts);
/// Nothing where the text is not one that toText() writes.
std::optional<Facts> parseFacts(std::string_view text);

} // namespace meld
