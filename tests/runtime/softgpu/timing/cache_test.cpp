// The timing model's tag cache against a list per set, for the shapes it has fast ways for and
// others.
#include "runtime/softgpu/timing/cache.h"

#include <gtest/gtest.h>
#include <list>
#include <map>
#include <random>
#include <vector>

namespace meld::softgpu {
namespace {

class Reference {
public:
  Reference(uint32_t bytes, uint32_t ways) : ways_(ways), sets_(std::max(bytes / 64 / ways, 1u)) {}
  bool access(uint64_t line) {
    auto &set = set_[line % sets_];
    auto it = std::find(set.begin(), set.end(), line);
    const bool hit = it != set.end();
    if (hit)
      set.erase(it);
    set.push_front(line);
    if (set.size() > ways_)
      set.pop_back();
    return hit;
  }
  void clear() { set_.clear(); }

private:
  uint32_t ways_;
  uint64_t sets_;
  std::map<uint64_t, std::list<uint64_t>> set_;
};

struct Shape {
  uint32_t bytes, ways;
};
class TimingCache : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(
    Shapes, TimingCache,
    testing::Values(Shape{16 << 10, 4}, Shape{8 << 20, 16}, Shape{4 << 20, 16}, Shape{2 << 20, 16},
                    Shape{64 << 10, 16}, Shape{3 << 20, 16}, Shape{48 << 10, 3}, Shape{4096, 1},
                    Shape{64, 4}, Shape{100, 8}, Shape{16 << 10, 32}, Shape{64 << 6, 64},
                    Shape{3 << 19, 16}, Shape{9 << 20, 16}, Shape{96 << 10, 32}),
    [](auto &i) { return std::to_string(i.param.bytes) + "_" + std::to_string(i.param.ways); });

TEST_P(TimingCache, AgreesWithLists) {
  const Shape s = GetParam();
  TagCache cache(s.bytes, s.ways);
  Reference reference(s.bytes, s.ways);
  std::mt19937_64 rng(s.bytes + s.ways);
  const uint64_t sets = std::max(s.bytes / 64 / s.ways, 1u);
  unsigned hits = 0;
  for (int n = 0; n < 300000; ++n) {
    // Few sets, a little more lines than ways, and now and then anything up to the last address.
    uint64_t line = rng() % 3 + sets * (rng() % (s.ways + s.ways / 2 + 1));
    if (rng() % 64 == 0)
      line = rng() >> 22;
    if (n == 150000) {
      cache.clear();
      reference.clear();
    }
    const bool want = reference.access(line);
    ASSERT_EQ(cache.access(line), want) << "access " << n << " to line " << line;
    hits += want;
  }
  EXPECT_GT(hits, 1000u);
  EXPECT_LT(hits, 299000u);
}

/// Lines that were written go back when they make room.
TEST_P(TimingCache, WrittenLinesGoBackOnce) {
  const Shape s = GetParam();
  TagCache cache(s.bytes, s.ways);
  const uint64_t sets = std::max(s.bytes / 64 / s.ways, 1u);
  std::map<uint64_t, std::list<std::pair<uint64_t, bool>>> reference;
  std::mt19937_64 rng(s.bytes * 3 + s.ways);
  unsigned hits = 0, evictions = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint64_t> lines(1 + rng() % 40);
    for (uint64_t &line : lines)
      line = rng() % 3 + sets * (rng() % (s.ways + s.ways / 2 + 1));
    const bool writes = round > 500 && rng() % 3 == 0; // nothing is written at first
    cache.accessEachDirty(
        uint32_t(lines.size()), writes, [&](uint32_t k) { return lines[k]; },
        [&](uint32_t k, bool hit, bool evicts) {
          auto &set = reference[lines[k] % sets];
          auto it = std::find_if(set.begin(), set.end(),
                                 [&](const auto &entry) { return entry.first == lines[k]; });
          const bool there = it != set.end();
          bool dirty = writes, goes = false;
          if (there) {
            dirty = dirty || it->second;
            set.erase(it);
          } else if (set.size() == s.ways) {
            goes = set.back().second;
            set.pop_back();
          }
          set.emplace_front(lines[k], dirty);
          EXPECT_EQ(hit, there) << "round " << round << ", line " << lines[k];
          EXPECT_EQ(evicts, goes) << "round " << round << ", line " << lines[k];
          hits += hit;
          evictions += evicts;
        });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(hits, 1000u);
  EXPECT_GT(evictions, 1000u);
}

TEST_P(TimingCache, ManyAtOnceAreAsOneAfterTheOther) {
  const Shape s = GetParam();
  TagCache cache(s.bytes, s.ways);
  Reference reference(s.bytes, s.ways);
  std::mt19937_64 rng(s.bytes - s.ways);
  const uint64_t sets = std::max(s.bytes / 64 / s.ways, 1u);
  unsigned hits = 0, answered = 0, asked = 0;
  for (int round = 0; round < 3000; ++round) {
    // As many as an instruction has; neighbouring, and the same line more than once.
    std::vector<uint64_t> lines(rng() % 80);
    for (uint64_t &line : lines)
      line = rng() % 3 + sets * (rng() % (s.ways + s.ways / 2 + 1));
    asked += unsigned(lines.size());
    uint32_t next = 0;
    cache.accessEach(
        uint32_t(lines.size()), [&](uint32_t k) { return lines[k]; },
        [&](uint32_t k, bool hit) {
          EXPECT_EQ(k, next++);
          EXPECT_EQ(hit, reference.access(lines[k])) << "round " << round << ", line " << lines[k];
          hits += hit;
          ++answered;
        });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_EQ(answered, asked);
  EXPECT_GT(hits, 1000u);
  EXPECT_LT(hits, asked);
}

} // namespace
} // namespace meld::softgpu
