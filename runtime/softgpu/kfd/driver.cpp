#include "runtime/softgpu/kfd/driver.h"

#include "runtime/softgpu/kfd/sysfs.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace meld::softgpu {

namespace {

std::atomic<Driver *> process{nullptr};
std::atomic<bool> creating{false};

void forget() { // in the child of a fork: threads and descriptors' meaning are gone
  process.store(nullptr);
  creating.store(false);
}

std::string missingHostFeature() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2"))
    return "AVX2";
  if (!__builtin_cpu_supports("fma"))
    return "FMA";
  return {};
#else
  return "an x86-64 processor";
#endif
}

/// A memfd with a descriptor number out of the way of programs that close or reuse low ones.
int makeDevice(const char *name) {
  const int fd = ::memfd_create(name, MFD_CLOEXEC);
  if (fd < 0)
    return -1;
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, 200);
  if (high < 0)
    return fd;
  ::close(fd);
  return high;
}

Services servicesOf(Memory &memory, Events &events,
                    std::function<DispatchResult(const DispatchRequest &)> run,
                    std::function<void()> invalidate) {
  Services services;
  services.run = std::move(run);
  services.invalidateCode = std::move(invalidate);
  services.setEvent = [&events](uint32_t id) { events.set(id); };
  services.interrupt = [&events](uint32_t id) { events.interrupt(id); };
  services.memoryFault = [&events](uint64_t address, bool notPresent, bool readOnly) {
    events.memoryFault(address, notPresent, readOnly, kGpuId);
  };
  services.toHost = [&memory](uint64_t address, uint64_t &contiguous) {
    return memory.toHost(address, contiguous);
  };
  services.accessible = [&memory](uint64_t address, uint64_t size) {
    return memory.mapped(address, size);
  };
  return services;
}

} // namespace

Driver::Driver(const DeviceSettings &settings, int kfdFd, int renderFd, uint64_t doorbells)
    : settings_(settings), kfdFd_(kfdFd), renderFd_(renderFd),
      memory_(settings.toConfig(), renderFd),
      queues_(doorbells,
              servicesOf(
                  memory_, events_, [this](const DispatchRequest &r) { return runKernel(r); },
                  [this] {
                    if (Gpu *g = gpu())
                      g->invalidateCode();
                  })) {}

Driver *Driver::current() { return process.load(std::memory_order_acquire); }

Driver *Driver::open() {
  for (;;) {
    if (Driver *known = current())
      return known;
    bool expected = false;
    if (creating.compare_exchange_strong(expected, true)) {
      Driver *fresh = create();
      process.store(fresh, std::memory_order_release);
      creating.store(false);
      return fresh;
    }
    ::usleep(100); // another thread is at it
  }
}

Driver *Driver::create() {
  static std::atomic<bool> forkHandled{false};
  if (!forkHandled.exchange(true))
    ::pthread_atfork(nullptr, nullptr, forget);
  sayProcessWarnings();
  if (const std::string missing = missingHostFeature(); !missing.empty()) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true))
      say("this host lacks " + missing + ", which the software GPU needs; no GPU is shown");
    errno = ENODEV;
    return nullptr;
  }
  const int kfd = makeDevice("meld-kfd"), render = makeDevice("meld-vram");
  void *doorbells = MAP_FAILED;
  if (kfd >= 0 && render >= 0 && ::ftruncate(kfd, static_cast<off_t>(kDoorbellOffset * 2)) == 0)
    doorbells = ::mmap(nullptr, kDoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
                       static_cast<off_t>(kDoorbellOffset));
  if (doorbells == MAP_FAILED) {
    const int error = errno;
    say(std::string("cannot make the device's memory: ") + std::strerror(error));
    errno = error;
    return nullptr;
  }
  return new Driver(processSettings(), kfd, render, reinterpret_cast<uint64_t>(doorbells));
}

int Driver::kfdDescriptor() const { return ::fcntl(kfdFd_, F_DUPFD_CLOEXEC, 0); }
int Driver::renderDescriptor() const { return ::fcntl(renderFd_, F_DUPFD_CLOEXEC, 0); }

Gpu *Driver::gpu() {
  std::call_once(gpuOnce_, [this] {
    std::string problem;
    gpu_ = Gpu::create(settings_.toConfig(), &memory_, &problem);
    if (!gpu_)
      say("the executor could not be started, kernels will not run: " + problem);
  });
  return gpu_.get();
}

DispatchResult Driver::runKernel(const DispatchRequest &request) {
  if (Gpu *g = gpu())
    return g->run(request);
  DispatchResult result;
  result.code = DispatchCode::illegalInstruction;
  result.message = "the executor could not be started";
  return result;
}

} // namespace meld::softgpu
