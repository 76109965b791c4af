// The disassembler of a later LLVM than the one the tests are linked with: the program llvm-mc, where
// one is installed.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <array>
#include <string>
#include <vector>

namespace meld::softgpu::isa::test {

/// The newest llvm-mc from LLVM `oldest` to `newest`, or nothing.
std::string laterLlvmMc(int oldest, int newest = 22);

struct Sample {
  std::array<uint32_t, 4> words;
  Target target;
  unsigned size;
  std::string ours;
};

/// llvm-mc's text for each sample, several instructions parted by " ; ". In pieces: a word that ends the
/// program (LLVM's printer has its traps) costs one of them, whose samples have no text.
std::vector<std::string> disassembleLater(const std::string &mc, const std::string &arguments,
                                          const std::vector<Sample> &samples);

/// A failure for each mnemonic of which a text is another than ours, letter by letter but for
/// llvm-mc's remarks on operands outside their register class; not where `differs` expects it. How
/// many instructions llvm-mc knows.
size_t compareLater(const std::string &mc, const std::string &arguments,
                    const std::vector<Sample> &samples,
                    bool (*differs)(const Sample &, const std::string &theirs));

} // namespace meld::softgpu::isa::test
