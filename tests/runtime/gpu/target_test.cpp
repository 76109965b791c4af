// Oracle: LLVM AMDGPUUsage, "Generic processors". The numbers and features are compared with objects
// that LLVM made, in tests/runtime/codeobject/isa_test.cpp.
#include "runtime/gpu/processor.h"
#include "runtime/gpu/target.h"

#include <gtest/gtest.h>
#include <set>

using namespace meld;

TEST(Target, NumbersAndNamesAreOnesOwn) {
  std::set<uint32_t> numbers;
  std::set<std::string_view> names;
  uint32_t last = 0;
  for (const Target &target : targets()) {
    EXPECT_TRUE(numbers.insert(target.machine).second) << target.name;
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_EQ(findTarget(target.name), &target);
    EXPECT_EQ(findTarget(target.machine), &target);
    EXPECT_GT(target.machine, last);
    last = target.machine;
  }
  EXPECT_EQ(findTarget(std::string_view("gfx9999")), nullptr);
  EXPECT_EQ(findTarget(0x27u), nullptr) << "reserved";
}

TEST(Target, AGenericTargetHasTheFeaturesThatAllItsProcessorsHave) {
  for (const Target &target : targets()) {
    if (target.generic.empty())
      continue;
    const Target *generic = findTarget(target.generic);
    ASSERT_TRUE(generic) << target.name;
    EXPECT_TRUE(isGenericTarget(generic->name));
    EXPECT_TRUE(generic->generic.empty());
    EXPECT_EQ(generic->xnack, target.xnack) << target.name;
    if (generic->sramecc) { // gfx9-generic: "sramecc is not available on gfx906"
      EXPECT_TRUE(target.sramecc) << target.name;
    }
  }
}

TEST(Target, ProcessorsOfGenericTargets) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(processorsOf("gfx9-generic"),
            (Names{"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}));
  EXPECT_EQ(processorsOf("gfx9-4-generic"), (Names{"gfx942", "gfx950"}));
  EXPECT_EQ(processorsOf("gfx10-1-generic"), (Names{"gfx1010", "gfx1011", "gfx1012", "gfx1013"}));
  EXPECT_EQ(processorsOf("gfx10-3-generic").size(), 7u);
  EXPECT_EQ(processorsOf("gfx11-generic").size(), 8u);
  EXPECT_EQ(processorsOf("gfx12-generic"), (Names{"gfx1200", "gfx1201"}));
  EXPECT_EQ(processorsOf("gfx90a"), Names{"gfx90a"});
  EXPECT_EQ(processorsOf("gfx13-generic"), Names{"gfx13-generic"}) << "not in the table";
  EXPECT_EQ(processorOf("gfx9-4-generic"), "gfx942");
  EXPECT_EQ(processorOf("gfx1250"), "gfx1250");
  EXPECT_EQ(processorOf(""), "");
}

// No processor of a generic target has less than the target is counted with.
TEST(Target, AGenericTargetIsCountedWithTheLeast) {
  unsigned seen = 0;
  for (const Target &generic : targets())
    if (isGenericTarget(generic.name))
      for (unsigned wave : {32u, 64u})
        for (std::string_view name : processorsOf(generic.name)) {
          const auto least = findProcessor(generic.name, wave), one = findProcessor(name, wave);
          ASSERT_EQ(least.has_value(), one.has_value()) << name;
          if (!one)
            continue;
          ++seen;
          EXPECT_LE(least->vgprs, one->vgprs) << name;
          EXPECT_LE(least->sgprs, one->sgprs) << name;
          EXPECT_EQ(least->wavesPerSimd, one->wavesPerSimd) << name;
          EXPECT_LE(least->ldsBytes, one->ldsBytes) << name;
        }
  EXPECT_EQ(seen, 8u + 2 * (4 + 7 + 8 + 2));
}
