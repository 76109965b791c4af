// Servers that are dead, slow, lying or endless: an error within the limits, and nothing else.
#include "runtime/cache/entry.h"
#include "tests/runtime/cache/remote/remote_test.h"

using namespace meld;
using namespace meld::test;
using namespace std::chrono_literals;

namespace {

/// Not switched off by what the test does to it.
RemoteLimits neverOff(RemoteLimits limits) {
  limits.failures = 1u << 30;
  return limits;
}

class Faults : public testing::TestWithParam<bool> {
protected:
  void SetUp() override { http_ = GetParam(); }
  std::string urlOf(const FaultyServer &server) const {
    return http_ ? server.http() : server.redis();
  }
  /// A real server; null, and the test skipped, where there is none.
  bool startReal() {
    if ((http_ ? NginxServer::program() : RedisServer::program()).empty())
      return false;
    if (http_)
      nginx_ = std::make_unique<NginxServer>();
    else
      redis_ = std::make_unique<RedisServer>();
    return true;
  }
  std::string realUrl() const { return http_ ? nginx_->url() : redis_->url(); }
  unsigned realPort() const { return http_ ? nginx_->port() : redis_->port(); }
  void killReal() { http_ ? nginx_->kill() : redis_->kill(); }
  bool restartReal() { return http_ ? nginx_->start() : redis_->start(); }
  /// The answer to a get() up to the entry itself.
  std::string begin(const std::string &size) const {
    return http_ ? "HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n" : "$" + size + "\r\n";
  }

  bool http_ = false;
  std::unique_ptr<RedisServer> redis_;
  std::unique_ptr<NginxServer> nginx_;
};

std::string serverName(const testing::TestParamInfo<bool> &info) {
  return info.param ? "http" : "redis";
}

#define NEEDS_REAL_SERVER()                                                                        \
  if (!startReal())                                                                                \
  GTEST_SKIP() << "needs Debian's packages redis-server and nginx-core"

} // namespace

INSTANTIATE_TEST_SUITE_P(Servers, Faults, testing::Bool(), serverName);

TEST_P(Faults, NobodyListens) {
  LogFile log;
  const std::string at = "127.0.0.1:" + std::to_string(freePort());
  const auto store = open(http_ ? "http://" + at + "/meld" : "redis://" + at);
  for (int n = 0; n < 5; ++n) {
    EXPECT_FALSE(store->get(keyOf(1)));
    EXPECT_FALSE(store->put(keyOf(1), someBytes(5)));
  }
  EXPECT_TRUE(store->off());
  EXPECT_EQ(log.count("off for this process"), 1) << log.text();
  EXPECT_EQ(log.count("127.0.0.1"), 1) << log.text();
}

TEST_P(Faults, OneThatNeverAnswersIsAskedThreeTimes) {
  FaultyServer server([](int client) {
    while (!receiveText(client).empty()) {
    }
  });
  const auto store = open(urlOf(server), impatient());
  for (int n = 0; n < 10; ++n)
    EXPECT_FALSE(n % 2 ? bool(store->get(keyOf(1))) : bool(store->put(keyOf(1), someBytes(5))));
  EXPECT_TRUE(store->off());
  EXPECT_EQ(server.connections(), 3u);
}

TEST_P(Faults, OneThatSendsAByteNowAndThen) {
  for (const std::string &first :
       {std::string(), begin("1000"), begin("1000") + "abc", std::string("H"), std::string("+")}) {
    std::atomic<FaultyServer *> self{nullptr};
    FaultyServer server([&](int client) {
      if (receiveText(client).empty() || !sendText(client, first))
        return;
      while (sendText(client, first.empty() && http_ ? "H" : "1") && self.load()->sleep(20ms)) {
      }
    });
    self = &server;
    const auto got = open(urlOf(server), impatient())->get(keyOf(1));
    EXPECT_FALSE(got) << first;
  }
}

TEST_P(Faults, OneThatAnswersForEver) {
  RemoteLimits limits = patient(); // time is not what ends it
  limits.entryBytes = 1 << 20;
  const std::string much(1 << 16, 'x');
  const std::pair<std::string, std::string> http[] = {
      {"HTTP/1.1 200 OK\r\n\r\n", much},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "10\r\n0123456789abcdef\r\n"},
      {"HTTP/1.1 200 OK\r\n", "X-Header: 0123456789abcdef\r\n"},
      {"HTTP/1.1 200 OK\r\nX-Header: ", much},
      {"", "HTTP/1.1 100 Continue\r\n\r\n"},
      {begin("99999999999"), much}};
  const std::pair<std::string, std::string> redis[] = {
      {begin("99999999999"), much}, {"+", much}, {"-", much}, {":", "1"}};
  for (const auto &[first, again] : http_ ? std::vector(std::begin(http), std::end(http))
                                          : std::vector(std::begin(redis), std::end(redis))) {
    std::atomic<size_t> sent{0};
    FaultyServer server([&, &first = first, &again = again](int client) {
      if (receiveText(client).empty() || !sendText(client, first))
        return;
      std::string piece;
      while (piece.size() < 65536)
        piece += again;
      while (sendText(client, piece))
        sent += piece.size();
    });
    const auto got = open(urlOf(server), limits)->get(keyOf(1));
    EXPECT_FALSE(got) << first.substr(0, 60);
    EXPECT_LT(sent, 64u << 20) << "what does not fit is not read: " << first.substr(0, 60);
  }
}

TEST_P(Faults, WhatIsNoAnswer) {
  std::vector<std::string> answers = {"",
                                      std::string("\0\0\0\0\0\0", 6),
                                      "SSH-2.0-OpenSSH_9.2\r\n",
                                      begin("5") + "ab",
                                      begin("-7"),
                                      begin("x"),
                                      begin("5 ") + "x"};
  if (http_)
    for (const char *more :
         {"+OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
          "HTTP/1.1 200 OK\r\nContent-Encoding: x\r\nContent-Length: 4\r\n\r\nab",
          "HTTP/9.9 200 OK\r\n\r\nabc", "HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n",
          "HTTP/1.1 206 x\r\nContent-Length: 1\r\n\r\na",
          "HTTP/1.1 302 x\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 204 x\r\n\r\n"})
      answers.push_back(more);
  else
    for (const char *more : {"*1000000000\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n",
                             "%1\r\n+a\r\n+b\r\n", "+OK\r\n", ":1\r\n", "-ERR no\r\n", "-\r\n",
                             ":x\r\n", "$3\r\nabcd\r\n", "HTTP/1.1 200 OK\r\n\r\nabc"})
      answers.push_back(more);
  Shared<std::string> answer;
  FaultyServer server([&](int client) {
    receiveText(client);
    sendText(client, answer.get());
  });
  const auto store = open(urlOf(server), neverOff(patient()));
  for (const std::string &next : answers) {
    answer.set(next);
    EXPECT_FALSE(store->get(keyOf(1))) << next;
  }
  // Noise, the same in every run.
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    const Bytes noise = someBytes(1 + seed * 7 % 300, seed);
    answer.set({noise.begin(), noise.end()});
    const auto got = store->get(keyOf(1));
    EXPECT_FALSE(got && got->has_value()) << seed;
  }
  answer.set(begin("5") + "hello" + (http_ ? "" : "\r\n"));
  EXPECT_EQ(**store->get(keyOf(1)), Bytes({'h', 'e', 'l', 'l', 'o'})) << "it is none the worse";
}

TEST_P(Faults, CutAfterEachByte) {
  NEEDS_REAL_SERVER();
  const Bytes entry = someBytes(100);
  ASSERT_TRUE(open(realUrl())->put(keyOf(1), entry));
  std::atomic<size_t> most{0}, whole{0};
  FaultyServer server(between(realPort(), [&](std::string &piece, size_t at) {
    whole = std::max<size_t>(whole, at + piece.size());
    if (at + piece.size() <= most)
      return true;
    piece.resize(most > at ? most - at : 0);
    return false;
  }));
  const auto store = open(urlOf(server), neverOff(patient()));
  most = 1 << 20;
  ASSERT_EQ(**store->get(keyOf(1)), entry);
  const size_t size = whole;
  ASSERT_GT(size, entry.size());
  for (size_t cut = 0; cut<size; cut += cut> 20 && cut + 20 < size ? 7 : 1) {
    most = cut;
    store->rest(); // a connection of its own, so that bytes are counted from its beginning
    EXPECT_FALSE(store->get(keyOf(1))) << cut;
  }
}

TEST_P(Faults, FlippedBitsAreNoEntry) {
  NEEDS_REAL_SERVER();
  CacheEntry entry;
  entry.key.bytes.fill(7);
  entry.verdict = Verdict::replaced;
  entry.tool = "test";
  entry.codeObject = someBytes(40);
  const Bytes bytes = *writeEntry(entry);
  ASSERT_TRUE(open(realUrl())->put(keyOf(1), bytes));
  std::atomic<size_t> flip{~size_t(0)}, whole{0};
  FaultyServer server(between(realPort(), [&](std::string &piece, size_t at) {
    whole = at + piece.size();
    const size_t bit = flip, byte = bit / 8;
    if (byte >= at && byte < at + piece.size())
      piece[byte - at] = char(piece[byte - at] ^ (1 << bit % 8));
    return true;
  }));
  ASSERT_EQ(**open(urlOf(server))->get(keyOf(1)), bytes);
  const size_t bits = whole * 8;
  RemoteLimits limits = neverOff(impatient()); // a length that has grown is waited for
  limits.connect = limits.request = longer(300);
  const auto store = open(urlOf(server), limits);
  unsigned refused = 0;
  for (size_t bit = 0; bit < bits; bit += http_ ? 31 : 13) {
    flip = bit;
    const auto got = store->get(keyOf(1));
    store->rest(); // a connection of its own, so that bytes are counted from its beginning
    if (!got || !got->has_value())
      continue;
    if (**got == bytes)
      continue; // a header that nobody needs, or the end of a line
    EXPECT_FALSE(readEntry(**got, &entry.key)) << "bit " << bit;
    ++refused;
  }
  EXPECT_GT(refused, 20u);
}

TEST_P(Faults, TwoSecondsLate) {
  NEEDS_REAL_SERVER();
  ASSERT_TRUE(open(realUrl())->put(keyOf(1), someBytes(1000)));
  std::atomic<FaultyServer *> self{nullptr};
  FaultyServer server(
      between(realPort(), [&](std::string &, size_t) { return self.load()->sleep(2000ms); }));
  self = &server;
  EXPECT_EQ(**open(urlOf(server))->get(keyOf(1)), someBytes(1000)) << "within its limits";
  EXPECT_FALSE(open(urlOf(server), impatient())->get(keyOf(1)));
}

TEST_P(Faults, KilledAndStartedAgain) {
  NEEDS_REAL_SERVER();
  const auto store = open(realUrl());
  ASSERT_TRUE(store->put(keyOf(1), someBytes(1000)));
  killReal();
  EXPECT_FALSE(store->get(keyOf(1)));
  ASSERT_TRUE(restartReal());
  const auto put = store->put(keyOf(2), someBytes(1000));
  EXPECT_TRUE(put) << errorOf(put);
  EXPECT_EQ(**store->get(keyOf(2)), someBytes(1000));
  killReal();
  for (int n = 0; n < 3; ++n)
    EXPECT_FALSE(store->get(keyOf(2)));
  ASSERT_TRUE(restartReal());
  EXPECT_FALSE(store->get(keyOf(2))) << "off for this process";
  EXPECT_TRUE(open(realUrl())->has(keyOf(2)));
}

TEST_P(Faults, KilledWhileManyAsk) {
  NEEDS_REAL_SERVER();
  std::atomic<bool> killed{false};
  std::atomic<unsigned> wrong{0}, good{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto store = open(realUrl());
      for (unsigned n = 0; !store->off() && n < 100000; ++n) {
        const unsigned key = t * 1000 + n % 100;
        const auto put = store->put(keyOf(key), someBytes(2000, key));
        const auto got = store->get(keyOf(key));
        good += got && got->has_value();
        wrong += got && got->has_value() && **got != someBytes(2000, key);
        wrong += !put && !killed;
      }
    });
  waitUntil([&] { return good > 100; });
  killed = true;
  killReal();
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(FaultsRedis, StoppedAndGoingOn) {
  MELD_NEEDS(RedisServer, "redis-server");
  RedisServer server;
  const auto store = open(server.url(), neverOff(impatient()));
  ASSERT_TRUE(waitUntil([&] { return bool(store->put(keyOf(1), someBytes(1000))); }));
  server.signal(SIGSTOP);
  EXPECT_FALSE(store->get(keyOf(1)));
  EXPECT_FALSE(store->get(keyOf(1)));
  server.signal(SIGCONT);
  EXPECT_TRUE(waitUntil([&] {
    const auto got = store->get(keyOf(1));
    return got && got->has_value() && **got == someBytes(1000);
  })) << "and what came late was not taken for an answer";
}
