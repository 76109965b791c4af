// Random straight-line code with forward branches, and a bare wave to run it on.
#pragma once

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/isa/opcodes.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace meld::softgpu::test {

/// splitmix64: the same numbers on every host.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }
  bool oneIn(uint32_t n) { return below(n) == 0; }
  template <class T, size_t N> const T &pick(const T (&list)[N]) { return list[below(N)]; }

private:
  uint64_t state_;
};

/// Which kinds of instructions a snippet has.
enum class Mix { alu, lds, global, everything };

/// Code words; ends with s_endpgm.
std::vector<uint32_t> makeSnippet(Random &random, isa::Target target, unsigned length, Mix mix);

/// Memory that snippets may load from and store to; one for both tiers, since addresses count.
struct GlobalMemory {
  static constexpr size_t kBytes = 16384;
  alignas(64) uint8_t bytes[kBytes];
  static constexpr uint32_t kScratchPerLane = 512;
  alignas(128) uint8_t scratch[kScratchPerLane * kWaveSize]; ///< private memory
};

/// A wave without a dispatch: registers, LDS and nothing else.
///
/// v20..v23 hold offsets into the global memory, v[24:25]..v[30:31] addresses in it, s[40:41] its
/// address, s[44:47] the resource of the private memory and v32..v35 offsets into it; snippets write
/// none of these.
class BareWave {
public:
  static constexpr unsigned kRows = 1024, kLds = 4096;
  BareWave();
  /// Random registers, lane masks and LDS, many of them edge values.
  void fill(Random &random, isa::Target target, CodeCache &code, const ExecInst *entry,
            GlobalMemory &global);
  void copyFrom(const BareWave &other);
  /// "" or the first difference.
  std::string difference(const BareWave &other) const;

  Wave wave;
  std::vector<VRow> rows;
  std::vector<uint8_t> lds;
};

} // namespace meld::softgpu::test
