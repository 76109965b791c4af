#include "runtime/host/pattern.h"
#include "runtime/host/text.h"

#include <gtest/gtest.h>

using namespace meld;

TEST(Patterns, MatchAsPosixSays) {
  struct {
    const char *pattern, *text;
    bool matches;
  } const cases[] = {
      {"saxpy", "_Z5saxpyPf", true},
      {"^saxpy$", "saxpy2", false},
      {"(mat|vec)mul_[0-9]+", "vecmul_12", true},
      {"a{2,3}b", "xaab", true},
      {"a{2,3}b", "xab", false},
      {"[[:digit:]]{3}", "k123", true},
      {"[]a]+$", "k]a", true},
      {"[^]]x", "]x", false},
      {"a\\.b", "axb", false},
      {"a|b|c", "xxc", true},
      {".*kernel.*", "my_kernel_1", true},
  };
  for (const auto &one : cases) {
    auto pattern = Pattern::compile(one.pattern);
    ASSERT_TRUE(pattern) << one.pattern << ": " << pattern.error().message;
    EXPECT_EQ(pattern->matches(one.text), one.matches) << one.pattern << " " << one.text;
  }
}

TEST(Patterns, WhatIsNoneIsRefused) {
  for (const char *text : {"(", "(((", "a)b(", "[a", "a{2", "a{2,1}", "a{x}", "a{256}", "a**",
                           "a+?", "a{2}{3}", "\\d", "(a)\\1", "[[:no:]]", "a\\", "*"})
    EXPECT_FALSE(Pattern::compile(text)) << text;
  EXPECT_FALSE(Pattern::compile(std::string_view("a\0b", 3)));
}

TEST(Patterns, NothingThatUnfoldsReachesAnEngine) {
  for (const char *text : {"(a{1,200}){1,200}", "((((a{1,99}){1,99}){1,99}){1,99})",
                           "(((a+)+)+){200}{200}", "((a{9}){9}){99}", "(a{200}b{200}c{200}){9}"})
    EXPECT_FALSE(Pattern::compile(text)) << text;
  std::string doubling = "a";
  for (int i = 0; i < 19; ++i)
    doubling = "(" + doubling + ")+";
  EXPECT_FALSE(Pattern::compile(doubling)) << "2^19";
  EXPECT_TRUE(Pattern::compile("(a{1,20}b?){1,20}"));
}

TEST(Patterns, LengthAndDepthAreBounded) {
  EXPECT_TRUE(Pattern::compile(std::string(kMaxPattern, 'a')));
  EXPECT_FALSE(Pattern::compile(std::string(kMaxPattern + 1, 'a')));
  EXPECT_FALSE(Pattern::compile(std::string(1 << 20, 'a')));
  EXPECT_FALSE(Pattern::compile(std::string(400, '(') + "a" + std::string(400, ')')));
  // The text may be long: a kernel's name is the program's.
  EXPECT_TRUE(Pattern::compile(".*b$")->matches(std::string(1 << 16, 'a') + "b"));
}

TEST(ShownText, IsPrintableAndShort) {
  EXPECT_EQ(shown("plain"), "plain");
  EXPECT_EQ(shown("a\n\x1b[31m\xff"), "a\\x0a\\x1b[31m\\xff");
  EXPECT_EQ(shown(std::string(1 << 20, 'a')), std::string(60, 'a') + "... (1048576 bytes)");
}
