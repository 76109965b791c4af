// The stores with real servers, by the real meld-remote.
#include "tests/runtime/cache/remote/remote_test.h"

#include <sys/mount.h>

using namespace meld;
using namespace meld::test;

namespace {

enum class Server { redis, redisUnix, nginx, python };

class Remote : public testing::TestWithParam<Server> {
protected:
  void SetUp() override {
    switch (GetParam()) {
    case Server::redis:
    case Server::redisUnix:
      MELD_NEEDS(RedisServer, "redis-server");
      redis_ = std::make_unique<RedisServer>();
      url_ = GetParam() == Server::redis ? redis_->url() : redis_->unixUrl();
      break;
    case Server::nginx:
      MELD_NEEDS(NginxServer, "nginx-core");
      nginx_ = std::make_unique<NginxServer>();
      url_ = nginx_->url();
      break;
    case Server::python:
      MELD_NEEDS(PythonServer, "python3");
      python_ = std::make_unique<PythonServer>();
      url_ = python_->url();
      break;
    }
  }
  std::string url_;
  std::unique_ptr<RedisServer> redis_;
  std::unique_ptr<NginxServer> nginx_;
  std::unique_ptr<PythonServer> python_;
};

std::string serverName(const testing::TestParamInfo<Server> &info) {
  static constexpr const char *kNames[] = {"redis", "redisUnix", "nginx", "python"};
  return kNames[int(info.param)];
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Servers, Remote,
                         testing::Values(Server::redis, Server::redisUnix, Server::nginx,
                                         Server::python),
                         serverName);

TEST_P(Remote, WhatIsPutIsGot) {
  const auto store = open(url_), other = open(url_);
  const auto nothing = store->get(keyOf(1));
  ASSERT_TRUE(nothing) << errorOf(nothing);
  EXPECT_FALSE(nothing->has_value());
  EXPECT_EQ(store->has(keyOf(1)), false);
  unsigned key = 1;
  for (const size_t size : {0, 1, 100, 65536, 3000000}) {
    const Bytes bytes = someBytes(size, key);
    const auto put = store->put(keyOf(key), bytes);
    ASSERT_TRUE(put) << size << ": " << errorOf(put);
    for (RemoteStore *reader : {store.get(), other.get()}) {
      const auto got = reader->get(keyOf(key));
      ASSERT_TRUE(got) << size << ": " << errorOf(got);
      ASSERT_TRUE(got->has_value()) << size;
      EXPECT_EQ(**got, bytes);
      EXPECT_EQ(reader->has(keyOf(key)), true);
    }
    ++key;
  }
  const Bytes again = someBytes(10, 99);
  ASSERT_TRUE(store->put(keyOf(1), again));
  EXPECT_EQ(**other->get(keyOf(1)), again) << "the later one stays";
  EXPECT_EQ(other->has(keyOf(77)), false);
}

TEST_P(Remote, MoreThanTheLimit) {
  RemoteLimits limits = patient();
  limits.entryBytes = 1000;
  const auto store = open(url_), small = open(url_, limits);
  ASSERT_TRUE(small->put(keyOf(1), someBytes(1000)));
  EXPECT_EQ(**small->get(keyOf(1)), someBytes(1000));
  EXPECT_FALSE(small->put(keyOf(2), someBytes(1001)));
  ASSERT_TRUE(store->put(keyOf(2), someBytes(1001)));
  EXPECT_NE(errorOf(small->get(keyOf(2))).find("limit"), std::string::npos);
  ASSERT_TRUE(store->put(keyOf(3), someBytes(2000000)));
  EXPECT_NE(errorOf(small->get(keyOf(3))).find("limit"), std::string::npos);
  EXPECT_EQ(**small->get(keyOf(1)), someBytes(1000)) << "it goes on";
}

TEST_P(Remote, KeysThatAreNoneAskNobody) {
  const auto store = open(url_);
  for (unsigned n = 0; n < 10; ++n) {
    EXPECT_FALSE(store->get("../../etc/passwd"));
    EXPECT_FALSE(store->put("a b\r\nFLUSHALL", someBytes(3)));
  }
  EXPECT_FALSE(store->off());
  EXPECT_TRUE(store->put(keyOf(1), someBytes(3)));
}

TEST_P(Remote, ClaimsAreOnesOwn) {
  const auto one = open(url_), two = open(url_);
  const auto first = one->claim(keyOf(1), std::chrono::seconds(60));
  if (GetParam() == Server::nginx) {
    LogFile log;
    for (int n = 0; n < 5; ++n) {
      const auto claim = two->claim(keyOf(1), std::chrono::seconds(60));
      ASSERT_FALSE(claim) << "nginx does not look at If-None-Match of PUT";
      EXPECT_EQ(claim.error().code, ErrorCode::unsupported);
    }
    EXPECT_EQ(log.count("If-None-Match"), 1) << log.text();
    EXPECT_FALSE(two->off());
    EXPECT_FALSE(std::filesystem::exists(nginx_->folder() + "/meld/" + keyOf(1).substr(0, 2) + "/" +
                                         keyOf(1).substr(2) + ".claim"));
    return;
  }
  ASSERT_TRUE(first) << errorOf(first);
  EXPECT_TRUE(*first);
  EXPECT_EQ(one->claim(keyOf(1), std::chrono::seconds(60)), true) << "still its own";
  EXPECT_EQ(two->claim(keyOf(1), std::chrono::seconds(60)), false);
  EXPECT_EQ(two->claim(keyOf(2), std::chrono::seconds(60)), true) << "another key";
  ASSERT_TRUE(two->release(keyOf(1)));
  EXPECT_EQ(two->claim(keyOf(1), std::chrono::seconds(60)), false)
      << "it was not theirs to release";
  one->rest(); // with another process the claim stays its own
  ASSERT_TRUE(one->release(keyOf(1)));
  EXPECT_EQ(two->claim(keyOf(1), std::chrono::seconds(60)), true);
  EXPECT_EQ(one->has(keyOf(1)), false) << "a claim is no entry";
}

TEST_P(Remote, ClaimsOfTheDeadExpire) {
  if (GetParam() == Server::nginx)
    GTEST_SKIP() << "nginx has no claims";
  const auto one = open(url_), two = open(url_);
  ASSERT_EQ(one->claim(keyOf(1), std::chrono::seconds(2)), true);
  if (python_) {
    EXPECT_EQ(two->claim(keyOf(1), std::chrono::seconds(60)), false);
    python_->age("/meld/" + keyOf(1).substr(0, 2) + "/" + keyOf(1).substr(2) + ".claim", 61);
    EXPECT_EQ(two->claim(keyOf(1), std::chrono::seconds(60)), true);
  } else {
    EXPECT_TRUE(waitUntil([&] { return two->claim(keyOf(1), std::chrono::seconds(60)) == true; }));
  }
  ASSERT_TRUE(one->release(keyOf(1)));
  EXPECT_EQ(one->claim(keyOf(1), std::chrono::seconds(60)), false) << "it has been theirs since";
}

TEST_P(Remote, OfManyWhoClaimOneHasIt) {
  if (GetParam() == Server::nginx)
    GTEST_SKIP() << "nginx has no claims";
  std::atomic<int> given{0}, failed{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 8; ++n)
    threads.emplace_back([&] {
      const auto store = open(url_);
      const auto claim = store->claim(keyOf(1), std::chrono::seconds(60));
      failed += !claim;
      given += claim && *claim;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(given, 1);
}

// Redis

TEST(RemoteRedis, PasswordAndDatabase) {
  MELD_NEEDS(RedisServer, "redis-server");
  RedisServer server({"--requirepass", "sesame/1"});
  const std::string at = "@127.0.0.1:" + std::to_string(server.port());
  LogFile log(log::Level::trace);
  for (const std::string &url :
       {"redis://" + at.substr(1), "redis://:wrong-secret" + at, "redis://who:wrong-secret" + at}) {
    const auto put = open(url)->put(keyOf(1), someBytes(3));
    ASSERT_FALSE(put) << url;
    EXPECT_EQ(put.error().message.find("secret"), std::string::npos) << put.error().message;
  }
  EXPECT_EQ(log.count("secret"), 0) << log.text();
  const auto store = open("redis://:sesame%2F1" + at);
  ASSERT_TRUE(store->put(keyOf(1), someBytes(3))) << errorOf(store->put(keyOf(1), someBytes(3)));
  const auto elsewhere = open("redis://default:sesame%2F1" + at + "/3");
  EXPECT_EQ(elsewhere->has(keyOf(1)), false) << "another database";
  EXPECT_EQ(open("redis://:sesame%2F1" + at + "/0")->has(keyOf(1)), true);
  EXPECT_FALSE(open("redis://:sesame%2F1" + at + "/9999")->has(keyOf(1))) << "it has 16";
}

TEST(RemoteRedis, AFullServerSaysSoAndIsStillRead) {
  MELD_NEEDS(RedisServer, "redis-server");
  RedisServer server({"--maxmemory", "4mb", "--maxmemory-policy", "noeviction"});
  const auto store = open(server.url());
  unsigned stored = 0;
  std::string why;
  for (; stored < 1000; ++stored)
    if (const auto put = store->put(keyOf(stored), someBytes(20000, stored)); !put) {
      why = errorOf(put);
      break;
    }
  ASSERT_GT(stored, 0u) << why;
  ASSERT_LT(stored, 1000u);
  EXPECT_NE(why.find("maxmemory"), std::string::npos) << why;
  // One or another finds room, since buffers of connections count.
  unsigned refused = 0;
  for (unsigned n = 0; n < stored; ++n) {
    ASSERT_EQ(**store->get(keyOf(n)), someBytes(20000, n));
    refused += !store->put(keyOf(2000 + n), someBytes(20000));
  }
  EXPECT_GT(refused, stored / 2);
  EXPECT_FALSE(store->off()) << "what it answers in between is of use";
}

// HTTP

TEST(RemoteHttp, PasswordAndServersForReadingOnly) {
  MELD_NEEDS(NginxServer, "nginx-core");
  Scratch scratch;
  std::ofstream(scratch.file("users")) << "who:{PLAIN}open-sesame\n";
  NginxServer server({}, "auth_basic x; auth_basic_user_file " + scratch.file("users") +
                             "; limit_except GET { deny all; }");
  const std::string at = "@127.0.0.1:" + std::to_string(server.port()) + "/meld";
  LogFile log(log::Level::trace);
  EXPECT_FALSE(open("http://" + at.substr(1))->has(keyOf(1)));
  const auto wrong = open("http://who:wrong-secret" + at)->has(keyOf(1));
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("401"), std::string::npos) << wrong.error().message;
  const auto store = open("http://who:open-sesame" + at);
  EXPECT_EQ(store->has(keyOf(1)), false);
  for (int n = 0; n < 5; ++n) {
    const auto put = store->put(keyOf(1), someBytes(3));
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().code, ErrorCode::unsupported);
  }
  EXPECT_FALSE(store->off()) << "it may be read";
  EXPECT_EQ(log.count("403"), 1) << log.text();
  EXPECT_EQ(log.count("secret"), 0);
  EXPECT_EQ(log.count("sesame"), 0);
}

TEST(RemoteHttp, AFullDisk) {
  MELD_NEEDS(NginxServer, "nginx-core");
  Scratch scratch;
  if (mount("none", scratch.path().c_str(), "tmpfs", 0, "size=2m"))
    GTEST_SKIP() << "needs to mount a tmpfs: " << std::strerror(errno);
  struct Unmount {
    const std::string &path;
    ~Unmount() { umount2(path.c_str(), MNT_DETACH); }
  } unmount{scratch.path()};
  NginxServer server(scratch.path());
  const auto store = open(server.url());
  unsigned stored = 0;
  std::string why;
  for (; stored < 1000; ++stored)
    if (const auto put = store->put(keyOf(stored), someBytes(50000, stored)); !put) {
      why = errorOf(put);
      break;
    }
  ASSERT_GT(stored, 10u) << why;
  ASSERT_LT(stored, 100u);
  EXPECT_NE(why.find("500"), std::string::npos) << why;
  for (unsigned n = 0; n < stored; ++n)
    ASSERT_EQ(**store->get(keyOf(n)), someBytes(50000, n)) << n;
  EXPECT_EQ(store->has(keyOf(stored)), false) << "nothing of what did not fit";
}

TEST(RemoteHttp, RedirectsStayOnTheHost) {
  FaultyServer trap([](int client) { receiveText(client); });
  Shared<std::string> elsewhere;
  std::atomic<int> requests{0};
  FaultyServer server([&](int client) {
    for (std::string request; !(request = receiveText(client)).empty();) {
      ++requests;
      if (request.find("/there/") != std::string::npos) {
        sendText(client, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere");
        continue;
      }
      sendText(client,
               "HTTP/1.1 307 x\r\nContent-Length: 0\r\nLocation: " + elsewhere.get() + "\r\n\r\n");
    }
  });
  elsewhere.set("/there/x");
  EXPECT_EQ(**open(server.http())->get(keyOf(1)), Bytes({'t', 'h', 'e', 'r', 'e'}));
  EXPECT_EQ(requests, 2);
  elsewhere.set("/meld/again");
  EXPECT_FALSE(open(server.http())->get(keyOf(1))) << "round and round";
  EXPECT_LE(requests, 2 + 4);
  const std::string port = std::to_string(trap.port());
  for (const std::string &url : std::vector<std::string>{
           "http://127.0.0.1:" + port + "/there/x", "http://localhost:" + port + "/there/x",
           "//127.0.0.1:" + port + "/there/x", "redis://127.0.0.1:" + port + "/",
           "file:///etc/hostname", std::string("ftp://127.0.0.1/x"), std::string("nonsense://")}) {
    elsewhere.set(url);
    EXPECT_FALSE(open(server.http())->get(keyOf(1))) << url;
    EXPECT_FALSE(open(server.http())->put(keyOf(1), someBytes(9))) << url;
  }
  EXPECT_EQ(trap.connections(), 0u);
}

TEST(RemoteHttp, ProxiesAsCurlDoes) {
  Shared<std::string> seen;
  FaultyServer proxy([&](int client) {
    seen.set(receiveText(client));
    sendText(client, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
  });
  setenv("http_proxy", ("http://127.0.0.1:" + std::to_string(proxy.port())).c_str(), 1);
  const auto store = open("http://cache.invalid/meld");
  unsetenv("http_proxy");
  EXPECT_EQ(**store->get(keyOf(1)), Bytes({'h', 'i'})) << errorOf(store->get(keyOf(1)));
  EXPECT_EQ(seen.get().substr(0, 30), "GET http://cache.invalid/meld/") << seen.get();
}
