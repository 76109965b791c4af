// Programs that are right by the letter of HIP and HSA, and hard on whoever watches their launches:
//   modules FILE    threads load a module, launch its kernels and unload it, again and again
//   blocked FILE    modules are unloaded while a version's launch cannot begin
//   ring            a queue of HSA's own, whose places are counted by the size that was asked for
#include "tests/e2e/choice/side.h"
#include "tests/e2e/programs/check.h"

#include <chrono>
#include <hsa/hsa.h>
#include <string>
#include <thread>

constexpr unsigned kThreads = 256, kGroups = 32, kCount = kThreads * kGroups;

/// One module of its own, as a user of kernel "counts" in it.
class Module {
public:
  Module(const char *path, hipStream_t stream) : stream_(stream) {
    HIP(hipModuleLoad(&module_, path));
    HIP(hipModuleGetFunction(&counts_, module_, "counts"));
    for (unsigned i = 0; i < kCount; ++i)
      keys_[i] = i * 2654435761u >> 7;
    const std::vector<unsigned> begin(kCount, 7);
    HIP(hipMalloc(&key_, 4 * kCount));
    HIP(hipMalloc(&data_, 4 * kCount));
    HIP(hipMemcpy(key_, keys_.data(), 4 * kCount, hipMemcpyHostToDevice));
    HIP(hipMemcpy(data_, begin.data(), 4 * kCount, hipMemcpyHostToDevice));
  }
  void launch() {
    void *arguments[] = {&key_, &data_};
    HIP(hipModuleLaunchKernel(counts_, kGroups, 1, 1, kThreads, 1, 1, 0, stream_, arguments,
                              nullptr));
    ++launches_;
  }
  /// Waits, compares, and unloads.
  void end() {
    HIP(hipStreamSynchronize(stream_));
    std::vector<unsigned> got(kCount);
    HIP(hipMemcpy(got.data(), data_, 4 * kCount, hipMemcpyDeviceToHost));
    unsigned odd = 7, even = 7, wrong = 0, counted = 0;
    for (unsigned l = 0; l < launches_; ++l) {
      odd = sideOf(odd, true);
      even = sideOf(even, false);
    }
    for (unsigned i = 0; i < kCount; ++i)
      wrong += got[i] != (keys_[i] & 1 ? odd : even);
    EXPECT(wrong == 0);
    hipDeviceptr_t variable;
    size_t bytes;
    HIP(hipModuleGetGlobal(&variable, &bytes, module_, "counted"));
    HIP(hipMemcpyDtoH(&counted, variable, 4));
    EXPECT(counted == launches_);
    HIP(hipFree(key_));
    HIP(hipFree(data_));
    HIP(hipModuleUnload(module_));
  }

private:
  hipModule_t module_;
  hipFunction_t counts_;
  hipStream_t stream_;
  std::vector<unsigned> keys_ = std::vector<unsigned>(kCount);
  unsigned *key_, *data_;
  unsigned launches_ = 0;
};

static void modules(const char *path) {
  std::vector<std::thread> all;
  for (int t = 0; t < 3; ++t)
    all.emplace_back([=] {
      hipStream_t stream;
      HIP(hipStreamCreate(&stream));
      for (int round = 0; round < 4; ++round) {
        Module module(path, stream);
        for (int i = 0; i < 20 + 10 * t; ++i)
          module.launch();
        module.end();
      }
      HIP(hipStreamDestroy(stream));
    });
  for (auto &thread : all)
    thread.join();
}

/// Seconds that it takes to load the module and to unload it again, 30 times.
static double loads(const char *path) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 30; ++i) {
    hipModule_t other;
    HIP(hipModuleLoad(&other, path));
    HIP(hipModuleUnload(other));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static void blocked(const char *path) {
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  Module busy(path, stream);
  for (int i = 0; i < 60; ++i)
    busy.launch();
  HIP(hipStreamSynchronize(stream));
  const double idle = loads(path);
  void *memory;
  HIP(hipExtMallocWithFlags(&memory, 8, hipMallocSignalMemory));
  auto *value = static_cast<volatile long *>(memory);
  *value = 0;
  HIP(hipStreamWaitValue64(stream, memory, 1, hipStreamWaitValueGte, ~0ull));
  busy.launch();
  const double waiting = loads(path);
  // Had each waited 0.1 s for the launch that cannot begin: 3 s more.
  EXPECT(waiting < 2 * idle + 1.5);
  *value = 1;
  busy.end();
}

static void ring() {
  constexpr uint32_t asked = 64;
  HIP(hipFree(nullptr));
  hsa_agent_t gpu{};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void *data) {
        hsa_device_type_t type{};
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        if (type == HSA_DEVICE_TYPE_GPU)
          *static_cast<hsa_agent_t *>(data) = agent;
        return HSA_STATUS_SUCCESS;
      },
      &gpu);
  hsa_queue_t *queue = nullptr;
  hsa_signal_t done{};
  EXPECT(hsa_queue_create(gpu, asked, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, ~0u, ~0u, &queue) ==
         HSA_STATUS_SUCCESS);
  EXPECT(queue && queue->size == asked); // more than the least size, and a power of two
  EXPECT(hsa_signal_create(1, 0, nullptr, &done) == HSA_STATUS_SUCCESS);
  for (int batch = 0; batch < 8 && !failures; ++batch) {
    hsa_signal_store_relaxed(done, 1);
    for (int i = 0; i < 24; ++i) {
      const uint64_t at = hsa_queue_add_write_index_relaxed(queue, 1);
      auto *packet =
          static_cast<hsa_barrier_and_packet_t *>(queue->base_address) + (at & (asked - 1));
      hsa_barrier_and_packet_t barrier{};
      if (i == 23)
        barrier.completion_signal = done;
      barrier.header = HSA_PACKET_TYPE_INVALID;
      *packet = barrier;
      __atomic_store_n(&packet->header,
                       uint16_t(HSA_PACKET_TYPE_BARRIER_AND | 1u << HSA_PACKET_HEADER_BARRIER),
                       __ATOMIC_RELEASE);
      hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(at));
    }
    const auto left = hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 20'000'000'000,
                                                HSA_WAIT_STATE_BLOCKED);
    EXPECT(left == 0);
  }
  hsa_signal_destroy(done);
  hsa_queue_destroy(queue);
}

int main(int argc, char **argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "modules" && argc > 2)
    modules(argv[2]);
  else if (part == "blocked" && argc > 2)
    blocked(argv[2]);
  else if (part == "ring")
    ring();
  else
    EXPECT(!"a part of this program");
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
