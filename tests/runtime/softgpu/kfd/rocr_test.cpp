// Which processors a ROCr names: runtime/softgpu/kfd/rocr.h.
#include "runtime/softgpu/kfd/rocr.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace meld::softgpu {
namespace {

using namespace std::string_view_literals;

TEST(RocrNames, AWholeNameOnly) {
  const auto bytes = "\0amdgcn-amd-amdhsa--gfx90a\0gfx906:sramecc+\0gfx11000\0gfx1030"sv;
  EXPECT_TRUE(namesProcessor(bytes, "gfx90a"));
  EXPECT_TRUE(namesProcessor(bytes, "gfx906"));
  EXPECT_TRUE(namesProcessor(bytes, "gfx1030")); // at the very end
  EXPECT_FALSE(namesProcessor(bytes, "gfx90"));
  EXPECT_FALSE(namesProcessor(bytes, "gfx1100"));
  EXPECT_FALSE(namesProcessor({}, "gfx1100"));
}

TEST(RocrNames, WithoutRocrNothingIsRefused) {
  if (::dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD))
    GTEST_SKIP() << "ROCr is in this process";
  EXPECT_EQ(rocrWithout("gfx9999"), "");
}

TEST(RocrNames, TheRealOne) {
  if (!::dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_LOCAL))
    GTEST_SKIP() << ::dlerror();
  for (const char *known : {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"})
    EXPECT_EQ(rocrWithout(known), "") << known;
  EXPECT_TRUE(std::string_view(rocrWithout("gfx9999")).starts_with("libhsa-runtime64.so"));
}

} // namespace
} // namespace meld::softgpu
