// Folders of entries and a server in memory, for what moves entries between them.
#pragma once

#include "runtime/cache/transfer.h"
#include "tests/runtime/cache/fake_remote.h"
#include "tests/runtime/cache/scratch.h"

#include <gtest/gtest.h>

namespace meld::test {

inline CacheEntry entryNumber(uint64_t number) {
  CacheEntry entry;
  entry.key = KeyBuilder().add("number", number).finish();
  entry.verdict = number % 3 ? Verdict::untried : Verdict::unchanged;
  entry.created = 1;
  entry.tool = "test";
  if (entry.verdict == Verdict::untried)
    entry.codeObject.assign(50 + number % 100, static_cast<uint8_t>(number));
  else
    entry.reason = "nothing pays";
  return entry;
}

class Transfer : public testing::Test {
protected:
  DiskCache folder(const std::string &name) {
    return DiskCache({scratch_.file(name), 0, false, {}});
  }
  void fill(DiskCache &cache, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; ++i)
      ASSERT_TRUE(cache.store(entryNumber(i)));
  }
  bool sameEntries(DiskCache &a, DiskCache &b) {
    const auto one = a.list(), two = b.list();
    if (!one || !two || one->size() != two->size())
      return false;
    for (size_t i = 0; i < one->size(); ++i)
      if ((*one)[i].name != (*two)[i].name || *a.file((*one)[i].name) != *b.file((*two)[i].name))
        return false;
    return true;
  }
  Scratch scratch_;
  FakeServer server_;
};

} // namespace meld::test
