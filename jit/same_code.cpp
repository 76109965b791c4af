#include "jit/same_code.h"

#include "llvm/Support/Endian.h"

using namespace llvm;

namespace meld::jit {

namespace {

// The sum stands right behind s_getpc_b64, which the linker's relocation counts on.
constexpr size_t distanceReach = 2;
constexpr uint32_t wordBytes = 4;

/// The negations of both factors as one of the first: bits 61 and 62, and for the higher halves of
/// packed operations 8 and 9 (VOP3 and VOP3P of the ISA manuals).
uint64_t withSignInFront(uint64_t word, bool packed) {
  const auto move = [&word](unsigned first) {
    const uint64_t both = uint64_t{3} << first, sign = (word >> first ^ word >> (first + 1)) & 1;
    word = (word & ~both) | sign << first;
  };
  move(61);
  if (packed)
    move(8);
  return word;
}

/// -a * b + c and a * -b + c.
bool isSameProduct(StringRef name, ArrayRef<uint8_t> a, ArrayRef<uint8_t> b) {
  const bool packed = name.startswith("V_PK_FMA_F");
  if (a.size() != 2 * wordBytes || !(packed || name.startswith("V_FMA_F")))
    return false;
  const auto word = [packed](ArrayRef<uint8_t> bytes) {
    return withSignInFront(support::endian::read64le(bytes.data()), packed);
  };
  return word(a) == word(b);
}

} // namespace

bool isSameCode(const Disassembler &disassembler, const Kernel &a, const Kernel &b) {
  if (a.code == b.code)
    return true;
  if (a.code.size() != b.code.size())
    return false;
  const auto left = disassembler.decode(a), right = disassembler.decode(b);
  if (left.instructions.size() != right.instructions.size())
    return false;
  size_t sinceGetPc = distanceReach + 1;
  for (size_t i = 0; i < left.instructions.size(); ++i) {
    const auto &l = left.instructions[i], &r = right.instructions[i];
    const uint64_t at = l.address - a.address;
    if (l.size != r.size || at != r.address - b.address || at + l.size > a.code.size())
      return false;
    const StringRef name = l.name;
    sinceGetPc = name.contains("S_GETPC_B64") ? 0 : sinceGetPc + 1;
    const bool isDistance = sinceGetPc >= 1 && sinceGetPc <= distanceReach &&
                            l.size == 2 * wordBytes && name.contains("S_ADD");
    const size_t compared = isDistance ? wordBytes : l.size;
    const auto was = a.code.slice(at, compared), is = b.code.slice(at, compared);
    if (was != is && !isSameProduct(name, was, is))
      return false;
  }
  return true;
}

} // namespace meld::jit
