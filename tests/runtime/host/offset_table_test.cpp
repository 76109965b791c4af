#include "runtime/host/offset_table.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace meld;

namespace {

bool isThisProgram(const dl_phdr_info &object) { return !object.dlpi_name || !*object.dlpi_name; }
bool isNone(const dl_phdr_info &) { return false; }
int replacedGetuid() { return 4711; }

} // namespace

TEST(OffsetTable, AFunctionIsTakenOverForTheChosenObjectsOnly) {
  const auto before = getuid();
  EXPECT_EQ(replaceInOffsetTables(isNone, "getuid", reinterpret_cast<void *>(&replacedGetuid)), 0u);
  EXPECT_EQ(getuid(), before);
  EXPECT_GE(
      replaceInOffsetTables(isThisProgram, "getuid", reinterpret_cast<void *>(&replacedGetuid)),
      1u);
  EXPECT_EQ(getuid(), 4711u);
  // Again: nothing changes, and it is still said how many there are.
  EXPECT_GE(
      replaceInOffsetTables(isThisProgram, "getuid", reinterpret_cast<void *>(&replacedGetuid)),
      1u);
  EXPECT_EQ(getuid(), 4711u);
}

TEST(OffsetTable, AFunctionThatNobodyCallsHasNoEntry) {
  EXPECT_EQ(replaceInOffsetTables(isThisProgram, "no_such_function_anywhere", nullptr), 0u);
}
