#include "runtime/cache/remote/url.h"

#include <gtest/gtest.h>

using namespace meld;
using Kind = RemoteUrl::Kind;

namespace {

RemoteUrl parsed(const std::string &text) {
  auto url = parseRemoteUrl(text);
  EXPECT_TRUE(url) << text << ": " << (url ? "" : url.error().message);
  return url ? *url : RemoteUrl{};
}

} // namespace

TEST(RemoteUrl, ItsParts) {
  RemoteUrl url = parsed("redis://user:pass@cache.example:6380/2");
  EXPECT_EQ(url.kind, Kind::redis);
  EXPECT_EQ(url.user, "user");
  EXPECT_EQ(url.password, "pass");
  EXPECT_EQ(url.host, "cache.example");
  EXPECT_EQ(url.port, 6380u);
  EXPECT_EQ(url.database, 2u);

  url = parsed("REDIS://:p%40%2Fss@10.0.0.1");
  EXPECT_EQ(url.scheme, "redis");
  EXPECT_EQ(url.user, "");
  EXPECT_EQ(url.password, "p@/ss");
  EXPECT_EQ(url.port, 0u);
  EXPECT_EQ(url.database, 0u);

  url = parsed("redis+unix:///run/redis%20cache.sock?db=3");
  EXPECT_EQ(url.kind, Kind::redisUnix);
  EXPECT_EQ(url.path, "/run/redis cache.sock");
  EXPECT_EQ(url.database, 3u);
  EXPECT_EQ(parsed("redis+unix://:secret@/run/s").password, "secret");

  url = parsed("https://[::1]:8443/a/b//");
  EXPECT_EQ(url.kind, Kind::http);
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "[::1]");
  EXPECT_EQ(url.port, 8443u);
  EXPECT_EQ(url.path, "/a/b");
  EXPECT_EQ(parsed("http://host").path, "");
}

TEST(RemoteUrl, WhatIsNone) {
  for (const char *text : {"",
                           "redis",
                           "redis:/host",
                           "redis://",
                           "redis://:6379",
                           "redis://host:0",
                           "redis://host:65536",
                           "redis://host:",
                           "redis://host:1x",
                           "redis://host/x",
                           "redis://host/1/2",
                           "redis://host/-1",
                           "redis://host/99999999999",
                           "rediss://host",
                           "ftp://host",
                           "file:///x",
                           "redis+unix://host/x",
                           "redis+unix://",
                           "redis+unix:///",
                           "redis+unix:///s?db=x",
                           "redis+unix:///s?x=1",
                           "http://",
                           "http:///x",
                           "http://h?x=1",
                           "http://h/#x",
                           "http://h h/",
                           "http://h\n/",
                           "http://h\x01/",
                           "http://\xc3\xa4/",
                           "http://[::1",
                           "http://[::1]x",
                           "http://a:b:c",
                           "http://%zz@h",
                           "http://a:%4@h",
                           "http://a:%00@h",
                           "http://h\\x",
                           "http://[]/",
                           "redis://[]"})
    EXPECT_FALSE(parseRemoteUrl(text)) << text;
  EXPECT_FALSE(parseRemoteUrl("http://h/" + std::string(5000, 'x')));
}

TEST(RemoteUrl, PasswordsAreShownToNobody) {
  EXPECT_EQ(shownUrl("redis://user:secret@host:1/2"), "redis://host:1/2");
  EXPECT_EQ(shownUrl("http://host/x"), "http://host/x");
  EXPECT_EQ(shownUrl("redis://:se/cr@et@host"), "redis://host") << "not encoded as it should be";
  EXPECT_EQ(shownUrl("user:secret@host"), "host") << "without a scheme";
  for (const char *text : {"redis://user:secret@host:x", "ftp://user:secret@host", "user:secret@",
                           "http://user:secret@host/ x", "http://user:secr%zzsecret@host",
                           "redis://:secret@host/secret@x"}) {
    const auto url = parseRemoteUrl(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().message.find("secret"), std::string::npos) << url.error().message;
  }
}

TEST(RemoteUrl, Keys) {
  for (const char *key : {"abc", "0123456789abcdef", "v2-abc.entry", "a_b"})
    EXPECT_TRUE(checkRemoteKey(key)) << key;
  for (const std::string &key :
       {std::string(), std::string("ab"), std::string("../x"), std::string("a/b"),
        std::string(".abc"), std::string("abc.claim"), std::string("a b"), std::string("a\r\nb"),
        std::string("abc\0", 4), std::string(129, 'a'), std::string("abc%2f")})
    EXPECT_FALSE(checkRemoteKey(key)) << key;
}
