#include "runtime/cache/signing.h"
#include "tests/runtime/cache/scratch.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace meld;
using meld::test::Scratch;

namespace {

CacheKey keyNumber(uint64_t number) { return KeyBuilder().add("number", number).finish(); }

CacheEntry entryNumber(uint64_t number) {
  CacheEntry entry;
  entry.key = keyNumber(number);
  entry.verdict = Verdict::replaced;
  entry.created = 1;
  entry.tool = "test";
  entry.metadata = R"({"kernels":[]})";
  for (int i = 0; i < 64; ++i)
    entry.codeObject.push_back(static_cast<uint8_t>(number * 31 + i * 7));
  return entry;
}

Bytes fileNumber(uint64_t number) { return *writeEntry(entryNumber(number)); }

class Signature : public testing::Test {
protected:
  void SetUp() override {
    if (!hasSignatures())
      GTEST_SKIP() << "built without libsodium";
    ours_ = *SigningKey::make();
    theirs_ = *SigningKey::make();
    trusted_ = *TrustedKeys::parse(ours_.publicText("the site"));
  }
  /// All that stands between bytes and the process.
  bool loads(ByteView file, const CacheKey &key) const {
    return trusted_.check(file, key) && readEntry(file, &key);
  }
  SigningKey ours_, theirs_;
  TrustedKeys trusted_;
};

} // namespace

TEST_F(Signature, TheKeyOfASeedIsThatOfRfc8032) {
  // Section 7.1, TEST 1.
  const auto key = SigningKey::parse(
      "ed25519-secret 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\n");
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_EQ(key->publicText(""),
            "ed25519 d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n");
  EXPECT_EQ(SigningKey::parse(key->secretText())->publicKey(), key->publicKey());
}

TEST_F(Signature, ASignedEntryLoadsAndIsTheEntry) {
  const Bytes plain = fileNumber(1), file = *ours_.sign(plain);
  EXPECT_EQ(file.size(), plain.size() + kSealSize);
  EXPECT_TRUE(loads(file, keyNumber(1)));
  EXPECT_EQ(readEntry(file, nullptr)->codeObject, entryNumber(1).codeObject);
  EXPECT_EQ(readEntryHeader(file)->metadata, entryNumber(1).metadata);
  EXPECT_TRUE(std::ranges::equal(withoutSeal(file), plain));
  EXPECT_TRUE(std::ranges::equal(withoutSeal(plain), plain));
  EXPECT_EQ(trusted_.nameOf((*sealOf(file))->keyId), "the site");
  EXPECT_EQ(*ours_.sign(plain), file) << "the same each time";
  EXPECT_EQ(*ours_.sign(file), file);
}

TEST_F(Signature, WithoutASignatureOrWithAnothersItDoesNotLoad) {
  const Bytes plain = fileNumber(1);
  EXPECT_FALSE(loads(plain, keyNumber(1)));
  EXPECT_NE(trusted_.check(plain, keyNumber(1)).error().message.find("not signed"),
            std::string::npos);
  const Bytes other = *theirs_.sign(plain);
  EXPECT_FALSE(loads(other, keyNumber(1)));
  EXPECT_NE(trusted_.check(other, keyNumber(1)).error().message.find("not trusted"),
            std::string::npos);
  // Under our key's id.
  Seal seal = **sealOf(other);
  seal.keyId = idOf(ours_.publicKey());
  const Bytes forged = withSeal(plain, seal);
  EXPECT_FALSE(loads(forged, keyNumber(1)));
  EXPECT_NE(trusted_.check(forged, keyNumber(1)).error().message.find("wrong"), std::string::npos);
}

TEST_F(Signature, EveryFlippedBitIsAMiss) {
  const Bytes file = *ours_.sign(fileNumber(1));
  for (size_t at = 0; at < file.size(); ++at)
    for (unsigned bit = 0; bit < 8; ++bit) {
      Bytes flipped = file;
      flipped[at] ^= static_cast<uint8_t>(1u << bit);
      EXPECT_FALSE(loads(flipped, keyNumber(1))) << "byte " << at << " bit " << bit;
    }
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(loads(ByteView(file).first(size), keyNumber(1))) << size;
  Bytes longer = file;
  longer.push_back(0);
  EXPECT_FALSE(loads(longer, keyNumber(1)));
}

TEST_F(Signature, WhoChangesTheContentAndItsChecksumDoesNotHaveTheSignature) {
  const Bytes file = *ours_.sign(fileNumber(1));
  const Seal seal = **sealOf(file);
  // A checksum is no secret: anybody makes a sound entry with other code.
  CacheEntry evil = entryNumber(1);
  evil.codeObject[5] ^= 1;
  const Bytes changed = withSeal(*writeEntry(evil), seal);
  EXPECT_TRUE(readEntry(changed, nullptr)) << "sound, but not what was signed";
  EXPECT_FALSE(loads(changed, keyNumber(1)));
  EXPECT_FALSE(loads(*withVerdict(file, Verdict::untried), keyNumber(1))) << "it loses its seal";
}

TEST_F(Signature, AnEntryUnderAnotherKeyIsAMiss) {
  const Bytes file = *ours_.sign(fileNumber(1));
  EXPECT_FALSE(loads(file, keyNumber(2)));
  // With the other key in its head, and its checksum made again.
  CacheEntry moved = entryNumber(1);
  moved.key = keyNumber(2);
  EXPECT_FALSE(loads(withSeal(*writeEntry(moved), **sealOf(file)), keyNumber(2)));
}

TEST_F(Signature, WhatIsNoEntryIsNotSigned) {
  Bytes damaged = fileNumber(1);
  damaged[100] ^= 1;
  EXPECT_FALSE(ours_.sign(damaged));
  EXPECT_FALSE(ours_.sign(Bytes{}));
}

TEST_F(Signature, FilesOfKeys) {
  const std::string key = std::string(64, 'a');
  EXPECT_EQ(TrustedKeys::parse("")->size(), 0u);
  EXPECT_EQ(TrustedKeys::parse("# none\n\n  \n")->size(), 0u);
  EXPECT_EQ(TrustedKeys::parse("ed25519 " + key + " me\r\ned25519 " + std::string(64, 'b'))->size(),
            2u);
  for (const std::string &bad :
       {"ed25519 " + key + "a", "ed25519 " + key.substr(1), std::string("ed25519"), "rsa " + key,
        "ed25519 " + std::string(64, 'x'), "ed25519-secret " + key}) {
    const auto keys = TrustedKeys::parse("# first\n" + bad + "\n");
    ASSERT_FALSE(keys) << bad;
    EXPECT_EQ(keys.error().message.rfind("line 2: ", 0), 0u) << keys.error().message;
  }
  for (const std::string bad : {"", "ed25519-secret", "ed25519-secret 12"})
    EXPECT_FALSE(SigningKey::parse(bad)) << bad;
}

TEST_F(Signature, SeveralFilesAndWhatIsWrongWithThem) {
  Scratch scratch;
  const auto write = [&](const char *name, const std::string &text, mode_t mode) {
    std::ofstream(scratch.file(name)) << text;
    chmod(scratch.file(name).c_str(), mode);
    return scratch.file(name);
  };
  const std::string a = write("a", ours_.publicText("a"), 0644);
  const std::string b = write("b", theirs_.publicText("b"), 0600);
  EXPECT_EQ(TrustedKeys::read(a + ":" + b)->size(), 2u);
  EXPECT_EQ(TrustedKeys::read(a + "::" + a)->size(), 1u);
  EXPECT_FALSE(TrustedKeys::read(a + ":" + scratch.file("missing")));
  EXPECT_FALSE(TrustedKeys::read(scratch.path())) << "a folder";
  EXPECT_FALSE(TrustedKeys::read(write("empty", "", 0644))) << "no key";
  EXPECT_FALSE(TrustedKeys::read(write("open", ours_.publicText("a"), 0666)));
  EXPECT_FALSE(TrustedKeys::read(write("large", std::string(100000, '#'), 0644)));
}
