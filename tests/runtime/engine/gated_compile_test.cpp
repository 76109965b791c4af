#include "runtime/engine/gated_compile.h"

#include <gtest/gtest.h>

using namespace meld;

namespace {

std::string factsIn(const std::string &metadata) {
  return factsOf(metadata, {"k", "specialized", "argument 8 4 0x1; argument 12 4 0x2"});
}

TEST(GatedCompile, AVersionDependsOnSomeOfWhatItWasAskedFor) {
  EXPECT_EQ(factsIn(R"({"facts": "argument 12 4 0x2"})"), "argument 12 4 0x2");
  EXPECT_EQ(factsIn(R"({"facts": "argument 8 4 0x1; argument 12 4 0x2"})"),
            "argument 8 4 0x1; argument 12 4 0x2");
}

// A guard of them would let a version run in launches that it was not made for.
TEST(GatedCompile, AnythingElseIsNoFact) {
  for (const char *metadata :
       {"", "{", "[]", "{}", R"({"facts": 3})", R"({"facts": ""})", R"({"facts": "argument"})",
        R"({"facts": "argument 12 4 0x3"})", R"({"facts": "argument 12 4 0x2; workgroup 64 1 1"})"})
    EXPECT_EQ(factsIn(metadata), "") << metadata;
  EXPECT_EQ(factsOf(R"({"facts": "argument 12 4 0x2"})", {"k", "melded", ""}), "");
}

} // namespace
