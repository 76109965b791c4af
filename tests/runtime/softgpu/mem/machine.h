// A wave with registers, LDS, scratch and a block of memory, and a way to run one assembled
// instruction on it.
#pragma once

#include "runtime/softgpu/execute/wave.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/mem.h"
#include "tests/runtime/softgpu/mem/assembler.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace meld::softgpu::test {

inline constexpr unsigned kRows = 64, kAcc = 32; ///< 32 VGPRs, then 32 AGPRs
inline constexpr uint32_t kLds = 4096, kScratchPerLane = 256, kMemory = 1 << 14;

/// Everything an instruction can change, by value: comparable, copyable.
struct State {
  std::vector<VRow> v = std::vector<VRow>(kRows);
  uint32_t s[isa::Sgpr::slots] = {};
  uint32_t mode = 0xf0; // denormals on, as compilers set it
  std::vector<uint8_t> lds = std::vector<uint8_t>(kLds);
  std::vector<uint8_t> scratch = std::vector<uint8_t>(kScratchPerLane * kWaveSize);
  std::vector<uint8_t> memory = std::vector<uint8_t>(kMemory);

  uint64_t exec() const { return s[isa::Sgpr::exec] | uint64_t(s[isa::Sgpr::exec + 1]) << 32; }
  void setExec(uint64_t x) { setPair(isa::Sgpr::exec, x); }
  void setPair(unsigned slot, uint64_t x) {
    s[slot] = uint32_t(x);
    s[slot + 1] = uint32_t(x >> 32);
  }
  void randomize(std::mt19937_64 &rng);
};

/// The machine keeps its memory at fixed host addresses, so that a State can be run again and
/// again.
class Machine {
public:
  Machine();
  uint64_t memory() const {
    return reinterpret_cast<uint64_t>(memory_);
  } ///< device address, 4096-aligned
  uint64_t scratch() const { return reinterpret_cast<uint64_t>(scratch_); }

  struct Outcome {
    bool prepared = false;
    WaveStatus status = WaveStatus::ready;
    Fault fault;
    MemoryTrace trace;
  };
  /// Assembles, decodes, prepares and executes `text` on `state`.
  Outcome run(const std::string &text, State &state, isa::Target target = isa::Target::gfx90a,
              bool timing = false);

  /// The same with machine code of a target that LLVM 15 does not know.
  Outcome runBytes(const std::vector<uint8_t> &bytes, const std::string &text, State &state,
                   isa::Target target, bool timing = false);

  Wave wave;

private:
  std::vector<uint8_t> store_;
  uint8_t *memory_, *scratch_, *lds_;
  std::vector<VRow> rows_;
  isa::Inst inst_;
  ExecInst code_[2];
};

/// EXEC patterns {none, one lane, half, alternating, full, random}.
std::vector<uint64_t> execPatterns(std::mt19937_64 &rng);

/// Empty when equal, else the first difference in words.
std::string difference(const State &got, const State &want);

} // namespace meld::softgpu::test
