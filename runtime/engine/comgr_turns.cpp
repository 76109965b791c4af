#include "runtime/engine/comgr_turns.h"

#include "runtime/engine/options_gate.h"
#include "runtime/engine/thread.h"
#include "runtime/host/exit_handlers.h"
#include "runtime/host/loaded_objects.h"
#include "runtime/host/offset_table.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>

namespace meld {
namespace {

/// How long an action waits for its turn. Ours goes on then, too: it cannot be refused in the middle.
constexpr std::chrono::milliseconds kPatience{10000};
constexpr int kLoaderPatienceMs = 300;
constexpr size_t kWatcherStack = size_t(256) << 10;

/// The action that this thread is in. initial-exec: no look at it takes memory.
struct Action {
  int firstSignal; ///< 0: none
  bool entered;    ///< has its turn
  void (*leave)(); ///< of a compile of ours; null: theirs
};
__attribute__((tls_model("initial-exec"))) thread_local Action action{0, false, nullptr};

std::atomic<pid_t> watchingProcess{0}; // the child of a fork has nobody to wait for

void takeTurn() {
  if (!action.firstSignal || action.entered ||
      getpid() != watchingProcess.load(std::memory_order_relaxed))
    return;
  if (action.leave) {
    action.entered = optionsGate().enterOurs(kPatience);
    if (!action.entered && optionsGate().isClosed())
      action.leave();
    if (!action.entered) // goes on without, and does not ask again
      action.firstSignal = 0;
  } else {
    optionsGate().enterTheirs(kPatience);
    action.entered = true;
  }
}

void end() noexcept {
  action.firstSignal = 0;
  if (!action.entered)
    return;
  action.entered = false;
  if (action.leave)
    optionsGate().leaveOurs();
  else
    optionsGate().leaveTheirs();
}

// ---- what comgr calls

std::atomic<int (*)(int, const struct sigaction *, struct sigaction *)> nextSigAction{nullptr};

int seenSigAction(int number, const struct sigaction *act, struct sigaction *old) {
  const int result = nextSigAction.load(std::memory_order_relaxed)(number, act, old);
  if (!act && old && !action.firstSignal)
    action.firstSignal = number;
  else if (act && !old && number == action.firstSignal && !action.leave)
    end();
  return result;
}

std::atomic<void (*)()> nextReset{nullptr};

void seenReset() {
  takeTurn();
  nextReset.load(std::memory_order_relaxed)();
}

// int, char const* const*, StringRef (two words), raw_ostream*, [vfs::FileSystem*,] char const*,
// bool: all of them words, in registers and on the stack (x86-64 psABI, 3.2.3), so that those of
// all versions are passed on alike.
using Parse = bool (*)(long, long, long, long, long, long, long, long);
std::atomic<Parse> nextParse{nullptr};

bool seenParse(long a, long b, long c, long d, long e, long f, long g, long h) {
  takeTurn();
  return nextParse.load(std::memory_order_relaxed)(a, b, c, d, e, f, g, h);
}

constexpr const char *kReset = "_ZN4llvm2cl25ResetAllOptionOccurrencesEv";
constexpr const char *kParse[] = {
    "_ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamES2_b",
    // with a file system, LLVM 20 and later
    "_ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamEPNS_"
    "3vfs10FileSystemES2_b"};

// ---- taking over

bool isComgr(const dl_phdr_info &object) {
  return std::strncmp(nameOf(object), "libamd_comgr.", 13) == 0;
}

/// The path of the comgr that is loaded, if one is.
const char *pathOfComgr() {
  const char *path = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *found) {
        if (!isComgr(*object))
          return 0;
        *static_cast<const char **>(found) = object->dlpi_name; // stays: comgr is never unloaded
        return 1;
      },
      &path);
  return path;
}

/// Where comgr calls it, what comgr calls now is called behind `seen`: dlsym() might find another
/// LLVM's, which the program was linked with. A second comgr that calls another one is left alone.
template <class F> void takeOver(void *comgr, const char *name, std::atomic<F> &next, F seen) {
  const auto [exists, leadsTo] = offsetTableEntry(isComgr, name);
  void *was = exists && !leadsTo ? dlsym(comgr, name) : leadsTo;
  if (!was)
    return;
  next.store(reinterpret_cast<F>(was));
  replaceInOffsetTables(isComgr, name, was, reinterpret_cast<void *>(seen));
}

std::atomic<bool> watched{false};
std::atomic<void (*)()> stopFirst{nullptr};

} // namespace

void stopBeforeCompilerEnds(void (*stop)()) noexcept { stopFirst = stop; }

void watchComgr() noexcept {
  static std::mutex once;
  if (watched.load(std::memory_order_acquire))
    return;
  std::lock_guard guard(once);
  const char *path = watched ? nullptr : pathOfComgr();
  // Waits for a thread that is loading it, and keeps it loaded.
  void *comgr = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (!comgr)
    return;
  if (auto *stop = stopFirst.load())
    runBeforeExitHandlersOf(
        [](const dl_phdr_info &object) { return isCompilerLibrary(nameOf(object)); }, stop);
  watchingProcess.store(getpid());
  takeOver(comgr, kReset, nextReset, &seenReset);
  for (const char *parse : kParse)
    takeOver(comgr, parse, nextParse, &seenParse);
  // Last: without it no thread is in an action.
  takeOver(comgr, "sigaction", nextSigAction, &seenSigAction);
  watched.store(true, std::memory_order_release);
}

void watchComgrFromHook() noexcept {
  static std::atomic<bool> begun{false}, over{false};
  if (over.load(std::memory_order_acquire) || !pathOfComgr())
    return;
  if (!begun.exchange(true) && !runDetached(
                                   [] {
                                     watchComgr();
                                     over.store(true, std::memory_order_release);
                                   },
                                   kWatcherStack))
    over = true; // JitLibrary does it
  for (int waited = 0; waited < kLoaderPatienceMs && !over; ++waited)
    usleep(1000);
}

bool comgrIsWatched() noexcept { return watched.load(std::memory_order_acquire); }

void markOwnAction(void (*leave)(), void (*after)()) noexcept {
  // The child of a fork has nobody beside it.
  if (after && (action.entered || getpid() != watchingProcess.load(std::memory_order_relaxed)))
    after();
  end();
  action.leave = leave;
}

} // namespace meld
