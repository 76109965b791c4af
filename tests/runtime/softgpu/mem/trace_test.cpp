// Cache lines and LDS bank conflicts against brute-force counts.
#include "runtime/softgpu/mem/lds.h"
#include "runtime/softgpu/mem/trace.h"
#include "tests/runtime/softgpu/mem/machine.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

std::set<uint64_t> lines(const uint64_t *a, uint64_t mask, uint32_t bytes, uint32_t dwordStride = 4,
                         uint64_t line = 64) {
  std::set<uint64_t> s;
  for (unsigned l = 0; l < 64; ++l)
    for (uint32_t k = 0; k < bytes; ++k)
      if (mask >> l & 1)
        s.insert((a[l] + k / 4 * uint64_t(dwordStride) + k % 4) / line * line);
  return s;
}

uint32_t conflicts(const uint32_t *a, uint64_t mask, uint32_t bytes) {
  const unsigned group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  uint32_t total = 0;
  for (unsigned first = 0; first < 64; first += group) {
    std::map<unsigned, std::set<uint32_t>> banks;
    for (unsigned l = first; l < first + group; ++l)
      for (uint32_t k = 0; k < bytes; ++k)
        if (mask >> l & 1)
          banks[(a[l] + k) / 4 % 32].insert((a[l] + k) / 4);
    size_t worst = 1;
    for (auto &[bank, dwords] : banks)
      worst = std::max(worst, dwords.size());
    total += uint32_t(worst - 1);
  }
  return total;
}

/// Whole waves of 64 and of 32 lanes, and lanes of either.
uint64_t anyMask(unsigned round, std::mt19937_64 &rng) {
  const uint64_t all = rng() % 2 ? kFullExec : kLowExec;
  return round % 3 ? (rng() & all) | 1 : all;
}

void expectLines(Wave &w, const std::set<uint64_t> &want, const char *what) {
  EXPECT_EQ(w.trace.cacheLines, want.size()) << what;
  if (!w.timing)
    return;
  ASSERT_EQ(w.trace.numLines, want.size()) << what;
  std::set<uint64_t> got(w.trace.lines, w.trace.lines + w.trace.numLines);
  EXPECT_EQ(got, want) << what;
}

/// The order in which lanes touch their lines first: what the timing model's list promises.
std::vector<uint64_t> inOrder(const uint64_t *a, uint64_t mask, uint32_t bytes, uint64_t line) {
  std::vector<uint64_t> order;
  for (unsigned l = 0; l < 64; ++l)
    for (uint64_t p = a[l]; mask >> l & 1 && p != a[l] + bytes; ++p)
      if (std::ranges::find(order, p / line * line) == order.end())
        order.push_back(p / line * line);
  return order;
}

} // namespace

TEST(Trace, LinesOfAnyAddresses) {
  std::mt19937_64 rng(5);
  Wave w;
  for (unsigned round = 0; round < 4000; ++round) {
    const uint64_t base = 0x10000000 + rng() % 4096;
    const unsigned kind = unsigned(rng() % 7);
    const int64_t step = int64_t(rng() % 161) - 80;
    const uint32_t bytes = std::vector<uint32_t>{1, 2, 4, 8, 12, 16}[rng() % 6];
    uint64_t a[64];
    for (unsigned l = 0; l < 64; ++l)
      switch (kind) {
      case 0:
        a[l] = base + l * bytes;
        break;
      case 1:
        a[l] = base + l * (64 + 4 * (round % 300));
        break;
      case 2:
        a[l] = base + rng() % 4000;
        break;
      case 3:
        a[l] = base + rng() % 100000;
        break;
      case 4:
        a[l] = base - l * 64;
        break;
      case 5:
        a[l] = base + uint64_t(l * step);
        break;
      default:
        a[l] = rng() % 2 ? base : ~base;
        break;
      }
    const uint64_t mask = anyMask(round, rng);
    for (unsigned l = 32; l < 64 && mask <= kLowExec; ++l)
      a[l] = rng(); // lanes that are not there hold anything
    w.timing = round % 2;
    w.lineShift = round / 2 % 2 ? 7 : 6;
    const uint64_t line = 1u << w.lineShift;
    mem::traceLanes(w, a, mask, bytes);
    expectLines(w, lines(a, mask, bytes, 4, line), "lanes");
    if (w.timing) {
      EXPECT_EQ(std::vector<uint64_t>(w.trace.lines, w.trace.lines + w.trace.numLines),
                inOrder(a, mask, bytes, line));
    }
    mem::resetTrace(w);
    mem::addSwizzled(w, a, mask, bytes, 256);
    if (a[0] % 4 == 0 && kind == 0)
      expectLines(w, lines(a, mask, bytes, 256, line), "swizzled");
  }
}

TEST(Trace, LinesOfPrivateArrays) {
  std::mt19937_64 rng(9);
  Wave w;
  unsigned counted = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    const uint32_t range = std::vector<uint32_t>{1, 8, 60, 64, 200}[rng() % 5];
    const uint32_t dwords = 1 + uint32_t(rng() % 4);
    // Waves of 64 and of 32 lanes, lines of 64 and of 128 bytes.
    const unsigned lanes = round % 5 ? 64 : 32;
    w.lineShift = round / 2 % 2 ? 7 : 6;
    const uint64_t line = 1u << w.lineShift;
    const uint64_t base = 0x40000000 + rng() % 100 * line,
                   mask = kFullExec >> (64 - lanes) &
                          (round % 3 ? (rng() & rng()) | 1ull << rng() % 64 : kFullExec);
    if (!mask)
      continue;
    uint32_t offset[64];
    uint64_t a[64];
    for (unsigned l = 0; l < 64; ++l) {
      // What inactive lanes hold does not matter.
      offset[l] = mask >> l & 1 ? 4000 + 4 * uint32_t(rng() % range) : uint32_t(rng());
      a[l] = base + uint64_t(offset[l]) * lanes + 4 * l;
    }
    mem::resetTrace(w);
    if (mem::addPrivate(w, offset, mask, dwords)) {
      ++counted;
      expectLines(w, lines(a, mask, 4 * dwords, 4 * lanes, line), "private");
    } else {
      EXPECT_EQ(w.trace.cacheLines, 0u);
    }
    mem::resetTrace(w);
    mem::addSwizzled(w, a, mask, 4 * dwords, 4 * lanes);
    expectLines(w, lines(a, mask, 4 * dwords, 4 * lanes, line), "swizzled");
  }
  EXPECT_GT(counted, 1500u);
}

TEST(Trace, LinesOfConsecutiveLanes) {
  std::mt19937_64 rng(6);
  Wave w;
  for (unsigned round = 0; round < 2000; ++round) {
    const uint64_t base = 0x20000000 + rng() % 256,
                   mask = round % 4 ? (rng() & rng()) | 1ull << rng() % 64 : anyMask(0, rng);
    const uint32_t bytes = std::vector<uint32_t>{4, 8, 12, 16}[rng() % 4];
    uint64_t a[64];
    for (unsigned l = 0; l < 64; ++l)
      a[l] = base + l * bytes;
    w.timing = round % 2;
    w.lineShift = round / 2 % 2 ? 7 : 6;
    mem::traceLinear(w, base, bytes, mask);
    expectLines(w, lines(a, mask, bytes, 4, 1u << w.lineShift), "linear");
  }
}

TEST(Trace, NoLaneNoLine) {
  Wave w;
  uint64_t a[64] = {};
  w.trace.cacheLines = 7;
  mem::traceLanes(w, a, 0, 4);
  EXPECT_EQ(w.trace.cacheLines, 0u);
}

TEST(Trace, BankConflicts) {
  std::mt19937_64 rng(7);
  for (unsigned round = 0; round < 4000; ++round) {
    const uint32_t bytes = std::vector<uint32_t>{1, 2, 4, 8, 12, 16}[rng() % 6];
    const uint32_t base = uint32_t(rng() % 512) * (round % 5 ? 4 : 1),
                   stride = uint32_t(rng() % 40) * 4;
    const unsigned kind = unsigned(rng() % 4);
    VRow row;
    for (unsigned l = 0; l < 64; ++l)
      row.u[l] = kind == 0   ? base + l * bytes
                 : kind == 1 ? base + l * stride
                 : kind == 2 ? base + uint32_t(rng() % 4096)
                             : base + uint32_t(rng() % 30) * 4;
    const uint64_t mask = anyMask(round, rng);
    for (unsigned l = 32; l < 64 && mask <= kLowExec; ++l)
      row.u[l] = uint32_t(rng());
    const mem::LaneOffsets offsets(row, 0, mask);
    const uint32_t want = conflicts(row.u, mask, bytes);
    EXPECT_EQ(offsets.conflicts(mask, bytes), want) << "bytes " << bytes << " kind " << kind;
    EXPECT_EQ(mem::bankConflicts(row.u, mask, bytes), want);
  }
}

TEST(Trace, KnownBankConflictPatterns) {
  auto count = [](auto address, uint32_t bytes) {
    uint32_t a[64];
    for (unsigned l = 0; l < 64; ++l)
      a[l] = address(l);
    return mem::bankConflicts(a, kFullExec, bytes);
  };
  EXPECT_EQ(count([](unsigned l) { return 4 * l; }, 4), 0u);
  EXPECT_EQ(count([](unsigned) { return 64u; }, 4), 0u);        // broadcast
  EXPECT_EQ(count([](unsigned l) { return 8 * l; }, 4), 2u);    // stride 2: two-way in both halves
  EXPECT_EQ(count([](unsigned l) { return 128 * l; }, 4), 62u); // one bank: 31 extra in both halves
  EXPECT_EQ(count([](unsigned l) { return 132 * l; }, 4), 0u);  // padded column
  EXPECT_EQ(count([](unsigned l) { return 8 * l; }, 8), 0u);    // consecutive b64
  EXPECT_EQ(count([](unsigned l) { return 16 * l; }, 16), 0u);  // consecutive b128
}

TEST(Trace, InstructionsReportTheirLines) {
  Machine m;
  State s;
  std::mt19937_64 rng(8);
  for (bool timing : {false, true})
    for (uint64_t exec : execPatterns(rng))
      for (unsigned stride : {4u, 16u, 100u, 0u}) {
        uint64_t a[64];
        for (unsigned l = 0; l < 64; ++l) {
          a[l] = m.memory() + 60 + l * stride;
          s.v[2].u[l] = uint32_t(a[l]);
          s.v[3].u[l] = uint32_t(a[l] >> 32);
        }
        s.setExec(exec);
        for (auto [text, bytes] :
             std::map<std::string, uint32_t>{{"global_load_dword v16, v[2:3], off", 4},
                                             {"global_load_dwordx4 v[16:19], v[2:3], off", 16},
                                             {"global_store_dword v[2:3], v8, off", 4},
                                             {"flat_load_ubyte v16, v[2:3]", 1}}) {
          auto out = m.run(text, s, isa::Target::gfx90a, timing);
          EXPECT_EQ(out.trace.cacheLines, lines(a, exec, bytes).size())
              << text << " stride " << stride;
          EXPECT_EQ(out.trace.numLines, timing ? out.trace.cacheLines : 0u) << text;
        }
      }
}
