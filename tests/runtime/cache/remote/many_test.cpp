// Ten thousand entries, in and out.
#include "tests/runtime/cache/remote/remote_test.h"

using namespace meld;
using namespace meld::test;

namespace {

constexpr unsigned kEntries = 10000;

/// Of the sizes that entries have: hundreds of bytes to some tens of thousands.
Bytes entryOf(unsigned number) { return someBytes(300 + number % 97 * 131, number); }

void putAndGetAll(const std::string &url) {
  const auto writer = open(url), reader = open(url);
  for (unsigned n = 0; n < kEntries; ++n) {
    const auto put = writer->put(keyOf(n), entryOf(n));
    ASSERT_TRUE(put) << n << ": " << errorOf(put);
  }
  for (unsigned n = 0; n < kEntries; ++n) {
    const auto got = reader->get(keyOf(n));
    ASSERT_TRUE(got && got->has_value()) << n << ": " << errorOf(got);
    ASSERT_EQ(**got, entryOf(n)) << n;
  }
}

} // namespace

TEST(RemoteMany, Redis) {
  MELD_NEEDS(RedisServer, "redis-server");
  RedisServer server;
  putAndGetAll(server.url());
}

TEST(RemoteMany, Nginx) {
  MELD_NEEDS(NginxServer, "nginx-core");
  NginxServer server;
  putAndGetAll(server.url());
  unsigned files = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(server.folder() + "/meld"))
    files += entry.is_regular_file();
  EXPECT_EQ(files, kEntries) << "one file each, and none besides";
}
