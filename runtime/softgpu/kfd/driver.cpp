#include "runtime/softgpu/kfd/driver.h"

#include "runtime/softgpu/kfd/sysfs.h"
#include "runtime/write.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

/// 0, or the errno. A file-size limit (ulimit -f) counts for memory files, too.
int setSize(int fd, uint64_t bytes) {
  WithoutWriteSignals quiet;
  return ::ftruncate(fd, static_cast<off_t>(bytes)) ? errno : 0;
}

/// What a person can do about it.
std::string whyNoMemory(int error) {
  rlimit limit{};
  if (error == EFBIG && !::getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
    return "its memory is a file, and files may have no more than " +
           std::to_string(limit.rlim_cur) + " bytes here (RLIMIT_FSIZE; try `ulimit -f unlimited`)";
  return std::string("cannot make the device's memory: ") + std::strerror(error);
}

/// The doorbell pages of all devices, one behind the other.
void *mapDoorbells(int kfd, uint64_t pages) {
  void *all =
      ::mmap(nullptr, pages * kDoorbellBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (uint64_t i = 0; all != MAP_FAILED && i < pages; ++i)
    if (::mmap(static_cast<char *>(all) + i * kDoorbellBytes, kDoorbellBytes,
               PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, kfd,
               static_cast<off_t>(kDoorbellOffset * (i + 1))) == MAP_FAILED)
      return MAP_FAILED;
  return all;
}

std::vector<DeviceConfig> configsOf(const std::vector<DeviceSettings> &devices) {
  std::vector<DeviceConfig> configs;
  for (const DeviceSettings &device : devices)
    configs.push_back(device.toConfig());
  return configs;
}

} // namespace

Driver::Driver(const std::vector<DeviceSettings> &devices, int kfdFd, int renderFd,
               uint64_t doorbells)
    : kfdFd_(kfdFd), renderFd_(renderFd), memory_(configsOf(devices), renderFd), devices_([&] {
        std::vector<std::unique_ptr<Device>> list;
        for (const DeviceSettings &settings : devices)
          list.push_back(std::make_unique<Device>(settings, memory_, svm_));
        return list;
      }()),
      queues_(ports(doorbells)) {}

std::vector<QueuePort> Driver::ports(uint64_t doorbells) {
  std::vector<QueuePort> ports;
  for (const auto &entry : devices_) {
    Device *device = entry.get();
    QueuePort port;
    port.gpuId = device->gpuId;
    port.doorbells = doorbells + device->settings.index * kDoorbellBytes;
    port.doorbellOffset = kDoorbellOffset * (device->settings.index + 1);
    Services &services = port.services;
    services.run = [device](const DispatchRequest &request) { return device->run(request); };
    services.invalidateCode = [device] {
      if (Gpu *gpu = device->gpu())
        gpu->invalidateCode();
    };
    services.setEvent = [this](uint32_t id) { events_.set(id); };
    services.interrupt = [this](uint32_t id) { events_.interrupt(id); };
    services.memoryFault = [this, device](uint64_t address, bool notPresent, bool readOnly) {
      events_.memoryFault(address, notPresent, readOnly, device->gpuId);
    };
    services.toHost = [this](uint64_t address, uint64_t &contiguous) {
      return memory_.toHost(address, contiguous);
    };
    services.accessible = [this, index = device->settings.index](uint64_t address, uint64_t size) {
      return memory_.mapped(address, size, index);
    };
    services.generation = isa::traitsOf(device->settings.model.target).generation;
    if (device->settings.timing)
      services.time = {device->settings.model.clockMhz, device->settings.index,
                       device->settings.noise, &device->latest};
    ports.push_back(std::move(port));
  }
  return ports;
}

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
  const std::vector<DeviceSettings> &devices = processDevices();
  const int kfd = makeDevice("meld-kfd"), render = makeDevice("meld-vram");
  const uint64_t pages = devices.size();
  void *doorbells = MAP_FAILED;
  int error = kfd < 0 || render < 0 ? errno : 0;
  if (!error)
    error = setSize(kfd, kDoorbellOffset * (pages + 1));
  if (!error)
    error = setSize(render, Memory::kFileBytes);
  if (!error && (doorbells = mapDoorbells(kfd, pages)) == MAP_FAILED)
    error = errno;
  if (error) {
    static std::atomic<int> said{0}; // the runtimes try again and again
    if (said.exchange(error) != error)
      say(whyNoMemory(error) + "; no GPU is shown");
    for (int fd : {kfd, render})
      if (fd >= 0)
        ::close(fd);
    errno = error;
    return nullptr;
  }
  return new Driver(devices, kfd, render, reinterpret_cast<uint64_t>(doorbells));
}

int Driver::kfdDescriptor() const { return ::fcntl(kfdFd_, F_DUPFD_CLOEXEC, 0); }
int Driver::renderDescriptor() const { return ::fcntl(renderFd_, F_DUPFD_CLOEXEC, 0); }

Driver::Device::Device(const DeviceSettings &own, const Memory &memory, const Svm &svm)
    : settings(own), gpuId(kGpuId + own.index), view(memory, svm, own.index, gpuId) {}

Gpu *Driver::Device::gpu() {
  std::call_once(once, [this] {
    std::string problem;
    executor = Gpu::create(settings.toConfig(), &view, &problem);
    if (!executor)
      say("the executor could not be started, kernels will not run: " + problem);
  });
  return executor.get();
}

DispatchResult Driver::Device::run(const DispatchRequest &request) {
  DispatchResult result;
  if (Gpu *g = gpu()) {
    result = g->run(request);
  } else {
    result.code = DispatchCode::illegalInstruction;
    result.message = "the executor could not be started";
  }
  if (settings.count > 1 && !result.message.empty())
    result.message = deviceLabel(settings.toConfig()) + ": " + result.message;
  return result;
}

Driver::Device *Driver::find(uint32_t gpuId) {
  for (const auto &device : devices_)
    if (device->gpuId == gpuId)
      return device.get();
  return nullptr;
}

} // namespace meld::softgpu
