#include "runtime/cache/entry.h"

#include <gtest/gtest.h>

using namespace meld;

namespace {

CacheEntry sample(Verdict verdict = Verdict::replaced) {
  CacheEntry entry;
  entry.key = KeyBuilder().add("test", "entry").finish();
  entry.verdict = verdict;
  entry.created = 1700000000;
  entry.tool = "libmeld-jit 0.1.0";
  entry.metadata = R"({"kernels":[{"name":"k"}]})";
  if (verdict != Verdict::unchanged)
    for (int i = 0; i < 3000; ++i)
      entry.codeObject.push_back(i * i >> 3);
  else
    entry.reason = "nothing profitable";
  return entry;
}

} // namespace

TEST(Entry, RoundTrip) {
  for (Verdict verdict : {Verdict::replaced, Verdict::unchanged, Verdict::untried}) {
    CacheEntry entry = sample(verdict);
    auto bytes = writeEntry(entry);
    ASSERT_TRUE(bytes) << bytes.error().message;
    auto back = readEntry(*bytes, &entry.key);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->key, entry.key);
    EXPECT_EQ(back->verdict, entry.verdict);
    EXPECT_EQ(back->created, entry.created);
    EXPECT_EQ(back->tool, entry.tool);
    EXPECT_EQ(back->reason, entry.reason);
    EXPECT_EQ(back->metadata, "") << "a load has no use for it";
    EXPECT_EQ(back->codeObject, entry.codeObject);
    auto header = readEntryHeader(*bytes);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->rawSize, entry.codeObject.size());
    EXPECT_EQ(header->metadata, entry.metadata);
  }
}

TEST(Entry, EveryFlippedBitIsAMiss) {
  for (Verdict verdict : {Verdict::replaced, Verdict::unchanged, Verdict::untried}) {
    CacheEntry entry = sample(verdict);
    Bytes bytes = *writeEntry(entry);
    for (size_t at = 0; at < bytes.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        Bytes changed = bytes;
        changed[at] ^= 1 << bit;
        ASSERT_FALSE(readEntry(changed, &entry.key)) << "byte " << at << " bit " << bit;
      }
  }
}

TEST(Entry, EveryTruncationAndExtensionIsAMiss) {
  CacheEntry entry = sample();
  Bytes bytes = *writeEntry(entry);
  for (size_t size = 0; size < bytes.size(); ++size) {
    Bytes part(bytes.begin(), bytes.begin() + size);
    ASSERT_FALSE(readEntry(part, &entry.key)) << size;
    ASSERT_FALSE(readEntryHeader(part)) << size;
  }
  bytes.push_back(0);
  EXPECT_FALSE(readEntry(bytes, &entry.key));
}

TEST(Entry, AnotherKeysEntryIsAMiss) {
  CacheEntry entry = sample();
  Bytes bytes = *writeEntry(entry);
  CacheKey other = KeyBuilder().add("test", "other").finish();
  auto read = readEntry(bytes, &other);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find(entry.key.hex()), std::string::npos);
  EXPECT_TRUE(readEntry(bytes, nullptr));
}

namespace {
/// Writes a header field and a checksum that fits: what a wrong writer, not a broken disk, would
/// leave.
template <class T> Bytes forged(Bytes bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
  auto sum = blake3(ByteView(bytes).first(bytes.size() - 32));
  std::copy(sum.begin(), sum.end(), bytes.end() - 32);
  return bytes;
}
} // namespace

TEST(Entry, ForgedHeadersAreMisses) {
  CacheEntry entry = sample();
  Bytes bytes = *writeEntry(entry);
  EXPECT_TRUE(readEntry(forged<uint64_t>(bytes, 48, 1), nullptr)) << "the forging itself is sound";
  EXPECT_FALSE(readEntry(forged<uint32_t>(bytes, 8, kCacheFormat + 1), nullptr)) << "version";
  EXPECT_FALSE(readEntry(forged<uint32_t>(bytes, 12, 0), nullptr)) << "verdict";
  EXPECT_FALSE(readEntry(forged<uint32_t>(bytes, 12, 2), nullptr)) << "verdict without payload";
  EXPECT_FALSE(readEntry(forged<uint64_t>(bytes, 56, 2999), nullptr)) << "raw size";
  EXPECT_FALSE(readEntry(forged<uint64_t>(bytes, 56, uint64_t(1) << 60), nullptr)) << "raw size";
  EXPECT_FALSE(readEntry(forged<uint64_t>(bytes, 64, UINT64_MAX), nullptr)) << "payload size";
  EXPECT_FALSE(readEntry(forged<uint32_t>(bytes, 72, UINT32_MAX), nullptr)) << "tool size";
  EXPECT_FALSE(readEntry(forged<uint32_t>(bytes, 84, UINT32_MAX), nullptr)) << "metadata raw size";
  EXPECT_FALSE(readEntry(forged<uint32_t>(bytes, 84, 0), nullptr)) << "metadata without a size";
  auto raw = uint32_t(entry.metadata.size());
  EXPECT_TRUE(readEntryHeader(forged<uint32_t>(bytes, 84, raw))) << "the forging itself is sound";
  EXPECT_FALSE(readEntryHeader(forged<uint32_t>(bytes, 84, raw + 1))) << "metadata raw size";
}
