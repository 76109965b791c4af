#include "jit/same_code.h"

using namespace llvm;

namespace meld::jit {

// The sum stands right behind s_getpc_b64, which the linker's relocation counts on.
constexpr size_t distanceReach = 2;
constexpr uint32_t wordBytes = 4;

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
    if (a.code.slice(at, compared) != b.code.slice(at, compared))
      return false;
  }
  return true;
}

} // namespace meld::jit
