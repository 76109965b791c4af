// Memory ends at one point of our work, at every one in turn: the application's call is made once,
// with an object that is right, and nothing is left behind that spoils what comes after.
#include "tests/shim/fakerocr.h"

#include "runtime/log/log.h"

#include <fcntl.h>
#include <fstream>
#include <new>

using namespace meld;
using namespace meld::test;

namespace {

// All threads': a compile has one of its own.
std::atomic<long> gUntilFailure{-1}; ///< allocations that still succeed; negative: no end
std::atomic<bool> gForGood{false};   ///< every one after it fails, too
std::atomic<long> gFailed{0};
thread_local bool tSpared = false;

/// ROCr's and the test's own allocations always succeed.
struct Spared {
  Spared() { tSpared = true; }
  ~Spared() { tSpared = false; }
};

bool refused() {
  if (tSpared || gUntilFailure < 0)
    return false;
  long left = gUntilFailure.fetch_sub(1);
  if (left > 0)
    return false;
  gUntilFailure = gForGood ? 0 : -1;
  ++gFailed;
  return true;
}

} // namespace

// Not inlined: g++ would see a delete expression's free() next to an operator new.
[[gnu::noinline]] void *operator new(size_t size) {
  void *memory = refused() ? nullptr : std::malloc(size ? size : 1);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

template <auto fake> struct Spare;
template <class... A, hsa_status_t (*fake)(A...)> struct Spare<fake> {
  static hsa_status_t call(A... arguments) {
    Spared spared;
    return fake(arguments...);
  }
};

size_t descriptors() {
  Spared spared;
  size_t n = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++n;
  return n;
}

class NoMemory : public Hooks {
protected:
  void SetUp() override {
    Hooks::SetUp();
    removeHooks();
    core_.hsa_code_object_reader_create_from_memory_fn = Spare<fakeFromMemory>::call;
    core_.hsa_code_object_reader_create_from_file_fn = Spare<fakeFromFile>::call;
    core_.hsa_code_object_reader_destroy_fn = Spare<fakeDestroyReader>::call;
    core_.hsa_executable_load_agent_code_object_fn = Spare<fakeLoad>::call;
    core_.hsa_executable_freeze_fn = Spare<fakeFreeze>::call;
    core_.hsa_executable_create_alt_fn = Spare<fakeCreateExecutable>::call;
    core_.hsa_executable_destroy_fn = Spare<fakeDestroyExecutable>::call;
    ASSERT_TRUE(installHooks(&table_, &process_));
    path_ = scratch_.file("object");
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char *>(original_.data()), original_.size());
    ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
    replacement_ = loadedInto(1);
    core_.hsa_executable_destroy_fn({1});
    rocr_.readers.clear();
  }

  void newProcess(bool keepCache) {
    if (!keepCache)
      std::filesystem::remove_all(process_.settings.cacheDir);
    newEngine();
  }

  /// What an application does with a code object, from its first to its last call.
  void useAll(bool fromFile) {
    hsa_code_object_reader_t r{};
    if (fromFile) {
      int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
      EXPECT_EQ(core_.hsa_code_object_reader_create_from_file_fn(fd, &r), HSA_STATUS_SUCCESS);
      close(fd);
    } else {
      EXPECT_EQ(core_.hsa_code_object_reader_create_from_memory_fn(original_.data(),
                                                                   original_.size(), &r),
                HSA_STATUS_SUCCESS);
    }
    EXPECT_EQ(load(1, r), HSA_STATUS_SUCCESS);
    EXPECT_EQ(core_.hsa_executable_freeze_fn({1}, nullptr), HSA_STATUS_SUCCESS);
    EXPECT_EQ(core_.hsa_code_object_reader_destroy_fn(r), HSA_STATUS_SUCCESS);
  }

  /// One object in the executable, the right one; and with it everything of ours goes.
  void check() {
    const auto &loaded = rocr_.executables[1];
    ASSERT_EQ(loaded.size(), 1u);
    EXPECT_TRUE(loaded[0] == original_ || loaded[0] == replacement_);
    EXPECT_EQ(core_.hsa_executable_destroy_fn({1}), HSA_STATUS_SUCCESS);
    EXPECT_TRUE(rocr_.readers.empty());
    EXPECT_TRUE(rocr_.executables.empty());
  }

  void everyPoint(bool warm, bool forGood, bool fromFile) {
    gForGood = forGood;
    long points = 0;
    for (bool failed = true; failed && !HasFailure(); ++points) {
      SCOPED_TRACE("allocation " + std::to_string(points));
      newProcess(warm);
      size_t before = descriptors();
      rocr_.nextHandle = 100;
      gFailed = 0;
      gUntilFailure = points;
      useAll(fromFile);
      gUntilFailure = -1;
      failed = gFailed;
      check();
      // Again, with memory: nobody waits for a compile that never began.
      useAll(fromFile);
      check();
      // The next process: nothing wrong was cached.
      newProcess(true);
      EXPECT_LE(descriptors(), before);
      useAll(fromFile);
      EXPECT_EQ(loadedInto(1), replacement_);
      check();
    }
    EXPECT_GT(points, 20) << "allocations";
  }

  std::string path_;
  Bytes replacement_;
};

} // namespace

TEST_F(NoMemory, OnceInACompile) { everyPoint(false, false, false); }
TEST_F(NoMemory, ForGoodInACompile) { everyPoint(false, true, false); }
TEST_F(NoMemory, OnceWithAWarmCache) { everyPoint(true, false, false); }
TEST_F(NoMemory, ForGoodWithAWarmCache) { everyPoint(true, true, false); }
TEST_F(NoMemory, OnceWithAFile) { everyPoint(true, false, true); }
TEST_F(NoMemory, ForGoodWithAFileAndALog) {
  log::configure(int(log::Level::info), scratch_.file("log"));
  log::info("opened"); // it stays open
  everyPoint(false, true, true);
  log::configure(2, "");
}
