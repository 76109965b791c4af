#include "runtime/cache/key.h"

#include <gtest/gtest.h>

using namespace meld;

namespace {
CacheKey keyOf(std::initializer_list<std::pair<std::string, std::string>> fields) {
  KeyBuilder key;
  for (const auto &[name, value] : fields)
    key.add(name, std::string_view(value));
  return key.finish();
}
} // namespace

TEST(Key, Blake3TestVectors) {
  // From the BLAKE3 specification's test vectors: input bytes count 0, 1, 2, ... modulo 251.
  auto hash = [](size_t size) {
    Bytes input(size);
    for (size_t i = 0; i < size; ++i)
      input[i] = i % 251;
    CacheKey key;
    key.bytes = blake3(input);
    return key.hex();
  };
  EXPECT_EQ(hash(0), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  EXPECT_EQ(hash(1), "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213");
  EXPECT_EQ(hash(1024), "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7");
}

TEST(Key, FieldsDoNotRunIntoEachOther) {
  CacheKey ab = keyOf({{"a", "b"}});
  EXPECT_NE(ab, keyOf({{"ab", ""}}));
  EXPECT_NE(ab, keyOf({{"", "ab"}}));
  EXPECT_NE(keyOf({{"a", "1"}, {"b", "2"}}), keyOf({{"a", "1b2"}}));
  EXPECT_NE(keyOf({{"a", "1"}, {"b", "2"}}), keyOf({{"b", "2"}, {"a", "1"}}));
  EXPECT_NE(keyOf({{"a", ""}}), keyOf({}));
  EXPECT_EQ(ab, keyOf({{"a", "b"}}));
}

TEST(Key, HexRoundTrip) {
  CacheKey key = keyOf({{"x", "y"}});
  auto back = CacheKey::fromHex(key.hex());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, key);
  EXPECT_FALSE(CacheKey::fromHex(""));
  EXPECT_FALSE(CacheKey::fromHex(key.hex().substr(1)));
  EXPECT_FALSE(CacheKey::fromHex("../" + key.hex().substr(3)));
  EXPECT_FALSE(CacheKey::fromHex("A" + key.hex().substr(1))) << "one spelling per key";
}
