#include "runtime/engine/comgr_turns.h"

#include "runtime/engine/options_gate.h"
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

constexpr std::chrono::milliseconds kPatience{kActionPatienceMs};

/// The action that this thread is in. initial-exec: no look at it takes memory.
struct Action {
  int firstSignal; ///< 0: none
  bool own;        ///< of a compile of ours
  bool entered;    ///< has its turn
};
__attribute__((tls_model("initial-exec"))) thread_local Action action{0, false, false};

std::atomic<pid_t> watchingProcess{0}; // the child of a fork has nobody to wait for

void takeTurn() noexcept {
  if (!action.firstSignal || action.entered ||
      getpid() != watchingProcess.load(std::memory_order_relaxed))
    return;
  if (action.own) {
    action.entered = optionsGate().enterOurs(kPatience);
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
  if (action.own)
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
  else if (act && !old && number == action.firstSignal)
    end();
  return result;
}

std::atomic<void (*)()> nextReset{nullptr};

void seenReset() {
  takeTurn();
  nextReset.load(std::memory_order_relaxed)();
}

// int, char const* const*, StringRef (two words), raw_ostream*, [vfs::FileSystem*,] char const*, bool: all of them
// words, in registers and on the stack (x86-64 psABI, 3.2.3), so that those of all versions are passed on alike.
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
  const char *path = object.dlpi_name ? object.dlpi_name : "";
  const char *slash = std::strrchr(path, '/');
  return std::strncmp(slash ? slash + 1 : path, "libamd_comgr.", 13) == 0;
}

/// An open handle of the comgr that is loaded, if one is; never closed.
void *loadedComgr() {
  void *handle = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *path) {
        if (!isComgr(*object))
          return 0;
        *static_cast<const char **>(path) = object->dlpi_name; // stays: comgr is never unloaded
        return 1;
      },
      &handle);
  const auto *path = static_cast<const char *>(handle);
  return path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
}

/// As comgr's own references are bound: what is global comes first, then what it was loaded with.
void *boundIn(void *comgr, const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  return found ? found : dlsym(comgr, name);
}

template <class F> void takeOver(void *comgr, const char *name, std::atomic<F> &next, F seen) {
  if (const auto found = reinterpret_cast<F>(boundIn(comgr, name))) {
    next.store(found);
    replaceInOffsetTables(isComgr, name, reinterpret_cast<void *>(seen));
  }
}

} // namespace

void watchComgr() noexcept {
  static std::atomic<bool> done{false};
  static std::mutex once;
  if (done.load(std::memory_order_acquire))
    return;
  std::lock_guard guard(once);
  void *comgr = done ? nullptr : loadedComgr();
  if (!comgr)
    return;
  watchingProcess.store(getpid());
  takeOver(comgr, kReset, nextReset, &seenReset);
  for (const char *parse : kParse)
    takeOver(comgr, parse, nextParse, &seenParse);
  // Last: without it no thread is in an action.
  takeOver(comgr, "sigaction", nextSigAction, &seenSigAction);
  done.store(true, std::memory_order_release);
}

void markOwnAction(bool begins) noexcept {
  end();
  action.own = begins;
}

} // namespace meld
