#include "runtime/softgpu/translate/tier.h"

#include "runtime/host/default_float.h"
#include "runtime/host/stderr.h"
#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/dispatch.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace meld::softgpu::translate {

namespace {

constexpr size_t kMaxUnit = 160; ///< instructions; a dispatch may have to wait for one

/// One line on stderr.
void say(const char *what, const char *detail) {
  char line[512];
  const int n = std::snprintf(line, sizeof(line), "meld-softgpu: %s: %s\n", what, detail);
  if (n > 0)
    writeToStderr({line, std::min<size_t>(size_t(n), sizeof(line) - 1)});
}

/// The translations of one CodeCache: kernels by entry, compiled units, what ExecInst::translated
/// points to.
struct CodeTier {
  std::mutex mutex;
  std::map<const ExecInst *, std::shared_ptr<KernelTier>> kernels;
  std::vector<void *> handles;
  std::deque<UnitEntry> entries;
  const Library *library = nullptr;
  ~CodeTier() {
    for (void *h : handles)
      library->release(h);
  }
};

CodeTier &codeTier(CodeCache &code) {
  std::lock_guard lock(code.translationsMutex());
  if (!code.translations())
    code.translations() = std::make_shared<CodeTier>();
  return *static_cast<CodeTier *>(code.translations().get());
}

std::string folderOf(std::string file) {
  const size_t slash = file.find_last_of('/');
  return slash == file.npos ? std::string() : file.substr(0, slash + 1);
}

/// The library lies beside the one (or the program) this code is part of, or in ../lib,
/// or where an installation has its libraries, seen from its programs.
const Library *loadLibrary() {
  std::vector<std::string> folders;
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&loadLibrary), &self) && self.dli_fname)
    folders.push_back(folderOf(self.dli_fname));
  char program[4096];
  if (const ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1); n > 0)
    folders.push_back(folderOf(std::string(program, size_t(n))));
  constexpr const char *name = "libmeld-softgpu-translate.so";
  void *handle = nullptr;
  std::string error;
  for (const std::string &folder : folders)
    for (const char *room : {"", "../lib", MELD_LIBRARY_FOLDERS}) {
      // No folder would mean a search of the system's libraries.
      if (!handle && !folder.empty())
        handle = dlopen((folder + room + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (const char *e = handle ? nullptr : dlerror(); e && error.empty())
        error = e;
    }
  if (!handle) {
    say("no kernel translation, kernels are interpreted", error.c_str());
    return nullptr;
  }
  auto *library = static_cast<const Library *>(dlsym(handle, kLibrarySymbol));
  if (!library || library->version != kLibraryVersion || library->waveBytes != sizeof(Wave) ||
      library->execInstBytes != sizeof(ExecInst)) {
    say("no kernel translation, kernels are interpreted",
        "libmeld-softgpu-translate.so is of another version");
    return nullptr;
  }
  return library;
}

} // namespace

/// The queue and its thread. Never destroyed: units may run until the process is gone.
class Service {
public:
  static Service &get() {
    static Service *service = new Service;
    return *service;
  }

  void request(std::shared_ptr<KernelTier> kernel, std::shared_ptr<CodeCache> code) {
    // In the child of a fork the lock may be held by a thread the child does not have.
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      return kernel->state_.store(KernelTier::State::cold);
    if (stop_ || (started_ && !mine()))
      return;
    if (!started_ && !start())
      return;
    queue_.push_back({std::move(kernel), std::move(code)});
    wake_.notify_all();
  }

  void translate(KernelTier &kernel, CodeCache &code, bool background);

  void dispatchBegins() {
    dispatches_.fetch_add(1);
    if (mine())
      wakeUp();
  }
  void dispatchEnds() {
    if (dispatches_.fetch_sub(1) != 1 || !mine())
      return;
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return !compiling_ || dispatches_ > 0; });
  }

  TierStatistics statistics() {
    std::lock_guard lock(compileMutex_);
    return statistics_;
  }
  void finish() {
    dispatchBegins();
    {
      std::unique_lock lock(mutex_);
      idle_.wait(lock, [&] { return !mine() || (queue_.empty() && !busy_); });
    }
    dispatchEnds();
  }

private:
  struct Work {
    std::shared_ptr<KernelTier> kernel;
    std::shared_ptr<CodeCache> code;
  };

  /// There is a translator thread, and this process has it.
  bool mine() const { return started_.load(std::memory_order_acquire) && owner_ == getpid(); }
  void wakeUp() {
    std::lock_guard lock(mutex_);
    wake_.notify_all();
  }
  /// The background's turn for one unit: waits for a dispatch to run beside. False: stop.
  bool beginUnit();
  void endUnit();
  bool start();
  void loop();
  bool translateUnit(const std::vector<UnitInst> &unit, CodeCache &code);
  static void atExit() { get().stop(); }
  static void atExitAgain();
  void stop();

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<Work> queue_;
  std::thread thread_;
  bool busy_ = false;      ///< the thread has work
  bool compiling_ = false; ///< ... and is inside the compiler
  std::atomic<bool> started_{false}, stop_{false};
  std::atomic<unsigned> dispatches_{0}; ///< that run now
  pid_t owner_ = 0;

  std::mutex compileMutex_; ///< protects the rest, and serialises compiles
  bool loaded_ = false;
  const Library *library_ = nullptr;
  TierStatistics statistics_;
};

bool Service::start() {
  owner_ = getpid();
  // Signals are for the application's threads.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  try {
    thread_ = std::thread([this] { loop(); });
    started_ = true;
  } catch (...) {
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return started_;
}

bool Service::beginUnit() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return stop_ || dispatches_ > 0; });
  compiling_ = !stop_;
  return compiling_;
}

void Service::endUnit() {
  std::lock_guard lock(mutex_);
  compiling_ = false;
  idle_.notify_all();
}

void Service::loop() {
  setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 10);
  pthread_setname_np(pthread_self(), "meld-translate");
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (queue_.empty()) {
      idle_.notify_all();
      wake_.wait(lock);
      continue;
    }
    Work work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    translate(*work.kernel, *work.code, true);
    work = {}; // may be the last owner of the code
    lock.lock();
    busy_ = false;
  }
  idle_.notify_all();
}

void Service::stop() {
  if (!mine())
    return;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    queue_.clear();
    wake_.notify_all();
  }
  if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id())
    thread_.join();
}

/// Compiler state that dies with the process (LLVM's local statics) is registered when first used,
/// so the handler has to be registered again after each use to run before it.
void Service::atExitAgain() { std::atexit(&Service::atExit); }

void Service::translate(KernelTier &kernel, CodeCache &code, bool background) {
  // Held by a background that waits for a dispatch, too: its kernel is translated afterwards.
  const auto units = discoverUnits(code, kernel.entry_, kMaxUnit);
  for (const auto &unit : units) {
    if (background && !beginUnit())
      break;
    const bool go = translateUnit(unit, code);
    if (background)
      endUnit();
    if (!go)
      break;
  }
  kernel.state_.store(KernelTier::State::done);
}

/// False: there is no compiler.
bool Service::translateUnit(const std::vector<UnitInst> &unit, CodeCache &code) {
  const DefaultFloat state; // for LLVM, which folds constants
  std::lock_guard lock(compileMutex_);
  if (!loaded_) {
    loaded_ = true;
    atExitAgain(); // for an exit while the library is being loaded
    library_ = loadLibrary();
  }
  if (!library_)
    return false;
  // Another kernel may share code with this one: what is translated stays.
  bool fresh = false;
  for (const UnitInst &u : unit)
    fresh |= (u.flags & startsBlock) && !entryAt(u.exec);
  if (!fresh)
    return true;
  const auto begin = std::chrono::steady_clock::now();
  CodeTier &tier = codeTier(code);
  tier.library = library_;
  Compiled compiled;
  char message[256] = "";
  const bool ok = library_->compile(unit.data(), uint32_t(unit.size()), code.target(), compiled,
                                    message, sizeof(message));
  atExitAgain();
  statistics_.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!ok) {
    if (statistics_.failures++ == 0)
      say("a kernel stays interpreted", message);
    return true;
  }
  ++statistics_.units;
  statistics_.instructions += unit.size();
  statistics_.covered += compiled.covered;
  tier.handles.push_back(compiled.handle);
  for (uint32_t k = 0; k < unit.size(); ++k)
    if (unit[k].flags & startsBlock) {
      const UnitEntry &e = tier.entries.emplace_back(UnitEntry{compiled.code, k});
      std::atomic_ref(const_cast<ExecInst *>(unit[k].exec)->translated)
          .store(&e, std::memory_order_release);
    }
  return true;
}

void KernelTier::count(uint64_t n, const std::shared_ptr<CodeCache> &code) {
  const uint64_t total = executed_.fetch_add(n, std::memory_order_relaxed) + n;
  // No kernel is smaller than a few dozen instructions: look at the size only then.
  if (total < threshold_ * 16)
    return;
  State cold = State::cold;
  if (!state_.compare_exchange_strong(cold, State::queued))
    return;
  if (!size_)
    for (const auto &unit : discoverUnits(*code, entry_, kMaxUnit))
      size_ += unit.size();
  if (total < threshold_ * size_)
    return state_.store(State::cold);
  if (auto self = kernelTier(*code, entry_, {When::automatic, threshold_}))
    Service::get().request(std::move(self), code);
}

void KernelTier::translateNow(const std::shared_ptr<CodeCache> &code) {
  if (state_.load() != State::done)
    Service::get().translate(*this, *code, false);
}

std::shared_ptr<KernelTier> kernelTier(CodeCache &code, const ExecInst *entry,
                                       const Settings &settings) {
  if (settings.when == When::off)
    return nullptr;
  CodeTier &tier = codeTier(code);
  std::lock_guard lock(tier.mutex);
  auto &kernel = tier.kernels[entry];
  if (!kernel)
    kernel = std::make_shared<KernelTier>(entry, settings);
  return kernel;
}

Settings Settings::of(const DeviceConfig &config) {
  const When when = config.translate == "off"      ? When::off
                    : config.translate == "always" ? When::always
                                                   : When::automatic;
  return {when, config.translateThreshold.value_or(0)};
}

DispatchScope::DispatchScope(const std::shared_ptr<KernelTier> &tier) : counted_(tier != nullptr) {
  if (counted_)
    Service::get().dispatchBegins();
}
DispatchScope::~DispatchScope() {
  if (counted_)
    Service::get().dispatchEnds();
}

TierStatistics tierStatistics() { return Service::get().statistics(); }
void finishTranslations() { Service::get().finish(); }

} // namespace meld::softgpu::translate
