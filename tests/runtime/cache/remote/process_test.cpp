// The proxy, with a meld-remote that does what none may do.
#include "tests/runtime/cache/remote/remote_test.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/resource.h>

using namespace meld;
using namespace meld::test;
using namespace std::chrono_literals;

namespace {

class RemoteProcess : public testing::Test {
protected:
  void SetUp() override { setenv("FAKE_REMOTE_LOG", startsFile_.c_str(), 1); }
  void TearDown() override {
    unsetenv("FAKE_REMOTE_LOG");
    unsetenv("FAKE_REMOTE");
  }
  std::unique_ptr<RemoteStore> fake(const char *mode, const RemoteLimits &limits = patient()) {
    setenv("FAKE_REMOTE", mode, 1);
    return open("redis://user:secret@127.0.0.1:1", limits, MELD_FAKE_REMOTE);
  }
  int starts() const {
    std::ifstream in(startsFile_);
    int count = 0;
    for (std::string line; std::getline(in, line);)
      ++count;
    return count;
  }

  Scratch scratch_;
  const std::string startsFile_ = scratch_.file("starts");
};

/// Names of this process's libraries.
std::string libraries() {
  std::string all;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *text) {
        *static_cast<std::string *>(text) += std::string(info->dlpi_name) + "\n";
        return 0;
      },
      &all);
  return all;
}

int descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

} // namespace

TEST_F(RemoteProcess, NothingIsStartedBeforeTheFirstCall) {
  const auto store = fake("store");
  EXPECT_EQ(starts(), 0);
  EXPECT_TRUE(store->put(keyOf(1), someBytes(5)));
  EXPECT_EQ(starts(), 1);
  EXPECT_EQ(**store->get(keyOf(1)), someBytes(5));
  EXPECT_EQ(starts(), 1) << "one for all calls";
}

TEST_F(RemoteProcess, ItsEnvironmentIsTheOneItWasOpenedWith) {
  setenv("FAKE_REMOTE", "exit", 1);
  auto store = openRemoteProcess(MELD_FAKE_REMOTE, "redis://x", patient(), {"FAKE_REMOTE=store"});
  ASSERT_TRUE(store);
  EXPECT_TRUE((*store)->put(keyOf(1), someBytes(5)));
}

TEST_F(RemoteProcess, NoClientLibraryInThisProcess) {
  const auto store = fake("store");
  EXPECT_TRUE(store->put(keyOf(1), someBytes(5)));
  const std::string all = libraries();
  for (const char *library : {"libcurl", "libhiredis", "libssl", "libcrypto"})
    EXPECT_EQ(all.find(library), std::string::npos) << all;
}

TEST_F(RemoteProcess, WhateverItDoesIsAnError) {
  const int before = descriptors();
  for (const char *mode : {"exit", "crash", "magic", "answer", "huge", "tooLarge", "short",
                           "longMessage", "half", "controls"}) {
    const auto store = fake(mode);
    const auto got = store->get(keyOf(1));
    ASSERT_FALSE(got) << mode;
    EXPECT_FALSE(got.error().message.empty()) << mode;
    for (const char c : got.error().message)
      EXPECT_TRUE(c >= 0x20 && c < 0x7f) << mode << ": " << got.error().message;
  }
  EXPECT_FALSE(fake("bodyForPut")->put(keyOf(1), someBytes(5)));
  EXPECT_EQ(descriptors(), before);
}

TEST_F(RemoteProcess, WhatNeverEndsIsEnded) {
  for (const char *mode : {"mute", "promise", "trickle", "partOfHead"}) {
    const auto got = fake(mode, impatient())->get(keyOf(1));
    ASSERT_FALSE(got) << mode;
    EXPECT_NE(got.error().message.find("in time"), std::string::npos)
        << mode << ": " << got.error().message;
  }
  // Not to be read to its end, so no time limit is needed.
  const auto store = fake("endless");
  EXPECT_EQ(store->has(keyOf(1)), true);
  EXPECT_FALSE(store->has(keyOf(1))) << "what follows is no reply";
  // A request that is not read.
  EXPECT_FALSE(fake("mute", impatient())->put(keyOf(1), someBytes(30 << 20)));
  EXPECT_FALSE(fake("deaf", impatient())->put(keyOf(1), someBytes(30 << 20)));
}

TEST_F(RemoteProcess, OneThatDiedIsStartedAgain) {
  const auto store = fake("short");
  EXPECT_FALSE(store->get(keyOf(1)));
  EXPECT_FALSE(store->get(keyOf(1)));
  EXPECT_EQ(starts(), 2);
  EXPECT_FALSE(store->off());
}

TEST_F(RemoteProcess, AfterThreeFailuresItIsOff) {
  LogFile log;
  const auto store = fake("short");
  for (int n = 0; n < 10; ++n)
    EXPECT_FALSE(store->get(keyOf(1)));
  EXPECT_EQ(starts(), 3);
  EXPECT_TRUE(store->off());
  EXPECT_EQ(log.count("off for this process"), 1) << log.text();
  EXPECT_EQ(log.count("remote"), 1) << "one line, no more: " << log.text();
  EXPECT_EQ(log.count("secret"), 0) << log.text();
}

TEST_F(RemoteProcess, AMissingProgram) {
  LogFile log;
  const auto store = open("redis://127.0.0.1:1", patient(), "/nonexistent");
  const auto got = store->get(keyOf(1));
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("/nonexistent/meld-remote"), std::string::npos)
      << got.error().message;
}

TEST_F(RemoteProcess, BuiltWithoutALibraryItIsOffAtOnce) {
  LogFile log;
  const auto store = fake("unsupported");
  for (int n = 0; n < 3; ++n)
    EXPECT_FALSE(store->get(keyOf(1)));
  EXPECT_EQ(starts(), 1);
  EXPECT_EQ(log.count("built without"), 1) << log.text();
}

TEST_F(RemoteProcess, CancelledInTheMiddle) {
  const auto store = fake("mute");
  std::thread other([&] {
    waitUntil([&] { return starts() == 1; });
    store->cancel();
  });
  EXPECT_FALSE(store->get(keyOf(1))); // would take minutes
  other.join();
  EXPECT_FALSE(store->get(keyOf(1)));
  EXPECT_EQ(starts(), 1) << "no other begins";
}

TEST_F(RemoteProcess, AnotherThreadHasAnotherProgram) {
  const auto store = fake("store");
  ASSERT_TRUE(store->put(keyOf(1), someBytes(5)));
  std::thread([&] { EXPECT_TRUE(store->put(keyOf(1), someBytes(5))); }).join();
  EXPECT_EQ(starts(), 2);
  EXPECT_TRUE(store->put(keyOf(1), someBytes(5))) << "the one of the ended thread has ended";
  EXPECT_EQ(starts(), 3);
}

TEST_F(RemoteProcess, AnApplicationThatClosesEverything) {
  const auto store = fake("store");
  ASSERT_TRUE(store->put(keyOf(1), someBytes(5)));
  // In a child: this process needs its descriptors.
  const pid_t child = fork();
  if (!child) {
    alarm(unsigned(patience(60)));
    const auto own = fake("store");
    bool good = bool(own->put(keyOf(1), someBytes(5)));
    std::vector<int> files;
    for (int fd = 3; fd < 256; ++fd)
      close(fd);
    for (int fd = 3; fd < 256; ++fd)
      files.push_back(::open("/dev/null", O_RDWR));
    good = good && !own->put(keyOf(1), someBytes(5));
    for (const int fd : files) // none of them was written to, or closed
      good = good && fcntl(fd, F_GETFD) >= 0;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(**store->get(keyOf(1)), someBytes(5)) << "the child has not disturbed it";
}

TEST_F(RemoteProcess, TheApplicationSeesNoChild) {
  const auto store = fake("store");
  ASSERT_TRUE(store->put(keyOf(1), someBytes(5)));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}
