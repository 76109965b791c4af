#include "runtime/host/offset_table.h"

#include <cstdlib>
#include <dlfcn.h>
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
  const auto replace = [](Wanted wanted, void *was) {
    return replaceInOffsetTables(wanted, "getuid", was, reinterpret_cast<void *>(&replacedGetuid));
  };
  void *found = offsetTableEntry(isThisProgram, "getuid").leadsTo;
  EXPECT_EQ(found, dlsym(RTLD_DEFAULT, "getuid")) << "the first call has bound it";
  EXPECT_EQ(replace(isNone, found), 0u);
  EXPECT_EQ(getuid(), before);
  EXPECT_EQ(replace(isThisProgram, reinterpret_cast<void *>(&isNone)), 0u)
      << "leads somewhere else";
  EXPECT_EQ(getuid(), before);
  EXPECT_GE(replace(isThisProgram, found), 1u);
  EXPECT_EQ(getuid(), 4711u);
  // Again: nothing changes, and it is still said how many there are.
  EXPECT_GE(replace(isThisProgram, found), 1u);
  EXPECT_EQ(getuid(), 4711u);
}

TEST(OffsetTable, AFunctionThatNobodyCallsHasNoEntry) {
  EXPECT_FALSE(offsetTableEntry(isThisProgram, "no_such_function_anywhere").exists);
  EXPECT_EQ(replaceInOffsetTables(isThisProgram, "no_such_function_anywhere", nullptr, nullptr),
            0u);
}
