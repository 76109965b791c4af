#include "tests/runtime/softgpu/mem/machine.h"

#include "tests/runtime/softgpu/llvm_cpu.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>

namespace meld::softgpu::test {

void State::randomize(std::mt19937_64 &rng) {
  for (VRow &row : v)
    for (uint32_t &x : row.u)
      x = uint32_t(rng());
  for (unsigned k = 0; k < 100; ++k)
    s[k] = uint32_t(rng());
  for (auto *bytes : {&lds, &scratch, &memory})
    for (size_t k = 0; k < bytes->size(); k += 8) {
      uint64_t x = rng();
      std::memcpy(bytes->data() + k, &x, 8);
    }
}

Machine::Machine() : store_(kMemory + kScratchPerLane * kWaveSize + kLds + 3 * 4096), rows_(kRows) {
  auto at = (reinterpret_cast<uint64_t>(store_.data()) + 4095) & ~4095ull;
  memory_ = reinterpret_cast<uint8_t *>(at);
  scratch_ = memory_ + kMemory;
  lds_ = scratch_ + kScratchPerLane * kWaveSize + 64;
  wave.v = rows_.data();
  wave.numVgprs = kAcc;
  wave.accOffset = kAcc;
  wave.numAgprs = kRows - kAcc;
  wave.lds = lds_;
  wave.ldsSize = kLds;
  wave.scratch = scratch_;
  wave.scratchPerLane = kScratchPerLane;
}

Machine::Outcome Machine::run(const std::string &text, State &state, isa::Target target,
                              bool timing) {
  Outcome out;
  static std::map<std::pair<std::string, isa::Target>, std::vector<uint8_t>> assembled;
  auto &bytes = assembled[{text, target}];
  if (bytes.empty())
    bytes = assemble(text, cpuName(target));
  if (bytes.empty()) {
    ADD_FAILURE() << "LLVM does not assemble: " << text;
    return out;
  }
  return runBytes(bytes, text, state, target, timing);
}

Machine::Outcome Machine::runBytes(const std::vector<uint8_t> &bytes, const std::string &text,
                                   State &state, isa::Target target, bool timing) {
  Outcome out;
  inst_ = {};
  if (isa::decode(bytes.data(), bytes.size(), target, inst_) != isa::DecodeStatus::ok) {
    ADD_FAILURE() << "does not decode: " << text;
    return out;
  }
  EXPECT_EQ(inst_.size, bytes.size()) << text;
  std::memset(static_cast<void *>(code_), 0, sizeof(code_));
  code_[0].inst = &inst_;
  out.prepared = prepareMemory(code_[0], target);
  if (!out.prepared)
    return out;
  std::memcpy(rows_.data(), state.v.data(), kRows * sizeof(VRow));
  std::memcpy(wave.s, state.s, sizeof(wave.s));
  std::memcpy(lds_, state.lds.data(), kLds);
  std::memcpy(scratch_, state.scratch.data(), state.scratch.size());
  std::memcpy(memory_, state.memory.data(), kMemory);
  wave.mode = state.mode;
  wave.status = WaveStatus::ready;
  wave.fault = {};
  wave.timing = timing;
  const isa::TargetTraits traits = isa::traitsOf(target);
  wave.waveSize = traits.waveSize;
  wave.lineShift = traits.generation >= 10 ? 7 : 6;
  const ExecInst *next = code_[0].run(&code_[0], wave);
  EXPECT_EQ(next, wave.status == WaveStatus::faulted ? nullptr : &code_[1]) << text;
  std::memcpy(state.v.data(), rows_.data(), kRows * sizeof(VRow));
  std::memcpy(state.s, wave.s, sizeof(wave.s));
  std::memcpy(state.lds.data(), lds_, kLds);
  std::memcpy(state.scratch.data(), scratch_, state.scratch.size());
  std::memcpy(state.memory.data(), memory_, kMemory);
  out.status = wave.status;
  out.fault = wave.fault;
  out.trace = wave.trace;
  return out;
}

std::vector<uint64_t> execPatterns(std::mt19937_64 &rng) {
  return {
      0,     1ull << (rng() % 64), 0xffffffff, 0x5555555555555555, 0xffffffff00000000, kFullExec,
      rng(), rng() & rng() & rng()};
}

std::string difference(const State &got, const State &want) {
  auto hex = [](uint64_t x) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(x));
    return std::string(text);
  };
  if (std::memcmp(got.v.data(), want.v.data(), kRows * sizeof(VRow)) == 0 &&
      std::memcmp(got.s, want.s, sizeof(got.s)) == 0 && got.lds == want.lds &&
      got.scratch == want.scratch && got.memory == want.memory)
    return {};
  for (unsigned r = 0; r < kRows; ++r)
    for (unsigned l = 0; l < kWaveSize; ++l)
      if (got.v[r].u[l] != want.v[r].u[l])
        return "row " + std::to_string(r) + " lane " + std::to_string(l) + ": " +
               hex(got.v[r].u[l]) + ", expected " + hex(want.v[r].u[l]);
  for (unsigned k = 0; k < isa::Sgpr::slots; ++k)
    if (got.s[k] != want.s[k])
      return "sgpr " + std::to_string(k) + ": " + hex(got.s[k]) + ", expected " + hex(want.s[k]);
  const std::pair<const char *,
                  std::pair<const std::vector<uint8_t> *, const std::vector<uint8_t> *>>
      blocks[] = {{"lds", {&got.lds, &want.lds}},
                  {"scratch", {&got.scratch, &want.scratch}},
                  {"memory", {&got.memory, &want.memory}}};
  for (const auto &[name, pair] : blocks)
    for (size_t k = 0; k < pair.first->size(); ++k)
      if ((*pair.first)[k] != (*pair.second)[k])
        return std::string(name) + "[" + std::to_string(k) + "]: " + hex((*pair.first)[k]) +
               ", expected " + hex((*pair.second)[k]);
  return {};
}

} // namespace meld::softgpu::test
