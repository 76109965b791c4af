// libdrm's amdgpu functions for our render nodes. A handle of ours is the address of a device's
// entry in a table; handles of a real device go to the real library, where it is loaded.
#include "runtime/softgpu/kfd/descriptors.h"
#include "runtime/softgpu/kfd/driver.h"
#include "runtime/softgpu/kfd/next.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace meld::softgpu;

namespace {

// The types of libdrm's amdgpu.h, as far as the ABI goes (an opaque handle).
using Handle = void *;

struct Device {
  std::atomic<uint64_t> fd{0}; ///< process id << 32 | descriptor
};
Device table[meld::kMostDevices];

/// The device behind a handle of ours, or nullptr.
Device *ours(Handle handle) {
  for (Device &device : table)
    if (handle == &device)
      return &device;
  return nullptr;
}
const DeviceModel &modelOf(const Device *device) {
  return processDevices()[static_cast<size_t>(device - table)].model;
}

/// struct amdgpu_gpu_info, as far as ROCr reads it; the caller's struct may be longer, never
/// shorter.
struct GpuInfo {
  uint32_t asicId, chipRev, chipExternalRev, familyId;
  uint64_t idsFlags, maxEngineClk, maxMemoryClk;
  uint32_t numShaderEngines, numShaderArraysPerEngine, availQuadShaderPipes, maxQuadShaderPipes;
  uint32_t cacheEntriesPerQuadPipe, numHwGfxContexts, rbPipes, enabledRbPipesMask;
  uint32_t gpuCounterFreq; ///< kHz
};

/// The kernel's numbers (amdgpu_drm.h, AMDGPU_FAMILY_*): AI, NV, GC_11_0_0, GC_12_0_0.
uint32_t familyOf(unsigned generation) {
  return generation >= 12 ? 152 : generation == 11 ? 145 : generation == 10 ? 143 : 141;
}

Next<int (*)(int, uint32_t *, uint32_t *, Handle *)> nextInitialize("amdgpu_device_initialize");
Next<int (*)(Handle)> nextDeinitialize("amdgpu_device_deinitialize"),
    nextGetFd("amdgpu_device_get_fd");
Next<const char *(*)(Handle)> nextName("amdgpu_get_marketing_name");
Next<int (*)(Handle, void *)> nextInfo("amdgpu_query_gpu_info");

// As libdrm, the device has a descriptor of its own: the newer thunk asks for it and closes the one
// that it has opened. It stays open; a forked child, which has a device of its own, gets a new one.
int ownDescriptor(Device &device, const Node &node) {
  for (;;) {
    uint64_t known = device.fd.load();
    if (known >> 32 == uint64_t(::getpid()))
      return int(uint32_t(known));
    const int fresh = openNode(node, O_RDWR | O_CLOEXEC);
    if (fresh < 0)
      return -1;
    if (device.fd.compare_exchange_strong(known, uint64_t(::getpid()) << 32 | uint32_t(fresh)))
      return fresh;
    ::close(fresh); // another thread was first
  }
}

int initialize(const Node &node, uint32_t *major, uint32_t *minor, Handle *handle) {
  Device &device = table[node.device];
  if (major)
    *major = 3;
  if (minor)
    *minor = 49;
  *handle = &device;
  return ownDescriptor(device, node) >= 0 ? 0 : -errno;
}

/// The render node behind a descriptor, or nullptr when it is not ours.
const Node *renderNode(int fd) {
  const Node *node = nodeOf(fd);
  return node && node->kind == Node::Kind::render ? node : nullptr;
}

} // namespace

MELD_EXPORT int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, Handle *handle) {
  if (const Node *node = renderNode(fd))
    return initialize(*node, major, minor, handle);
  return nextInitialize ? nextInitialize(fd, major, minor, handle) : -ENODEV;
}

MELD_EXPORT int amdgpu_device_deinitialize(Handle handle) {
  if (ours(handle))
    return 0;
  return nextDeinitialize ? nextDeinitialize(handle) : -EINVAL;
}

MELD_EXPORT const char *amdgpu_get_marketing_name(Handle handle) {
  if (const Device *device = ours(handle))
    return modelOf(device).marketingName;
  return nextName ? nextName(handle) : nullptr;
}

MELD_EXPORT int amdgpu_device_get_fd(Handle handle) {
  if (const Device *device = ours(handle))
    return int(uint32_t(device->fd.load()));
  return nextGetFd ? nextGetFd(handle) : -EINVAL;
}

MELD_EXPORT int amdgpu_query_gpu_info(Handle handle, void *out) {
  const Device *device = ours(handle);
  if (!device)
    return nextInfo ? nextInfo(handle, out) : -EINVAL;
  const DeviceModel &model = modelOf(device);
  GpuInfo info = {};
  info.asicId = model.deviceId;
  info.familyId = familyOf(isa::traitsOf(model.target).generation);
  info.maxEngineClk = model.clockMhz * 1000ull;
  info.maxMemoryClk = model.memoryClockMhz * 1000ull;
  info.numShaderEngines = model.shaderEngines;
  info.numShaderArraysPerEngine = model.arraysPerEngine;
  info.numHwGfxContexts = 8;
  info.gpuCounterFreq = 1'000'000; // our clock ticks in nanoseconds
  std::memcpy(out, &info, sizeof info);
  return 0;
}
