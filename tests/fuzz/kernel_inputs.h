// What a random kernel reads, by its seed; and what it leaves, as one number.
//
// Without LLVM: whoever runs a kernel on another machine (ptx_run.cpp) has the same. Thread rule: pure.
#pragma once

#include "tests/fuzz/kernel_ast.h"

#include <cstring>
#include <vector>

namespace meld::fuzz {

inline constexpr uint32_t wordsPerThread = KernelAst::outputsPerThread + KernelAst::variables;
inline constexpr uint32_t accWords = KernelAst::accOps * KernelAst::accRegion;
inline constexpr uint32_t argumentN = 37; ///< the kernel's last argument

struct KernelInputs {
  std::vector<uint32_t> in, acc;
};

inline KernelInputs inputsOf(uint64_t seed) {
  KernelInputs inputs{std::vector<uint32_t>(KernelAst::inputWords),
                      std::vector<uint32_t>(accWords)};
  uint64_t x = seed * 0x9e3779b97f4a7c15ull + 1;
  const auto fill = [&](std::vector<uint32_t> &words, bool narrow) {
    for (uint32_t &word : words) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      // A mix of small and arbitrary words, so that comparisons go both ways.
      const auto w = static_cast<uint32_t>(x >> 32);
      word = narrow && (w & 3) ? (w >> 2) & 0xff : w;
    }
  };
  fill(inputs.in, true);
  fill(inputs.acc, false);
  return inputs;
}

/// FNV-1a of the bytes of `out`, then of `acc`.
inline uint64_t hashOf(const uint8_t *out, size_t outBytes, const uint8_t *acc, size_t accBytes) {
  uint64_t hash = 0xcbf29ce484222325ull;
  const auto add = [&](const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i)
      hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  };
  add(out, outBytes);
  add(acc, accBytes);
  return hash;
}

} // namespace meld::fuzz
