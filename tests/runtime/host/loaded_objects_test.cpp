// Against what dladdr() says of the same addresses.
#include "runtime/host/loaded_objects.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

namespace meld {
namespace {

const void *mallocOfLibc() { return ::dlsym(RTLD_NEXT, "malloc"); }

void inTheProgram() {}

TEST(LoadedObjects, TheFileOfAnAddress) {
  Dl_info info;
  ASSERT_TRUE(::dladdr(mallocOfLibc(), &info));
  EXPECT_EQ(fileOfAddress(mallocOfLibc()), std::filesystem::canonical(info.dli_fname));
  EXPECT_EQ(fileOfAddress(reinterpret_cast<const void *>(&inTheProgram)),
            std::filesystem::canonical("/proc/self/exe"));
  int onTheStack = 0;
  EXPECT_EQ(fileOfAddress(&onTheStack), "");
  EXPECT_EQ(fileOfAddress(nullptr), "");
}

TEST(LoadedObjects, ThePlaceOfAnAddress) {
  Dl_info info;
  ASSERT_TRUE(::dladdr(mallocOfLibc(), &info));
  char offset[24];
  std::snprintf(offset, sizeof offset, "+%#zx",
                size_t(static_cast<const char *>(mallocOfLibc()) -
                       static_cast<const char *>(info.dli_fbase)));
  EXPECT_EQ(placeOfAddress(mallocOfLibc()),
            std::filesystem::path(info.dli_fname).filename().string() + offset);
  EXPECT_EQ(placeOfAddress(reinterpret_cast<const void *>(&inTheProgram)).find("the program+0x"),
            0u);
  EXPECT_EQ(placeOfAddress(reinterpret_cast<const void *>(0x18)), "0x18");
}

TEST(LoadedObjects, TheNameOfItsObject) {
  Dl_info info;
  ASSERT_TRUE(::dladdr(mallocOfLibc(), &info));
  const std::string name = std::filesystem::path(info.dli_fname).filename();
  EXPECT_TRUE(isInObject(mallocOfLibc(), name.c_str())) << name;
  EXPECT_TRUE(isInObject(mallocOfLibc(), name.substr(0, 3).c_str())) << "its name begins so";
  EXPECT_FALSE(isInObject(mallocOfLibc(), (name + "x").c_str()));
  EXPECT_FALSE(isInObject(reinterpret_cast<const void *>(&inTheProgram), "lib"));
}

} // namespace
} // namespace meld
