// libmeld-launch-times.so: preloaded into a HIP program it writes how long each of the program's
// kernels took on the device, a line "NANOSECONDS NAME" for each launch, in launch order, to the file
// that LAUNCH_TIMES_FILE names.
//
// The times are those that the device stamps on a dispatch when it begins and when it ends. Between
// two events of HIP's there is more: the packet of the first event, and the way to the kernel, some
// microseconds, which would draw all ratios towards 1. So:
//
//   hipLaunchKernel (what <<<>>> calls)  launches through hipExtLaunchKernel with a stop event, which
//                                        makes the runtime ask for the dispatch's time stamps, and
//                                        waits for it
//   hsa_amd_profiling_get_dispatch_time  is where the runtime reads them, and where we see them. Of
//                                        what it reads for a launch the interval that ends last is
//                                        the kernel's: all else on the stream was before it
//
// HIP and HSA are looked up, not linked: the few types are plain C and the same in every version
// since 4.2. Where anything is missing the program runs as it would without us, and the file stays
// short or empty, which its reader notices. Launches by other ways (modules, graphs, cooperative
// ones) are not timed; no program of bench/ has any.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace {

struct Dim3 {
  uint32_t x, y, z;
};
using Event = void *;
using Stream = void *;
constexpr int kSuccess = 0; // hipSuccess, HSA_STATUS_SUCCESS

struct Agent {
  uint64_t handle;
};
struct Signal {
  uint64_t handle;
};
struct Interval { // hsa_amd_profiling_dispatch_time_t
  uint64_t start, end;
};
constexpr int kTimestampFrequency = 3; // HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY

template <class F> F next(const char *name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }

struct Hip {
  using Launch = int (*)(const void *, Dim3, Dim3, void **, size_t, Stream);
  using LaunchTimed = int (*)(const void *, Dim3, Dim3, void **, size_t, Stream, Event, Event, int);
  Launch launch = next<Launch>("hipLaunchKernel");
  LaunchTimed launchTimed = next<LaunchTimed>("hipExtLaunchKernel");
  int (*create)(Event *) = next<int (*)(Event *)>("hipEventCreate");
  int (*destroy)(Event) = next<int (*)(Event)>("hipEventDestroy");
  int (*record)(Event, Stream) = next<int (*)(Event, Stream)>("hipEventRecord");
  int (*wait)(Event) = next<int (*)(Event)>("hipEventSynchronize");
  int (*elapsed)(float *, Event,
                 Event) = next<int (*)(float *, Event, Event)>("hipEventElapsedTime");
  const char *(*nameOf)(const void *, Stream) =
      next<const char *(*)(const void *, Stream)>("hipKernelNameRefByPtr");
  int (*systemInfo)(int, void *) = next<int (*)(int, void *)>("hsa_system_get_info");

  bool canTime() const {
    return launchTimed && create && destroy && record && wait && elapsed && nameOf && systemInfo;
  }
};

const Hip &hip() {
  static const Hip functions;
  return functions;
}

/// What the runtime has read of dispatches since the last launch began.
class Seen {
public:
  void clear() {
    const std::lock_guard lock(mutex_);
    last_ = {};
  }
  void add(const Interval &interval) {
    const std::lock_guard lock(mutex_);
    if (interval.end > last_.end)
      last_ = interval;
  }
  Interval last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

private:
  mutable std::mutex mutex_;
  Interval last_{};
};

Seen &seen() {
  static Seen all;
  return all;
}

class Times {
public:
  explicit Times(std::FILE *file) : file_(file) {}

  int launch(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared,
             Stream stream) {
    const std::lock_guard lock(mutex_);
    if (!before_ && !begin(stream))
      return hip().launch(kernel, grid, block, arguments, shared, stream);
    Event done = nullptr;
    if (hip().create(&done) != kSuccess)
      return hip().launch(kernel, grid, block, arguments, shared, stream);
    seen().clear();
    const int status =
        hip().launchTimed(kernel, grid, block, arguments, shared, stream, nullptr, done, 0);
    if (status != kSuccess) {
      hip().destroy(done);
      return status;
    }
    float unused = 0; // what counts is that the runtime reads the stamps for it, if it has not yet
    const bool over =
        hip().wait(done) == kSuccess && hip().elapsed(&unused, before_, done) == kSuccess;
    const Interval interval = seen().last();
    const char *name = hip().nameOf(kernel, stream);
    if (over && interval.end > interval.start)
      std::fprintf(file_, "%.0f %s\n",
                   static_cast<double>(interval.end - interval.start) * nanosecondsPerTick_,
                   name ? name : "?");
    hip().destroy(before_);
    before_ = done;
    return kSuccess;
  }
  /// At the end of the process, before the HIP runtime's own end.
  void finish() {
    const std::lock_guard lock(mutex_);
    std::fclose(file_);
    file_ = std::fopen("/dev/null", "w");
  }

private:
  bool begin(Stream stream) {
    uint64_t frequency = 0;
    if (hip().systemInfo(kTimestampFrequency, &frequency) != kSuccess || !frequency ||
        hip().create(&before_) != kSuccess)
      return false;
    nanosecondsPerTick_ = 1e9 / static_cast<double>(frequency);
    return hip().record(before_, stream) == kSuccess && hip().wait(before_) == kSuccess;
  }

  std::mutex mutex_;
  std::FILE *file_;
  Event before_ = nullptr; ///< of the launch before
  double nanosecondsPerTick_ = 1;
};

/// Null where nobody asked. Never destroyed: kernels may be launched until the very end.
Times *times() {
  static Times *const all = []() -> Times * {
    const char *name = std::getenv("LAUNCH_TIMES_FILE");
    std::FILE *file = name && *name && hip().canTime() ? std::fopen(name, "w") : nullptr;
    if (!file)
      return nullptr;
    std::atexit([] { times()->finish(); });
    return new Times(file);
  }();
  return all;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) int hipLaunchKernel(const void *kernel, Dim3 grid,
                                                           Dim3 block, void **arguments,
                                                           size_t shared, Stream stream) {
  if (Times *all = times())
    return all->launch(kernel, grid, block, arguments, shared, stream);
  constexpr int kNotFound = 500; // hipErrorNotFound
  return hip().launch ? hip().launch(kernel, grid, block, arguments, shared, stream) : kNotFound;
}

__attribute__((visibility("default"))) int
hsa_amd_profiling_get_dispatch_time(Agent agent, Signal signal, Interval *interval) {
  using Function = int (*)(Agent, Signal, Interval *);
  static const auto real = next<Function>("hsa_amd_profiling_get_dispatch_time");
  constexpr int kError = 0x1000; // HSA_STATUS_ERROR
  const int status = real ? real(agent, signal, interval) : kError;
  if (status == kSuccess)
    seen().add(*interval);
  return status;
}
}
