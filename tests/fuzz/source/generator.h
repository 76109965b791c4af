// Random HIP kernels as source text, made from a seed.
//
// csmith and CLsmith are the models (Yang et al., PLDI 2011; Lidbury et al., PLDI 2015): the
// programs use the language as people do, pointers, structs, calls, gotos and lanes that talk to
// each other, and what they compute is defined by construction. Three compilations of one program,
// at -O0, at -O3 and at -O3 with melding, then leave the same memory. The promises behind that:
//   - arithmetic: unsigned or within range, shift counts and indices masked, conversions clamped,
//     divisors tested; floating point is never contracted (the passes alone leave LLVM's choices to
//     LLVM; that a recompile repeats the original's is for the tests named rounding);
//   - memory: a thread writes words of its own, of global memory, LDS or its private arrays; what
//     others read stands between two barriers that the whole workgroup reaches; the words of an
//     atomic operation are changed by that operation only, and its result is used where the order
//     does not show (own words; tickets of which only the sum over all lanes is kept);
//   - restrict: what a call writes through one parameter it does not reach through another;
//   - lanes: a lane operation stands where the source says which lanes are there: under ifs and
//     switches, not behind a jump;
//   - progress: loops have fuel; a lane waits only for what another wave, or an earlier statement
//   of
//     its own wave, does, or it lets go of the lock before it meets the others (the done pattern);
//   - wave state is changed for a piece of code whose operands and results are volatile accesses,
//   and
//     put back before the lanes part or meet.
#pragma once

#include "tests/fuzz/source/features.h"
#include "tests/fuzz/source/piece.h"

#include <array>
#include <cstdint>
#include <string>

namespace meld::fuzz::source {

struct Shape {
  std::array<uint32_t, 3> block{64, 1, 1}, grid{1, 1, 1};
  uint32_t dynamicLds = 0; ///< bytes
  uint32_t blockSize() const { return block[0] * block[1] * block[2]; }
  uint32_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  uint32_t threads() const { return blockSize() * blocks(); }
  std::string text() const;
};

struct SourceKernel {
  uint64_t seed = 0;
  std::string name; ///< k<seed>; every name of file scope ends in the seed, too
  Shape shape;
  Features features; ///< that it holds, not that it was given
  Piece program;     ///< without the prelude
};

/// The buffers a kernel gets, in words of four bytes per thread where nothing else is said.
/// Signature: see kernel.cpp.
struct Layout {
  static constexpr uint32_t inputWords = 1024; ///< in all, read only
  static constexpr uint32_t ownWords = 16;     ///< contiguous per thread
  static constexpr uint32_t columnWords = 4;   ///< one per thread, then the next of all
  static constexpr uint32_t floats = 4, doubles = 2, wideWords = 2, bytes = 16;
  static constexpr uint32_t outWords = 16;                    ///< the variables at the end
  static constexpr uint32_t accOperations = 8, accWords = 64; ///< in all: words of each operation
  static constexpr uint32_t syncWords = 2048; ///< in all: locks, tickets and flags, zero before
};

/// Same seed, same program, on every host. `nests`: another one, made of nests of loops.
SourceKernel generateSource(uint64_t seed, bool nests = false);

/// What stands before the kernels in every file: headers, short names, operations without undefined
/// cases.
const char *prelude();

} // namespace meld::fuzz::source
