// Argument blocks with random content: what the parameters of a kernel are, which bytes of them mean
// something, and values that are the same, similar or extreme.
//
// A pointer in a block is a place in the launch's own memory (Memory), written as an address when
// the launch is made. Spans: of each of three regions a work-item owns kSpan bytes, and touches no
// other's. So buffers may be one, overlap by some bytes, or lie off their alignment, and there is no
// race between work-items: what comes out is defined.
#pragma once

#include "tests/e2e/programs/check.h"

#include <array>
#include <type_traits>

constexpr unsigned kSpan = 32, kItems = 256, kRegion = kSpan * kItems + 64, kRegions = 3;
constexpr unsigned kMemory = kRegion * kRegions; ///< bytes that one launch may touch
constexpr unsigned kBlock = 1536;                ///< bytes of arguments, at most

enum class Kind : uint8_t {
  flag,
  byte,
  word16,
  word32,
  word64,
  half,
  single,
  real,
  target, ///< pointer to words, never null
  words,  ///< pointer to words, may be null
  bytes,  ///< pointer to bytes: any place, may be null
  width,  ///< what the work-groups' width is in this launch
  choice, ///< a word that is 0 or 1: often the same as its neighbours
};
/// A parameter of that kind.
struct Width {
  unsigned items;
};
struct Choice {
  unsigned bit;
};

struct Field {
  unsigned offset;
  Kind kind;
};

inline unsigned sizeOf(Kind kind) {
  switch (kind) {
  case Kind::flag:
  case Kind::byte:
    return 1;
  case Kind::word16:
  case Kind::half:
    return 2;
  case Kind::word32:
  case Kind::single:
  case Kind::width:
  case Kind::choice:
    return 4;
  default:
    return 8;
  }
}
inline bool isPointer(Kind kind) { return kind >= Kind::target && kind <= Kind::bytes; }

template <class T> constexpr Kind kindOf() {
  if constexpr (std::is_same_v<T, bool>)
    return Kind::flag;
  else if constexpr (std::is_same_v<T, unsigned *>)
    return Kind::target;
  else if constexpr (std::is_same_v<T, const unsigned *>)
    return Kind::words;
  else if constexpr (std::is_pointer_v<T>)
    return Kind::bytes;
  else if constexpr (std::is_same_v<T, _Float16>)
    return Kind::half;
  else if constexpr (std::is_same_v<T, float>)
    return Kind::single;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::real;
  else if constexpr (std::is_same_v<T, Width>)
    return Kind::width;
  else if constexpr (std::is_same_v<T, Choice>)
    return Kind::choice;
  else
    return sizeof(T) == 1   ? Kind::byte
           : sizeof(T) == 2 ? Kind::word16
           : sizeof(T) == 4 ? Kind::word32
                            : Kind::word64;
}

/// The fields of a structure, for parameters that are one.
template <class T> std::vector<Field> fieldsOf() { return {{0, kindOf<T>()}}; }
#define FIELD(type, name)                                                                          \
  Field { static_cast<unsigned>(offsetof(type, name)), kindOf<decltype(type::name)>() }
/// Of a field in a field, and of an array's element.
#define INNER(type, name, T)                                                                       \
  Field { static_cast<unsigned>(offsetof(type, name)), kindOf<T>() }

struct Kernel {
  struct Parameter {
    unsigned offset, size;
  };
  const char *name = nullptr;
  const void *function = nullptr;
  std::vector<Parameter> parameters;
  std::vector<Field> fields;
  unsigned bytes = 0;      ///< of arguments
  bool dynamicLds = false; ///< a word for each work-item
  bool ragged = false;     ///< work-groups in a row, the last of which may be smaller
};

namespace detail {
template <class T> void addParameter(Kernel &kernel) {
  const auto align = static_cast<unsigned>(alignof(T));
  const unsigned offset = (kernel.bytes + align - 1) / align * align;
  kernel.parameters.push_back({offset, sizeof(T)});
  for (const Field &field : fieldsOf<T>())
    kernel.fields.push_back({offset + field.offset, field.kind});
  kernel.bytes = offset + static_cast<unsigned>(sizeof(T));
}
} // namespace detail

template <class... A>
Kernel describe(const char *name, void (*function)(A...), bool dynamicLds = false) {
  Kernel kernel;
  kernel.name = name;
  kernel.function = reinterpret_cast<const void *>(function);
  (detail::addParameter<A>(kernel), ...);
  kernel.dynamicLds = dynamicLds;
  for (const Field &field : kernel.fields)
    kernel.ragged |= field.kind == Kind::width;
  if (kernel.bytes > kBlock)
    std::abort();
  return kernel;
}

/// Where a pointer points, in the place of its value.
struct Place {
  uint32_t region = 0, offset = 0; ///< region kRegions: null
  uint64_t bits() const { return uint64_t{region} << 32 | offset; }
  static Place of(uint64_t bits) {
    return {static_cast<uint32_t>(bits >> 32), static_cast<uint32_t>(bits)};
  }
};

using Block = std::array<unsigned char, kBlock>;

/// Any bits for a value of that kind: small numbers, limits, NaNs with payloads, zeros of either
/// sign, denormals, infinities, and now and then anything.
inline uint64_t randomBits(Kind kind, Random &random) {
  const auto any = [&](std::initializer_list<uint64_t> values) {
    const auto which = random.below(static_cast<uint32_t>(values.size()) + 1);
    return which < values.size() ? values.begin()[which] : random.next();
  };
  switch (kind) {
  case Kind::flag:
  case Kind::choice:
    return random.below(2);
  case Kind::byte:
    return any({0, 1, 2, 3, 4, 7, 0x80, 0xff}) & 0xff;
  case Kind::word16:
    return any({0, 1, 2, 3, 5, 8, 0x8000, 0x7fff, 0xffff}) & 0xffff;
  case Kind::word32:
    return any({0, 1, 2, 3, 4, 5, 8, 63, 64, 65, 200, 0x80000000, 0x7fffffff, 0xffffffff}) &
           0xffffffff;
  case Kind::word64:
    return any({0, 1, 2, 3, 1ull << 32, 2ull << 32, 1ull << 63, ~(1ull << 63), ~0ull});
  case Kind::half:
    return any({0, 0x8000, 0x3c00, 0x4000, 0x7c00, 0xfc00, 0x7e01, 0x7c01, 0x0001, 0xfbff}) &
           0xffff;
  case Kind::single:
    return any({0, 0x80000000, 0x3f800000, 0x40000000, 0xbf000000, 0x7f800000, 0xff800000,
                0x7fc00000, 0x7fc12345, 0x7f800001, 0xffc00001, 1, 0x80000001, 0x7f7fffff}) &
           0xffffffff;
  case Kind::real:
    return any({0, 1ull << 63, 0x3ff0000000000000, 0x4000000000000000, 0xbfe0000000000000,
                0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff8000012345678,
                0x7ff0000000000001, 1, 0x7fefffffffffffff});
  case Kind::target:
    return Place{0, 4 * random.below(4)}.bits();
  case Kind::words:
    return random.below(6) ? Place{random.below(kRegions), 4 * random.below(4)}.bits()
                           : Place{kRegions, 0}.bits();
  case Kind::bytes:
    return random.below(6) ? Place{random.below(kRegions), random.below(16)}.bits()
                           : Place{kRegions, 0}.bits();
  case Kind::width: // the launch says
    return 0;
  }
  return 0;
}

inline void set(Block &block, const Field &field, uint64_t bits) {
  std::memcpy(block.data() + field.offset, &bits, sizeOf(field.kind));
}

/// What no field covers: between members, and behind the last. A launch finds anything there.
inline std::vector<unsigned> holesOf(const Kernel &kernel) {
  std::vector<bool> covered(kernel.bytes);
  for (const Field &field : kernel.fields)
    for (unsigned i = 0; i < sizeOf(field.kind); ++i)
      covered[field.offset + i] = true;
  std::vector<unsigned> holes;
  for (unsigned i = 0; i < kernel.bytes; ++i)
    if (!covered[i])
      holes.push_back(i);
  return holes;
}
