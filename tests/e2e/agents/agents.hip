// Several devices in one process, one part per name on the command line. The devices are those that
// MELD_GPU lists; every answer is computed on the host, too.
#include "tests/e2e/agents/agents.h"

#include <hip/hiprtc.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// HIP finds variables by name: not in the unnamed namespace.
__device__ int counter = 7;
__constant__ int table[4] = {10, 20, 30, 40};

namespace {

__global__ void whoAmI(int *out) { out[threadIdx.x] = compiledFor(); }
__global__ void count(int *out) {
  atomicAdd(&counter, 1);
  out[threadIdx.x] = table[threadIdx.x & 3];
}
__global__ void addTo(int *x, int v) { x[blockIdx.x * blockDim.x + threadIdx.x] += v; }
__global__ void addSlowly(int *x, int v, int rounds) {
  for (int i = 0; i < rounds; ++i)
    __builtin_amdgcn_s_sleep(10);
  x[threadIdx.x] += v;
}
__global__ void addEverywhere(int *sum) {
  __hip_atomic_fetch_add(sum, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__global__ void reverse(int *x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
/// A private array that is indexed by a variable: scratch memory.
__global__ void scratch(int *x) {
  int history[64];
  for (int i = 0; i < 64; ++i)
    history[i] = x[threadIdx.x] * i;
  int sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += history[(i * x[threadIdx.x]) & 63];
  x[threadIdx.x] = sum;
}
__global__ void speak(int device) {
  if (threadIdx.x == 5)
    printf("device %d thread %d\n", device, static_cast<int>(threadIdx.x));
}

void devices() {
  const auto wanted = wantedDevices();
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  EXPECT(count == static_cast<int>(wanted.size()));
  std::set<std::string> places;
  onEach([&](int device) {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, device));
    // "gfx90a:sramecc+:xnack-"
    const std::string name = properties.gcnArchName;
    EXPECT(name.substr(0, name.find(':')) == wanted[static_cast<size_t>(device)]);
    char place[64];
    HIP(hipDeviceGetPCIBusId(place, sizeof place, device));
    places.insert(place);
    int back = -1;
    HIP(hipDeviceGetByPCIBusId(&back, place));
    EXPECT(back == device);
  });
  EXPECT(places.size() == wanted.size());
  EXPECT(hipSetDevice(count) == hipErrorInvalidDevice);
}

/// Each device in turn: its own code object, LDS, scratch.
void turns() {
  const auto wanted = wantedDevices();
  for (int round = 0; round < 2; ++round)
    onEach([&](int device) {
      const int processor = processorOf(wanted[static_cast<size_t>(device)]);
      EXPECT(branchyIsRight(nullptr, static_cast<uint32_t>(device)));
      const auto start = counting(256);
      Device<int> x(start);
      whoAmI<<<1, 256>>>(x.get());
      EXPECT(x.host() == std::vector<int>(256, processor));
      Device<int> y(start);
      reverse<<<1, 256, 256 * sizeof(int)>>>(y.get());
      auto backwards = start;
      std::reverse(backwards.begin(), backwards.end());
      EXPECT(y.host() == backwards);
      Device<int> z(start);
      scratch<<<1, 256>>>(z.get());
      auto sums = start;
      for (int &v : sums) {
        int sum = 0;
        for (int i = 0; i < 64; ++i)
          sum += v * ((i * v) & 63);
        v = sum;
      }
      EXPECT(z.host() == sums);
    });
}

/// A thread per device, two streams each, all at once.
void threads() {
  std::atomic<int> right{0};
  std::vector<std::thread> all;
  const int devices = static_cast<int>(wantedDevices().size());
  for (int device = 0; device < devices; ++device)
    for (int worker = 0; worker < 2; ++worker)
      all.emplace_back([&right, device, worker] {
        HIP(hipSetDevice(device));
        hipStream_t streams[2];
        for (hipStream_t &stream : streams)
          HIP(hipStreamCreate(&stream));
        for (uint32_t round = 0; round < 8; ++round)
          right += branchyIsRight(streams[round & 1], round * 10 + static_cast<uint32_t>(worker));
        for (hipStream_t stream : streams)
          HIP(hipStreamDestroy(stream));
      });
  for (std::thread &thread : all)
    thread.join();
  EXPECT(right == devices * 2 * 8);
}

/// Variables of the program have a copy on each device.
void globals() {
  std::set<void *> addresses;
  onEach([&](int device) {
    int value = 0;
    HIP(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof value));
    EXPECT(value == 7);
    value = 100 * (device + 1);
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(counter), &value, sizeof value));
    const int row[4] = {device, device + 1, device + 2, device + 3};
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), row, sizeof row));
    void *address = nullptr;
    HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(counter)));
    addresses.insert(address);
  });
  EXPECT(addresses.size() == wantedDevices().size());
  onEach([](int device) {
    Device<int> out(64);
    for (int i = 0; i <= device; ++i) // a number of launches that tells the devices apart
      count<<<1, 64>>>(out.get());
    const auto row = out.host();
    for (int i = 0; i < 64; ++i)
      EXPECT(row[static_cast<size_t>(i)] == device + (i & 3));
  });
  onEach([](int device) {
    int value = 0;
    HIP(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof value));
    EXPECT(value == 100 * (device + 1) + 64 * (device + 1));
  });
}

/// Every way from one device to another.
void copies() {
  const int last = static_cast<int>(wantedDevices().size()) - 1;
  for (const size_t size :
       {size_t{1}, size_t{63}, size_t{4096}, size_t{1000003}, size_t{5} << 20}) {
    const auto source = randomBelow<uint8_t>(size, 256, size);
    HIP(hipSetDevice(0));
    Device<uint8_t> from(source);
    for (int way = 0; way < 6; ++way) {
      HIP(hipSetDevice(last));
      Device<uint8_t> to(size);
      std::vector<uint8_t> host(size);
      hipStream_t stream;
      HIP(hipStreamCreate(&stream));
      switch (way) {
      case 0:
        HIP(hipMemcpy(to.get(), from.get(), size, hipMemcpyDeviceToDevice));
        break;
      case 1:
        HIP(hipMemcpy(to.get(), from.get(), size, hipMemcpyDefault));
        break;
      case 2:
        HIP(hipMemcpyPeer(to.get(), last, from.get(), 0, size));
        break;
      case 3:
        HIP(hipMemcpyPeerAsync(to.get(), last, from.get(), 0, size, stream));
        HIP(hipStreamSynchronize(stream));
        break;
      case 4:
        HIP(hipMemcpyAsync(to.get(), from.get(), size, hipMemcpyDefault, stream));
        HIP(hipStreamSynchronize(stream));
        break;
      case 5:
        HIP(hipMemcpy(host.data(), from.get(), size, hipMemcpyDeviceToHost));
        HIP(hipMemcpy(to.get(), host.data(), size, hipMemcpyHostToDevice));
        break;
      }
      HIP(hipStreamDestroy(stream));
      if (to.host() != source)
        std::printf("way %d, %zu bytes\n", way, size);
      EXPECT(to.host() == source);
    }
  }
  HIP(hipSetDevice(0));
}

/// Kernels that use another device's memory, where the runtime says that they may.
void peers() {
  const int last = static_cast<int>(wantedDevices().size()) - 1;
  int there = 0, back = 0;
  HIP(hipDeviceCanAccessPeer(&there, 0, last));
  HIP(hipDeviceCanAccessPeer(&back, last, 0));
  EXPECT(there == back);
  int self = 1;
  HIP(hipDeviceCanAccessPeer(&self, 0, 0));
  EXPECT(self == 0);
  EXPECT(there == 1);
  if (!there)
    return;
  HIP(hipSetDevice(last));
  Device<int> x(counting(256));
  HIP(hipDeviceSynchronize());
  HIP(hipSetDevice(0));
  HIP(hipDeviceEnablePeerAccess(last, 0));
  EXPECT(hipDeviceEnablePeerAccess(last, 0) == hipErrorPeerAccessAlreadyEnabled);
  addTo<<<1, 256>>>(x.get(), 1000);
  HIP(hipDeviceSynchronize());
  EXPECT(x.host() == counting(256, 1000));
  HIP(hipDeviceDisablePeerAccess(last));
  EXPECT(hipDeviceDisablePeerAccess(last) == hipErrorPeerAccessNotEnabled);
  hipPointerAttribute_t attributes;
  HIP(hipPointerGetAttributes(&attributes, x.get()));
  EXPECT(attributes.device == last);
}

/// Host memory is everybody's; a stream of one device waits for an event of another.
void together() {
  const int devices = static_cast<int>(wantedDevices().size());
  int *pinned = nullptr;
  HIP(hipHostMalloc(&pinned, 256 * sizeof(int), hipHostMallocPortable | hipHostMallocMapped));
  std::vector<int> plain(4096, 1);
  HIP(hipHostRegister(plain.data(), plain.size() * sizeof(int), hipHostRegisterPortable));
  std::fill_n(pinned, 256, 0);
  std::vector<hipStream_t> streams(static_cast<size_t>(devices));
  std::vector<hipEvent_t> events(static_cast<size_t>(devices));
  onEach([&](int device) {
    const auto i = static_cast<size_t>(device);
    HIP(hipStreamCreate(&streams[i]));
    HIP(hipEventCreateWithFlags(&events[i], hipEventDisableTiming));
    void *seen = nullptr;
    HIP(hipHostGetDevicePointer(&seen, plain.data(), 0));
    addTo<<<16, 256>>>(static_cast<int *>(seen), device + 1);
    HIP(hipDeviceSynchronize());
  });
  int expected = 1;
  for (int device = 0; device < devices; ++device)
    expected += device + 1;
  EXPECT(plain == std::vector<int>(4096, expected));
  // Around in a ring: each adds behind its predecessor, without the host in between.
  constexpr int rounds = 20;
  hipEvent_t *before = nullptr;
  for (int round = 0; round < rounds; ++round)
    onEach([&](int device) {
      const auto i = static_cast<size_t>(device);
      if (before)
        HIP(hipStreamWaitEvent(streams[i], *before, 0));
      addSlowly<<<1, 256, 0, streams[i]>>>(pinned, device + 1, 20);
      HIP(hipEventRecord(events[i], streams[i]));
      before = &events[i];
    });
  HIP(hipEventSynchronize(*before));
  for (int i = 0; i < 256; ++i)
    EXPECT(pinned[i] == rounds * (expected - 1));
  // At once: atomics of the whole system.
  *pinned = 0;
  onEach([&](int device) {
    addEverywhere<<<16, 256, 0, streams[static_cast<size_t>(device)]>>>(pinned);
  });
  onEach([&](int device) { HIP(hipStreamSynchronize(streams[static_cast<size_t>(device)])); });
  EXPECT(*pinned == devices * 16 * 256);
  onEach([&](int device) {
    HIP(hipStreamDestroy(streams[static_cast<size_t>(device)]));
    HIP(hipEventDestroy(events[static_cast<size_t>(device)]));
  });
  HIP(hipHostUnregister(plain.data()));
  HIP(hipHostFree(pinned));
}

void print() {
  onEach([](int device) {
    speak<<<1, 64>>>(device);
    HIP(hipDeviceSynchronize());
  });
}

/// Source compiled at run time, for each device its own.
void compiled() {
  const auto wanted = wantedDevices();
  onEach([&](int device) {
    const std::string name = wanted[static_cast<size_t>(device)];
    const std::string text = "extern \"C\" __global__ void own(int *x) { x[threadIdx.x] += __" +
                             name + "__ * " + std::to_string(device + 2) + "; }";
    hiprtcProgram program;
    EXPECT(hiprtcCreateProgram(&program, text.c_str(), "own.hip", 0, nullptr, nullptr) ==
           HIPRTC_SUCCESS);
    const std::string arch = "--offload-arch=" + name;
    const char *options[] = {arch.c_str()};
    EXPECT(hiprtcCompileProgram(program, 1, options) == HIPRTC_SUCCESS);
    size_t size = 0;
    EXPECT(hiprtcGetCodeSize(program, &size) == HIPRTC_SUCCESS);
    std::vector<char> code(size);
    EXPECT(hiprtcGetCode(program, code.data()) == HIPRTC_SUCCESS);
    hiprtcDestroyProgram(&program);
    hipModule_t module;
    hipFunction_t function;
    HIP(hipModuleLoadData(&module, code.data()));
    HIP(hipModuleGetFunction(&function, module, "own"));
    Device<int> x(counting(64));
    int *pointer = x.get();
    void *arguments[] = {&pointer};
    HIP(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT(x.host() == counting(64, device + 2));
    HIP(hipModuleUnload(module));
  });
}

/// Children made before the runtime starts, with all devices each, and the parent with them.
void forked() {
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      turns();
      threads();
      _exit(failures ? 1 : 0);
    }
    children.push_back(child);
  }
  turns();
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

} // namespace

int main(int argc, char **argv) {
  return runParts(argc, argv,
                  {{"devices", devices},
                   {"turns", turns},
                   {"threads", threads},
                   {"globals", globals},
                   {"copies", copies},
                   {"peers", peers},
                   {"print", print},
                   {"together", together},
                   {"forked", forked},
                   {"compiled", compiled}});
}
