#include "runtime/profile/profile.h"

#include <gtest/gtest.h>

namespace meld::profile {
namespace {

// By hand: 10 executions of block 0 by full waves; 4 go left alone, 3 right alone, 3 both ways.
constexpr std::string_view kText = R"({"meldprof": 1, "tool": "by hand", "objects": [
  {"hash": "aa", "isa": "amdgcn-amd-amdhsa--gfx90a", "kernels": [
    {"name": "hot", "launches": 2, "waves": 10, "wavesPerSimd": 0.125, "functions": [
      {"name": "hot", "cfg": "17", "blocks": [[10, 640], [7, 400], [6, 240], [10, 640]],
       "branches": [{"block": 0, "edges": [[1, 7, 400], [2, 6, 240]]}],
       "loops": [{"header": 1, "depth": 2, "entries": 7, "rounds": 70, "laneEntries": 400, "laneRounds": 1000}]}]},
    {"name": "cold", "launches": 0, "waves": 0, "wavesPerSimd": 0}]}]})";

TEST(Profile, SaysWhatStandsInIt) {
  const auto profile = parseProfile(kText);
  ASSERT_TRUE(profile) << profile.error().message;
  const Object *object = profile->find("aa");
  ASSERT_TRUE(object);
  EXPECT_FALSE(profile->find("bb"));
  ASSERT_TRUE(object->find("cold"));
  EXPECT_FALSE(object->find("cold")->ran());
  const Kernel *hot = object->find("hot");
  ASSERT_TRUE(hot);
  EXPECT_TRUE(hot->ran());
  const Function &f = hot->functions.at(0);
  EXPECT_EQ(f.branches.at(0).executions, 10u);
  EXPECT_EQ(f.branches.at(0).both(), 3u);
  EXPECT_EQ(f.branches.at(0).onlyOne(), 7u);
  EXPECT_DOUBLE_EQ(f.blocks.at(2).meanLanes(), 40);
  EXPECT_EQ(f.loops.at(0).depth, 2u);
  EXPECT_DOUBLE_EQ(hot->wavesPerSimd, 0.125);
  EXPECT_DOUBLE_EQ(f.loops.at(0).waveMean(), 10);
  EXPECT_DOUBLE_EQ(f.loops.at(0).laneMean(), 2.5);
  EXPECT_DOUBLE_EQ(f.loops.at(0).spread(), 4);
}

TEST(Profile, IsReadAsItWasWritten) {
  const auto profile = parseProfile(kText);
  ASSERT_TRUE(profile);
  const auto again = parseProfile(profileText(*profile));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*profile, *again);
  const auto object = parseObject(objectText(profile->objects.at(0)));
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(*object, profile->objects.at(0));
}

TEST(Profile, AnotherVersionIsNotRead) {
  const auto other = parseProfile(R"({"meldprof": 3, "objects": []})");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::unsupported);
}

TEST(Profile, AnyTruncationIsAnError) {
  for (size_t size = 0; size < kText.size(); ++size)
    EXPECT_FALSE(parseProfile(kText.substr(0, size))) << size;
}

TEST(Profile, GarbageIsAnError) {
  EXPECT_FALSE(parseObject(""));
  EXPECT_FALSE(parseProfile("\x7f"
                            "ELF\x02\x01"));
  EXPECT_FALSE(parseProfile("[1, 2]"));
  EXPECT_FALSE(parseProfile("{}"));
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text(kText);
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const auto &text :
       {with("\"objects\": [", "\"objects\": [7, "), with("\"launches\": 2", "\"launches\": -2"),
        with("\"launches\": 2", "\"launches\": 2.5"), with("\"name\": \"hot\"", "\"name\": 5"),
        with("\"wavesPerSimd\": 0.125", "\"wavesPerSimd\": -1"),
        with("\"block\": 0", "\"block\": 4"),        // there are four
        with("[[1, 7, 400]", "[[1, 11, 400]"),       // the block ran ten times
        with("[10, 640], [7", "[10, 641], [7"),      // ten waves have 640 lanes
        with("[7, 400], [6", "[7, 6], [6"),          // each with one lane at least
        with("\"header\": 1", "\"header\": \"1\"")}) // no number
    EXPECT_FALSE(parseProfile(text)) << text;
}

} // namespace
} // namespace meld::profile
