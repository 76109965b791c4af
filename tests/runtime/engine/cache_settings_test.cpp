#include "runtime/engine/cache_settings.h"

#include <gtest/gtest.h>

using namespace meld;

// The layouts that cmake --install and Debian's packages make (tests/install, ./dev package --try).
TEST(CacheSettings, WhereAnInstallationHasWhatIsShared) {
  EXPECT_EQ(sharedFolder("/opt/meld/lib/libmeld/libmeld.so"), "/opt/meld/share/libmeld");
  EXPECT_EQ(sharedFolder("/opt/meld/lib64/libmeld/libmeld.so"), "/opt/meld/share/libmeld");
#ifdef __x86_64__
  EXPECT_EQ(sharedFolder("/usr/lib/x86_64-linux-gnu/libmeld/libmeld.so"), "/usr/share/libmeld");
#endif
  EXPECT_EQ(sharedFolder("/home/a/libmeld/build/lib/libmeld.so"), "") << "a build";
  EXPECT_EQ(sharedFolder(""), "");
}
